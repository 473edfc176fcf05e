package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// Most hops of most worlds meet nothing but time, and often not even that: no fault, no rule, no
// policy that asks about first tries. Here such a hop is one function each way, and a chain of
// those that take no time a loop. Whatever
// is out of the ordinary is left to the general functions, at the point where they would take the
// same thing up; so this file decides nothing, and the kernel is right without it. Neither is used
// under a tracer.

// forthright tells whether nothing but time can come between an edge's first tries and their
// replica as far as its plan goes; the rest is in live.straight.
func (e *edge) forthright() bool {
	r := &e.roles
	return !e.choosy && !e.p.Propagate && !e.p.CarryAttempt && e.p.CallPriority == nil &&
		e.backForthright() &&
		!r.gated && len(r.atSend) == 0 && !r.started && r.notes == 0 &&
		r.repicks == 0
}

// backForthright is forthright for what comes back.
func (e *edge) backForthright() bool {
	r := &e.roles
	return !r.watched && !r.closed && r.hedger < 0 && r.ejector < 0 && !e.detached && e.pools == nil
}

// express sends the first try of a call on a straight edge, and those of the calls on straight
// edges that follow from it at this instant.
func (w *world) express(a *attempt) {
	depth := w.depth
	for a != nil {
		if w.depth++; w.depth > deepest {
			w.tooDeep()
		}
		a = w.pass(a)
	}
	w.depth = depth
}

// pass opens a call on a straight edge and brings its first try to a replica. It returns the first
// try of the call that this one makes there at once, if that is to go the same way.
func (w *world) pass(a *attempt) *attempt {
	e := a.edge
	cell := e.present[a.client]
	cell.Calls++
	cell.Attempts++
	e.firsts++
	call := a.ident
	a.n, a.ident = 1, call.Child(1)
	w.print.AddMark(w.now, sim.MarkOf(printSend, a.ident), 0)
	if try := e.live.try; try >= 0 {
		a.timer = w.arm(&e.try, try, evTimeout, a.id)
	}
	t := &w.targets[a.target]
	r := t.sole
	a.endpoint = t.endpoint
	if r == nil || e.local {
		if r = w.firstChoice(a, t, call); r == nil {
			w.turnAway(a, policies.Outcome{Class: policies.Rejected, Status: 503})
			return nil
		}
	}
	a.replica = r
	a.cell = a.endpoint*int32(len(w.clients)) + int32(a.client)
	if e.live.direct {
		return w.come(a, r)
	}
	w.hop(a, e)
	return nil
}

// arrives brings a try of any number to its replica at the end of its way.
func (w *world) arrives(a *attempt) {
	if !a.edge.live.straight || a.place == recalled {
		w.onArrive(a)
		return
	}
	if next := w.come(a, a.replica); next != nil {
		w.express(next)
	}
}

// firstChoice is noChoice and pick for the first try of a call on a straight edge, behind a route
// too, where there may be a choice.
func (w *world) firstChoice(a *attempt, t *target, ident sim.Ident) *replica {
	e := a.edge
	if e.local {
		if t.tier != nil && a.parent != nil {
			if n := a.parent.replica.number; n < t.tier.active {
				if r := &w.replicas[t.tier.p.First+n]; !r.paused {
					return r
				}
			}
		}
		return w.anyChoice(a, ident)
	}
	if t.tier == nil {
		r := t.route
		draw := w.keyOf(a, r.p.Key, ident).Child(r.p.Luck).Share(forRoute)
		t = &w.targets[r.p.To[choose(r.sum, draw)]]
		a.endpoint = t.endpoint
		if t.sole != nil {
			return t.sole
		}
	}
	if b := &e.p.Balance; b.Policy == Hash && len(t.tier.sum) > 0 {
		who := w.keyOf(a, b.Key, ident).Child(e.p.Luck)
		n := choose(t.tier.sum, who.Share(forBalance))
		if r := &w.replicas[t.tier.p.First+n]; !r.paused {
			return r
		}
	}
	return w.anyChoice(a, ident)
}

// keyOf is keyIdent for a call of which an attempt is the first try.
func (w *world) keyOf(a *attempt, k Key, call sim.Ident) sim.Ident {
	switch k {
	case ByAttempt:
		return a.ident
	case ByCall:
		return call
	case ByRequest:
		return a.request
	case ByClient:
		return w.clientIdent(int(a.client), a.identity)
	}
	panic("kernel: no such key")
}

// anyChoice is pick for the first try of a call on a straight edge.
func (w *world) anyChoice(a *attempt, ident sim.Ident) *replica {
	c := &w.probe
	c.ident, c.replica = ident, nil
	w.describe(c, a)
	w.pick(c)
	a.endpoint = c.endpoint
	return c.replica
}

// come brings a try on a straight edge to its replica, lets it in and starts it. It returns the
// first try of the call that it makes first, if that is on a straight edge.
func (w *world) come(a *attempt, r *replica) *attempt {
	t := r.tier
	if !t.live.open || r.paused || r.inFlight >= 0 && r.inSystem >= r.inFlight {
		w.onArrive(a)
		return nil
	}
	cell := r.present[a.cell]
	a.reached = true
	cell.Arrivals++
	if a.n > 1 {
		cell.Retries++
	}
	cell.Admitted++
	w.print.AddMark(w.now, sim.MarkOf(printArrive, a.ident), uint8(r.index))
	r.admit(a, w.now)
	d := &t.doors[a.endpoint]
	a.step, a.end = d.first, d.end
	a.place = inCalls
	if !t.p.Async {
		if !r.room() {
			w.seize(a, r)
			return nil
		}
		a.since = w.now
		r.takeSlot(w.now)
		a.slot = true
		if r.slots >= 0 {
			w.recordWait(r, 0)
		}
	}
	if d.edge != nil && d.edge.live.straight {
		return w.loneChild(a, d.step, d.edge, 0)
	}
	w.step(a)
	return nil
}
