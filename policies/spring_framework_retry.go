package policies

import "cascadesim/sim"

// SpringFrameworkRetry is @Retryable of Spring Framework 7.
type SpringFrameworkRetry struct {
	MaxRetries int      `yaml:"max_retries" doc:"Retries beside the first try."`
	Delay      sim.Time `yaml:"delay" doc:"The first wait, in whole milliseconds."`
	Multiplier float64  `yaml:"multiplier" doc:"Growth of the wait, and of the jitter with it."`
	Jitter     sim.Time `yaml:"jitter" doc:"Reach of chance to either side, whole milliseconds."`
	MaxDelay   sim.Time `yaml:"max_delay" doc:"Longest wait; none for no limit."`
}

var _ = builtin(Spec{
	Name: "spring_framework_retry",
	Doc: "Retries every failure, as @Retryable of Spring Framework 7 does for every exception, also " +
		"that of a circuit breaker inside it, up to max_retries retries beside the first try: the same " +
		"3 that means three tries to spring-retry means four here. Retry n waits delay * " +
		"multiplier^(n-1) up to max_delay, in whole milliseconds, and with jitter a draw from jitter * " +
		"(wait / delay) to either side of it, never below `delay`: the first retry is only ever put " +
		"off. The policy is known from documents; the formula of the jitter was read in " +
		"ExponentialBackOff.",
	Example: "{max_retries: 3, delay: 1s}",
	Source:  "Spring Framework 7 reference, Resilience Features; spring-core ExponentialBackOff",
	Sure:    FromDocument,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, SpringFrameworkRetry{
	// The annotation's defaults.
	MaxRetries: 3, Delay: sim.Second, Multiplier: 1, MaxDelay: sim.Never,
}, func(s SpringFrameworkRetry) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_retries", s.MaxRetries, 0)
	b.length("delay", s.Delay, 0)
	b.multiplier("multiplier", s.Multiplier)
	b.length("jitter", s.Jitter, 0)
	b.limit("max_delay", s.MaxDelay, sim.Millisecond)
	return errs
}, func(s SpringFrameworkRetry) func() Policy {
	most := inMillis(min(s.MaxDelay, sim.MaxTime))
	r := &springFramework{first: inMillis(s.Delay), jitter: inMillis(s.Jitter), most: most}
	r.growth = newGrowth(r.first, func(t sim.Time) sim.Time {
		if t >= most {
			return most
		}
		return min(inMillis(times(t, s.Multiplier)), most)
	})
	p := Policy{Condition: anyFailure(s.MaxRetries + 1), Pacer: r}
	if r.jitter == 0 && len(r.growth) == 1 {
		p.Fixed = r.interval(2, 0)
	}
	return func() Policy { return p }
})

type springFramework struct {
	growth              growth
	first, jitter, most sim.Time
}

func (r *springFramework) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	return r.interval(a.N, a.Chance.Float64())
}

// interval is the wait before try n, with the draw in [0, 1). How often the first wait fits into
// this one is a whole number.
func (r *springFramework) interval(n int, draw float64) sim.Time {
	t := r.growth.at(n - 2)
	if r.jitter > 0 {
		reach := r.jitter
		if r.first > 0 {
			reach = sim.Time(min(float64(r.jitter)*float64(t/r.first), float64(sim.MaxTime)))
		}
		least, most := max(t-reach, r.first), min(t+reach, r.most)
		t = least + inMillis(times(most-least, draw))
	}
	return min(t, r.most)
}
