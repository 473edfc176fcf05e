package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// complete ends an attempt's work, well or not. Slots and room that it frees are given out before
// its answer leaves.
func (w *world) complete(aid uint32, o policies.Outcome) {
	a := w.attempts.at(aid)
	ri := a.replica
	t := &w.p.Tiers[w.p.Replicas[ri].Tier]
	if o.Class == policies.OK {
		o = w.faulty(a, t)
	}
	cell := w.tierCell(a)
	cell.Completed++
	wasted := w.forNobody(a)
	if wasted {
		cell.Wasted++
	}
	w.recordService(a, wasted)
	r := &w.replicas[ri]
	w.leave(a, r)
	w.fill(ri)
	w.moveBacklog(r)
	w.answerAfter(aid, o, w.faultDelay(a, t))
}

// faultDelay is how much later a fault lets an answer leave.
func (w *world) faultDelay(a *attempt, t *Tier) sim.Time {
	delay := w.sample(t.Delay, a.ident, forDelay)
	if own := w.p.Rows[a.row].Delay; own >= 0 {
		delay += w.sample(own, a.ident, forDelay)
	}
	return delay
}

// faulty lets faults fail a share of attempts after their work.
func (w *world) faulty(a *attempt, t *Tier) policies.Outcome {
	row := &w.p.Rows[a.row]
	ep := &t.Endpoints[row.Endpoint]
	share, status := w.value[ep.Errors], ep.ErrorStatus
	if row.Errors >= 0 {
		if own := w.value[row.Errors]; own > 0 {
			share = 1 - float64((1-share)*(1-own))
			status = row.ErrorStatus
		}
	}
	if share > 0 && a.ident.Share(forErrors) < share {
		return policies.Outcome{Class: policies.Error, Status: int(w.value[status])}
	}
	return policies.Outcome{Class: policies.OK}
}

// forNobody tells whether an attempt's caller, or any caller above, has stopped waiting.
func (w *world) forNobody(a *attempt) bool {
	for {
		if a.call == 0 {
			return true
		}
		c := w.calls.at(a.call)
		if c.parent == 0 {
			return false
		}
		a = w.attempts.at(c.parent)
	}
}

// answerAfter keeps an outcome with the attempt until its answer leaves.
func (w *world) answerAfter(aid uint32, o policies.Outcome, delay sim.Time) {
	if delay <= 0 {
		w.answer(aid, o)
		return
	}
	a := w.attempts.at(aid)
	a.class, a.status, a.wait = o.Class, int16(o.Status), o.RetryAfter
	a.place = delayed
	a.event = w.delayed(a, delay, aid)
}

// delayed schedules the end of a delay: constant ones in a ring of the attempt's edge.
func (w *world) delayed(a *attempt, delay sim.Time, aid uint32) sim.Key {
	h := &w.edges[a.edge].pause
	if h.delay < 0 || h.delay == delay {
		return w.after(h, delay, evAnswer, aid)
	}
	return w.en.At(min(w.en.Now()+delay, sim.MaxTime), evAnswer, aid)
}

func (w *world) onAnswer(ev sim.Event) {
	a := w.attempts.at(ev.ID)
	if a.event != ev.Key {
		return
	}
	a.event = 0
	w.answer(ev.ID, policies.Outcome{
		Class: a.class, Status: int(a.status), RetryAfter: a.wait,
	})
}

// answer sends an outcome back over the link. An answer for a caller that has gone does not travel.
func (w *world) answer(aid uint32, o policies.Outcome) {
	a := w.attempts.at(aid)
	if w.tracer != nil {
		w.traceOutcome(TraceAnswer, a, o)
	}
	if a.call == 0 {
		w.late(aid)
		return
	}
	a.class, a.status, a.wait = o.Class, int16(o.Status), o.RetryAfter
	e := &w.p.Edges[a.edge]
	a.place = replying
	switch LinkState(w.value[e.Link]) {
	case LinkUp:
	case LinkHeld:
		es := &w.edges[a.edge]
		es.held = append(es.held, held{attempt: aid, reply: true})
		return
	case LinkLost, LinkRefused:
		w.lose(aid)
		return
	}
	if share := w.value[e.RepliesLost]; share > 0 && a.ident.Share(forLostBack) < share {
		w.lose(aid)
		return
	}
	w.hopBack(aid, a, e)
}

// hopBack carries an answer over the link to the caller.
func (w *world) hopBack(aid uint32, a *attempt, e *Edge) {
	latency := w.sample(e.Latency, a.ident, forReply)
	if w.value[e.ReplyLatency] != 0 {
		extra := &w.params[e.ReplyLatency]
		latency = max(0, stretch(latency, extra.factor)+sim.Time(extra.sum))
	}
	if latency == 0 {
		w.onReply(aid)
		return
	}
	h := &w.edges[a.edge].back
	if w.fixed[e.Latency] >= 0 && (h.delay < 0 || h.delay == latency) {
		w.after(h, latency, evReply, aid)
		return
	}
	w.en.At(w.en.Now()+latency, evReply, aid)
}

// onReply brings an answer to the caller, if it still waits.
func (w *world) onReply(aid uint32) {
	a := w.attempts.at(aid)
	if a.call == 0 {
		w.late(aid)
		return
	}
	o := policies.Outcome{Class: a.class, Status: int(a.status), RetryAfter: a.wait}
	id, n := a.call, int(a.n)
	o = w.conclude(aid, a, o)
	w.free(aid)
	w.resume(id, n, o)
}

// late counts an answer that came after its caller stopped waiting.
func (w *world) late(aid uint32) {
	a := w.attempts.at(aid)
	w.edgeCell(a.edge, a.client, a.window).Late++
	w.res.Fingerprint.Add(w.en.Now(), printLate, a.ident, 0)
	if w.tracer != nil {
		w.traceAttempt(TraceLate, a)
	}
	w.free(aid)
}
