package oracle

import "cascadesim/policies"

// detachStep opens the calls of a step that nobody waits for, and goes on at once.
func (v *visit) detachStep(s int, done func(f failure)) {
	step := v.w.plan.Programs[s]
	for rep := range step.Times {
		name := step.Luck + 1 + uint64(rep)
		c := &call{
			w: v.w, edge: v.w.edges[step.Edge], request: v.call.request, maker: v.attempt,
			ident: v.ident.Child(name), target: step.Target, operation: v.call.operation.Child(name),
			done: func(policies.Outcome) {},
		}
		c.open()
		if !v.serving {
			return
		}
	}
	done(nil)
}

// from is the replica that makes the call; nil: a client does.
func (c *call) from() *replica {
	if a := c.maker; a != nil {
		return a.replica
	}
	return nil
}
