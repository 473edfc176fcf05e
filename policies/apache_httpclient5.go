package policies

import "cascadesim/sim"

// ApacheHTTPClient5 is the default retry strategy of Apache HttpClient 5.
type ApacheHTTPClient5 struct {
	MaxRetries      int      `yaml:"max_retries" doc:"Retries beside the first try."`
	Interval        sim.Time `yaml:"default_retry_interval" doc:"The wait without a Retry-After."`
	Idempotent      bool     `yaml:"idempotent" doc:"The method is an idempotent one."`
	ResponseTimeout sim.Time `yaml:"response_timeout" doc:"A longer wait is no retry; none: any."`
}

var _ = builtin(Spec{
	Name: "apache_httpclient5",
	Doc: "Retries as DefaultHttpRequestRetryStrategy of Apache HttpClient 5 does: 429 and 503 " +
		"whatever the method, after default_retry_interval or a positive Retry-After; and, for an " +
		"idempotent method only, a connection that broke, at once. Timeouts, refused connections " +
		"and connections that are not made in time are not retried. An answer whose wait would be " +
		"longer than response_timeout is returned instead; set it to what the client's " +
		"RequestConfig says, which is nothing by default.",
	Example: "{max_retries: 1, default_retry_interval: 1s}",
	Source:  "httpcomponents-client@86c313b28, DefaultHttpRequestRetryStrategy, HttpRequestRetryExec",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, ApacheHTTPClient5{
	// The strategy's constructor without arguments, and GET, which most calls are.
	MaxRetries: 1, Interval: sim.Second, Idempotent: true, ResponseTimeout: sim.Never,
}, func(s ApacheHTTPClient5) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_retries", s.MaxRetries, 0)
	b.length("default_retry_interval", s.Interval, 0)
	b.limit("response_timeout", s.ResponseTimeout, 1)
	return errs
}, func(s ApacheHTTPClient5) func() Policy {
	r := &httpClient5{s}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// httpClient5 holds nothing that changes, so one value serves every caller.
type httpClient5 struct{ ApacheHTTPClient5 }

func (r *httpClient5) Retryable(now sim.Time, a *Attempt, o Outcome) bool {
	return (o.is(429, 503) || r.Idempotent && o.reset()) && a.N <= r.MaxRetries &&
		r.Wait(now, a, o) <= r.ResponseTimeout
}

func (r *httpClient5) Wait(_ sim.Time, _ *Attempt, last Outcome) sim.Time {
	if !last.answered() {
		return 0
	}
	if hint := last.hint(); hint > 0 {
		return hint
	}
	return r.Interval
}
