package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// onArrive brings an attempt to its replica: admission, flow limit, then a slot or a place in line.
func (w *world) onArrive(aid uint32) {
	a := w.attempts.at(aid)
	if a.discard {
		w.free(aid)
		return
	}
	r := &w.replicas[a.replica]
	cell := w.tierCell(a)
	cell.Arrivals++
	if a.n > 1 {
		cell.Retries++
	}
	w.res.Fingerprint.Add(w.en.Now(), printArrive, a.ident, uint8(a.replica))
	if w.tracer != nil {
		w.traceAttempt(TraceArrive, a)
	}
	if r.paused {
		switch r.flows {
		case Finish, Keep:
		case Reset:
			cell.Dropped++
			w.answer(aid, policies.Outcome{Class: policies.Dropped})
			return
		case Drop:
			cell.Dropped++
			w.lose(aid)
			return
		}
	}
	if !w.admitted(a) {
		w.reject(aid)
		return
	}
	if r.inFlight >= 0 && r.inSystem >= r.inFlight {
		w.overLimit(aid, a, r)
		return
	}
	w.enter(aid, a, r)
}

// admitted asks the tier's admission policies, in order.
func (w *world) admitted(a *attempt) bool {
	pr := &w.p.Replicas[a.replica]
	t := &w.p.Tiers[pr.Tier]
	if len(t.Admission) == 0 {
		return true
	}
	s := &w.scratch
	s.N, s.Wait, s.Priority = int(a.n), 0, int(a.priority)
	s.Chance = a.ident.Draw(forPolicies)
	for _, state := range t.Admission {
		i := int(a.replica) - t.First
		if w.p.States[state].Single {
			i = 0
		}
		if !w.admission(state, i).Enter(w.en.Now(), s) {
			return false
		}
	}
	return true
}

// overLimit is what happens to an attempt that finds the flow limit reached.
func (w *world) overLimit(aid uint32, a *attempt, r *replica) {
	switch w.p.Replicas[a.replica].Over {
	case OverReject:
		w.reject(aid)
	case OverDrop:
		w.tierCell(a).Dropped++
		w.lose(aid)
	case OverBacklog:
		w.links.Grow(aid)
		if !r.backlog.Push(&w.links, aid, 0) {
			w.reject(aid)
			return
		}
		a.place = inBacklog
	}
}

// enter admits an attempt: it counts as in the system until it is answered, turned away or ended.
func (w *world) enter(aid uint32, a *attempt, r *replica) {
	w.tierCell(a).Admitted++
	w.accrue(r)
	r.inSystem++
	a.inSystem = true
	a.admitted = w.en.Now()
	pr := &w.p.Replicas[a.replica]
	t := &w.p.Tiers[pr.Tier]
	ep := &t.Endpoints[w.p.Rows[a.row].Endpoint]
	a.step, a.end = int32(ep.First), int32(ep.First+ep.Count)
	if t.Async {
		a.place = inCalls
		w.step(aid)
		return
	}
	w.seize(aid, a, r)
}

// room tells whether a replica has a slot to give.
func (r *replica) room() bool {
	return (r.slots < 0 || r.busy < r.slots) && !r.frozen
}

// seize takes a slot, or a place in line, or is turned away by a full line.
func (w *world) seize(aid uint32, a *attempt, r *replica) {
	a.since = w.en.Now()
	if r.room() {
		w.start(aid, a, r)
		return
	}
	w.links.Grow(aid)
	if r.line.Full() {
		w.turnBack(aid, a, r)
		return
	}
	w.accrue(r)
	r.line.Push(&w.links, aid, a.priority)
	a.place = inLine
	pr := &w.p.Replicas[a.replica]
	if pr.HasPatience {
		w.losePatience(aid, a, r, pr)
	}
	if w.tracer != nil {
		w.traceAttempt(TraceWait, a)
	}
}

func (w *world) losePatience(aid uint32, a *attempt, r *replica, pr *Replica) {
	if d, ok := pr.Patience.Const(); ok {
		if r.patienceDelay != d {
			r.patienceDelay, r.patience = d, w.en.TimerLane(d)
		}
		a.event = w.en.Arm(r.patience, evPatience, aid)
		return
	}
	draw := a.ident.Draw(forPatience)
	a.event = w.en.ArmAt(w.en.Now()+pr.Patience.Sample(&draw), evPatience, aid)
}

// turnBack is what a full line does.
func (w *world) turnBack(aid uint32, a *attempt, r *replica) {
	drops := w.p.Replicas[a.replica].FullDrops
	w.leave(a, r)
	if drops {
		w.tierCell(a).Dropped++
		w.lose(aid)
	} else {
		w.reject(aid)
	}
	w.moveBacklog(r)
}

// leave takes an attempt out of the system of its replica; its slot, if any, is free.
func (w *world) leave(a *attempt, r *replica) {
	w.accrue(r)
	r.inSystem--
	r.gauges.spent += uint64(w.en.Now() - a.admitted)
	a.inSystem = false
	if a.slot {
		a.slot = false
		r.busy--
	}
}

