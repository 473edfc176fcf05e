package failsafe_test

import (
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"cascadesim/policies"
	"cascadesim/sim"

	"github.com/failsafe-go/failsafe-go/adaptivethrottler"
	"pgregory.net/rapid"
)

// Each property is tried with a thousand scripts unless the command line says otherwise.
func init() {
	if err := flag.Set("rapid.checks", "1000"); err != nil {
		panic(err)
	}
}

// burstOf is some attempts that end at one time.
type burstOf struct {
	after      time.Duration
	good, fail int
}

// TestThrottlerRefusesWithTheSameProbability compares after each burst: the library tells its rate,
// and ours must refuse exactly the draws up to it. Periods divide the time since 1970, with which
// the library's buckets are aligned, so that they are aligned with the start as ours are.
func TestThrottlerRefusesWithTheSameProbability(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := policies.FailsafeThrottler{
			Threshold:  rapid.Float64Range(0, 0.95).Draw(r, "threshold"),
			Executions: rapid.IntRange(0, 30).Draw(r, "executions"),
			Period: rapid.SampledFrom([]sim.Time{
				sim.Second, 2 * sim.Second, 20 * sim.Second, sim.Minute,
			}).Draw(r, "period"),
			Most: rapid.Float64Range(0, 1).Draw(r, "most"),
		}
		bursts := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) burstOf {
			longest := int64(s.Period) >> rapid.IntRange(0, 8).Draw(r, "shift")
			return burstOf{
				after: time.Duration(rapid.Int64Range(0, longest).Draw(r, "after")),
				good:  rapid.IntRange(0, 20).Draw(r, "good"),
				fail:  rapid.IntRange(0, 20).Draw(r, "fail"),
			}
		}), 1, 40).Draw(r, "bursts")
		synctest.Test(t, func(t *testing.T) { playThrottler(t, s, bursts) })
	})
}

func playThrottler(t *testing.T, s policies.FailsafeThrottler, bursts []burstOf) {
	theirs := adaptivethrottler.NewBuilder[any]().
		WithFailureRateThreshold(s.Threshold, uint(s.Executions), time.Duration(s.Period)).
		WithMaxRejectionRate(s.Most).Build()
	kind, _ := policies.Builtins().Lookup("failsafe_throttler")
	ours := kind.New(s)
	began := time.Now()
	for i, b := range bursts {
		time.Sleep(b.after)
		now := sim.Time(time.Since(began))
		for range b.good {
			theirs.RecordSuccess()
			ours.Observer.Observe(now, nil, policies.Outcome{Class: policies.OK})
		}
		for range b.fail {
			theirs.RecordFailure()
			ours.Observer.Observe(now, nil, policies.Outcome{Class: policies.TimedOut})
		}
		theirs.TryAcquirePermit()
		rate := theirs.RejectionRate()
		for k := range 100 {
			a := policies.Attempt{N: 1, Chance: sim.Seed(uint64(i)).Ident("x").Child(uint64(k)).Draw(0)}
			draw := a.Chance
			x := draw.Float64()
			want := rate == 0 || rate < x && rate < 1
			if got := ours.Gate.Admit(now, &a); got != want {
				t.Fatalf("burst %d: a draw of %v at a rate of %v: admitted %t", i, x, rate, got)
			}
		}
	}
}
