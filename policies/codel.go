package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// CoDel turns away what has waited long while everything waits long.
type CoDel struct {
	Interval sim.Time `yaml:"interval" doc:"How long the least wait is looked at; above the target."`
	Target   sim.Time `yaml:"target_delay" doc:"Least wait above which a queue stands; from 1 ms."`
}

var _ = builtin(Spec{
	Name: "codel",
	Doc: "Turns an attempt away at its turn when it has waited more than twice target_delay and " +
		"the line is overloaded: the least wait of the interval before was above target_delay. An " +
		"interval ends with the first turn after its time; that attempt passes whatever it " +
		"waited, and so does the very first one. It is the CoDel of Facebook's Folly, which " +
		"compares with a fixed bound instead of dropping ever more often as the CoDel of routers " +
		"does. It sees waits in line and no work time, so a callee that is slow without a line is " +
		"never overloaded to it. What it turns away has taken a place in line until then.",
	Example:  "{interval: 100ms, target_delay: 5ms}",
	Source:   "facebook/folly@1ad98e21, folly/executors/Codel.cpp",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
}, CoDel{
	// Both are Folly's flags.
	Interval: 100 * sim.Millisecond, Target: 5 * sim.Millisecond,
}, func(s CoDel) []error {
	var errs []error
	if s.Target < sim.Millisecond || s.Target > sim.Hour || s.Target%sim.Millisecond != 0 {
		errs = append(errs, fmt.Errorf("target_delay: %s; 1ms to 1h in whole milliseconds",
			unit.FormatDuration(s.Target)))
	}
	if s.Interval <= s.Target || s.Interval > sim.Hour || s.Interval%sim.Millisecond != 0 {
		errs = append(errs, fmt.Errorf("interval: %s; above target_delay and at most 1h, in whole "+
			"milliseconds", unit.FormatDuration(s.Interval)))
	}
	return errs
}, func(s CoDel) func() Policy {
	return func() Policy { return Policy{Turner: &codel{CoDel: &s, fresh: true}} }
})

type codel struct {
	*CoDel
	ends       sim.Time // of the interval
	least      sim.Time // wait of the interval so far
	fresh      bool     // nothing has been seen in the interval
	overloaded bool
}

func (c *codel) Turn(now sim.Time, _ *Attempt, waited sim.Time) bool {
	if now > c.ends && !c.fresh {
		c.fresh = true
		c.ends = now + c.Interval
		c.overloaded = c.least > c.Target
	}
	if c.fresh {
		c.fresh = false
		c.least = waited
		return true // one attempt must pass before any is turned away
	}
	c.least = min(c.least, waited)
	return !c.overloaded || waited <= 2*c.Target
}