// start gives an attempt a slot and begins (or, async, goes on with) its steps.
func (w *world) start(aid uint32, a *attempt, r *replica) {
	w.accrue(r)
	r.busy++
	a.slot = true
	a.event = 0
	a.place = inWork
	w.recordWait(a, r, w.en.Now()-a.since)
	if w.tracer != nil {
		w.traceAttempt(TraceStart, a)
	}
	if w.p.Tiers[w.p.Replicas[a.replica].Tier].Async {
		w.work(aid, a)
		return
	}
	w.step(aid)
}

// fill gives free slots to rejections that cost work, then to the line.
func (w *world) fill(ri int32) {
	r := &w.replicas[ri]
	t := &w.p.Tiers[w.p.Replicas[ri].Tier]
	for r.room() {
		if aid := r.rejects.Pop(&w.links); aid != 0 {
			w.payRejection(aid, r)
			continue
		}
		if r.line.Len() == 0 {
			return
		}
		w.accrue(r)
		aid := r.line.Pop(&w.links)
		a := w.attempts.at(aid)
		if w.tooLate(a, t) {
			w.leave(a, r)
			w.tierCell(a).Dropped++
			a.event = 0
			w.lose(aid)
			w.moveBacklog(r)
			continue
		}
		w.start(aid, a, r)
	}
}

// tooLate tells whether the tier drops an attempt whose turn has come because of its deadline.
func (w *world) tooLate(a *attempt, t *Tier) bool {
	if a.deadline == sim.Never {
		return false
	}
	switch t.Deadline {
	case DropExpired:
		return a.deadline <= w.en.Now()
	case DropUnlikely:
		return w.en.Now()+t.Endpoints[w.p.Rows[a.row].Endpoint].Expected > a.deadline
	case Ignore:
	}
	return false
}

// moveBacklog lets in what waits outside, as far as the flow limit allows.
func (w *world) moveBacklog(r *replica) {
	for r.backlog.Len() > 0 && (r.inFlight < 0 || r.inSystem < r.inFlight) {
		aid := r.backlog.Pop(&w.links)
		w.enter(aid, w.attempts.at(aid), r)
	}
}

func (w *world) onPatience(aid uint32) {
	a := w.attempts.at(aid)
	r := &w.replicas[a.replica]
	w.accrue(r)
	r.line.Remove(&w.links, aid, a.priority)
	a.event = 0
	w.leave(a, r)
	w.reject(aid)
	w.moveBacklog(r)
}

// reject turns an attempt away with an answer, which may cost work and take time.
func (w *world) reject(aid uint32) {
	a := w.attempts.at(aid)
	w.tierCell(a).Rejected++
	ri := a.replica
	t := &w.p.Tiers[w.p.Replicas[ri].Tier]
	if w.value[t.RejectCost] <= 0 {
		w.answerRejection(aid)
		return
	}
	r := &w.replicas[ri]
	a.place = rejecting
	if r.room() {
		w.payRejection(aid, r)
		return
	}
	w.links.Grow(aid)
	r.rejects.Push(&w.links, aid, 0)
}

// payRejection does the work of a rejection in a slot.
func (w *world) payRejection(aid uint32, r *replica) {
	a := w.attempts.at(aid)
	w.accrue(r)
	r.busy++
	a.slot = true
	a.frozen = r.frozenTotal
	t := &w.p.Tiers[w.p.Replicas[a.replica].Tier]
	a.event = w.en.At(w.en.Now()+w.time(t.RejectCost), evReject, aid)
}

func (w *world) onRejected(ev sim.Event) {
	a := w.attempts.at(ev.ID)
	if a.event != ev.Key {
		return
	}
	r := &w.replicas[a.replica]
	if w.thaw(a, r, evReject, ev.ID) {
		return
	}
	w.accrue(r)
	r.busy--
	a.slot = false
	ri := a.replica
	w.fill(ri)
	w.answerRejection(ev.ID)
}

// thaw puts the end of work off by the time its replica was frozen since the work began.
func (w *world) thaw(a *attempt, r *replica, k sim.Kind, id uint32) bool {
	if a.frozen == r.frozenTotal {
		return false
	}
	late := r.frozenTotal - a.frozen
	a.frozen = r.frozenTotal
	a.event = w.en.At(w.en.Now()+late, k, id)
	return true
}

func (w *world) answerRejection(aid uint32) {
	a := w.attempts.at(aid)
	t := &w.p.Tiers[w.p.Replicas[a.replica].Tier]
	o := policies.Outcome{
		Class:      policies.Rejected,
		Status:     int(w.value[t.RejectStatus]),
		RetryAfter: max(0, w.time(t.RejectAfter)),
	}
	w.answerAfter(aid, o, w.time(t.RejectDelay))
}
