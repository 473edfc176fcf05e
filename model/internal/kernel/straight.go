package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// Most hops of most worlds take no time and meet nothing: no fault, no rule, no policy but gates.
// Here such a hop is one function each way, and a chain of them a loop. Whatever is out of the
// ordinary is left to the general functions, at the point where they would take the same thing up;
// so this file decides nothing, and the kernel is right without it. Neither is used under a tracer.

// forthright tells whether nothing but time can come between an edge's first tries and their
// replica as far as its plan goes; the rest is in live.straight.
func (e *edge) forthright() bool {
	r := &e.roles
	return !e.p.PickFirst && !e.p.Propagate && !e.p.CarryAttempt && e.backForthright() &&
		!r.guarded && !r.shaped && !r.started && r.notes == 0
}

// backForthright is forthright for what comes back.
func (e *edge) backForthright() bool {
	r := &e.roles
	return !r.watched && !r.closed && r.hedger < 0 && r.ejector < 0
}

// express opens a call on a straight edge, and the calls on straight edges that follow from it at
// this instant.
func (w *world) express(c *call) {
	depth := w.depth
	for c != nil {
		if w.depth++; w.depth > deepest {
			w.tooDeep()
		}
		c = w.pass(c)
	}
	w.depth = depth
}

// pass opens a call on a straight edge and brings its first try to a replica. It returns the call
// that the try makes there at once, if that is to go the same way.
func (w *world) pass(c *call) *call {
	e := c.edge
	c.start, c.deadline = w.now, sim.Never
	cell := w.edgeCell(e, c.client, w.window)
	cell.Calls++
	if e.gated {
		w.show(c, 1)
		if by := w.refusal(c, false); by >= 0 {
			w.refuse(c, by)
			return nil
		}
	}
	c.n, c.sent = 1, true
	a := w.newAttempt(c)
	cell.Attempts++
	e.firsts++
	w.print.AddMark(w.now, sim.MarkOf(printSend, a.ident), 0)
	if try := e.live.try; try >= 0 {
		a.timer = w.arm(&e.try, try, evTimeout, a.id)
	}
	r := w.firstChoice(c, e)
	if r == nil {
		w.turnAway(a, policies.Outcome{Class: policies.Rejected, Status: 503})
		return nil
	}
	a.replica, a.endpoint = r, c.endpoint
	a.cell = c.endpoint*int32(len(w.clients)) + int32(c.client)
	return w.come(a, r)
}

// firstChoice is noChoice and pick for the first try of a call on a straight edge, behind a route
// too.
func (w *world) firstChoice(c *call, e *edge) *replica {
	i := int(c.target)
	t := &w.targets[i]
	if e.p.Balance.Policy == Local {
		if r := w.noChoice(c, e); r != nil {
			return r
		}
	} else {
		if t.tier == nil {
			t = &w.targets[w.routed(c, i)]
		}
		if r := t.sole; r != nil {
			c.replica, c.endpoint = r, t.endpoint
			return r
		}
	}
	w.pick(c)
	return c.replica
}

// come brings a try on a straight edge to its replica, lets it in and starts it. It returns the
// call that it makes first, if that is on a straight edge.
func (w *world) come(a *attempt, r *replica) *call {
	cell := w.tierCell(a)
	t := r.tier.p
	if r.paused || len(t.Admission) > 0 || r.inFlight >= 0 && r.inSystem >= r.inFlight {
		w.onArrive(a)
		return nil
	}
	a.reached = true
	cell.Arrivals++
	if a.n > 1 {
		cell.Retries++
	}
	cell.Admitted++
	w.print.AddMark(w.now, sim.MarkOf(printArrive, a.ident), uint8(r.index))
	r.accrue(w.now)
	r.inSystem++
	a.inSystem = true
	a.admitted = w.now
	ep := &t.Endpoints[a.endpoint]
	a.step, a.end = int32(ep.First), int32(ep.First+ep.Count)
	a.place = inCalls
	if !t.Async {
		if !r.room() {
			w.seize(a, r)
			return nil
		}
		a.since = w.now
		r.busy++
		a.slot = true
		a.place = inWork
		if r.slots >= 0 {
			w.recordWait(r, 0)
		}
	}
	if a.step != a.end {
		if s := &w.p.Programs[a.step]; s.Verb == Call && happens(a, s) {
			a.place = inCalls
			return w.nextCall(a, s)
		}
	}
	w.step(a)
	return nil
}

// nextCall makes the call of a step; it opens it unless it is on a straight edge.
func (w *world) nextCall(a *attempt, s *Step) *call {
	c := w.newChild(a, int(a.step))
	c.ident = a.ident.Child(s.Luck + 1)
	c.edge, c.target = &w.edges[s.Edge], int32(s.Target)
	if c.edge.live.straight && a.deadline == sim.Never {
		return c
	}
	w.openCall(c)
	return nil
}

// done completes an attempt that went well, and every caller for which that was the last thing to
// do, as long as nothing is out of the ordinary.
func (w *world) done(a *attempt) {
	wanted := false // somebody waits for it, and for everything above
	for a != nil {
		r := a.replica
		live := &r.tier.live
		if !a.edge.live.straightBack || live.errors || live.delays || a.keyed ||
			len(r.tier.p.Admission) > 0 {
			w.complete(a, policies.Outcome{Class: policies.OK})
			return
		}
		cell := w.tierCell(a)
		cell.Completed++
		if !wanted && a.forNobody() {
			cell.Wasted++
		} else {
			wanted = true
		}
		if a.worked > 0 {
			w.recordService(a, !wanted)
		}
		w.leave(a, r)
		a.place = delayed
		if r.line.Len() > 0 || r.rejects.Len() > 0 {
			w.fill(r)
			wanted = false // it may be otherwise now
		}
		if r.backlog.Len() > 0 {
			w.moveBacklog(r)
			wanted = false
		}
		if a.call == nil {
			w.late(a)
			return
		}
		a = w.answered(a)
	}
}

// answered ends an attempt and its call, well, and goes on with the attempt that made the call. It
// returns that one if its steps are done.
func (w *world) answered(a *attempt) *attempt {
	c := a.call
	o := policies.Outcome{Class: policies.OK, Latency: w.now - a.sent}
	w.recordOutcome(a, &o)
	a.unlink()
	w.free(a)
	if c.attempt != nil || c.parent == nil {
		w.end(c, o)
		return nil
	}
	c.timer, c.wake = 0, 0
	p, step, rep := c.parent, c.step, c.rep
	c.unlink()
	w.freeCall(c)
	s := &w.p.Programs[step]
	if int(rep)+1 < s.Times || p.step != step {
		w.childEnded(p, step, rep, o)
		return nil
	}
	p.step++
	if p.step != p.end {
		w.step(p)
		return nil
	}
	return p
}
