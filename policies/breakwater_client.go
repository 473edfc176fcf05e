package policies

import "cascadesim/sim"

// BreakwaterClient sends no more than its callee gave credits for. Nothing can be set.
type BreakwaterClient struct{}

var _ = builtin(Spec{
	Name: "breakwater_client",
	Doc: "Refuses an attempt while the caller has as many in flight as its callee, with breakwater, " +
		"gave credits for on its last answer; 1 before the first. With less than one credit it sends " +
		"one at a time, each with that probability, so that many callers together have as many in " +
		"flight as there are credits. It is not caladan's client, which keeps attempts in a queue for " +
		"10 us before it drops them and is told when there are credits again. Its scope should be one " +
		"session: the instance.",
	Example:  "{}",
	Source:   "shenango/caladan@018324d0, breakwater/src/bw_client.c, for what is in flight",
	Sure:     Believed,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, BreakwaterClient{}, func(BreakwaterClient) []error {
	return nil
}, func(BreakwaterClient) func() Policy {
	return func() Policy {
		c := &breakwaterClient{credits: 1}
		return Policy{Gate: c, Wrapper: c, Observer: c}
	}
})

type breakwaterClient struct {
	credits  float64
	inFlight int
}

func (c *breakwaterClient) Admit(_ sim.Time, a *Attempt) bool {
	passes := c.inFlight < int(c.credits)
	if c.credits < 1 {
		passes = c.inFlight == 0 && a.Chance.Float64() < c.credits
	}
	if passes {
		c.inFlight++
	}
	return passes
}

func (c *breakwaterClient) Unsent(sim.Time, *Attempt, Outcome) { c.inFlight-- }

func (c *breakwaterClient) Observe(_ sim.Time, _ *Attempt, o Outcome) {
	c.inFlight--
	if o.advised() && o.Advice > 0 {
		c.credits = o.Advice
	}
}
