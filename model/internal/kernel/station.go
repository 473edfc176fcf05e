package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// onArrive brings an attempt to its replica: admission, flow limit, then a slot or a place in line.
func (w *world) onArrive(a *attempt) {
	if a.place == recalled {
		w.free(a)
		return
	}
	r := a.replica
	a.reached = true
	cell := w.tierCell(a)
	cell.Arrivals++
	if a.n > 1 && !w.extraOf(a).spare {
		cell.Retries++
	}
	w.print.Add(w.now, printArrive, a.ident, uint8(r.index))
	if w.tracer != nil {
		w.traceAttempt(TraceArrive, a)
	}
	if r.closed() {
		a.reached = false // there was nobody
		cell.Dropped++
		if r.flows == Reset {
			w.answer(a, policies.Outcome{Class: policies.Dropped})
		} else {
			w.unheard(a)
		}
		return
	}
	if len(r.tier.p.Admission) > 0 {
		a.admitted = w.now
		if r.tier.notes > 0 {
			w.clearGuestNotes(a)
		}
		if by := w.refusedEntry(a); by >= 0 {
			w.tellLeftUpTo(by, a, r.tier.rejected())
			w.reject(a)
			return
		}
	}
	if r.inFlight >= 0 && r.inSystem >= r.inFlight {
		w.overLimit(a, r)
		return
	}
	w.enter(a, r)
}

// overLimit is what happens to an attempt that finds the flow limit reached.
func (w *world) overLimit(a *attempt, r *replica) {
	switch r.p.Over {
	case OverReject:
		w.tellLeft(a, r.tier.rejected())
		w.reject(a)
	case OverDrop:
		w.tellLeft(a, policies.Outcome{Class: policies.Dropped})
		a.reached = false // as a connection that is never accepted
		w.tierCell(a).Dropped++
		w.unheard(a)
	case OverBacklog:
		w.links.Grow(a.id)
		if !r.backlog.Push(&w.links, a.id, 0) {
			w.tellLeft(a, r.tier.rejected())
			w.reject(a)
			return
		}
		a.place = inBacklog
		if r.tier.memory != nil {
			w.fuller(r)
		}
	}
}

// enter admits an attempt: it counts as in the system until it is answered, turned away or ended.
func (w *world) enter(a *attempt, r *replica) {
	w.tierCell(a).Admitted++
	r.admit(a, w.now)
	r.tellLowest()
	if r.tier.memory != nil {
		w.fuller(r)
	}
	if r.tier.sizer >= 0 {
		w.resize(r)
	}
	t := r.tier.p
	ep := &t.Endpoints[a.endpoint]
	a.step, a.end = int32(ep.First), int32(ep.First+ep.Count)
	if w.extraOf(a).probe {
		a.probeStep()
	}
	if t.Async || r.shared != nil {
		a.place = inCalls
		w.begin(a)
		return
	}
	w.seize(a, r)
}

// room tells whether a replica has a slot to give.
func (r *replica) room() bool {
	return (r.slots < 0 || r.busy < r.slots) && !r.still()
}

// still tells whether nothing starts at a replica: it keeps what it holds, or is being cut off.
func (r *replica) still() bool { return r.paused && r.flows != Finish }

// closed tells whether a replica holds nothing and takes nothing.
func (r *replica) closed() bool { return r.paused && r.flows >= Reset }

// seize takes a slot, or a place in line, or is turned away by a full line. Where a policy says how
// many slots there are, more may have come since somebody began to wait, who comes first then.
func (w *world) seize(a *attempt, r *replica) {
	a.since = w.now
	behind := false
	if r.tier.sizer >= 0 {
		w.resize(r)
		behind = r.line.Len()+r.rejects.Len() > 0
	}
	if r.room() && !behind {
		if r.tier.turned && !w.mayTurn(a) {
			w.expel(a, r)
			w.leftAfter(r)
			return
		}
		if r.codel != nil {
			r.codel.drops(w.now, 0, 0)
		}
		w.start(a, r)
		return
	}
	w.links.Grow(a.id)
	if r.line.Full() {
		w.overflow(a, r)
		return
	}
	w.joinLine(r, a)
	w.inPlace(a, r)
	if behind && r.room() {
		w.fill(r)
	}
}

// inPlace is what follows when an attempt has joined the line.
func (w *world) inPlace(a *attempt, r *replica) {
	a.place = inLine
	if r.p.HasPatience {
		w.losePatience(a, r)
	}
	if w.tracer != nil {
		w.traceAttempt(TraceWait, a)
	}
	w.expectSlots(r)
}

func (w *world) losePatience(a *attempt, r *replica) {
	if d, ok := r.p.Patience.Const(); ok {
		a.event = w.arm(&r.patience, d, evPatience, a.id)
		return
	}
	draw := a.ident.Draw(forPatience)
	a.event = w.en.ArmAt(w.now+r.p.Patience.Sample(&draw), evPatience, a.id)
}

// turnBack is what a full line does.
func (w *world) turnBack(a *attempt, r *replica) {
	w.oust(a, r)
	w.leftAfter(r)
}

// oust turns away, as a full line does, an attempt that was in the system and holds no slot. The
// room that it leaves is the caller's business.
func (w *world) oust(a *attempt, r *replica) {
	a.event = 0
	w.cutWork(a)
	if r.p.FullDrops {
		waited := a.place == inLine || r.tier.p.Async // it was taken in before
		w.leaveAs(a, r, policies.Dropped)
		w.tierCell(a).Dropped++
		if waited {
			w.lose(a)
		} else {
			w.unheard(a)
		}
	} else {
		w.leaveAs(a, r, policies.Rejected)
		w.reject(a)
	}
}

