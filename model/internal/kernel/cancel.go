package kernel

import (
	"cmp"
	"slices"

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
	a.cancel = w.en.At(w.now+latency, evCancel, a.id)
}

func (w *world) onCancel(a *attempt, key sim.Key) {
	if a.cancel != key {
		return // it ended before the message came
	}
	a.cancel = 0
	w.cancel(a)
}

// cancel takes abandoned work out, as far as its edge says.
func (w *world) cancel(a *attempt) {
	switch a.place {
	case onTheWay:
		a.discard = true
	case inLine, inBacklog:
		w.withdraw(a)
	case inWork, inCalls:
		if a.edge.p.Cancel == CancelAll {
			w.withdraw(a)
		}
	case nowhere, lost, rejecting, delayed, replying:
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
	w.leaveTries(c, policies.Dropped)
	if e := c.edge; e != nil { // no branch of parallel work
		if !c.sent {
			e.unsent++
			w.notHeld(c)
		}
		if e.closed {
			w.tellClosed(c, policies.Outcome{Class: policies.Dropped, Cancelled: true})
		}
	}
	w.freeCall(c)
}

func (w *world) onPause(id uint32) {
	p := &w.p.Pauses[id]
	for i := p.First; i < p.First+p.Count; i++ {
		r := &w.replicas[i]
		r.accrue(w.now)
		r.paused, r.flows = true, p.Flows
		if p.Flows == Keep {
			r.frozen, r.thaw = true, p.To
			r.frozenTotal += p.To - p.From
		}
	}
	t := w.replicas[p.First].tier
	w.rotate(t)
	if w.tracer != nil {
		w.traceText("pause " + t.p.Name)
	}
	if p.Flows == Reset || p.Flows == Drop {
		w.cut(p)
	}
}

// cut ends everything that paused replicas hold, in the order in which the attempts were sent.
func (w *world) cut(p *Pause) {
	var all []*attempt
	for i := uint32(1); i <= w.attempts.top; i++ {
		if a := w.attempts.at(i); a.cutBy(p) {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(x, y *attempt) int { return cmp.Compare(x.serial, y.serial) })
	for _, a := range all {
		if !a.cutBy(p) {
			continue // ended by an earlier one
		}
		w.tierCell(a).Dropped++
		w.pull(a)
		if p.Flows == Reset {
			w.answer(a, policies.Outcome{Class: policies.Dropped})
		} else {
			w.lose(a)
		}
	}
}

// cutBy tells whether one of the replicas of a pause holds the attempt.
func (a *attempt) cutBy(p *Pause) bool {
	return a.place >= inBacklog && a.place <= inCalls &&
		a.replica.index >= p.First && a.replica.index < p.First+p.Count
}

func (w *world) onUnpause(id uint32) {
	p := &w.p.Pauses[id]
	for i := p.First; i < p.First+p.Count; i++ {
		r := &w.replicas[i]
		r.accrue(w.now)
		r.paused, r.frozen = false, false
	}
	w.rotate(w.replicas[p.First].tier)
	for i := p.First; i < p.First+p.Count; i++ {
		w.fill(&w.replicas[i])
	}
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
