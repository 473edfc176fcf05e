package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Urllib3Retry is Retry of Python's urllib3.
type Urllib3Retry struct {
	Total         unit.Count `yaml:"total" doc:"Retries of all kinds, or unlimited."`
	Connect       unit.Count `yaml:"connect" doc:"Retries of what was not sent, or unlimited."`
	Read          unit.Count `yaml:"read" doc:"Retries of what was sent in vain, or unlimited."`
	Status        unit.Count `yaml:"status" doc:"Retries of error answers, or unlimited."`
	AllowedMethod bool       `yaml:"allowed_method" doc:"The method is among allowed_methods."`
	Forcelist     []int      `yaml:"status_forcelist" doc:"Error statuses that are retried."`
	BackoffFactor float64    `yaml:"backoff_factor" doc:"Seconds; the second retry waits twice that."`
	BackoffJitter float64    `yaml:"backoff_jitter" doc:"Most seconds that chance adds to a backoff."`
	BackoffMax    sim.Time   `yaml:"backoff_max" doc:"Longest backoff, after jitter."`
	RetryAfter    bool       `yaml:"respect_retry_after_header" doc:"A Retry-After replaces it."`
	RetryAfterMax sim.Time   `yaml:"retry_after_max" doc:"Longest wait that a Retry-After gets."`
}

var _ = builtin(Spec{
	Name: "urllib3_retry",
	Doc: "Retries as urllib3's Retry does. What was never sent (refused, no connection in time) is " +
		"retried for any method; a read that failed (a response timeout, a reset) and an answer " +
		"only for an allowed one, an answer when its status is in status_forcelist, or when it is " +
		"413, 429 or 503, carries a Retry-After, and `total` is a number. Each kind has its own " +
		"count beside `total`. Retry n >= 2 waits min(backoff_max, backoff_factor * 2^(n-1) + U(0, " +
		"backoff_jitter)) seconds, the first nothing at all; a positive Retry-After replaces that, " +
		"on any status. Without settings it is what a plain request gets: four tries at once, and " +
		"no retry of a 503. {total: 0} is the Python library requests, which retries nothing " +
		"unless a Retry is mounted. Redirects are not modelled.",
	Example: "{total: 5, backoff_factor: 0.2, status_forcelist: [502, 503, 504]}",
	Source:  "urllib3@6a8536b6, src/urllib3/util/retry.py; requests@1f6589ec, adapters.py",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	Notes:   true,
}, Urllib3Retry{
	// A request without an explicit Retry gets Retry(3); the class itself would say 10. GET, HEAD,
	// PUT, DELETE, OPTIONS and TRACE are allowed, and most calls are one of them.
	Total: 3, Connect: unit.Unlimited, Read: unit.Unlimited, Status: unit.Unlimited,
	AllowedMethod: true, Forcelist: []int{}, BackoffMax: 120 * sim.Second,
	RetryAfter: true, RetryAfterMax: 6 * sim.Hour,
}, func(s Urllib3Retry) (errs []error) {
	b := (*bounds)(&errs)
	b.count("total", int(s.Total), int(unit.Unlimited))
	b.count("connect", int(s.Connect), int(unit.Unlimited))
	b.count("read", int(s.Read), int(unit.Unlimited))
	b.count("status", int(s.Status), int(unit.Unlimited))
	b.statuses("status_forcelist", s.Forcelist)
	b.number("backoff_factor", s.BackoffFactor, 0, 1e5)
	b.number("backoff_jitter", s.BackoffJitter, 0, 1e5)
	b.length("backoff_max", s.BackoffMax, 0)
	b.length("retry_after_max", s.RetryAfterMax, 0)
	return errs
}, func(s Urllib3Retry) func() Policy {
	r := &urllib3{Urllib3Retry: s, force: newStatusSet(s.Forcelist),
		limits: [3]int{int(s.Connect), int(s.Read), int(s.Status)}}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// urllib3 holds nothing that changes but in the note of the call, where the failures of each kind
// are counted in 16 bits.
type urllib3 struct {
	Urllib3Retry
	force  statusSet
	limits [3]int // by kind; negative: none
}

const (
	connectFailure = iota
	readFailure
	statusFailure
)

func (r *urllib3) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	kind := statusFailure
	switch {
	case o.unsent():
		kind = connectFailure
	case !r.AllowedMethod || o.Class == Refused: // nothing that urllib3 has raised
		return false
	case !o.answered():
		kind = readFailure
	case r.force.has(o.Status):
	case r.Total > 0 && r.RetryAfter && o.hinted() && o.is(413, 429, 503):
	default:
		return false
	}
	if shift := 16 * kind; *a.Note>>shift&0xffff < 0xffff {
		*a.Note += 1 << shift
	}
	return r.left(a)
}

// left tells whether no count is below zero, all of which go down with a failure.
func (r *urllib3) left(a *Attempt) bool {
	if r.Total >= 0 && a.N > int(r.Total) {
		return false
	}
	for kind, limit := range r.limits {
		if limit >= 0 && int(*a.Note>>(16*kind)&0xffff) > limit {
			return false
		}
	}
	return true
}

func (r *urllib3) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	if hint := last.hint(); r.RetryAfter && hint > 0 {
		return min(hint, r.RetryAfterMax)
	}
	draw := 0.0
	if r.BackoffJitter > 0 {
		draw = a.Chance.Float64()
	}
	return r.backoff(a.N-1, draw)
}

// backoff is the wait before retry n with the draw in [0, 1).
func (r *urllib3) backoff(n int, draw float64) sim.Time {
	if n <= 1 {
		return 0
	}
	seconds := float64(draw * r.BackoffJitter)
	if r.BackoffFactor > 0 {
		seconds += float64(r.BackoffFactor * sim.Pow(2, float64(min(n-1, 1000))))
	}
	return sim.Time(min(seconds*1e9, float64(r.BackoffMax)))
}
