package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// complete ends an attempt's work, well or not. Slots and room that it frees are given out before
// its answer leaves.
func (w *world) complete(a *attempt, o policies.Outcome) {
	r := a.replica
	live := &r.tier.live
	if live.errors && o.Class == policies.OK {
		o = w.faulty(a)
	}
	cell := w.tierCell(a)
	cell.Completed++
	wasted := a.forNobody()
	if wasted {
		cell.Wasted++
	}
	if a.worked > 0 {
		w.recordService(a, wasted)
	}
	w.leave(a, r)
	a.place = delayed // nothing that follows can cancel it any more
	w.tellLeft(a, o)
	if r.line.Len() > 0 || r.rejects.Len() > 0 {
		w.fill(r)
	}
	if r.backlog.Len() > 0 {
		w.moveBacklog(r)
	}
	delay := sim.Time(0)
	if live.delays {
		delay = w.faultDelay(a)
	}
	w.answerAfter(a, o, delay)
}

// faultDelay is how much later a fault lets an answer leave.
func (w *world) faultDelay(a *attempt) sim.Time {
	delay := w.sample(a.replica.tier.p.Delay, a.ident, forDelay)
	if own := w.row(a).Delay; own >= 0 {
		delay += w.sample(own, a.ident, forDelay)
	}
	return delay
}

// faulty lets faults fail a share of attempts after their work: that of the endpoint first, that of
// the replica or endpoint by name the same share of the rest.
func (w *world) faulty(a *attempt) policies.Outcome {
	row := w.row(a)
	ep := &a.replica.tier.p.Endpoints[a.endpoint]
	draw := a.ident.Share(forErrors)
	share := w.value[ep.Errors]
	if draw < share {
		return policies.Outcome{Class: policies.Error, Status: int(w.value[ep.ErrorStatus])}
	}
	if row.Errors >= 0 && draw < 1-float64((1-share)*(1-w.value[row.Errors])) {
		return policies.Outcome{Class: policies.Error, Status: int(w.value[row.ErrorStatus])}
	}
	return policies.Outcome{Class: policies.OK}
}

// forNobody tells whether an attempt's caller, or any caller above, has stopped waiting. Whoever
// comes to be below the one that is abandoned, or is there already, is told; to look upwards at the
// end of each attempt would be to wait for records that nobody has touched since they were sent.
func (a *attempt) forNobody() bool { return a.call == nil || a.nobody }

// forsake tells all that is done for an attempt that it is for nobody.
func (a *attempt) forsake() {
	if a.alone != nil {
		a.alone.tell()
	}
	for c := a.child; c != nil; c = c.next {
		c.nobody = true
		for t := c.attempt; t != nil; t = t.sibling {
			t.tell()
		}
	}
}

func (a *attempt) tell() {
	if !a.nobody {
		a.nobody = true
		a.forsake()
	}
}

// answerAfter keeps an outcome with the attempt until its answer leaves.
func (w *world) answerAfter(a *attempt, o policies.Outcome, delay sim.Time) {
	if delay <= 0 {
		w.answer(a, o)
		return
	}
	w.keepOutcome(a, o)
	a.place = delayed
	h := &a.edge.pause
	if h.delay < 0 || h.delay == delay {
		a.event = w.after(h, delay, evAnswer, a.id)
		return
	}
	a.event = w.en.At(min(w.now+delay, sim.MaxTime), evAnswer, a.id)
}

func (w *world) onAnswer(a *attempt, key sim.Key) {
	if a.event != key {
		return
	}
	a.event = 0
	w.answer(a, w.outcome(a))
}

// keepOutcome puts down what an attempt's answer says, for outcome.
func (w *world) keepOutcome(a *attempt, o policies.Outcome) {
	a.class, a.status = o.Class, int16(o.Status)
	if a.odd || o.RetryAfter != 0 || o.Advice != 0 {
		x := w.extra(a)
		x.wait, x.advice = o.RetryAfter, o.Advice
	}
}

// outcome is what the attempt's answer says.
func (w *world) outcome(a *attempt) policies.Outcome {
	x := w.extraOf(a)
	return policies.Outcome{
		Class: a.class, Status: int(a.status), RetryAfter: x.wait, Advice: x.advice,
	}
}

// answer sends an outcome back over the link. An answer for a caller that has gone does not travel.
func (w *world) answer(a *attempt, o policies.Outcome) {
	if w.tracer != nil {
		w.traceOutcome(TraceAnswer, a, o)
	}
	if a.call == nil {
		w.late(a)
		return
	}
	e := a.edge
	if a.reached && a.replica.tier.advises {
		o.Advice = w.advice(a)
	}
	if e.live.directBack {
		w.settle(a, o)
		return
	}
	w.keepOutcome(a, o)
	a.place = replying
	switch e.live.link {
	case LinkUp:
	case LinkHeld:
		e.held = append(e.held, held{attempt: a, reply: true})
		return
	case LinkLost, LinkRefused:
		w.lose(a)
		return
	}
	if e.live.repliesLost > 0 && a.ident.Share(forLostBack) < e.live.repliesLost {
		w.lose(a)
		return
	}
	w.hopBack(a, e)
}

// hopBack carries an answer over the link to the caller.
func (w *world) hopBack(a *attempt, e *edge) {
	if t := e.live.wayBack; t > 0 && t == e.back.delay {
		w.en.After(e.back.lane, evReply, a.id)
		return
	}
	latency := w.replyLatency(e, a.ident)
	if latency == 0 {
		w.onReply(a)
		return
	}
	h := &e.back
	if w.fixed[e.p.Latency] >= 0 && (h.delay < 0 || h.delay == latency) {
		w.after(h, latency, evReply, a.id)
		return
	}
	w.en.At(w.now+latency, evReply, a.id)
}

// replyLatency is how long an answer is on the way.
func (w *world) replyLatency(e *edge, who sim.Ident) sim.Time {
	latency := w.sample(e.p.Latency, who, forReply)
	if w.value[e.p.ReplyLatency] != 0 {
		extra := &w.params[e.p.ReplyLatency]
		latency = max(0, stretch(latency, extra.factor)+sim.Time(extra.sum))
	}
	return latency
}

// onReply brings an answer to the caller, if it still waits.
func (w *world) onReply(a *attempt) {
	if a.call == nil {
		w.late(a)
		return
	}
	w.settle(a, w.outcome(a))
}

// settle ends an attempt whose answer reached its caller in time.
func (w *world) settle(a *attempt, o policies.Outcome) {
	c, n, r := w.callOf(a), int(a.n), w.host(a)
	c.degraded = a.degraded && o.Class == policies.OK
	if a.edge.pools != nil {
		w.keepConnection(a, o.Class)
	}
	w.conclude(a, &o)
	w.free(a)
	w.resume(c, n, r, o)
}

// late counts an answer that came after its caller stopped waiting.
func (w *world) late(a *attempt) {
	w.edgeCell(a.edge, a.client, a.window).Late++
	w.print.Add(w.now, printLate, a.ident, 0)
	if w.tracer != nil {
		w.traceAttempt(TraceLate, a)
	}
	w.free(a)
}
