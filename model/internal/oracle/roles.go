package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// show is what policies are shown of try n in one round of questions.
func (c *call) show(n int, purpose uint64) policies.Attempt {
	a := policies.Attempt{
		N: n, Wait: c.wait, Priority: int(c.rankOf(n)),
		Chance:  c.ident.Child(uint64(n)).Draw(purpose),
		Started: c.began, Deadline: c.deadline, Last: c.last, Client: c.request.who(),
	}
	if c.parent != nil {
		a.Carried = c.parent.carried
	}
	if c.queuer() >= 0 {
		a.Waiting = len(c.w.lines[c.line()])
	}
	return a
}

// who is the number of the client behind a request; 0 when there is only one.
func (q *request) who() uint64 {
	if q.client.Process != kernel.Closed && q.client.Population <= 1 {
		return 0
	}
	return uint64(q.number) + 1
}

// only is the first stack entry that plays a role, or -1.
func (c *call) only(plays func(p policies.Policy) bool) int {
	return slices.IndexFunc(c.edge.Stack, func(u kernel.Use) bool { return plays(c.roles(u)) })
}

// round asks or tells every entry that plays a role, in order.
func (c *call) round(n int, purpose uint64,
	ask func(i int, p policies.Policy, a *policies.Attempt),
) {
	a := c.show(n, purpose)
	for i, use := range c.edge.Stack {
		p := c.roles(use)
		if p.Starter != nil || p.Observer != nil || p.Closer != nil || p.Ejector != nil ||
			p.Wrapper != nil {
			a.Note = c.note(i)
			ask(i, p, &a)
		}
	}
}

// note is a policy's own note of the call, if it keeps one.
func (c *call) note(i int) *uint64 {
	if !c.w.plan.States[c.edge.Stack[i].State].Notes {
		return nil
	}
	return &c.notes[i]
}

// place asks the placer about retry n.
func (c *call) place(n int) {
	i := c.only(func(p policies.Policy) bool { return p.Placer != nil })
	if i < 0 {
		return
	}
	a := c.show(n, 21)
	a.Note = c.note(i)
	c.where = c.policy(c.edge.Stack[i]).Placer.Place(c.w.now, &a)
}

// onRetry is where a retry goes.
func (c *call) onRetry() kernel.OnRetry {
	if c.only(func(p policies.Policy) bool { return p.Placer != nil }) < 0 {
		return c.edge.Balance.OnRetry
	}
	return map[policies.Where]kernel.OnRetry{
		policies.Anywhere: kernel.Any, policies.SameReplica: kernel.Same,
		policies.OtherReplica: kernel.Other, policies.FreshReplica: kernel.Fresh,
	}[c.where]
}

// repicks is how often a pick is made again for a placer.
func (c *call) repicks() int {
	i := c.only(func(p policies.Policy) bool { return p.Placer != nil })
	return c.roles(c.edge.Stack[i]).Repicks
}

// dispatch sends the next try when all shapers, and all gates that are asked at the send, have let
// it pass.
func (c *call) dispatch() {
	n := c.tries + 1
	gates := c.atTheSend()
	for i := c.passed; i < len(c.edge.Stack); i++ {
		use := c.edge.Stack[i]
		beyond := c.beyond // the line of this entry
		c.beyond = false
		if c.roles(use).Shaper != nil && !beyond {
			a := c.show(n, 20)
			a.Note = c.note(i)
			delay := c.policy(use).Shaper.Delay(c.w.now, &a)
			c.alert(i)
			if delay > 0 {
				c.passed = i
				c.later(delay, c.dispatch)
				return
			}
		}
		if c.roles(use).Queuer != nil && !beyond && !c.joins(i, &gates) {
			return
		}
		if c.w.plan.States[use.State].AtSend && !c.admits(&gates, i) {
			c.passed = 0
			c.turnedBack(n, i)
			return
		}
	}
	c.passed = 0
	c.send()
}

// atTheSend is what queuers and gates are shown in the pass of the next try from where it is.
func (c *call) atTheSend() policies.Attempt {
	a := c.show(c.tries+1, 30)
	if c.askedBefore(c.passed) {
		a.Chance = c.ident.Child(uint64(a.N)).Child(uint64(c.passed) + 1).Draw(30)
	}
	return a
}

// askedBefore tells whether a stack entry before the i-th is asked at the send: a queuer or a gate.
func (c *call) askedBefore(i int) bool {
	for _, use := range c.edge.Stack[:i] {
		gate := c.roles(use).Gate != nil && c.w.plan.States[use.State].AtSend
		if gate || c.roles(use).Queuer != nil {
			return true
		}
	}
	return false
}

// unsent tells the wrappers before stack entry i that they have let try n pass in vain.
func (c *call) unsent(n, i int, o policies.Outcome) {
	c.reached = max(c.reached, i)
	a := c.show(n, 33)
	for k, use := range c.edge.Stack[:i] {
		if c.roles(use).Wrapper != nil && !use.PerCall {
			a.Note = c.note(k)
			c.policy(use).Wrapper.Unsent(c.w.now, &a, o)
			c.told(k)
		}
	}
}

// unsentAtTheEnd is unsent for a try that is held back when the call ends.
func (c *call) unsentAtTheEnd(o policies.Outcome) {
	if c.passed > 0 {
		o.Cancelled = true
		c.unsent(c.tries+1, c.passed, o)
	}
}

// started tells the starters of try n.
func (c *call) started(n int, first bool) {
	c.round(n, 22, func(i int, p policies.Policy, a *policies.Attempt) {
		if p.Starter != nil && !(c.edge.Stack[i].PerCall && !first) {
			c.policy(c.edge.Stack[i]).Starter.Start(c.w.now, a)
			c.alert(i)
		}
	})
}

