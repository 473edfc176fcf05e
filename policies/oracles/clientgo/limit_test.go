package clientgo

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/client-go/util/flowcontrol"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// arrival is an attempt that comes a while after the one before, and has so long.
type arrival struct {
	gap, has time.Duration // has 0: for ever
}

// theirs is how long each attempt waits, -1 for those that are refused at once.
func theirs(s *policies.K8sClientRateLimit, arrivals []arrival) []sim.Time {
	waits := make([]sim.Time, len(arrivals))
	limiter := flowcontrol.NewTokenBucketRateLimiter(float32(s.QPS), s.Burst)
	for i, a := range arrivals {
		time.Sleep(a.gap)
		go func() {
			ctx, cancel := context.Background(), context.CancelFunc(func() {})
			if a.has > 0 {
				ctx, cancel = context.WithTimeout(ctx, a.has)
			}
			defer cancel()
			came := time.Now()
			err := limiter.Wait(ctx)
			if waits[i] = sim.Time(time.Since(came)); err != nil {
				waits[i] = -1
			}
		}()
		synctest.Wait() // it has its place in the line
	}
	time.Sleep(time.Hour)
	return waits
}

// mine is the same of the policy: the first delay, or -1 where it is longer than the attempt has.
func mine(s *policies.K8sClientRateLimit, arrivals []arrival) []sim.Time {
	shaper := ours.Policy("k8s_client_rate_limit", s).Shaper
	waits := make([]sim.Time, len(arrivals))
	now := sim.Time(0)
	for i, a := range arrivals {
		now += sim.Time(a.gap)
		var note uint64
		attempt := &policies.Attempt{N: 1, Note: &note, Deadline: sim.Never}
		if a.has > 0 {
			attempt.Deadline = now + sim.Time(a.has)
		}
		if waits[i] = shaper.Delay(now, attempt); waits[i] > attempt.Deadline-now {
			waits[i] = -1
		}
	}
	return waits
}

// TestLimiterWaitsTheSame: but for the nanoseconds that its binary fractions lose.
func TestLimiterWaitsTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.K8sClientRateLimit]("k8s_client_rate_limit")
		s.QPS = unit.Rate(rapid.SampledFrom([]float64{0.5, 1, 3, 5, 50}).Draw(r, "qps"))
		s.Burst = rapid.IntRange(1, 12).Draw(r, "burst")
		arrivals := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) arrival {
			gap := rapid.Int64Range(0, 400e6).Draw(t, "gap")
			// Deadlines at the half of a microsecond are never those of a token.
			has := rapid.SampledFrom([]int64{0, 0, 500, 300e6 + 500, 2e9 + 500}).Draw(t, "has")
			return arrival{gap: time.Duration(gap / 1000 * 1000), has: time.Duration(has)}
		}), 1, 40).Draw(r, "arrivals")
		var want []sim.Time
		synctest.Test(t, func(*testing.T) { want = theirs(s, arrivals) })
		if got := mine(s, arrivals); !ours.Near(got, want) {
			r.Fatalf("%+v\n%+v\ngot  %v\nwant %v", s, arrivals, got, want)
		}
	})
}
