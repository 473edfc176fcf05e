package clientgo

import (
	"math/rand"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/flowcontrol"
	"k8s.io/utils/clock"
	clocks "k8s.io/utils/clock/testing"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

var _ clock.Clock = (*clocks.FakeClock)(nil)

// TestFlowcontrolWaitsTheSame: failures and successes of one entry at random times, idle ones at
// the very moment of forgetting among them.
func TestFlowcontrolWaitsTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.K8sFlowcontrolBackoff]("k8s_flowcontrol_backoff")
		s.Initial = sim.Time(rapid.Int64Range(1, 5e9).Draw(r, "initial"))
		s.Max = sim.Time(rapid.Int64Range(1, 60e9).Draw(r, "max"))
		s.Jitter = rapid.SampledFrom([]float64{0, 0.1, 1, 3}).Draw(r, "jitter")
		const seed = 77
		fake := clocks.NewFakeClock(time.Unix(0, seed))
		theirs := flowcontrol.NewFakeBackOffWithJitter(
			time.Duration(s.Initial), time.Duration(s.Max), fake, s.Jitter)
		mine := ours.Policy("k8s_flowcontrol_backoff", s)
		dice := rand.New(rand.NewSource(seed))
		now := sim.Time(0)
		for range rapid.IntRange(1, 40).Draw(r, "events") {
			step := rapid.OneOf(rapid.Int64Range(0, 20e9), rapid.SampledFrom(
				[]int64{2*int64(s.Max) - 1, 2 * int64(s.Max), 2*int64(s.Max) + 1})).Draw(r, "step")
			now += sim.Time(step)
			fake.SetTime(time.Unix(0, seed+int64(now)))
			if rapid.IntRange(0, 9).Draw(r, "success") == 0 {
				theirs.Reset("callee")
				mine.Observer.Observe(now, &policies.Attempt{N: 1}, policies.Outcome{Class: policies.OK})
				continue
			}
			theirs.Next("callee", fake.Now())
			a := &policies.Attempt{N: 2}
			if s.Jitter > 0 {
				a.Chance = ours.Drawn(dice.Float64())
			}
			got := mine.Pacer.Wait(now, a, policies.Outcome{})
			if want := sim.Time(theirs.Get("callee")); !ours.Near([]sim.Time{got}, []sim.Time{want}) {
				r.Fatalf("%+v: at %d waits %d, want %d", s, now, got, want)
			}
		}
	})
}

// TestWaitBackoffTriesTheSame: the product may wait once more before it gives up, which only its
// caller could tell.
func TestWaitBackoffTriesTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.K8sWaitBackoff]("k8s_wait_backoff")
		s.Steps = rapid.IntRange(1, 6).Draw(r, "steps") // no run is longer than 78 h
		s.Duration = sim.Time(rapid.Int64Range(0, 3e9).Draw(r, "duration"))
		s.Factor = rapid.SampledFrom([]float64{0, 0.5, 1, 1.1, 2, 5}).Draw(r, "factor")
		s.Jitter = rapid.SampledFrom([]float64{0, 0.1, 1, 2.5}).Draw(r, "jitter")
		theirs := wait.Backoff{Steps: s.Steps, Duration: time.Duration(s.Duration),
			Factor: s.Factor, Jitter: s.Jitter}
		if rapid.Bool().Draw(r, "capped") {
			s.Cap = sim.Time(rapid.Int64Range(1, 20e9).Draw(r, "cap"))
			theirs.Cap = time.Duration(s.Cap)
		}
		fails := rapid.IntRange(0, 8).Draw(r, "fails")
		const seed = 20
		//lint:ignore SA1019 the module draws from the global source, which nothing else can seed
		rand.Seed(seed)
		var want []sim.Time
		synctest.Test(t, func(*testing.T) {
			start := time.Now()
			wait.ExponentialBackoff(theirs, func() (bool, error) {
				want = append(want, sim.Time(time.Since(start)))
				return len(want) > fails, nil
			})
		})
		p := ours.Policy("k8s_wait_backoff", s)
		p.Condition = anything{}
		dice := rand.New(rand.NewSource(seed))
		got := ours.Call{Policy: p,
			Answer: func(n int) (policies.Outcome, sim.Time) {
				if n > fails {
					return policies.Outcome{Class: policies.OK}, 0
				}
				return policies.Outcome{Class: policies.Error, Status: 409}, 0
			},
			Draw: func(sim.Time, policies.Outcome) sim.Stream {
				if s.Jitter == 0 {
					return sim.Stream{}
				}
				return ours.Drawn(dice.Float64())
			},
		}.Play()
		if !ours.Near(got, want) {
			r.Fatalf("%+v, %d fail\ngot  %v\nwant %v", s, fails, got, want)
		}
	})
}

// anything is a caller that tries again whatever happened.
type anything struct{}

func (anything) Retryable(sim.Time, *policies.Attempt, policies.Outcome) bool { return true }
