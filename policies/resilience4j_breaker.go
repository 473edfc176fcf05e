package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Resilience4jBreaker are the settings of a resilience4j circuit breaker.
type Resilience4jBreaker struct {
	Type    string     `yaml:"sliding_window_type" enum:"count_based|time_based" doc:"Whether the window is of calls or of seconds."`
	Size    int        `yaml:"sliding_window_size" doc:"How many calls or seconds it has; at least 1."`
	Minimum int        `yaml:"minimum_number_of_calls" scale:"s" doc:"Calls in the window below which it never opens; at least 1."`
	Failed  unit.Ratio `yaml:"failure_rate_threshold" doc:"Share of failures that opens it; above 0% to 100%."`
	Slow    unit.Ratio `yaml:"slow_call_rate_threshold" doc:"Share of slow calls that opens it; above 0% to 100%."`

	SlowAfter sim.Time `yaml:"slow_call_duration_threshold" doc:"Calls that took longer than this are slow."`
	Wait      sim.Time `yaml:"wait_duration_in_open_state" doc:"How long it stays open; whole ms, at least 1."`
	Permitted int      `yaml:"permitted_number_of_calls_in_half_open_state" doc:"How many probes are let through; at least 1."`
	MaxWait   sim.Time `yaml:"max_wait_duration_in_half_open_state" doc:"How long it waits for them; whole ms, 0 for ever."`

	After     string `yaml:"transition_to_state_after_wait_duration" enum:"open|closed" doc:"What it becomes after that wait."`
	Automatic bool   `yaml:"automatic_transition_from_open_to_half_open_enabled" doc:"Whether it leaves open by itself, and not at a call."`

	Failures     string `yaml:"record_failure" enum:"not_ok|5xx|transient|unanswered" doc:"Which outcomes are failures."`
	ClientErrors string `yaml:"client_errors" enum:"recorded|ignored" doc:"Whether an answer of status 400 to 499 is recorded or ignored."`
	OnCancel     string `yaml:"on_cancel" enum:"recorded|released|lost" doc:"What an attempt is that is given up because its call has ended."`
}

var _ = builtin(Spec{
	Name: "resilience4j_breaker",
	Doc: "The circuit breaker of resilience4j 2. Each recorded call is judged: once there are " +
		"`minimum_number_of_calls` (at most the size, of count_based), it opens when the " +
		"failed ones " +
		"reach `failure_rate_threshold` or those longer than `slow_call_duration_threshold` " +
		"reach " +
		"`slow_call_rate_threshold`, even at a success. The window is the last " +
		"`sliding_window_size` " +
		"calls, or that many whole seconds of the clock. Later than " +
		"`wait_duration_in_open_state` the " +
		"next call makes it half-open (automatic_...: at that time by itself), and " +
		"`permitted_number_of_calls_in_half_open_state` are let through in all. Nothing is " +
		"decided " +
		"before so many (or the minimum, if less) have ended; then it opens by the same " +
		"thresholds, " +
		"else closes with an empty window. Calls from before that end meanwhile count as if " +
		"they were " +
		"probes. A probe whose end is never told blocks it for good, unless " +
		"max_wait_duration_in_half_open_state ends the wait: it then goes to " +
		"transition_to_state_after_wait_duration. " + failingDoc + "An ignored client error " +
		"gives its " +
		"permit back and is not counted. An attempt that is given up, at the deadline of its " +
		"call, " +
		"because its caller has gone or because another copy was faster, is recorded as the " +
		"exception " +
		"that a cancelled future or an interrupt is; released is what the reactive operators " +
		"do with " +
		"it: not counted, the permit given back; lost is a future that nobody completes: " +
		"neither. " +
		"Beside a hedger say released, or copies that lose open the breaker. What a later policy " +
		"of the stack refuses, a rate limiter or a bulkhead in the library's usual order, is " +
		"recorded as " +
		"its exception is; what it holds back keeps its permit, and the wait is no part of its " +
		"duration, " +
		"which it is in the product. All breakers that opened together probe together. At a " +
		"scale the minimum is divided but not the size: below ten calls, " +
		"single failures decide. Not modelled: wait intervals that grow, the lock-free time " +
		"window, " +
		"transitions on results.",
	Example:  "{failure_rate_threshold: 50%, minimum_number_of_calls: 20}",
	Source:   "resilience4j@af9e7c979, CircuitBreakerStateMachine, CircuitBreakerMetrics",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, Resilience4jBreaker{
	// The product's defaults (CircuitBreakerConfig), which record every exception.
	Type: "count_based", Size: 100, Minimum: 100, Failed: 0.5, Slow: 1,
	SlowAfter: 60 * sim.Second, Wait: 60 * sim.Second, Permitted: 10, After: "open",
	Failures: "not_ok", ClientErrors: "recorded", OnCancel: "recorded",
}, checkResilience4jBreaker, func(s Resilience4jBreaker) func() Policy {
	t := &resilience4jTerms{
		minimum:   int32(s.Minimum),
		failed:    float32(100 * float64(s.Failed)),
		slow:      float32(100 * float64(s.Slow)),
		slowAfter: s.SlowAfter,
		wait:      s.Wait / sim.Millisecond * sim.Millisecond,
		maxWait:   s.MaxWait / sim.Millisecond * sim.Millisecond,
		permitted: s.Permitted,
		closes:    s.After == "closed",
		automatic: s.Automatic,
		failing:   parseFailing(s.Failures),
		ignores:   s.ClientErrors == "ignored",
		onCancel:  s.OnCancel,
	}
	if s.Type == "count_based" {
		t.minimum = min(t.minimum, int32(s.Size))
	}
	t.probes = int32(min(s.Minimum, s.Permitted))
	return func() Policy {
		b := &resilience4jBreaker{terms: t}
		b.trial.calls = make([]resilience4jCounts, s.Permitted)
		if s.Type == "count_based" {
			b.last.calls = make([]resilience4jCounts, s.Size)
		} else {
			b.last.calls, b.last.slot = make([]resilience4jCounts, s.Size), sim.Second
		}
		return Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level, Breaker: true}
	}
})