// observe tells observers and ejectors the outcome of an attempt.
func (c *call) observe(x *attempt, o policies.Outcome) {
	c.round(x.n, 19, func(i int, p policies.Policy, a *policies.Attempt) {
		if p.Observer != nil && !c.edge.Stack[i].PerCall {
			c.policy(c.edge.Stack[i]).Observer.Observe(c.w.now, a, o)
			c.told(i)
		}
		if p.Ejector != nil && !x.told && x.replica != nil && x.replica.Tier == c.edge.Home {
			c.policy(c.edge.Stack[i]).Ejector.Report(c.w.now, x.replica.number(), o)
			c.alert(i)
		}
	})
}

// closed tells closers, and observers of calls as a whole, how the call ended.
func (c *call) closed(o policies.Outcome) {
	o.Latency = c.w.now - c.began
	c.round(c.tries, 23, func(i int, p policies.Policy, a *policies.Attempt) {
		if p.Observer != nil && c.edge.Stack[i].PerCall && c.begun {
			c.policy(c.edge.Stack[i]).Observer.Observe(c.w.now, a, o)
			c.told(i)
		}
		if p.Wrapper != nil && c.edge.Stack[i].PerCall && !c.begun && i < c.reached {
			c.policy(c.edge.Stack[i]).Wrapper.Unsent(c.w.now, a, o)
			c.told(i)
		}
		if p.Closer != nil {
			c.policy(c.edge.Stack[i]).Closer.Close(c.w.now, a, o)
			c.told(i)
		}
	})
}

// overdue is the timer of a try that stays in flight.
func (a *attempt) overdue() {
	c := a.call
	o := timedOut
	o.Latency, o.Unreached = a.w.now-a.sent, !a.reached
	i := c.only(func(p policies.Policy) bool { return p.Ejector != nil })
	if i >= 0 && a.replica != nil && a.replica.Tier == c.edge.Home {
		a.told = true
		c.policy(c.edge.Stack[i]).Ejector.Report(a.w.now, a.replica.number(), o)
		c.alert(i)
	}
	c.last = o
	if !c.waiting && c.retries(a.n, o) {
		c.try()
	}
}

// alert keeps the first time at which the level of a stack entry was below its threshold.
func (c *call) alert(i int) {
	use := c.edge.Stack[i]
	at := &c.w.result.Edges[c.edge.index].LowAt[i]
	if level := c.policy(use).Level; use.Low > 0 && level != nil && *at == sim.Never {
		if level(c.w.now) < use.Low {
			*at = c.w.now
		}
	}
}

// hedger is the stack entry that hedges, or -1.
func (c *call) hedger() int {
	return c.only(func(p policies.Policy) bool { return p.Hedger != nil })
}

func (c *call) copySent(n int) {
	i := c.hedger()
	if i < 0 {
		return
	}
	a := c.show(n, 24)
	a.Note = c.note(i)
	c.follow(c.policy(c.edge.Stack[i]).Hedger.Sent(c.w.now, &a))
}

func (c *call) copyFailed(n int, o policies.Outcome) {
	i := c.hedger()
	a := c.show(n, 24)
	a.Note = c.note(i)
	h := c.policy(c.edge.Stack[i]).Hedger.Failed(c.w.now, &a, o)
	switch {
	case h.Verb == policies.HedgeFail:
		c.end(o)
	case h.Verb == policies.HedgeNext && h.Delay <= 0:
		c.noCopy()
		c.sendCopy()
	default:
		c.follow(h)
		c.endIfSpent()
	}
}

// follow does what a hedger says of the next copy.
func (c *call) follow(h policies.Hedge) {
	if h.Verb == policies.HedgeWait {
		return
	}
	c.noCopy()
	at := c.w.now + h.Delay
	if h.Verb != policies.HedgeNext || c.deadline != sim.Never && at >= c.deadline {
		return
	}
	c.copy = c.w.at(at, func() {
		if !c.ended {
			c.copy = nil
			c.sendCopy()
		}
	})
}

func (c *call) noCopy() {
	c.copy.cancel()
	c.copy = nil
}

// sendCopy sends the next copy, if the gates let it.
func (c *call) sendCopy() {
	if c.waiting {
		return
	}
	if c.edge.PickFirst {
		c.chosen = c.pick(c.tries + 1)
		c.previous = c.chosen
	}
	a := c.show(c.tries+1, 32)
	if i := c.refusedBy(&a); i >= 0 {
		c.countRefusal(a.N, i)
		c.endIfSpent()
		return
	}
	c.copying = true
	c.dispatch()
}

func (c *call) endIfSpent() {
	if len(c.live) == 0 && c.copy == nil && !c.waiting {
		c.end(c.last)
	}
}

// picked tells the ejector which of its replicas the next attempt goes to.
func (c *call) picked(r *replica) {
	i := c.only(func(p policies.Policy) bool { return p.Ejector != nil })
	if i >= 0 && r.Tier == c.edge.Home {
		c.policy(c.edge.Stack[i]).Ejector.Picked(c.w.now, r.number())
	}
}

// fit is the active replicas of a tier that no ejector keeps out.
func (c *call) fit(tier int) []*replica {
	all := c.w.active(tier)
	i := c.only(func(p policies.Policy) bool { return p.Ejector != nil })
	if i < 0 || tier != c.edge.Home {
		return all
	}
	e := c.policy(c.edge.Stack[i]).Ejector
	if c.w.hosts[e] != len(all) {
		c.w.hosts[e] = len(all)
		e.Hosts(c.w.now, len(all))
	}
	var fit []*replica
	for number, r := range all {
		if !e.Out(c.w.now, number) {
			fit = append(fit, r)
		}
	}
	return fit
}
