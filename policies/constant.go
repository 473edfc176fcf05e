package policies

import "cascadesim/sim"

// Constant waits the same before each retry, or draws each wait from one distribution.
type Constant struct {
	Wait       sim.Dist `yaml:"wait" doc:"The wait: 1s, or a distribution such as exp 1s."`
	RetryAfter bool     `yaml:"respect_retry_after" doc:"Wait at least what the callee asked for."`
}

var _ = builtin(Spec{
	Name: "constant",
	Doc: "Waits `wait` before every retry, however many there were. A distribution (exp 1s) draws " +
		"each wait anew, which spreads callers that failed together. It does not back off: a " +
		"caller whose tries fail at once sends one each `wait` for as long as its stack lets it.",
	Example: "{wait: 1s}",
	Source:  "docs/semantics.md",
	Sure:    Definition,
	Paces:   true,
}, Constant{
	Wait: sim.MustParseDist("1s"), // spring-retry's fixed wait, and the usual one of shell scripts
}, func(Constant) []error {
	return nil // a distribution has checked itself when it was made
}, func(s Constant) func() Policy {
	p := Policy{Pacer: &constant{Constant: s}}
	if wait, fixed := s.Wait.Const(); fixed && !s.RetryAfter {
		p.Fixed = wait
	}
	return func() Policy { return p }
})

// constant holds nothing that changes, so one value serves every caller.
type constant struct{ Constant }

func (c *constant) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	wait := c.Constant.Wait.Sample(&a.Chance)
	if c.RetryAfter {
		wait = max(wait, min(last.RetryAfter, sim.MaxTime))
	}
	return wait
}
