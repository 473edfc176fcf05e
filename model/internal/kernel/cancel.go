package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// abandon is called when nobody waits for an attempt any more: what was lost is forgotten, and the
// edge may send a message after it.
func (w *world) abandon(a *attempt) {
	if a.place == lost {
		w.free(a)
		return
	}
	e := a.edge
	if e.p.Cancel == CancelNone || a.replica == nil {
		return
	}
	latency := w.sample(e.p.Latency, a.ident, forHop)
	if latency == 0 {
		w.cancel(a)
		return
	}
	w.extra(a).cancel = w.en.At(w.now+latency, evCancel, a.id)
}

func (w *world) onCancel(a *attempt, key sim.Key) {
	if w.extraOf(a).cancel != key {
		return // it ended before the message came
	}
	w.extra(a).cancel = 0
	w.cancel(a)
}

// cancel takes abandoned work out, as far as its edge says.
func (w *world) cancel(a *attempt) {
	switch a.place {
	case onTheWay:
		a.place = recalled
	case inLine, inBacklog:
		w.withdraw(a)
	case inWork, inCalls:
		if a.edge.p.Cancel == CancelAll {
			w.withdraw(a)
		}
	case nowhere, recalled, lost, rejecting, delayed, replying:
	}
}

// withdraw ends an abandoned attempt at its replica.
func (w *world) withdraw(a *attempt) {
	w.tierCell(a).Cancelled++
	if w.tracer != nil {
		w.traceAttempt(TraceCancel, a)
	}
	r := a.replica
	w.pull(a)
	w.free(a)
	w.fill(r)
	w.moveBacklog(r)
}

// pull takes an attempt out of wherever its replica holds it, and ends its child calls.
func (w *world) pull(a *attempt) {
	r := a.replica
	switch a.place {
	case inBacklog:
		r.backlog.Remove(&w.links, a.id, 0)
		w.tellLeft(a, policies.Outcome{Class: policies.Dropped})
	case inLine:
		r.leaveLine(&w.links, a, w.now)
	case rejecting:
		if !a.slot {
			r.rejects.Remove(&w.links, a.id, 0)
		}
	}
	a.event = 0
	if a.inSystem {
		w.cutWork(a)
		w.leaveAs(a, r, policies.Dropped)
	} else if a.slot && r.shared != nil {
		w.cutShares(a)
	} else if a.slot {
		a.slot = false
		r.freeSlot(w.now)
	}
	if a.alone != nil {
		w.callOf(a.alone)
	}
	for a.child != nil {
		c := a.child
		a.child = c.next
		w.kill(c)
	}
}

// kill ends a call whose caller is gone; nobody is told but its policies.
func (w *world) kill(c *call) {
	c.timer, c.wake, c.hedge = 0, 0, 0
	w.leaveCallLine(c)
	w.leaveTries(c, policies.Dropped)
	if e := c.edge; e != nil { // no branch of parallel work
		if !c.sent {
			e.unsent++
			w.notHeld(c)
		}
		w.leaveUnsent(c, policies.Dropped)
		if e.closed {
			w.tellClosed(c, policies.Outcome{Class: policies.Dropped, Cancelled: true})
		}
	}
	w.freeCall(c)
}

// releaseHeld delivers what a held link kept, together and in order.
func (w *world) releaseHeld(e *edge) {
	kept := e.held
	e.held = nil
	for _, h := range kept {
		if h.reply {
			w.onReply(h.attempt)
		} else {
			w.onArrive(h.attempt)
		}
	}
}
