package policies

import "cascadesim/sim"

// SpringRetry is @Retryable of spring-retry 2.
type SpringRetry struct {
	MaxAttempts int      `yaml:"max_attempts" doc:"Tries of one call, the first one included."`
	BackOff     string   `yaml:"back_off" enum:"fixed|exponential|exponential_random" doc:"Of waits."`
	Period      sim.Time `yaml:"back_off_period" doc:"The wait of fixed, in whole milliseconds."`
	Initial     sim.Time `yaml:"initial_interval" doc:"First wait of the others, whole milliseconds."`
	Multiplier  float64  `yaml:"multiplier" doc:"Growth of the others."`
	MaxInterval sim.Time `yaml:"max_interval" doc:"Longest wait of the others."`
}

var _ = builtin(Spec{
	Name: "spring_retry",
	Doc: "Retries every failure, as @Retryable of spring-retry 2 does for every Exception, also " +
		"that of a circuit breaker inside it, up to max_attempts tries in all. It waits " +
		"back_off_period each time, or with exponential initial_interval * multiplier^(n-1) up to " +
		"max_interval, in whole milliseconds truncated at every step; exponential_random multiplies " +
		"that by U(1, multiplier) and cuts it again. Chance only ever lengthens these waits. " +
		"@CircuitBreaker is another thing. Spring Framework 7 has its own @Retryable, which counts " +
		"otherwise: spring_framework_retry.",
	Example: "{max_attempts: 3}",
	Source:  "spring-retry@c8977dd, FixedBackOffPolicy, Exponential(Random)BackOffPolicy",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, SpringRetry{
	// The annotation's three tries a second apart, and the defaults of ExponentialBackOffPolicy.
	MaxAttempts: 3, BackOff: "fixed", Period: sim.Second,
	Initial: 100 * sim.Millisecond, Multiplier: 2, MaxInterval: 30 * sim.Second,
}, func(s SpringRetry) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_attempts", s.MaxAttempts, 1)
	b.length("back_off_period", s.Period, sim.Millisecond)
	b.length("initial_interval", s.Initial, sim.Millisecond)
	b.multiplier("multiplier", s.Multiplier)
	b.length("max_interval", s.MaxInterval, sim.Millisecond)
	return errs
}, func(s SpringRetry) func() Policy {
	p := Policy{Condition: anyFailure(s.MaxAttempts), Pacer: newSpring(s)}
	if s.BackOff == "fixed" {
		p.Fixed = inMillis(s.Period)
	}
	return func() Policy { return p }
})

type spring struct {
	growth     growth
	multiplier float64 // of chance; 1: none
	most       sim.Time
}

func newSpring(s SpringRetry) *spring {
	r := &spring{multiplier: 1, most: inMillis(s.MaxInterval)}
	switch s.BackOff {
	case "fixed":
		r.most = inMillis(s.Period)
		r.growth = growth{r.most}
		return r
	case "exponential":
	case "exponential_random":
		r.multiplier = s.Multiplier
	default:
		panic("policies: spring_retry has no back-off " + s.BackOff)
	}
	r.growth = newGrowth(inMillis(s.Initial), func(t sim.Time) sim.Time {
		if t > r.most {
			return t // it stopped growing one step beyond the longest
		}
		return inMillis(times(t, s.Multiplier))
	})
	return r
}

func (r *spring) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	return r.interval(a.N, a.Chance.Float64())
}

// interval is the wait before try n, with the draw in [0, 1).
func (r *spring) interval(n int, draw float64) sim.Time {
	t := min(r.growth.at(n-2), r.most)
	if r.multiplier > 1 {
		t = min(inMillis(times(t, 1+float64(draw*(r.multiplier-1)))), r.most)
	}
	return t
}
