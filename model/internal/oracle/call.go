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
	parent  *attempt // the attempt that waits for the call; nil for a root call or a detached one
	maker   *attempt // the attempt that made it; nil for a root call
	ident   sim.Ident
	target  int
	rank    uint8 // its priority
	done    func(o policies.Outcome)

	deadline sim.Time // Never: none
	began    sim.Time
	wait     sim.Time // before the retry that is next or in flight
	last     policies.Outcome
	tries    int        // the number of the last one
	begun    bool       // some try was sent
	paced    bool       // the wait before the next try is over
	live     []*attempt // in flight, oldest first
	waiting  bool       // for a backoff or a shaper to end
	copy     *event     // when the next copy is due; nil: none is
	copying  bool       // the next try is a copy
	passed   int        // stack entries before the one that holds the next try back
	tired    *event     // when it has waited in line as long as it may
	beyond   bool       // the next try has left the line of that entry
	reached  int        // stack entries that have let a try pass which was not sent
	where    policies.Where
	notes    []uint64 // by stack entry
	previous place    // where the try before went, or the next one will
	tried    []*replica
	chosen   place // of an edge that picks before its gates are asked
	ended    bool
	probe    bool // the request of a health check, which counts nowhere
	degraded bool // the answer that it ended with

	operation sim.Ident // what all tries at all layers are for
}

// open is where a call begins.
func (c *call) open() {
	c.w.calls[c] = true
	c.began, c.deadline, c.rank = c.w.now, sim.Never, c.ranked()
	c.notes = make([]uint64, len(c.edge.Stack))
	c.cell(c.w.now).Calls++
	if overall, ok := c.w.duration(c.edge.Overall); ok {
		c.deadline = c.w.now + overall
	}
	if c.parent != nil {
		c.parent.calls = append(c.parent.calls, c)
		c.deadline = min(c.deadline, c.parent.deadline)
	}
	if c.deadline <= c.w.now {
		c.end(pastDeadline)
		return
	}
	if c.deadline != sim.Never {
		c.w.at(c.deadline, c.expire)
	}
	c.try()
}

// ranked is the priority that the call begins with.
func (c *call) ranked() uint8 {
	rank := c.request.client.Priority
	if c.maker != nil {
		rank = c.maker.rank
	}
	if lower := c.edge.CallPriority; lower != nil {
		return lower[rank]
	}
	return rank
}

// rankOf is the priority of try n.
func (c *call) rankOf(n int) uint8 {
	if lower := c.edge.RetryPriority; n > 1 && lower != nil {
		return lower[c.rank]
	}
	return c.rank
}

// The outcomes that are known without an answer, with the statuses that stand for them.
var (
	timedOut  = policies.Outcome{Class: policies.TimedOut}
	dropped   = policies.Outcome{Class: policies.Dropped}
	refused   = policies.Outcome{Class: policies.Refused}
	noReplica = policies.Outcome{Class: policies.Rejected, Status: 503}

	pastDeadline = policies.Outcome{Class: policies.TimedOut, Cancelled: true}
	killed       = policies.Outcome{Class: policies.Dropped, Cancelled: true}
)

// try asks the gates about the next try, then the pacer, then sends it.
func (c *call) try() {
	n := c.tries + 1
	if c.edge.PickFirst {
		c.chosen = c.pick(n)
		c.previous = c.chosen
	}
	a := c.show(n, 32)
	if i := c.refusedBy(&a); i >= 0 {
		c.countRefusal(n, i)
		c.notTried(n, i)
		return
	}
	if n == 1 || c.paced {
		c.paced = false
		c.dispatch()
		return
	}
	c.backOff(n, c.dispatch)
}

// backOff goes on with retry n after the wait that the pacer wants.
func (c *call) backOff(n int, do func()) {
	c.wait = c.pace(n)
	c.place(n)
	if c.deadline != sim.Never && c.w.now+c.wait >= c.deadline || c.wait > 0 {
		c.w.trace(kernel.TraceRecord{
			What: kernel.TraceBackoff, Client: c.request.client.index, Request: c.request.ident,
			Edge: c.edge.index, Replica: -1, N: n, Wait: c.wait,
		})
	}
	c.later(c.wait, do)
}

// notTried is what follows when the gate of stack entry i grants no (further) try n.
func (c *call) notTried(n, i int) {
	use := c.edge.Stack[i]
	switch {
	case len(c.live) > 0:
	case c.last.Class == policies.Pending:
		c.end(refused)
	case c.roles(use).Lingerer != nil:
		a := c.show(n, 13)
		a.Note = c.note(i)
		wait := c.policy(use).Lingerer.Linger(c.w.now, &a, c.last)
		if wait > 0 {
			c.later(wait, func() { c.end(c.last) })
			return
		}
		c.end(c.last)
	default:
		c.end(c.last)
	}
}

// turnedBack is what follows when the gate of stack entry i, asked at the send, refuses try n.
func (c *call) turnedBack(n, i int) {
	c.countRefusal(n, i)
	c.unsent(n, i, refused)
	if c.copying {
		c.copying = false
		c.endIfSpent()
		return
	}
	if len(c.live) > 0 {
		return
	}
	loop := c.only(func(p policies.Policy) bool { return p.Condition != nil || p.Pacer != nil })
	c.last = refused
	if loop < 0 || i <= loop || !c.retries(n, refused) {
		c.end(refused)
		return
	}
	c.tries++
	c.backOff(c.tries+1, func() {
		c.paced = true
		c.try()
	})
}