// leftAfter gives out the room that an attempt left which got no slot: where a policy says how many
// there are, there may be more of them by now.
func (w *world) leftAfter(r *replica) {
	if r.tier.sizer >= 0 {
		w.fill(r)
	}
	w.moveBacklog(r)
}

// leave takes an attempt out of the system of its replica; its slot, if any, is free.
func (w *world) leave(a *attempt, r *replica) {
	r.dismiss(a, w.now)
	r.tellLowest()
	if r.tier.sizer >= 0 {
		w.resize(r)
	}
}

// leaveAs is leave for an attempt that ends without its answer: rejected after all, or dropped.
func (w *world) leaveAs(a *attempt, r *replica, class policies.Class) {
	w.leave(a, r)
	o := policies.Outcome{Class: class}
	if class == policies.Rejected {
		o = r.tier.rejected()
	}
	w.tellLeft(a, o)
}

// start gives an attempt a slot and begins (or, async, goes on with) its steps.
func (w *world) start(a *attempt, r *replica) {
	r.takeSlot(w.now)
	a.slot = true
	a.event = 0
	a.place = inWork
	if r.slots >= 0 {
		w.recordWait(r, w.now-a.since)
	}
	if w.tracer != nil {
		w.traceAttempt(TraceStart, a)
	}
	w.deeper()
	if r.tier.p.Async {
		w.work(a)
	} else {
		w.begin(a)
	}
	w.depth--
}

// fill gives free slots to rejections that cost work, then to the line.
func (w *world) fill(r *replica) {
	if r.tier.sizer >= 0 {
		w.resize(r)
	}
	left := false // somebody left the line without a slot: there is room for the backlog
	for r.room() || r.shared != nil && !r.still() {
		if id := r.rejects.Pop(&w.links); id != 0 {
			w.payRejection(w.attempts.at(id), r)
			continue
		}
		if r.line.Len() == 0 {
			break
		}
		a := w.attempts.at(r.line.Pop(&w.links))
		r.gauges.inLine += uint64(w.now)
		if r.codel != nil && r.codel.drops(w.now, w.now-a.since, r.line.Len()) {
			w.oust(a, r)
			if r.line.Len() == 0 {
				r.codel.emptied()
			}
			left = true
			continue
		}
		if a.odd && w.tooLate(a) {
			w.cutWork(a)
			w.leaveAs(a, r, policies.Dropped)
			w.tierCell(a).Dropped++
			a.event = 0
			w.lose(a)
			left = true
			continue
		}
		if r.tier.turned && !w.mayTurn(a) {
			w.expel(a, r)
			left = true
			continue
		}
		w.start(a, r)
	}
	w.expectSlots(r)
	if left {
		w.moveBacklog(r)
	}
}

// tooLate tells whether the tier drops an attempt whose turn has come because of its deadline.
func (w *world) tooLate(a *attempt) bool {
	t, due := a.replica.tier.p, w.extraOf(a).deadline
	switch t.Deadline {
	case DropExpired:
		return due <= w.now
	case DropUnlikely:
		return w.now+t.Endpoints[a.endpoint].Expected > due
	case Ignore:
	}
	return false
}

// moveBacklog lets in what waits outside, as far as the flow limit allows.
func (w *world) moveBacklog(r *replica) {
	for r.backlog.Len() > 0 && (r.inFlight < 0 || r.inSystem < r.inFlight) && !r.closed() {
		w.enter(w.attempts.at(r.backlog.Pop(&w.links)), r)
	}
}

func (w *world) onPatience(a *attempt) {
	r := a.replica
	r.leaveLine(&w.links, a, w.now)
	w.expel(a, r)
	if r.tier.sizer >= 0 {
		w.fill(r)
	}
	w.moveBacklog(r)
}

// expel rejects, after all, an attempt that was in the system and holds no slot.
func (w *world) expel(a *attempt, r *replica) {
	a.event = 0
	w.cutWork(a)
	w.leaveAs(a, r, policies.Rejected)
	w.reject(a)
}

// reject turns an attempt away with an answer, which may cost work and take time.
func (w *world) reject(a *attempt) {
	w.tierCell(a).Rejected++
	r := a.replica
	live := &r.tier.live
	if live.cost <= 0 {
		w.answerAfter(a, w.rejection(a), live.delay)
		return
	}
	a.place = rejecting
	if r.room() || r.shared != nil && !r.still() {
		w.payRejection(a, r)
		return
	}
	w.links.Grow(a.id)
	r.rejects.Push(&w.links, a.id, 0)
	w.expectSlots(r)
}

// payRejection does the work of a rejection in a slot.
func (w *world) payRejection(a *attempt, r *replica) {
	if r.shared != nil {
		w.shareWork(a, r.tier.live.cost)
		return
	}
	r.takeSlot(w.now)
	a.slot = true
	a.frozen = r.frozenTotal
	a.event = w.en.At(w.now+r.tier.live.cost, evReject, a.id)
}

func (w *world) onRejected(a *attempt, key sim.Key) {
	if a.event != key || w.thaw(a, evReject) {
		return
	}
	r := a.replica
	r.freeSlot(w.now)
	a.slot = false
	w.fill(r)
	w.answerAfter(a, w.rejection(a), r.tier.live.delay)
}

// thaw puts the end of work off by the time its replica was frozen since the work began.
func (w *world) thaw(a *attempt, k sim.Kind) bool {
	late := a.replica.frozenTotal - a.frozen
	if late == 0 {
		return false
	}
	a.frozen = a.replica.frozenTotal
	a.event = w.en.At(w.now+late, k, a.id)
	return true
}
