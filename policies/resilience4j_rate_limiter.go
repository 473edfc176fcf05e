package policies

import (
	"cascadesim/sim"
)

// Resilience4jRateLimiter are the settings of a resilience4j rate limiter.
type Resilience4jRateLimiter struct {
	Limit   int      `yaml:"limit_for_period" scale:"s" doc:"Permissions that a cycle adds, and the most there are; at least 1."`
	Period  sim.Time `yaml:"limit_refresh_period" doc:"Length of a cycle; 1 ns to 24 h."`
	Timeout sim.Time `yaml:"timeout_duration" doc:"Longest wait for a permission."`
}

var _ = builtin(Spec{
	Name: "resilience4j_rate_limiter",
	Doc: "The rate limiter of resilience4j 2. Time is cut into cycles of `limit_refresh_period`; at " +
		"the start of each, `limit_for_period` permissions are added, up to that many. An attempt that " +
		"is about to be sent reserves one, also of a cycle to come, and waits until that begins: those " +
		"that wait so leave in bursts, a whole limit at the start of each cycle. One that would have " +
		"to wait longer than `timeout_duration` reserves nothing, waits that long in vain and is then " +
		"refused, as the product's blocking form does; its reactive forms fail at once, which is not " +
		"modelled unless the timeout is 0. Retries ask after their backoff. The defaults, 50 in each " +
		"500 ns, limit nothing that is real.",
	Example:  "{limit_for_period: 100, limit_refresh_period: 1s, timeout_duration: 0s}",
	Source:   "resilience4j@af9e7c979, AtomicRateLimiter, RateLimiterConfig",
	Sure:     FromSource,
	Gates:    true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
	AtSend:   true,
}, Resilience4jRateLimiter{
	Limit: 50, Period: 500, Timeout: 5 * sim.Second, // the product's defaults
}, func(s Resilience4jRateLimiter) []error {
	return mistakes(
		outside("limit_for_period", s.Limit, 1, 1e9),
		outsideTime("limit_refresh_period", s.Period, 1, 24*sim.Hour),
		outsideTime("timeout_duration", s.Timeout, 0, 24*sim.Hour),
	)
}, func(s Resilience4jRateLimiter) func() Policy {
	t := &rateLimiterTerms{limit: int64(s.Limit), period: s.Period, timeout: s.Timeout}
	return func() Policy {
		r := &rateLimiter{terms: t, permissions: t.limit}
		return Policy{Gate: r, Shaper: r, Level: r.level}
	}
})

type rateLimiterTerms struct {
	limit           int64
	period, timeout sim.Time
}

// rateLimiter holds how many permissions there were in which cycle; fewer than none are reserved.
// The note of a call is the number of the try that has asked, twice, plus 1 if it got nothing.
type rateLimiter struct {
	terms       *rateLimiterTerms
	cycle       int64
	permissions int64
}

// Admit is asked when the waiting is over, in vain or not.
func (r *rateLimiter) Admit(_ sim.Time, a *Attempt) bool { return *a.Note&1 == 0 }

// Delay reserves a permission when a try asks first.
func (r *rateLimiter) Delay(now sim.Time, a *Attempt) sim.Time {
	if *a.Note>>1 == uint64(a.N) {
		return 0
	}
	*a.Note = uint64(a.N) << 1
	r.refresh(now)
	wait := r.wait(now)
	if wait > r.terms.timeout {
		*a.Note |= 1
		return r.terms.timeout
	}
	r.permissions--
	return wait
}

func (r *rateLimiter) refresh(now sim.Time) {
	cycle := int64(now / r.terms.period)
	elapsed := cycle - r.cycle
	r.cycle = cycle
	if missing := r.terms.limit - r.permissions; elapsed > missing/r.terms.limit {
		r.permissions = r.terms.limit // and the product of the other branch cannot overflow
	} else {
		r.permissions += elapsed * r.terms.limit
	}
}

// wait is until the start of the cycle that has a permission for one more.
func (r *rateLimiter) wait(now sim.Time) sim.Time {
	if r.permissions >= 1 {
		return 0
	}
	cycles := (r.terms.limit - r.permissions) / r.terms.limit // from now on, the coming one is 1
	return sim.Time(r.cycle+cycles)*r.terms.period - now
}

func (r *rateLimiter) level(now sim.Time) float64 {
	later := *r
	later.refresh(now)
	return float64(max(0, later.permissions)) / float64(r.terms.limit)
}
