package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// DAGORClient turns away at the caller what its callee would.
type DAGORClient struct {
	Forget sim.Time `yaml:"forget" doc:"How long a level is believed without an answer; from 1 ms."`
}

var _ = builtin(Spec{
	Name: "dagor_client",
	Doc: "Refuses to send an attempt whose level is below the one that its " +
		"callee, with dagor, told on its last answer. It saves the callee the cost of rejecting and " +
		"the caller the wait for it. Without an answer for `forget` the level is forgotten, and " +
		"everything goes until the next answer: the summaries of the paper do not say how a caller " +
		"whose whole traffic is below the level would hear that it has fallen, so that is this " +
		"program's rule. key: replica keeps the levels of replicas apart.",
	Example:  "{forget: 1s}",
	Source:   "H. Zhou et al., Overload Control for Scaling WeChat Microservices, SoCC 2018",
	Sure:     FromDocument,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, DAGORClient{
	// A window of the callee: by then it may have told another level.
	Forget: sim.Second,
}, func(s DAGORClient) []error {
	if s.Forget < sim.Millisecond || s.Forget > sim.Hour {
		return []error{fmt.Errorf("forget: %s; 1ms to 1h", unit.FormatDuration(s.Forget))}
	}
	return nil
}, func(s DAGORClient) func() Policy {
	return func() Policy {
		c := &dagorClient{DAGORClient: &s}
		return Policy{Gate: c, Observer: c}
	}
})

type dagorClient struct {
	*DAGORClient
	level int
	heard sim.Time
}

func (c *dagorClient) Admit(now sim.Time, a *Attempt) bool {
	if now-c.heard >= c.Forget {
		c.level = 0
	}
	return dagorLevel(now, a) >= c.level
}

func (c *dagorClient) Observe(now sim.Time, _ *Attempt, o Outcome) {
	if o.advised() {
		c.level, c.heard = int(o.Advice), now
	}
}

// advised tells whether the answer is the callee's own, so that its advice is meant.
func (o Outcome) advised() bool { return o.answered() && o.Class != Blocked }
