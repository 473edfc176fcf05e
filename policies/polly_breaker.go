package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// PollyBreaker are the settings of Polly's circuit breaker, version 8.
type PollyBreaker struct {
	Ratio    unit.Ratio `yaml:"failure_ratio" doc:"Share of failures that opens it; above 0 to 1."`
	Minimum  int        `yaml:"minimum_throughput" scale:"s" doc:"Calls in the window below which it never opens."`
	Sampling sim.Time   `yaml:"sampling_duration" doc:"How long calls are remembered; 500 ms to 24 h."`
	Break    sim.Time   `yaml:"break_duration" doc:"How long it is open; 500 ms to 24 h."`
	OnCancel string     `yaml:"on_cancel" enum:"success|failure" doc:"What an attempt is that the deadline of its call ends."`

	Handles string `yaml:"should_handle" enum:"not_ok|5xx|transient|unanswered" doc:"Which outcomes are failures."`
}

var _ = builtin(Spec{
	Name: "polly_breaker",
	Doc: "The circuit breaker of Polly 8. At each failure of a closed breaker it looks at the last " +
		"`sampling_duration`, in ten buckets that begin when they are touched: it opens if they hold " +
		"at least `minimum_throughput` calls and the failures among them reach `failure_ratio`. " +
		"Successes decide nothing. The first call at or after `break_duration` is the probe, and the " +
		"only one let through: its success closes the breaker and empties the buckets, its failure " +
		"opens it again and is not counted. Answers of calls from before the opening are counted while " +
		"it is open, and decide like the probe's once it is half-open. A probe that is never answered " +
		"blocks it for good. " + failingDoc + "Transient is what Microsoft's HTTP handlers say. What a " +
		"later policy of the stack refuses, a rate limiter or another breaker, is an exception, which " +
		"transient alone does not handle. An " +
		"attempt that is given up, at the deadline of its call, because its caller has gone or because " +
		"another copy was faster, is a cancellation, which Polly does not handle unless told so, and " +
		"therefore a success: a probe that hangs until then closes the breaker. Say on_cancel: failure " +
		"where the deadline is Polly's own timeout within the breaker. All breakers that opened " +
		"together probe together. At a scale the minimum is divided: below ten, single failures " +
		"decide. Not modelled: a generated break duration, manual control.",
	Example:  "{failure_ratio: 10%, minimum_throughput: 100, should_handle: transient}",
	Source:   "App-vNext/Polly@173d6d1d, CircuitStateController, RollingHealthMetrics",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, PollyBreaker{
	// The product's defaults (CircuitBreakerConstants).
	Ratio: 0.1, Minimum: 100, Sampling: 30 * sim.Second, Break: 5 * sim.Second,
	OnCancel: "success", Handles: "not_ok",
}, checkPollyBreaker, func(s PollyBreaker) func() Policy {
	t := &pollyTerms{
		ratio:    float64(s.Ratio),
		minimum:  s.Minimum,
		sampling: ticks(s.Sampling),
		bucket:   ticks(s.Sampling) / pollyBuckets,
		breaks:   ticks(s.Break),
		forgives: s.OnCancel == "success",
		failing:  parseFailing(s.Handles),
	}
	return func() Policy {
		b := &pollyBreaker{terms: t}
		return Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level, Breaker: true}
	}
})

func checkPollyBreaker(s PollyBreaker) []error {
	errs := mistakes(
		outside("minimum_throughput", s.Minimum, 1, 1e9),
		outsideTime("sampling_duration", s.Sampling, 500*sim.Millisecond, 24*sim.Hour),
		outsideTime("break_duration", s.Break, 500*sim.Millisecond, 24*sim.Hour),
	)
	if !(s.Ratio > 0 && s.Ratio <= 1) {
		errs = append(errs, fmt.Errorf("failure_ratio: %s; above 0%% to 100%%",
			unit.FormatRatio(s.Ratio)))
	}
	return errs
}

const pollyBuckets = 10

// ticks is a time on .NET's clock, of 100 ns.
func ticks(t sim.Time) int64 { return int64(t / 100) }

type pollyTerms struct {
	ratio            float64
	minimum          int
	sampling, bucket int64 // ticks
	breaks           int64
	forgives         bool
	failing          failing
}

type pollyBreaker struct {
	terms  *pollyTerms
	state  breakerState
	until  int64 // ticks; when it is half-open at the earliest
	health pollyHealth
}

func (b *pollyBreaker) Admit(now sim.Time, _ *Attempt) bool {
	if b.due(now) {
		b.state = breakerHalfOpen
		return true
	}
	return b.state == breakerClosed
}

// due tells whether the next call is the probe.
func (b *pollyBreaker) due(now sim.Time) bool {
	return b.state == breakerOpen && ticks(now) >= b.until
}

// Unsent: what a strategy within it refuses is an exception, which its HTTP clients do not handle.
func (b *pollyBreaker) Unsent(now sim.Time, a *Attempt, o Outcome) {
	b.Observe(now, a, o)
}

// Observe records the outcome under whatever state there is by now: the product knows no
// generations.
func (b *pollyBreaker) Observe(now sim.Time, _ *Attempt, o Outcome) {
	failed := b.terms.failing.counts(o)
	if o.letGo() || o.Cancelled && b.terms.forgives ||
		o.Class == Refused && b.terms.failing == failsTransient {
		failed = false
	}
	switch {
	case b.state == breakerHalfOpen && failed:
		b.open(now)
	case b.state == breakerHalfOpen:
		b.state = breakerClosed
		b.health.clear()
	default:
		b.health.record(ticks(now), failed, b.terms)
		if b.state == breakerClosed && failed && b.trips() {
			b.open(now)
		}
	}
}

func (b *pollyBreaker) trips() bool {
	all, failures := b.health.sum()
	return all >= b.terms.minimum && float64(failures)/float64(all) >= b.terms.ratio
}

func (b *pollyBreaker) open(now sim.Time) {
	b.state = breakerOpen
	b.until = ticks(now) + b.terms.breaks
}

func (b *pollyBreaker) level(now sim.Time) float64 {
	if b.due(now) {
		return breakerHalfOpen.level()
	}
	return b.state.level()
}

// pollyHealth is a queue of buckets in a ring. Each began when a call touched it, at least a tenth
// of the sampling duration after the one before. Eleven are the most there can be: a tenth is
// rounded down.
type pollyHealth struct {
	ring        [pollyBuckets + 1]pollyBucket
	first, used int
}

type pollyBucket struct {
	start         int64 // ticks
	all, failures int
}

func (h *pollyHealth) at(i int) *pollyBucket { return &h.ring[(h.first+i)%len(h.ring)] }

func (h *pollyHealth) record(now int64, failed bool, t *pollyTerms) {
	for h.used > 0 && now-h.at(0).start >= t.sampling {
		h.first = (h.first + 1) % len(h.ring)
		h.used--
	}
	if h.used == 0 || now-h.at(h.used-1).start >= t.bucket {
		*h.at(h.used) = pollyBucket{start: now}
		h.used++
	}
	b := h.at(h.used - 1)
	b.all++
	if failed {
		b.failures++
	}
}

func (h *pollyHealth) sum() (all, failures int) {
	for i := range h.used {
		all += h.at(i).all
		failures += h.at(i).failures
	}
	return all, failures
}

func (h *pollyHealth) clear() { h.used = 0 }
