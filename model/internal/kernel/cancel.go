package kernel

import (
	"slices"

	"cascadesim/policies"
	"cascadesim/sim"
)

// abandon is called when nobody waits for an attempt any more: what was lost is forgotten, and the
// edge may send a message after it.
func (w *world) abandon(aid uint32) {
	a := w.attempts.at(aid)
	if a.place == lost {
		w.free(aid)
		return
	}
	e := &w.p.Edges[a.edge]
	if e.Cancel == CancelNone || a.replica < 0 {
		return
	}
	latency := w.latency(e, a)
	if latency == 0 {
		w.cancel(aid)
		return
	}
	a.cancel = w.en.At(w.en.Now()+latency, evCancel, aid)
}

func (w *world) onCancel(ev sim.Event) {
	a := w.attempts.at(ev.ID)
	if a.cancel != ev.Key {
		return // it ended before the message came
	}
	a.cancel = 0
	w.cancel(ev.ID)
}

// cancel takes abandoned work out, as far as its edge says.
func (w *world) cancel(aid uint32) {
	a := w.attempts.at(aid)
	all := w.p.Edges[a.edge].Cancel == CancelAll
	switch a.place {
	case onTheWay:
		a.discard = true
	case inLine, inBacklog:
		w.withdraw(aid)
	case inWork, inCalls:
		if all {
			w.withdraw(aid)
		}
	case nowhere, lost, rejecting, delayed, replying:
	}
}

// withdraw ends an abandoned attempt at its replica.
func (w *world) withdraw(aid uint32) {
	a := w.attempts.at(aid)
	w.tierCell(a).Cancelled++
	if w.tracer != nil {
		w.traceAttempt(TraceCancel, a)
	}
	ri := a.replica
	w.pull(aid, a)
	w.free(aid)
	w.fill(ri)
	w.moveBacklog(&w.replicas[ri])
}

// pull takes an attempt out of wherever its replica holds it, and ends its child calls.
func (w *world) pull(aid uint32, a *attempt) {
	r := &w.replicas[a.replica]
	w.accrue(r)
	switch a.place {
	case inBacklog:
		r.backlog.Remove(&w.links, aid, 0)
	case inLine:
		r.line.Remove(&w.links, aid, a.priority)
	case rejecting:
		if !a.slot {
			r.rejects.Remove(&w.links, aid, 0)
		}
	}
	a.event = 0
	if a.inSystem {
		w.leave(a, r)
	} else if a.slot {
		a.slot = false
		r.busy--
	}
	for a.child != 0 {
		w.endChild(a)
	}
}

// endChild ends an attempt's first child call without telling the attempt.
func (w *world) endChild(a *attempt) {
	id := a.child
	c := w.calls.at(id)
	a.child = c.next
	if c.edge >= 0 {
		w.close(c, policies.Dropped)
	}
	c.wake = 0
	w.calls.release(id)
}

func (w *world) onPause(id uint32) {
	p := &w.p.Pauses[id]
	for ri := p.First; ri < p.First+p.Count; ri++ {
		r := &w.replicas[ri]
		r.accrueAll(w.en.Now())
		r.paused, r.flows = true, p.Flows
		if p.Flows == Keep {
			r.frozen = true
			r.frozenTotal += p.To - p.From
		}
	}
	tier := w.p.Replicas[p.First].Tier
	w.rotate(tier)
	if w.tracer != nil {
		w.traceText("pause " + w.p.Tiers[tier].Name)
	}
	if p.Flows == Reset || p.Flows == Drop {
		w.cut(p)
	}
}

// cut ends everything that paused replicas hold, in the order in which the attempts were sent.
func (w *world) cut(p *Pause) {
	var ids []uint32
	for i := uint32(1); i <= w.attempts.top; i++ {
		a := w.attempts.at(i)
		r := int(a.replica)
		if a.place >= inBacklog && a.place <= inCalls && r >= p.First && r < p.First+p.Count {
			ids = append(ids, i)
		}
	}
	slices.SortFunc(ids, func(x, y uint32) int {
		if w.attempts.at(x).serial < w.attempts.at(y).serial {
			return -1
		}
		return 1
	})
	for _, id := range ids {
		a := w.attempts.at(id)
		if a.place < inBacklog || a.place > inCalls || !w.replicas[a.replica].paused {
			continue // ended by an earlier one
		}
		w.tierCell(a).Dropped++
		w.pull(id, a)
		if a.call == 0 {
			w.free(id)
		} else if p.Flows == Reset {
			w.answer(id, policies.Outcome{Class: policies.Dropped})
		} else {
			w.lose(id)
		}
	}
}

func (w *world) onUnpause(id uint32) {
	p := &w.p.Pauses[id]
	for ri := p.First; ri < p.First+p.Count; ri++ {
		r := &w.replicas[ri]
		r.accrueAll(w.en.Now())
		r.paused, r.frozen = false, false
	}
	w.rotate(w.p.Replicas[p.First].Tier)
	for ri := p.First; ri < p.First+p.Count; ri++ {
		w.fill(int32(ri))
	}
}

// releaseHeld delivers what a held link kept, together and in order.
func (w *world) releaseHeld(edge int) {
	e := &w.edges[edge]
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
