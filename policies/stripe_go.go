package policies

import "cascadesim/sim"

// StripeGo is the retry of stripe-go.
type StripeGo struct {
	MaxRetries  int    `yaml:"max_network_retries" doc:"Retries beside the first try."`
	Answers     string `yaml:"answers" enum:"stripe|foreign|rules" doc:"Whose error answers come."`
	Post        bool   `yaml:"post" doc:"The method is POST; only rules asks."`
	LockTimeout bool   `yaml:"lock_timeout" doc:"A 429 is a lock timeout, not a rate limit."`
}

var _ = builtin(Spec{
	Name: "stripe_go",
	Doc: "Retries as stripe-go does, any failure without an answer, that of a breaker in its HTTP " +
		"client too, and waits before retry n = 0, 1, ...: d = min(0.5 s + 0.5 s * n^2, 5 s) less U(0, " +
		"d/4), and at least 0.5 s, so that the first wait is always 0.5 s. What is an answer's body " +
		"decides whether it is retried. `stripe`: an error of Stripe's own JSON is retried only when " +
		"it is a 429 for a lock timeout; no 5xx or 409 is, and the header Stripe-Should-Retry is never " +
		"reached. That is what majors 82 to 84 do when run, whatever the comments below that branch " +
		"say. `foreign`: an answer without that JSON, such as a proxy's, counts as a failed " +
		"connection, so any error status is retried. `rules`: what majors 71 to 76 and clients in " +
		"other languages do with Stripe's own: Stripe-Should-Retry first (here Retry-After 0 for true, " +
		"and \"do not retry\" for false), then 409, 503, other 5xx unless it was a POST, and 429 for a " +
		"lock timeout. Majors 78 to 81 make no exception of POST: say post: false. Retry-After itself " +
		"is not read.",
	Example: "{max_network_retries: 2}",
	Source: "stripe-go v84.4.1, stripe.go (shouldRetry, sleepTime) and error.go (canRetry); " +
		"v76.25.0, stripe.go",
	Sure:   FromSource,
	Judges: true,
	Bounds: true,
	Paces:  true,
}, StripeGo{
	// DefaultMaxNetworkRetries. What creates something at Stripe is a POST, with its key of
	// idempotency; 429 is the rate limit far more often than a lock.
	MaxRetries: 2, Answers: "stripe", Post: true,
}, func(s StripeGo) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_network_retries", s.MaxRetries, 0)
	return errs
}, func(s StripeGo) func() Policy {
	r := &stripe{s}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// stripe holds nothing that changes, so one value serves every caller.
type stripe struct{ StripeGo }

func (r *stripe) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	lock := r.LockTimeout && o.is(429)
	switch {
	case a.N > r.MaxRetries:
		return false
	case !o.answered():
		return true
	case r.Answers == "stripe":
		return lock
	case r.Answers == "foreign":
		return true
	case o.RetryAfter == DontRetry:
		return false
	case o.RetryAfter == RetryNow:
		return true
	}
	return lock || o.is(409, 503) || o.Status >= 500 && !r.Post
}

func (r *stripe) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	d := stripeCeiling(a.N - 2)
	return max(d-sim.Time(a.Chance.Intn(uint64(d/4))), stripeLeast)
}

const (
	stripeLeast = 500 * sim.Millisecond
	stripeMost  = 5 * sim.Second
)

// stripeCeiling is the longest wait before retry n, counted from 0.
func stripeCeiling(n int) sim.Time {
	n = min(n, 100) // the square of no more is needed
	return min(stripeLeast+stripeLeast*sim.Time(n*n), stripeMost)
}
