package policies

import "cascadesim/sim"

// GoRetryableHTTP is the client of hashicorp/go-retryablehttp.
type GoRetryableHTTP struct {
	Max     int      `yaml:"retry_max" doc:"Retries beside the first try."`
	WaitMin sim.Time `yaml:"retry_wait_min" doc:"The first wait; the least of linear_jitter."`
	WaitMax sim.Time `yaml:"retry_wait_max" doc:"Longest wait; the most of linear_jitter."`
	Backoff string   `yaml:"backoff" enum:"default|linear_jitter|rate_limit_linear_jitter" doc:"Kind."`
}

var _ = builtin(Spec{
	Name: "go_retryablehttp",
	Doc: "Retries as hashicorp/go-retryablehttp does with its default policy: every failure without " +
		"an answer (a breaker in its transport that refuses is one), 429, status 0, and 500 and above " +
		"except 501, whatever the method, POST too. default waits retry_wait_min * 2^(n-1) up to " +
		"retry_wait_max, without jitter, so that callers that failed together return together. " +
		"linear_jitter waits n * U(retry_wait_min, retry_wait_max). On 429 and 503 a Retry-After " +
		"replaces the wait and no maximum binds it, except under linear_jitter; one of 0 is a retry at " +
		"once. Errors of scheme, header, redirects and certificates, which it does not retry, are not " +
		"in this world.",
	Example: "{retry_max: 4, retry_wait_min: 1s, retry_wait_max: 30s}",
	Source:  "hashicorp/go-retryablehttp v0.7.8, client.go",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, GoRetryableHTTP{
	// NewClient: five tries, from 1 s to 30 s.
	Max: 4, WaitMin: sim.Second, WaitMax: 30 * sim.Second, Backoff: "default",
}, func(s GoRetryableHTTP) (errs []error) {
	b := (*bounds)(&errs)
	b.count("retry_max", s.Max, 0)
	b.length("retry_wait_min", s.WaitMin, 0)
	b.length("retry_wait_max", s.WaitMax, 0)
	return errs
}, func(s GoRetryableHTTP) func() Policy {
	r := &retryableHTTP{s}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// retryableHTTP holds nothing that changes, so one value serves every caller.
type retryableHTTP struct{ GoRetryableHTTP }

func (r *retryableHTTP) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	again := !o.answered() || o.is(429, 0) || o.Status >= 500 && o.Status != 501
	return again && a.N <= r.Max
}

func (r *retryableHTTP) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	if r.Backoff != "linear_jitter" && last.hinted() && last.is(429, 503) {
		return last.hint()
	}
	if r.Backoff == "default" {
		return r.doubled(a.N - 2)
	}
	return r.linear(a.N-1, a.Chance.Float64())
}

// doubled is the wait before retry i, counted from 0.
func (r *retryableHTTP) doubled(i int) sim.Time {
	return min(times(r.WaitMin, sim.Pow(2, float64(min(i, 100)))), r.WaitMax)
}

// linear is the wait before retry n, counted from 1, with the draw in [0, 1).
func (r *retryableHTTP) linear(n int, draw float64) sim.Time {
	each := r.WaitMin
	if r.WaitMax > each {
		each += times(r.WaitMax-each, draw)
	}
	if each > sim.MaxTime/sim.Time(n) {
		return sim.MaxTime
	}
	return each * sim.Time(n)
}
