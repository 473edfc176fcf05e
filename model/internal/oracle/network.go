package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

func (e *edge) link() kernel.LinkState { return kernel.LinkState(e.w.count(e.Link)) }

// release delivers what a held link kept, all at once and in order.
func (e *edge) release() {
	if e.link() == kernel.LinkHeld {
		return
	}
	kept := e.held
	e.held = nil
	for _, deliver := range kept {
		deliver()
	}
}

// depart puts the request message on the way.
func (a *attempt) depart() {
	e := a.call.edge
	switch e.link() {
	case kernel.LinkRefused:
		a.outcome(dropped)
		return
	case kernel.LinkLost:
		a.unheard()
		return
	case kernel.LinkHeld:
		a.onWay = true
		e.held = append(e.held, a.arrive)
		return
	}
	who, purpose := a.ident, uint64(4)
	if a.again > 0 {
		who, purpose = a.ident.Child(uint64(a.again)), 51
	}
	if a.w.below(who, purpose, e.Loss) {
		a.unheard()
		return
	}
	a.onWay = true
	a.w.after(a.hop(), a.arrive)
}

// unheard is what becomes of a request that got lost before its replica took it in: it may be sent
// again.
func (a *attempt) unheard() {
	s := a.call.edge.Resend
	if a.abandoned || a.again >= s.Tries {
		return
	}
	due, wait := a.sent+s.First, s.First
	for range a.again {
		wait = whole(float64(wait) * s.Factor)
		due += wait
	}
	a.again++
	a.w.at(max(due, a.w.now), func() {
		if !a.settled {
			a.call.cell(a.sent).Retransmits++
			a.depart()
		}
	})
}

// hop is how long the request message and a cancel message take.
func (a *attempt) hop() sim.Time {
	return a.w.fields[a.call.edge.Latency].draw(a.ident.Draw(2))
}

// arrive is where the request message ends.
func (a *attempt) arrive() {
	a.onWay = false
	if !a.doomed {
		a.replica.arrive(a)
	}
}

// answer lets an answer leave the replica after a delay, which holds nothing.
func (a *attempt) answer(o policies.Outcome, delay sim.Time) {
	a.answering = true
	a.w.after(delay, func() { a.leave(o) })
}

// leave is where the answer goes on the way.
func (a *attempt) leave(o policies.Outcome) {
	a.trace(kernel.TraceRecord{What: kernel.TraceAnswer, Class: o.Class, Status: o.Status})
	e := a.call.edge
	if a.abandoned {
		a.answering = false
		a.late()
		return
	}
	if a.reached {
		o.Advice = a.replica.advice(a)
	}
	switch e.link() {
	case kernel.LinkRefused, kernel.LinkLost:
		a.answering = false
		return
	case kernel.LinkHeld:
		e.held = append(e.held, func() { a.deliver(o) })
		return
	}
	if a.w.below(a.ident, 5, e.RepliesLost) {
		a.answering = false
		return
	}
	hop := a.w.fields[e.Latency].draw(a.ident.Draw(3))
	hop = whole(a.w.fields[e.ReplyLatency].bend(float64(hop)))
	a.w.after(hop, func() { a.deliver(o) })
}

// deliver is where the answer reaches the caller.
func (a *attempt) deliver(o policies.Outcome) {
	a.answering = false
	if a.abandoned {
		a.late()
		return
	}
	a.call.degraded = a.degraded
	a.leaveOpen(o)
	a.outcome(o)
}

// abandon is what a caller does that stops waiting: a message may follow the attempt.
func (a *attempt) abandon() {
	a.abandoned = true
	a.trace(kernel.TraceRecord{What: kernel.TraceAbandon})
	how := a.call.edge.Cancel
	if how == kernel.CancelNone || a.replica == nil {
		return
	}
	a.w.after(a.hop(), func() { a.follow(how) })
}

// follow is where the cancel message arrives.
func (a *attempt) follow(how kernel.Cancel) {
	switch {
	case a.onWay:
		a.doomed = true
	case !a.holding || a.replica.rejecting(a):
	case how == kernel.CancelAll || a.replica.onlyWaits(a):
		a.trace(kernel.TraceRecord{What: kernel.TraceCancel})
		a.replica.cell(a).Cancelled++
		a.replica.evict(a, dropped)
		a.replica.fill()
	}
}
