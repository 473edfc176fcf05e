package policies

import "cascadesim/sim"

// AxiosRetry is axios-retry.
type AxiosRetry struct {
	Retries      int      `yaml:"retries" doc:"Retries beside the first try."`
	Idempotent   bool     `yaml:"idempotent" doc:"The method is GET, HEAD, OPTIONS, PUT or DELETE."`
	RetryDelay   string   `yaml:"retry_delay" enum:"none|linear|exponential" doc:"How waits grow."`
	DelayFactor  sim.Time `yaml:"delay_factor" doc:"What linear adds each time; exponential doubles."`
	Timeout      sim.Time `yaml:"timeout" doc:"The timeout of axios, over all tries; or none."`
	ResetTimeout bool     `yaml:"should_reset_timeout" doc:"Each try has the timeout to itself."`
}

var _ = builtin(Spec{
	Name: "axios_retry",
	Doc: "Retries as axios-retry does with its condition isNetworkOrIdempotentRequestError: network " +
		"errors of any method, and 429 and 500 to 599 of an idempotent one; never what the timeout " +
		"of axios ended, which the clock of a try stands for. There is no wait by default: the " +
		"retries of a failing server follow at once, but for a Retry-After, which is honoured. " +
		"linear waits n * delay_factor, exponential 2^n * delay_factor, or the Retry-After if that " +
		"is longer, and exponential adds U(0, 0.2) of it; in whole milliseconds. axios's timeout " +
		"is one budget of all tries and waits unless should_reset_timeout: a retry whose wait " +
		"would end at its end or later is not made. Set `timeout` here and the same as the edge's " +
		"timeout of the whole call, since a policy ends no try. A timer of no length takes 1 ms in " +
		"Node; here it takes none.",
	Example: "{retries: 3, retry_delay: exponential}",
	Source:  "axios-retry@dd9b700 (4.5), src/index.ts",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	Notes:   true,
}, AxiosRetry{
	// The package's defaults, and GET, which most calls are. axios itself has no timeout.
	Retries: 3, Idempotent: true, RetryDelay: "none", DelayFactor: 100 * sim.Millisecond,
	Timeout: sim.Never,
}, func(s AxiosRetry) (errs []error) {
	b := (*bounds)(&errs)
	b.count("retries", s.Retries, 0)
	b.length("delay_factor", s.DelayFactor, 0)
	b.limit("timeout", s.Timeout, 1)
	return errs
}, func(s AxiosRetry) func() Policy {
	r := &axios{s}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// axios holds nothing that changes but in the note of the call.
type axios struct{ AxiosRetry }

// Retryable draws the wait, because what is left of the timeout decides with it.
func (r *axios) Retryable(now sim.Time, a *Attempt, o Outcome) bool {
	if !r.listed(o) || a.N > r.Retries {
		return false
	}
	wait := r.delay(a.N, o.hint(), a.Chance.Float64())
	plan(a.Note, wait, 0)
	return r.ResetTimeout || r.Timeout-(now-a.Started)-wait > 0
}

// listed is the condition that the package calls so.
func (r *axios) listed(o Outcome) bool {
	switch {
	case o.Class == TimedOut || o.Class == Refused: // a breaker's error has no request to repeat
		return false
	case !o.answered():
		return true
	}
	return r.Idempotent && (o.is(429) || o.serverError())
}

func (r *axios) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	wait, _ := planned(*a.Note)
	return wait
}

// delay is the wait before retry n with the draw in [0, 1).
func (r *axios) delay(n int, hint sim.Time, draw float64) sim.Time {
	switch r.RetryDelay {
	case "none":
		return inMillis(hint)
	case "linear":
		return inMillis(max(times(r.DelayFactor, float64(n)), hint))
	case "exponential":
		t := max(times(r.DelayFactor, sim.Pow(2, float64(min(n, 100)))), hint)
		return inMillis(min(t+times(t, float64(draw*0.2)), sim.MaxTime))
	}
	panic("policies: axios_retry has no delay " + r.RetryDelay)
}