// later goes on after a wait, unless that would cross the deadline or the call has ended by then.
func (c *call) later(wait sim.Time, do func()) {
	if c.deadline != sim.Never && c.w.now+wait >= c.deadline {
		if c.edge.AtOnce && len(c.live) == 0 {
			c.end(pastDeadline)
		}
		return
	}
	c.waiting = true
	c.w.after(wait, func() {
		if !c.ended {
			c.waiting = false
			do()
		}
	})
}

// refusedBy is the stack entry whose gate grants no try, or -1, of those that are asked as it is
// decided.
func (c *call) refusedBy(a *policies.Attempt) int {
	for i, use := range c.edge.Stack {
		if !c.w.plan.States[use.State].AtSend && !c.admits(a, i) {
			return i
		}
	}
	return -1
}

// admits asks the gate of stack entry i, if it has one.
func (c *call) admits(a *policies.Attempt, i int) bool {
	use := c.edge.Stack[i]
	if c.roles(use).Gate == nil || use.PerCall && a.N > 1 {
		return true
	}
	a.Note = c.note(i)
	gate := c.policy(use).Gate
	ok := c.asked(use, a, func() bool { return gate.Admit(c.w.now, a) })
	c.alert(i)
	return ok
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
func (c *call) pace(n int) sim.Time {
	a := c.show(n, 13)
	for i, use := range c.edge.Stack {
		if c.roles(use).Pacer != nil {
			a.Note = c.note(i)
			return c.policy(use).Pacer.Wait(c.w.now, &a, c.last)
		}
	}
	return 0
}

// countRefusal counts what the gate of stack entry i did to try n.
func (c *call) countRefusal(n, i int) {
	w := c.w
	w.result.Fingerprint.Add(w.now, 3, c.ident.Child(uint64(n)), uint8(policies.Refused))
	c.cell(w.now).Outcomes[policies.Refused]++
	w.result.Edges[c.edge.index].RefusedBy[i][w.window(w.now)]++
	w.trace(kernel.TraceRecord{
		What: kernel.TraceRefused, Client: c.request.client.index, Request: c.request.ident,
		Attempt: c.ident.Child(uint64(n)), Edge: c.edge.index, Replica: -1, N: n,
		Class: policies.Refused, Text: c.edge.Stack[i].Name,
	})
}

// roles is some state of a stack entry, to see which roles it plays without making one of its own.
func (c *call) roles(use kernel.Use) policies.Policy { return c.w.roles[use.State] }

// policy is the state of a stack entry for this call.
func (c *call) policy(use kernel.Use) policies.Policy { return c.w.state(c.stateOf(use)) }

// stateOf says which of the states of a stack entry that is.
func (c *call) stateOf(use kernel.Use) stateKey {
	k := stateKey{state: use.State}
	switch use.Scope {
	case kernel.ScopeClient:
		k.member = c.request.number
	case kernel.ScopeInstance:
		if r := c.from(); r != nil {
			k.member = r.number()
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
		k.key = int(c.rank)
	case kernel.KeyClient:
		k.key = c.request.client.index
	}
	return k
}

// settled is told each outcome of a try that was not ended by the deadline or from above.
func (c *call) settled(a *attempt, o policies.Outcome) {
	c.observe(a, o)
	if o.Class == policies.OK {
		c.end(o)
		return
	}
	c.last = o
	if c.only(func(p policies.Policy) bool { return p.Hedger != nil }) >= 0 {
		c.copyFailed(a.n, o)
		return
	}
	switch {
	case len(c.live) > 0 || c.waiting:
	case c.retries(a.n, o):
		c.try()
	default:
		c.end(o)
	}
}

// retries tells whether the outcome of try n is tried again.
func (c *call) retries(n int, o policies.Outcome) bool {
	if n == kernel.MostTries || len(c.edge.Stack) == 0 || !c.w.below(c.ident, 7, c.edge.Enabled) {
		return false
	}
	i := c.only(func(p policies.Policy) bool { return p.Condition != nil })
	if i >= 0 {
		a := c.show(n, 18)
		a.Note = c.note(i)
		again := c.policy(c.edge.Stack[i]).Condition.Retryable(c.w.now, &a, o)
		c.alert(i)
		return again
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
	c.end(pastDeadline)
}

// kill ends the call because the attempt that made it is gone.
func (c *call) kill() {
	if c.ended {
		return
	}
	c.ended = true
	delete(c.w.calls, c)
	c.leaveLine()
	c.cut(dropped)
	c.unsentAtTheEnd(dropped)
	c.closed(killed)
}

// cut ends the attempts in flight, the newest first.
func (c *call) cut(o policies.Outcome) {
	for len(c.live) > 0 {
		a := c.live[len(c.live)-1]
		o := o
		o.Cancelled = true
		if o.Class == policies.Dropped {
			c.cell(a.sent).Cancelled++
		}
		o = a.settle(o)
		a.abandon()
		c.observe(a, o)
	}
}

// end is the end of the call.
func (c *call) end(o policies.Outcome) {
	if c.ended {
		return
	}
	c.ended = true
	delete(c.w.calls, c)
	c.leaveLine()
	left := dropped
	if o.Class == policies.TimedOut {
		left = timedOut
	}
	c.cut(left)
	c.unsentAtTheEnd(left)
	c.closed(o)
	if c.parent != nil {
		c.parent.forget(c)
	}
	c.done(o)
}
