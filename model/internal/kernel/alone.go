package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// A call on a straight edge is most often one try and nothing else. Until something out of the
// ordinary happens it has no record: its try stands for it, and names world.alone as its call. So
// whoever is about to read or keep a try's call asks callOf for it, and the record is made then.

// callOf is the call that waits for an attempt, which is not abandoned.
func (w *world) callOf(a *attempt) *call {
	if a.call != &w.alone {
		return a.call
	}
	c := w.takeCall()
	c.ident = a.request
	if p := a.parent; p != nil {
		c.ident = p.ident.Child(w.p.Programs[p.step].Luck + 1 + uint64(a.rep))
	}
	w.describe(c, a)
	c.start, c.deadline, c.window = a.sent, sim.Never, a.window
	c.replica, c.endpoint = a.replica, a.endpoint
	c.n, c.sent, c.nobody = 1, true, a.nobody
	c.attempt, a.call = a, c
	if p := a.parent; p != nil {
		p.alone = nil
		c.next, p.child = p.child, c
	}
	return c
}

// describe gives a call what its only try knows of it.
func (w *world) describe(c *call, a *attempt) {
	c.request = a.request
	c.parent, c.edge, c.target = a.parent, a.edge, a.target
	c.identity, c.client, c.priority, c.rep = a.identity, a.client, a.priority, a.rep
	if a.parent != nil {
		c.step = a.parent.step
	}
}

// lone makes the first try of a request on a straight edge.
func (w *world) lone(client int, ident sim.Ident, member uint32) *attempt {
	s := &w.clients[client]
	a := w.takeAttempt()
	a.ident, a.request = ident, ident
	a.call, a.edge, a.target = &w.alone, s.edge, int32(s.p.Target)
	a.identity, a.client, a.priority = member, uint8(client), s.p.Priority
	return a
}

// loneChild makes the first try of the call of an attempt's step, repetition rep, on a straight
// edge. Its ident is the call's until it is sent.
func (w *world) loneChild(p *attempt, s *Step, e *edge, rep uint16) *attempt {
	a := w.takeAttempt()
	a.ident, a.request = p.ident.Child(s.Luck+1+uint64(rep)), p.request
	a.call, a.edge, a.target = &w.alone, e, int32(s.Target)
	a.parent, p.alone, a.nobody = p, a, p.forNobody()
	a.identity, a.client, a.priority = p.identity, p.client, p.priority
	a.rep = rep
	return a
}

// requestWell is endRequest for a request whose only try went well.
func (w *world) requestWell(a *attempt) {
	s := &w.clients[a.client]
	cell := &s.cells[a.window]
	a.edge.open--
	w.print.AddMark(w.now, sim.MarkOf(printEnd, a.request), uint8(policies.OK))
	cell.OK++
	latency := w.now - a.sent
	w.recordLatency(int(a.client), a.window, latency)
	if latency > s.p.SlowAfter {
		cell.Slow++
		cell.FailedOrSlow++
	}
	if s.p.Process == Closed {
		w.think(s.p, a.request, a.identity, policies.OK)
	}
}
