package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// waitsOf draws the waits of many calls of r retries each; column n holds those before retry n+1.
func waitsOf(p Pacer, calls, r int) [][]float64 {
	columns := make([][]float64, r)
	for id := range uint64(calls) {
		var wait sim.Time
		for n := range columns {
			a := attemptOf(visit{id: id, n: n + 2})
			a.Wait = wait
			wait = p.Wait(0, &a, Outcome{Class: Error})
			columns[n] = append(columns[n], wait.Seconds())
		}
	}
	return columns
}

// TestMeanWaits: five retries from 0.1 s capped at 2 s wait 3.1 s in all without jitter, three
// quarters of that with equal and a half with full. Decorrelated waits grow as m' = (b+3m)/2.
func TestMeanWaits(t *testing.T) {
	onOneMachine(t)
	const calls = 200_000
	for jitter, want := range map[string]float64{"none": 3.1, "equal": 2.325, "full": 1.55} {
		p := kindOf("exponential").New(Exponential{
			Base: 100 * sim.Millisecond, Cap: 2 * sim.Second, Multiplier: 2, Jitter: jitter})
		total := make([]float64, calls)
		for _, column := range waitsOf(p.Pacer, calls, 5) {
			for i, wait := range column {
				total[i] += wait
			}
		}
		meanIs(t, jitter, total, want)
	}
	p := kindOf("decorrelated").New(Decorrelated{Base: 5 * sim.Second, Cap: sim.Never})
	want := 5.0
	for _, column := range waitsOf(p.Pacer, calls, 5) {
		want = (5 + 3*want) / 2 // 10, 17.5, 28.75, 45.6, 70.9
		meanIs(t, "decorrelated", column, want)
	}
}

// meanIs wants the theory inside an interval, and the interval within 1 %.
func meanIs(t *testing.T, what string, x []float64, want float64) {
	t.Helper()
	mean, width := interval(x)
	if math.Abs(mean-want) > width+1e-9 || width > 0.01*want {
		t.Errorf("%s: mean %.4f ± %.4f, want %.4f and an interval within 1 %%",
			what, mean, width, want)
	}
}

// TestWaitsSaturate: powers that no float holds become the cap, and no wait stays no wait.
func TestWaitsSaturate(t *testing.T) {
	for _, c := range []struct{ base, cap, want sim.Time }{
		{0, sim.Never, 0}, {0, sim.Second, 0}, {1, sim.Never, sim.MaxTime}, {1, 5, 5},
	} {
		s := Exponential{Base: c.base, Cap: c.cap, Multiplier: 1000, Jitter: "none"}
		p := kindOf("exponential").New(s).Pacer
		for _, n := range []int{100, 1000, 5000, 1 << 40} {
			if got := p.Wait(0, &Attempt{N: n}, Outcome{}); got != c.want {
				t.Errorf("%+v: try %d waits %d, want %d", s, n, got, c.want)
			}
		}
	}
}

// TestFirstRetriesOfAHerd: 10,000 clients fail at once, base 1 s. Without jitter they return in one
// instant; full jitter spreads them evenly over 0-1 s, equal over 0.5-1 s. A bin of m expected has
// a standard deviation below √m; four of them in each of 15 bins fail once in a thousand seeds.
func TestFirstRetriesOfAHerd(t *testing.T) {
	for _, c := range []struct {
		jitter string
		want   [11]float64 // per 100 ms
	}{
		{"none", [11]float64{10: 10_000}},
		{"full", [11]float64{1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 1000, 0}},
		{"equal", [11]float64{5: 2000, 6: 2000, 7: 2000, 8: 2000, 9: 2000}},
	} {
		p := kindOf("exponential").New(Exponential{
			Base: sim.Second, Cap: sim.Minute, Multiplier: 2, Jitter: c.jitter})
		var got [11]float64
		for _, wait := range waitsOf(p.Pacer, 10_000, 1)[0] {
			got[int(wait*10)]++
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 4*math.Sqrt(c.want[i]) {
				t.Errorf("%s: %v in bin %d, want %v", c.jitter, got[i], i, c.want[i])
			}
		}
	}
}

// TestDecorrelatedIsOneThing: the policy and the jitter of that name wait the same.
func TestDecorrelatedIsOneThing(t *testing.T) {
	one := kindOf("decorrelated").New(Decorrelated{Base: sim.Second, Cap: 20 * sim.Second})
	other := kindOf("exponential").New(Exponential{
		Base: sim.Second, Cap: 20 * sim.Second, Multiplier: 2, Jitter: "decorrelated"})
	a, b := waitsOf(one.Pacer, 100, 6), waitsOf(other.Pacer, 100, 6)
	for n := range a {
		for i := range a[n] {
			if a[n][i] != b[n][i] {
				t.Fatalf("call %d, retry %d: %v and %v", i, n+1, a[n][i], b[n][i])
			}
			if a[n][i] < 1 || a[n][i] > 20 {
				t.Fatalf("call %d, retry %d waits %v s, beyond 1 to 20", i, n+1, a[n][i])
			}
		}
	}
}