func checkResilience4jBreaker(s Resilience4jBreaker) []error {
	errs := mistakes(
		outside("sliding_window_size", s.Size, 1, maxBuckets),
		outside("minimum_number_of_calls", s.Minimum, 1, 1e9),
		outsideTime("slow_call_duration_threshold", s.SlowAfter, 1, sim.MaxTime),
		outsideTime("wait_duration_in_open_state", s.Wait, sim.Millisecond, sim.MaxTime),
		outside("permitted_number_of_calls_in_half_open_state", s.Permitted, 1, maxBuckets),
		outsideTime("max_wait_duration_in_half_open_state", s.MaxWait, 0, sim.MaxTime),
	)
	for _, rate := range []struct {
		name string
		x    unit.Ratio
	}{{"failure_rate_threshold", s.Failed}, {"slow_call_rate_threshold", s.Slow}} {
		if !(rate.x > 0 && rate.x <= 1) {
			errs = append(errs, fmt.Errorf("%s: %v; above 0%% to 100%%, such as 50%%", rate.name,
				float64(rate.x)))
		}
	}
	return errs
}

type resilience4jTerms struct {
	minimum, probes   int32 // calls that there must be: when closed, when half-open
	failed, slow      float32
	slowAfter         sim.Time
	wait, maxWait     sim.Time
	permitted         int
	closes, automatic bool
	failing           failing
	ignores           bool
	onCancel          string
}

type resilience4jBreaker struct {
	terms       *resilience4jTerms
	state       breakerState
	since       sim.Time // when this state began
	permits     int      // when half-open: how many more may go
	last, trial resilience4jWindow
}

// Admit takes a permit of a half-open breaker.
func (b *resilience4jBreaker) Admit(now sim.Time, _ *Attempt) bool {
	b.look(now)
	if b.state == breakerOpen && b.due(now) {
		b.turn(breakerHalfOpen, now)
	}
	switch b.state {
	case breakerOpen:
		return false
	case breakerHalfOpen:
		if b.permits == 0 {
			return false
		}
		b.permits--
	case breakerClosed:
	}
	return true
}

// due tells whether a call that comes to an open breaker makes it half-open.
func (b *resilience4jBreaker) due(now sim.Time) bool { return now > b.since+b.terms.wait }

// Unsent: RequestNotPermitted and BulkheadFullException of what it wraps are exceptions like
// others.
func (b *resilience4jBreaker) Unsent(now sim.Time, a *Attempt, o Outcome) {
	b.Observe(now, a, o)
}

// Observe records the outcome under whatever state there is by now: the product knows no
// generations.
func (b *resilience4jBreaker) Observe(now sim.Time, _ *Attempt, o Outcome) {
	b.look(now)
	switch {
	case b.terms.ignores && o.clientError():
		b.release()
		return
	case o.Cancelled && b.terms.onCancel == "released":
		b.release()
		return
	case o.Cancelled && b.terms.onCancel == "lost":
		return
	}
	failed, slow := b.terms.failing.counts(o), o.Latency > b.terms.slowAfter
	switch b.state {
	case breakerClosed:
		b.last.record(now, failed, slow)
		if b.exceeds(&b.last.sum, b.terms.minimum) {
			b.turn(breakerOpen, now)
		}
	case breakerHalfOpen:
		b.trial.record(now, failed, slow)
		if b.exceeds(&b.trial.sum, b.terms.probes) {
			b.turn(breakerOpen, now)
		} else if b.trial.sum.all >= b.terms.probes {
			b.turn(breakerClosed, now)
		}
	case breakerOpen: // what is recorded now is forgotten when it is left
	}
}

func (b *resilience4jBreaker) release() {
	if b.state == breakerHalfOpen {
		b.permits++
	}
}

// exceeds tells whether one of the thresholds is reached. The product reckons in single precision.
func (b *resilience4jBreaker) exceeds(c *resilience4jCounts, least int32) bool {
	return c.all >= least &&
		(c.percent(c.failed) >= b.terms.failed || c.percent(c.slow) >= b.terms.slow)
}

// look lets the timers change the state: they are on time, while a call must come later than that.
func (b *resilience4jBreaker) look(now sim.Time) {
	t := b.terms
	if b.state != breakerClosed && t.automatic && t.maxWait > 0 && !t.closes {
		cycle := t.wait + t.maxWait // nothing of it is left after a whole one
		b.since += max(0, now-b.since-cycle) / cycle * cycle
	}
	for {
		switch {
		case b.state == breakerOpen && t.automatic && now >= b.since+t.wait:
			b.turn(breakerHalfOpen, b.since+t.wait)
		case b.state == breakerHalfOpen && t.maxWait > 0 && now >= b.since+t.maxWait:
			to := breakerOpen
			if t.closes {
				to = breakerClosed
			}
			b.turn(to, b.since+t.maxWait)
		default:
			return
		}
	}
}

func (b *resilience4jBreaker) turn(to breakerState, at sim.Time) {
	b.state, b.since = to, at
	switch to {
	case breakerClosed:
		b.last.clear()
	case breakerHalfOpen:
		b.permits = b.terms.permitted
		b.trial.clear()
	case breakerOpen:
	}
}

func (b *resilience4jBreaker) level(now sim.Time) float64 {
	if b.state == breakerOpen && b.due(now) {
		return breakerHalfOpen.level()
	}
	return b.state.level()
}
