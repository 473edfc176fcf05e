package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// call is what an attempt (or a client) wants of an edge's target.
type call struct {
	w       *world
	edge    *edge
	request *request
	parent  *attempt // the attempt that makes the call; nil for a root call
	ident   sim.Ident
	target  int
	done    func(o policies.Outcome)

	deadline sim.Time // Never: none
	wait     sim.Time // before the retry that is next or in flight
	last     policies.Outcome
	current  *attempt // in flight
	previous place    // where the try before went, or the next one will
	chosen   place    // of an edge that picks before its gates are asked
	ended    bool
}

// open is where a call begins.
func (c *call) open() {
	c.w.calls[c] = true
	c.deadline = sim.Never
	c.cell(c.w.now).Calls++
	if overall, ok := c.w.duration(c.edge.Overall); ok {
		c.deadline = c.w.now + overall
	}
	if c.parent != nil {
		c.parent.calls = append(c.parent.calls, c)
		c.deadline = min(c.deadline, c.parent.deadline)
	}
	if c.deadline <= c.w.now {
		c.end(timedOut)
		return
	}
	if c.deadline != sim.Never {
		c.w.at(c.deadline, c.expire)
	}
	c.try(1)
}

// The outcomes that are known without an answer, with the statuses that stand for them.
var (
	timedOut  = policies.Outcome{Class: policies.TimedOut}
	dropped   = policies.Outcome{Class: policies.Dropped}
	refused   = policies.Outcome{Class: policies.Refused}
	noReplica = policies.Outcome{Class: policies.Rejected, Status: 503}
)

// try asks the gates about try n, then the pacer, then sends it.
func (c *call) try(n int) {
	a := policies.Attempt{
		N: n, Wait: c.wait, Priority: int(c.request.client.Priority),
		Chance: c.ident.Child(uint64(n)).Draw(13),
	}
	if c.edge.PickFirst {
		c.chosen = c.pick(n)
		c.previous = c.chosen
	}
	for i, use := range c.edge.Stack {
		if c.roles(use).Gate == nil {
			continue
		}
		gate := c.policy(use).Gate
		if !c.asked(use, &a, func() bool { return gate.Admit(c.w.now, &a) }) {
			c.refuse(n, i)
			return
		}
	}
	if n == 1 {
		c.send(n, a)
		return
	}
	wait := c.pace(&a)
	if c.deadline != sim.Never && c.w.now+wait >= c.deadline {
		if c.edge.AtOnce {
			c.end(timedOut)
		}
		return
	}
	c.wait = wait
	c.w.trace(kernel.TraceRecord{
		What: kernel.TraceBackoff, Client: c.request.client.index, Request: c.request.ident,
		Edge: c.edge.index, Replica: -1, N: n, Wait: wait,
	})
	c.w.after(wait, func() {
		if !c.ended {
			c.send(n, a)
		}
	})
}

// asked lets a policy see the number that it counts by.
func (c *call) asked(use kernel.Use, a *policies.Attempt, ask func() bool) bool {
	own := a.N
	if use.Carried && own == 1 && c.parent != nil && c.parent.carried > 1 {
		a.N = 2
	}
	ok := ask()
	a.N = own
	return ok
}

// pace asks the stack's pacer.
func (c *call) pace(a *policies.Attempt) sim.Time {
	for _, use := range c.edge.Stack {
		if c.roles(use).Pacer != nil {
			return c.policy(use).Pacer.Wait(c.w.now, a, c.last)
		}
	}
	return 0
}

// refuse is what the gate of stack entry i does to try n.
func (c *call) refuse(n, i int) {
	w := c.w
	w.result.Fingerprint.Add(w.now, 3, c.ident.Child(uint64(n)), uint8(policies.Refused))
	c.cell(w.now).Outcomes[policies.Refused]++
	w.result.Edges[c.edge.index].RefusedBy[i][w.window(w.now)]++
	w.trace(kernel.TraceRecord{
		What: kernel.TraceRefused, Client: c.request.client.index, Request: c.request.ident,
		Attempt: c.ident.Child(uint64(n)), Edge: c.edge.index, Replica: -1, N: n,
		Class: policies.Refused, Text: c.edge.Stack[i].Name,
	})
	if n == 1 {
		c.end(refused)
		return
	}
	c.end(c.last)
}

// roles is some state of a stack entry, to see which roles it plays without making one of its own.
func (c *call) roles(use kernel.Use) policies.Policy { return c.w.roles[use.State] }

// policy is the state of a stack entry for this call.
func (c *call) policy(use kernel.Use) policies.Policy {
	k := stateKey{state: use.State}
	switch use.Scope {
	case kernel.ScopeClient:
		k.member = c.request.number
	case kernel.ScopeInstance:
		if c.parent != nil {
			k.member = c.parent.replica.number()
		}
	}
	switch use.Key {
	case kernel.KeyEndpoint:
		target := c.target
		if c.previous.replica != nil {
			target = c.previous.target
		}
		k.key = c.w.plan.Targets[target].Endpoint
	case kernel.KeyReplica:
		if r := c.previous.replica; r != nil {
			k.key = r.index - use.Base
		}
	case kernel.KeyPriority:
		k.key = int(c.request.client.Priority)
	}
	return c.w.state(k)
}

// settled is told each outcome of a try that was not ended by the deadline or from above.
func (c *call) settled(a *attempt, o policies.Outcome) {
	c.observe(a, o)
	switch {
	case c.ended:
	case o.Class == policies.OK || !c.retries(o):
		c.end(o)
	default:
		c.last = o
		c.try(a.n + 1)
	}
}

func (c *call) observe(a *attempt, o policies.Outcome) {
	for _, use := range c.edge.Stack {
		if c.roles(use).Observer != nil {
			c.policy(use).Observer.Observe(c.w.now, &a.asked, o)
		}
	}
}

// retries tells whether an outcome is tried again.
func (c *call) retries(o policies.Outcome) bool {
	if len(c.edge.Stack) == 0 || !c.w.below(c.ident, 7, c.edge.Enabled) {
		return false
	}
	named := c.edge.RetryOn.Class[o.Class]
	if o.Status > 0 && c.edge.RetryOn.Status[o.Status/64]>>(o.Status%64)&1 == 1 {
		named = true
	}
	return named
}

// expire is the deadline's timer.
func (c *call) expire() {
	if c.ended {
		return
	}
	c.cut(timedOut)
	c.end(timedOut)
}

// kill ends the call because the attempt that made it is gone.
func (c *call) kill() {
	if c.ended {
		return
	}
	c.ended = true
	delete(c.w.calls, c)
	c.cut(dropped)
}

// cut ends the attempt in flight, if there is one.
func (c *call) cut(o policies.Outcome) {
	a := c.current
	if a == nil {
		return
	}
	o = a.settle(o)
	a.abandon()
	c.observe(a, o)
}

// end is the end of the call.
func (c *call) end(o policies.Outcome) {
	if c.ended {
		return
	}
	c.ended = true
	delete(c.w.calls, c)
	if c.parent != nil {
		c.parent.forget(c)
	}
	c.done(o)
}
