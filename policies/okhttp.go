package policies

import "cascadesim/sim"

// OkHTTP is what OkHttp retries by itself.
type OkHTTP struct {
	RetryOnFailure bool `yaml:"retry_on_connection_failure" doc:"Try other routes, and 408."`
	Routes         int  `yaml:"routes" doc:"Addresses that the host's name has; at least 1."`
	OneShot        bool `yaml:"one_shot" doc:"The body can be sent once only."`
}

var _ = builtin(Spec{
	Name: "okhttp",
	Doc: "Retries as OkHttp does without being asked, and never waits. A connection that fails, or " +
		"one that breaks under a request whose body can be sent again, leads to the next route: " +
		"the next address of the name, each once, so that behind a single address there is none. " +
		"What ran into a read timeout after it was sent is not retried. 408 is repeated once " +
		"unless it asks for a wait, 503 once if it says Retry-After: 0; once means not twice in a " +
		"row. After 20 such follow-ups it fails. A stale pooled connection, which it replaces " +
		"silently, redirects, authentication and 421 are not modelled. Where the addresses are " +
		"replicas, let the edge's on_retry pick another.",
	Example: "{routes: 2}",
	Source:  "okhttp@1682d9bac, internal/http/RetryAndFollowUpInterceptor.kt",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	Notes:   true,
}, OkHTTP{
	// The client's default; and one address, which is what a load balancer shows.
	RetryOnFailure: true, Routes: 1,
}, func(s OkHTTP) (errs []error) {
	b := (*bounds)(&errs)
	b.count("routes", s.Routes, 1)
	return errs
}, func(s OkHTTP) func() Policy {
	r := &okHTTP{s}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// okHTTP holds nothing that changes but in the note of the call, 16 bits each: the status of the
// answer before, 0 when there was none; how many routes failed; how many answers were followed up.
type okHTTP struct{ OkHTTP }

const (
	okHTTPFailures  = 16
	okHTTPFollowUps = 32
	mostFollowUps   = 20
)

// Retryable is also what says that no route is left, or too much was followed up.
func (r *okHTTP) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	if !r.follows(a, o) {
		return false
	}
	failures := int(*a.Note >> okHTTPFailures & 0xffff)
	return failures < r.Routes && *a.Note>>okHTTPFollowUps <= mostFollowUps
}

// follows tells whether there would be another try, and counts it.
func (r *okHTTP) follows(a *Attempt, o Outcome) bool {
	prior := int(*a.Note & 0xffff)
	switch {
	case o.unsent() || o.reset() && !r.OneShot:
		if *a.Note>>okHTTPFailures&0xffff < 0xffff {
			*a.Note += 1 << okHTTPFailures
		}
		return r.RetryOnFailure
	case r.OneShot:
		return false
	case o.is(408):
		if !r.RetryOnFailure || prior == 408 || o.RetryAfter > 0 {
			return false
		}
	case o.is(503):
		if prior == 503 || o.RetryAfter != RetryNow {
			return false
		}
	default:
		return false
	}
	*a.Note = *a.Note&^0xffff | uint64(o.Status) + 1<<okHTTPFollowUps
	return true
}

func (r *okHTTP) Wait(sim.Time, *Attempt, Outcome) sim.Time { return 0 }
