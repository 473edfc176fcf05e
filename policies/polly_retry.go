package policies

import "cascadesim/sim"

// PollyRetry is Polly v8's retry strategy.
type PollyRetry struct {
	Retries      int      `yaml:"max_retry_attempts" doc:"Retries beside the first; at least 1."`
	BackoffType  string   `yaml:"backoff_type" enum:"constant|linear|exponential" doc:"How they grow."`
	Delay        sim.Time `yaml:"delay" doc:"The first wait, before jitter."`
	UseJitter    bool     `yaml:"use_jitter" doc:"Spread the waits, as polly_backoff says."`
	MaxDelay     sim.Time `yaml:"max_delay" doc:"Longest wait, after jitter; none for no limit."`
	ShouldHandle string   `yaml:"should_handle" enum:"any|exceptions|http" doc:"What is retried."`
	RetryAfter   bool     `yaml:"should_retry_after_header" doc:"A Retry-After replaces the wait."`
}

var _ = builtin(Spec{
	Name: "polly_retry",
	Doc: "Retries as the retry strategy of Polly v8 does. A failure is first asked whether it is " +
		"handled: `any` takes every failure, as where the caller's code throws on an error status, and " +
		"what a breaker inside it refuses, a BrokenCircuitException; `exceptions` only what has no " +
		"answer, a breaker's refusal included, as around an HttpClient, which throws for nothing else; " +
		"`http` is the standard handler of Microsoft.Extensions.Http.Resilience: no answer, 408, 429 " +
		"and 500 and above, but not what a breaker or a limiter inside it refuses. Then there may be " +
		"max_retry_attempts retries, whose waits are those of polly_backoff. With " +
		"should_retry_after_header a hint replaces the wait, and max_delay does not bind it; the " +
		"standard handler does that, as {max_retry_attempts: 3, delay: 2s, backoff_type: exponential, " +
		"use_jitter: true, should_handle: http, should_retry_after_header: true}. What " +
		"HttpClient.Timeout ends is a cancellation for Polly and never retried, unlike a time-out of " +
		"Polly's own: where the clock of the edge stands for the former, this policy retries too much. " +
		"The handler's settings are known from documents only.",
	Example: "{max_retry_attempts: 3, delay: 2s}",
	Source:  "App-vNext/Polly@173d6d1d, src/Polly.Core/Retry",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	Notes:   true,
}, PollyRetry{
	// RetryStrategyOptions: three retries, two seconds apart, no jitter, every exception.
	Retries: 3, BackoffType: "constant", Delay: 2 * sim.Second, MaxDelay: sim.Never,
	ShouldHandle: "any",
}, func(s PollyRetry) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_retry_attempts", s.Retries, 1)
	b.length("delay", s.Delay, 0)
	b.limit("max_delay", s.MaxDelay, 0)
	return errs
}, func(s PollyRetry) func() Policy {
	w := newPollyWait(PollyBackoff{BackoffType: s.BackoffType, Delay: s.Delay,
		UseJitter: s.UseJitter, MaxDelay: s.MaxDelay})
	r := &pollyRetry{PollyRetry: s, wait: w}
	p := Policy{Condition: r, Pacer: r}
	if !s.RetryAfter {
		p.Fixed = w.fixed()
	}
	return func() Policy { return p }
})

// pollyRetry holds nothing that changes but in the note of the call.
type pollyRetry struct {
	PollyRetry
	wait *pollyWait
}

func (p *pollyRetry) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	if a.N > p.Retries {
		return false
	}
	switch p.ShouldHandle {
	case "any":
		return true
	case "exceptions":
		return !o.answered()
	case "http": // a BrokenCircuitException is no transient one
		if o.Class == Refused {
			return false
		}
		return !o.answered() || o.is(408, 429) || o.Status >= 500
	}
	panic("policies: polly_retry handles no " + p.ShouldHandle)
}

// Wait draws in any case: the curve goes on even where a hint takes its place.
func (p *pollyRetry) Wait(now sim.Time, a *Attempt, last Outcome) sim.Time {
	wait := p.wait.Wait(now, a, last)
	if p.RetryAfter && last.hinted() {
		return last.hint()
	}
	return wait
}
