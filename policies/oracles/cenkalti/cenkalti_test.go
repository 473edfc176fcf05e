// Package cenkalti compares the policy cenkalti_backoff with cenkalti/backoff v5.
package cenkalti

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cenkalti/backoff/v5"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

// step is how one try ends.
type step struct {
	kind string // ok, error, permanent, hint
	hint int    // seconds
	took time.Duration
}

func steps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		kinds := []string{"error", "error", "error", "hint", "hint", "permanent", "ok"}
		return step{
			kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
			hint: rapid.IntRange(1, 30).Draw(t, "hint"),
			took: time.Duration(rapid.Int64Range(0, 5e9).Draw(t, "took")),
		}
	}), 1, 12).Draw(t, "steps")
}

func settings(t *rapid.T) *policies.CenkaltiBackoff {
	s := ours.Settings[policies.CenkaltiBackoff]("cenkalti_backoff")
	s.InitialInterval = sim.Time(rapid.Int64Range(1, 3e9).Draw(t, "initial"))
	s.Multiplier = rapid.SampledFrom([]float64{1, 1.5, 2, 1.1, 3.7}).Draw(t, "multiplier")
	s.MaxInterval = sim.Time(rapid.Int64Range(1, 20e9).Draw(t, "max"))
	s.MaxTries = rapid.SampledFrom([]int{0, 0, 1, 2, 5}).Draw(t, "tries")
	s.MaxElapsedTime = sim.Time(rapid.Int64Range(1, 60e9).Draw(t, "elapsed"))
	s.Randomization = 0
	s.Permanent = []int{400}
	s.RetryAfterError = true
	return s
}

// theirs is when the product tries, the last step repeating, and the waits that it announced.
func theirs(s *policies.CenkaltiBackoff, script []step, most int) (sent, waits []sim.Time) {
	start := time.Now()
	b := backoff.NewExponentialBackOff()
	b.InitialInterval = time.Duration(s.InitialInterval)
	b.Multiplier = s.Multiplier
	b.RandomizationFactor = s.Randomization
	b.MaxInterval = time.Duration(s.MaxInterval)
	elapsed := time.Duration(s.MaxElapsedTime)
	if s.MaxElapsedTime == sim.Never {
		elapsed = 0
	}
	backoff.Retry(context.Background(), func() (int, error) {
		sent = append(sent, sim.Time(time.Since(start)))
		if len(sent) == most {
			return 0, nil
		}
		at := script[min(len(sent), len(script))-1]
		time.Sleep(at.took)
		switch at.kind {
		case "ok":
			return 0, nil
		case "permanent":
			return 0, backoff.Permanent(errors.New("permanent"))
		case "hint":
			return 0, backoff.RetryAfter(at.hint)
		}
		return 0, errors.New("error")
	}, backoff.WithBackOff(b), backoff.WithMaxTries(uint(s.MaxTries)),
		backoff.WithMaxElapsedTime(elapsed),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			waits = append(waits, sim.Time(wait))
		}))
	return sent, waits
}

// answers is the script as the policy sees it.
func answers(script []step) func(int) (policies.Outcome, sim.Time) {
	return func(n int) (policies.Outcome, sim.Time) {
		at := script[min(n, len(script))-1]
		o := policies.Outcome{Class: policies.Error, Status: 500}
		switch at.kind {
		case "ok":
			o = policies.Outcome{Class: policies.OK}
		case "permanent":
			o.Status = 400
		case "hint":
			o.RetryAfter = sim.Time(at.hint) * sim.Second
		}
		return o, sim.Time(at.took)
	}
}

// TestTriesAreTheSame, to the nanosecond. A hint of nothing is not among them: the product would
// try for ever at one moment, and the policy waits one nanosecond.
func TestTriesAreTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s, script := settings(r), steps(r)
		const most = 60
		var want []sim.Time
		synctest.Test(t, func(*testing.T) { want, _ = theirs(s, script, most) })
		got := ours.Call{Policy: ours.Policy("cenkalti_backoff", s), Answer: answers(script),
			Most: most}.Play()
		if !slices.Equal(got, want) {
			r.Fatalf("%+v\n%+v\ngot  %v\nwant %v", s, script, got, want)
		}
	})
}

// TestWaitsAreWithinTheSameBounds: the product's dice cannot be set, so each of its waits must lie
// between those of the least and of the greatest draw.
func TestWaitsAreWithinTheSameBounds(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := settings(r)
		s.Randomization = rapid.SampledFrom([]float64{0.1, 0.5, 1}).Draw(r, "randomization")
		s.MaxElapsedTime, s.MaxTries = sim.Never, 12
		script := []step{{kind: "error"}}
		var waits []sim.Time
		synctest.Test(t, func(*testing.T) { _, waits = theirs(s, script, 100) })
		var bound [2][]sim.Time
		for i, draw := range []float64{0, 1 - 0x1p-53} {
			bound[i] = ours.Call{
				Policy: ours.Policy("cenkalti_backoff", s), Answer: answers(script),
				Draw: func(sim.Time, policies.Outcome) sim.Stream { return ours.Drawn(draw) },
			}.Play()
		}
		if len(waits) != 11 || len(bound[0]) != 12 {
			r.Fatalf("%d waits, and %d tries of ours", len(waits), len(bound[0]))
		}
		for i, wait := range waits {
			least, most := bound[0][i+1]-bound[0][i], bound[1][i+1]-bound[1][i]
			if wait < least-1 || wait > most {
				r.Errorf("%+v: wait %d is %d, and not from %d to %d", s, i+1, wait, least, most)
			}
		}
	})
}
