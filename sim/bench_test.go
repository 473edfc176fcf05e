//go:build unix

package sim

import (
	"fmt"
	"syscall"
	"testing"
)

// cpu is the processor time of this process: on a shared machine the wall
// clock measures the neighbours.
func cpu(tb testing.TB) Time {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return Time(u.Utime.Nano() + u.Stime.Nano())
}

// perOp runs do(b.N) and reports the processor time of one operation.
func perOp(b *testing.B, what string, do func(n int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	before := cpu(b)
	do(b.N)
	spent := cpu(b) - before
	b.ReportMetric(float64(spent)/float64(b.N), "cpu-ns/"+what)
}

func BenchmarkHold(b *testing.B) {
	for _, pending := range []int{10, 1e3, 1e5, 1e6} {
		b.Run(fmt.Sprint(pending), func(b *testing.B) {
			h := newHold(NewEngine(), pending)
			perOp(b, "hold", func(n int) { h.en.Run(Never, uint64(n), h) })
		})
	}
}

// rounds measures heads alone: each delivery goes back to a lane of the same
// number, so that every lane always has a few events to come.
type rounds struct {
	en    *Engine
	lanes []Lane
}

func (r *rounds) Handle(ev Event) { r.en.After(r.lanes[ev.ID], 0, ev.ID) }
func (r *rounds) Live(Event) bool { return true }

func BenchmarkLanes(b *testing.B) {
	for _, lanes := range []int{1, 8, 50} {
		b.Run(fmt.Sprint(lanes), func(b *testing.B) {
			r := &rounds{en: NewEngine()}
			for i := range lanes {
				r.lanes = append(r.lanes, r.en.Lane(Millisecond+Time(i)*17*Microsecond))
			}
			for i := range 10 * lanes {
				r.en.At(Time(i)*31*Microsecond, 0, uint32(i%lanes))
			}
			r.en.Run(Never, 100_000, r)
			perOp(b, "event", func(n int) { r.en.Run(Never, uint64(n), r) })
		})
	}
}

func BenchmarkStation(b *testing.B) {
	for _, stations := range []int{1, 1000, 10_000} {
		b.Run(fmt.Sprint(stations), func(b *testing.B) {
			w := newStations(NewEngine(), stations)
			w.run(max(500_000, 50*stations))
			perOp(b, "request", w.run)
		})
	}
}
