package policies

import (
	"math"

	"cascadesim/sim"
)

// PollyBackoff is the wait of Polly v8's retry strategy.
type PollyBackoff struct {
	BackoffType string   `yaml:"backoff_type" enum:"constant|linear|exponential" doc:"How it grows."`
	Delay       sim.Time `yaml:"delay" doc:"The first wait, before jitter."`
	UseJitter   bool     `yaml:"use_jitter" doc:"Spread the waits."`
	MaxDelay    sim.Time `yaml:"max_delay" doc:"Longest wait, after jitter; none for no limit."`
}

var _ = builtin(Spec{
	Name: "polly_backoff",
	Doc: "Waits as Polly v8 does before retry n = 0, 1, ...: constant `delay`, linear delay * " +
		"(n+1), exponential delay * 2^n. With jitter the first two are multiplied by U(0.75, 1.25); " +
		"exponential becomes another curve: with t = n + U(0, 1) and y(t) = 2^t * tanh(sqrt(4t)) " +
		"the wait is (y of this retry - y of the one before) / 1.4 * delay, so that it depends on " +
		"the draw before and may shrink. It is kept in ticks of 100 ns like a TimeSpan. It is a " +
		"wait only; polly_retry is the whole strategy.",
	Example: "{backoff_type: exponential, delay: 2s, use_jitter: true}",
	Source:  "App-vNext/Polly@173d6d1d, src/Polly.Core/Retry/RetryHelper.cs",
	Sure:    FromSource,
	Paces:   true,
	Notes:   true,
}, PollyBackoff{
	// The defaults of RetryStrategyOptions: two seconds each time, without jitter.
	BackoffType: "constant", Delay: 2 * sim.Second, MaxDelay: sim.Never,
}, func(s PollyBackoff) (errs []error) {
	b := (*bounds)(&errs)
	b.length("delay", s.Delay, 0)
	b.limit("max_delay", s.MaxDelay, 0)
	return errs
}, func(s PollyBackoff) func() Policy {
	w := newPollyWait(s)
	p := Policy{Pacer: w, Fixed: w.fixed()}
	return func() Policy { return p }
})

// tick is the grain of a TimeSpan.
const tick = 100 * sim.Nanosecond

// inTicks truncates what a double has of nanoseconds to whole ticks, as far as a run goes.
func inTicks(ns float64) sim.Time {
	return sim.Time(min(ns, float64(sim.MaxTime))) / tick * tick
}

// pollyWait computes Polly's waits. What changes is in the note of the call: the y of the retry
// before, as its bits.
type pollyWait struct {
	kind   string
	jitter bool
	delay  sim.Time
	most   sim.Time
}

func newPollyWait(s PollyBackoff) *pollyWait {
	return &pollyWait{kind: s.BackoffType, jitter: s.UseJitter,
		delay: s.Delay / tick * tick, most: min(s.MaxDelay, sim.MaxTime)}
}

// fixed is the wait when all are the same, else 0.
func (w *pollyWait) fixed() sim.Time {
	if w.kind != "constant" || w.jitter {
		return 0
	}
	return min(w.delay, w.most)
}

func (w *pollyWait) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	n, r := a.N-2, 0.0
	if w.jitter {
		r = a.Chance.Float64()
	}
	if !w.jitter || w.kind != "exponential" {
		return min(w.spread(n, r), w.most)
	}
	before := math.Float64frombits(*a.Note)
	wait, y := pollyCurve(n, w.delay, before, r)
	*a.Note = math.Float64bits(y)
	return min(wait, w.most)
}

// spread is the wait before retry n, counted from 0, of all kinds but the curve.
func (w *pollyWait) spread(n int, r float64) sim.Time {
	delay := float64(w.delay)
	switch w.kind {
	case "constant":
	case "linear":
		delay *= float64(n + 1)
	case "exponential":
		delay *= sim.Pow(2, float64(min(n, 1000)))
	default:
		panic("policies: Polly has no backoff " + w.kind)
	}
	if w.jitter {
		delay *= 0.75 + float64(r/2)
	}
	return inTicks(delay)
}

// pollyCurve is the jittered exponential wait before retry n, counted from 0, and its y. Beyond
// n = 60 no wait fits into a run.
func pollyCurve(n int, delay sim.Time, before, r float64) (wait sim.Time, y float64) {
	if delay == 0 {
		return 0, before
	}
	if n > 60 {
		return sim.MaxTime, before
	}
	t := float64(n) + r
	y = float64(sim.Pow(2, float64(n)) * sim.Pow(2, r) * tanh(math.Sqrt(float64(4*t))))
	return max(0, inTicks((y-before)/1.4*float64(delay))), y
}

// tanh is the hyperbolic tangent for x >= 0, the same on every machine.
func tanh(x float64) float64 {
	e := sim.Exp(float64(-2 * x))
	return (1 - e) / (1 + e)
}
