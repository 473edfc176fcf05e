package policies

import (
	"math"

	"cascadesim/sim"
)

// PollyContribBackoff is a wait of the package Polly.Contrib.WaitAndRetry.
type PollyContribBackoff struct {
	Kind      string   `yaml:"kind" enum:"aws_decorrelated|decorrelated_v2" doc:"Which formula."`
	MinDelay  sim.Time `yaml:"min_delay" doc:"Shortest wait of aws_decorrelated."`
	MaxDelay  sim.Time `yaml:"max_delay" doc:"Longest wait of aws_decorrelated."`
	Median    sim.Time `yaml:"median_first_retry_delay" doc:"First wait of decorrelated_v2, about."`
	FastFirst bool     `yaml:"fast_first" doc:"The first retry goes at once."`
}

var _ = builtin(Spec{
	Name: "polly_contrib_backoff",
	Doc: "Waits as Polly.Contrib.WaitAndRetry does. aws_decorrelated draws U(min_delay, " +
		"min(max_delay, 3 * previous wait)): the upper end is clamped and not the result, so that " +
		"waits do not pile up at the maximum as they do with AWS's own. decorrelated_v2 is the " +
		"curve that Polly v8 uses for exponential waits with jitter, without a longest wait. " +
		"fast_first puts a wait of nothing in the place of the first. It is a wait only.",
	Example: "{kind: decorrelated_v2, median_first_retry_delay: 1s}",
	Source:  "Polly.Contrib.WaitAndRetry@7596d2d, AwsDecorrelatedJitter.cs, DecorrelatedJitterV2.cs",
	Sure:    FromSource,
	Paces:   true,
	Notes:   true,
}, PollyContribBackoff{
	// The package has no defaults; these are the figures of its readme.
	Kind: "decorrelated_v2", MinDelay: 10 * sim.Millisecond, MaxDelay: 100 * sim.Millisecond,
	Median: sim.Second,
}, func(s PollyContribBackoff) (errs []error) {
	b := (*bounds)(&errs)
	b.length("min_delay", s.MinDelay, 0)
	b.length("max_delay", s.MaxDelay, max(0, s.MinDelay))
	b.length("median_first_retry_delay", s.Median, 0)
	return errs
}, func(s PollyContribBackoff) func() Policy {
	p := Policy{Pacer: &pollyContrib{s}}
	return func() Policy { return p }
})

// pollyContrib keeps the y of decorrelated_v2 in the note of the call, as its bits.
type pollyContrib struct{ PollyContribBackoff }

func (b *pollyContrib) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	n := a.N - 2
	if b.FastFirst && n == 0 {
		return 0
	}
	r := a.Chance.Float64()
	if b.Kind == "aws_decorrelated" {
		return b.decorrelated(a.Wait, r)
	}
	wait, y := pollyCurve(n, b.Median/tick*tick, math.Float64frombits(*a.Note), r)
	*a.Note = math.Float64bits(y)
	return wait
}

// decorrelated is the wait after the previous one, with the draw r in [0, 1).
func (b *pollyContrib) decorrelated(previous sim.Time, r float64) sim.Time {
	least := float64(b.MinDelay)
	ceiling := min(float64(b.MaxDelay), float64(3*max(least, float64(previous))))
	return inTicks(least + float64(r*(ceiling-least)))
}
