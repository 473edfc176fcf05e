package policies

import "cascadesim/sim"

// Resilience4jRetry is the Retry of resilience4j with its interval functions.
type Resilience4jRetry struct {
	Attempts    int      `yaml:"max_attempts" doc:"Tries of one call, the first one included."`
	Exponential bool     `yaml:"enable_exponential_backoff" doc:"Waits grow."`
	Randomized  bool     `yaml:"enable_randomized_wait" doc:"Chance goes to either side of the wait."`
	Wait        sim.Time `yaml:"wait_duration" doc:"The first wait, in whole milliseconds."`
	Multiplier  float64  `yaml:"multiplier" doc:"Growth of the exponential ones."`
	Factor      float64  `yaml:"randomization_factor" doc:"Share to either side; 0 to 1."`
	Max         sim.Time `yaml:"max_interval" doc:"Longest wait, after chance; none for no limit."`
}

var _ = builtin(Spec{
	Name: "resilience4j_retry",
	Doc: "Retries every failure, as the Retry of resilience4j does with its defaults, up to " +
		"max_attempts tries in all, and waits whole milliseconds: `wait_duration`, or with " +
		"enable_exponential_backoff wait_duration * multiplier^(n-1), truncated at every step; " +
		"enable_randomized_wait draws to either side of that, min + r * (max - min + 1) with min and " +
		"max randomization_factor away, and at least 1 ms. max_interval cuts the result. An answer " +
		"with an error status is a failure here, as it is to clients that throw on it; Retry-After is " +
		"not read. A circuit breaker that stands after it sees each try, and what that refuses is an " +
		"exception like any other: it is tried again, and so burns the tries.",
	Example: "{max_attempts: 3, wait_duration: 500ms}",
	Source:  "resilience4j, RetryConfig and IntervalFunction",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, Resilience4jRetry{
	// RetryConfig: three tries, 500 ms; IntervalFunction: times 1.5, and half to either side.
	Attempts: 3, Wait: 500 * sim.Millisecond,
	Multiplier: 1.5, Factor: 0.5, Max: sim.Never,
}, func(s Resilience4jRetry) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_attempts", s.Attempts, 1)
	b.length("wait_duration", s.Wait, sim.Millisecond)
	b.multiplier("multiplier", s.Multiplier)
	b.number("randomization_factor", s.Factor, 0, 1)
	b.limit("max_interval", s.Max, sim.Millisecond)
	return errs
}, func(s Resilience4jRetry) func() Policy {
	r := newResilience4j(s)
	p := Policy{Condition: anyFailure(s.Attempts), Pacer: r}
	if r.factor == 0 && len(r.growth) == 1 {
		p.Fixed = r.interval(2, 0)
	}
	return func() Policy { return p }
})

// anyFailure is the condition of libraries that retry whatever is thrown at them, so many tries in
// all.
type anyFailure int

func (most anyFailure) Retryable(_ sim.Time, a *Attempt, _ Outcome) bool { return a.N < int(most) }

type resilience4j struct {
	growth growth
	factor float64 // 0: no chance
	most   sim.Time
}

func newResilience4j(s Resilience4jRetry) *resilience4j {
	r := &resilience4j{most: inMillis(min(s.Max, sim.MaxTime))}
	if s.Randomized {
		r.factor = s.Factor
	}
	if !s.Exponential {
		r.growth = growth{inMillis(s.Wait)}
		return r
	}
	r.growth = newGrowth(inMillis(s.Wait), func(t sim.Time) sim.Time {
		return inMillis(times(t, s.Multiplier))
	})
	return r
}

func (r *resilience4j) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	return r.interval(a.N, a.Chance.Float64())
}

// interval is the wait before try n, with the draw in [0, 1).
func (r *resilience4j) interval(n int, draw float64) sim.Time {
	t := r.growth.at(n - 2)
	if r.factor > 0 {
		millis := float64(t / sim.Millisecond)
		delta := float64(r.factor * millis)
		least := millis - delta
		spread := millis + delta - least + 1
		t = sim.Time(least+float64(draw*spread)) * sim.Millisecond
	}
	return min(max(t, sim.Millisecond), r.most)
}
