package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// open starts a call: its deadline runs from here over all tries and waits.
func (w *world) open(id uint32) {
	c := w.calls.at(id)
	now := w.en.Now()
	c.start = now
	w.edgeCell(c.edge, c.client, c.window).Calls++
	carried := sim.Never
	if c.parent != 0 {
		carried = w.attempts.at(c.parent).deadline
	}
	pe, e := &w.p.Edges[c.edge], &w.edges[c.edge]
	c.deadline = carried
	if overall := w.time(pe.Overall); overall >= 0 && now+overall <= carried {
		c.deadline = now + overall
		if e.overallDelay != overall {
			e.overallDelay, e.overallLane = overall, w.en.TimerLane(overall)
		}
		c.timer = w.en.Arm(e.overallLane, evDeadline, id)
	} else if carried <= now {
		e.unsent++
		w.end(id, policies.Outcome{Class: policies.TimedOut})
		return
	} else if carried != sim.Never {
		c.timer = w.en.ArmAt(carried, evDeadline, id)
	}
	w.try(id)
}

// try asks the edge's policies about the next attempt of a call, and sends it now, later or never.
func (w *world) try(id uint32) {
	c := w.calls.at(id)
	e := &w.p.Edges[c.edge]
	n := int(c.n) + 1
	if len(e.Stack) > 0 {
		if e.PickFirst {
			w.pick(c, e)
			c.picked = true
		}
		if by := w.refusal(c, e, n); by >= 0 {
			w.refuse(id, by)
			return
		}
		if n > 1 {
			if wait, fixed := w.backoff(c, e); wait > 0 {
				w.waitToRetry(id, wait, fixed)
				return
			}
		}
	}
	w.send(id)
}

// show prepares what policies see of a call's attempt n.
func (w *world) show(c *call, n int) *policies.Attempt {
	a := &w.scratch
	a.N, a.Wait, a.Priority = n, c.lastWait, int(c.priority)
	a.Chance = c.ident.Child(uint64(n)).Draw(forPolicies)
	return a
}

// refusal is the index of the first gate that refuses attempt n, or -1.
func (w *world) refusal(c *call, e *Edge, n int) int {
	a := w.show(c, n)
	for i := range e.Stack {
		u := &e.Stack[i]
		if w.states[u.State].gates == nil {
			continue
		}
		a.N = n
		if u.Carried && n == 1 && c.parent != 0 && w.attempts.at(c.parent).carried > 1 {
			a.N = 2
		}
		if !w.gate(u.State, w.member(c, u)).Admit(w.en.Now(), a) {
			return i
		}
	}
	a.N = n
	return -1
}

// member is the index of the state that serves a call in an entry of its edge's stack.
func (w *world) member(c *call, u *Use) int {
	if w.p.States[u.State].Single {
		return 0
	}
	m := 0
	switch u.Scope {
	case ScopeClient:
		m = int(c.identity)
	case ScopeInstance:
		if c.parent != 0 {
			a := w.attempts.at(c.parent)
			m = int(a.replica) - w.p.Tiers[w.p.Replicas[a.replica].Tier].First
		}
	case ScopeTier:
	}
	k := 0
	switch u.Key {
	case KeyEdge:
	case KeyEndpoint:
		if c.tier >= 0 {
			k = int(c.endpoint)
		} else if t := &w.p.Targets[c.target]; t.Route < 0 {
			k = t.Endpoint
		}
	case KeyReplica:
		if c.replica >= 0 {
			k = int(c.replica) - u.Base
		}
	case KeyPriority:
		k = int(c.priority)
	}
	return m*u.Stride + k
}

// refuse ends a call that may not be tried (again); by is the gate's place in the stack.
func (w *world) refuse(id uint32, by int) {
	c := w.calls.at(id)
	w.edgeCell(c.edge, c.client, w.window).Outcomes[policies.Refused]++
	w.res.Edges[c.edge].RefusedBy[by][w.window]++
	n := uint64(c.n) + 1
	w.res.Fingerprint.Add(w.en.Now(), printRefused, c.ident.Child(n), uint8(policies.Refused))
	if w.tracer != nil {
		w.traceRefused(c, w.p.Edges[c.edge].Stack[by].Name)
	}
	if c.n == 0 {
		w.edges[c.edge].unsent++
		w.end(id, policies.Outcome{Class: policies.Refused})
		return
	}
	w.end(id, c.last)
}

// backoff asks the stack's pacer how long to wait; fixed is its state when all its waits are equal,
// else -1.
func (w *world) backoff(c *call, e *Edge) (wait sim.Time, fixed int) {
	for i := range e.Stack {
		u := &e.Stack[i]
		ps := &w.states[u.State]
		if ps.pacers == nil {
			continue
		}
		p := w.pacer(u.State, w.member(c, u))
		wait = max(0, p.Wait(w.en.Now(), &w.scratch, c.last))
		fixed = -1
		if ps.fixed == wait {
			fixed = u.State
		}
		return wait, fixed
	}
	return 0, -1
}

// waitToRetry schedules the next attempt, unless the deadline comes first.
func (w *world) waitToRetry(id uint32, wait sim.Time, fixed int) {
	c := w.calls.at(id)
	now := w.en.Now()
	c.lastWait = wait
	if w.tracer != nil {
		w.traceBackoff(c, wait)
	}
	if wait > sim.MaxTime-now || now+wait >= c.deadline {
		if w.p.Edges[c.edge].AtOnce && c.deadline != sim.Never {
			w.end(id, policies.Outcome{Class: policies.TimedOut})
		}
		return // its deadline's timer ends it
	}
	if fixed < 0 {
		c.wake = w.en.At(now+wait, evRetry, id)
		return
	}
	c.wake = w.after(&w.states[fixed].lane, wait, evRetry, id)
}

// after schedules an event through the ring of a constant delay.
func (w *world) after(h *hopState, delay sim.Time, k sim.Kind, id uint32) sim.Key {
	if h.delay != delay {
		h.delay, h.lane = delay, w.en.Lane(delay)
	}
	return w.en.After(h.lane, k, id)
}

func (w *world) onRetry(ev sim.Event) {
	c := w.calls.at(ev.ID)
	if c.wake != ev.Key {
		return // the call ended while it waited
	}
	c.wake = 0
	w.send(ev.ID)
}

// send makes the next attempt of a call. Its timer is set before anything else, so that an answer
// at exactly send + timeout is late.
func (w *world) send(id uint32) {
	c := w.calls.at(id)
	pe, e := &w.p.Edges[c.edge], &w.edges[c.edge]
	now := w.en.Now()
	c.n++
	aid := w.newAttempt(id, c)
	a := w.attempts.at(aid)
	cell := w.edgeCell(c.edge, c.client, w.window)
	cell.Attempts++
	if c.n > 1 {
		cell.Retries++
	} else {
		e.firsts++
	}
	w.res.Fingerprint.Add(now, printSend, a.ident, 0)
	try := w.time(pe.Try)
	if try >= 0 {
		if e.tryDelay != try {
			e.tryDelay, e.tryLane = try, w.en.TimerLane(try)
		}
		a.timer = w.en.Arm(e.tryLane, evTimeout, aid)
	}
	a.deadline = sim.Never
	if pe.Propagate {
		a.deadline = c.deadline
		if try >= 0 {
			a.deadline = min(a.deadline, now+try)
		}
	}
	a.carried = 1
	if pe.CarryAttempt {
		a.carried = c.n
		if c.parent != 0 {
			a.carried = max(a.carried, w.attempts.at(c.parent).carried)
		}
	}
	if w.tracer != nil {
		w.traceAttempt(TraceSend, a)
	}
	w.depart(aid, a, c, pe)
}

func (w *world) newAttempt(id uint32, c *call) uint32 {
	aid := w.attempts.take()
	w.serial++
	a := w.attempts.at(aid)
	*a = attempt{} // then field by field: a literal would be made aside and copied
	a.ident, a.request = c.ident.Child(uint64(c.n)), c.request
	a.sent, a.serial, a.window = w.en.Now(), w.serial, w.window
	a.call, a.sibling, a.identity = id, c.attempt, c.identity
	a.edge, a.replica, a.n = c.edge, -1, c.n
	a.client, a.priority = c.client, c.priority
	a.place = onTheWay
	c.attempt = aid
	return aid
}

// unlink takes an attempt off its call's live ones; the call no longer waits for it.
func (w *world) unlink(aid uint32, a *attempt) {
	c := w.calls.at(a.call)
	p := &c.attempt
	for *p != aid {
		p = &w.attempts.at(*p).sibling
	}
	*p = a.sibling
	a.call, a.sibling, a.timer = 0, 0, 0
}

// settle ends a live attempt with an outcome that reached its caller. What becomes of the record is
// the business of whoever has it.
func (w *world) settle(aid uint32, o policies.Outcome) {
	a := w.attempts.at(aid)
	id, n := a.call, int(a.n)
	o = w.conclude(aid, a, o)
	w.resume(id, n, o)
}

// conclude records the outcome of a live attempt and takes it off its call.
func (w *world) conclude(aid uint32, a *attempt, o policies.Outcome) policies.Outcome {
	o.Latency = w.en.Now() - a.sent
	w.recordOutcome(a, o)
	w.unlink(aid, a)
	return o
}

// resume goes on with a call after the outcome of its attempt n: it ends, waits for another live
// attempt, or is tried again.
func (w *world) resume(id uint32, n int, o policies.Outcome) {
	c := w.calls.at(id)
	e := &w.p.Edges[c.edge]
	w.observe(c, e, n, o)
	c.last = o
	if o.Class == policies.OK {
		w.end(id, o)
		return
	}
	if c.attempt != 0 {
		return // another try of this call may still make it
	}
	if e.HasRetry && e.RetryOn.matches(o) && w.mayRetry(c, e) {
		w.try(id)
		return
	}
	w.end(id, o)
}

// observe tells the stack's observers, in order.
func (w *world) observe(c *call, e *Edge, n int, o policies.Outcome) {
	shown := false
	if !w.edges[c.edge].observed {
		return
	}
	for i := range e.Stack {
		u := &e.Stack[i]
		if w.states[u.State].observers == nil {
			continue
		}
		if !shown {
			w.show(c, n)
			shown = true
		}
		w.observer(u.State, w.member(c, u)).Observe(w.en.Now(), &w.scratch, o)
	}
}

// mayRetry tells whether this call is among the share that may retry.
func (w *world) mayRetry(c *call, e *Edge) bool {
	enabled := w.value[e.Enabled]
	return enabled >= 1 || c.ident.Share(forEnabled) < enabled
}

// matches tells whether an outcome is one that is tried again.
func (r *RetryOn) matches(o policies.Outcome) bool {
	if r.Class[o.Class] {
		return true
	}
	s := uint(o.Status)
	return s < 640 && r.Status[s>>6]>>(s&63)&1 != 0
}

func (w *world) onTimeout(aid uint32) {
	a := w.attempts.at(aid)
	id, n := a.call, int(a.n)
	o := w.conclude(aid, a, policies.Outcome{Class: policies.TimedOut})
	w.abandon(aid)
	w.resume(id, n, o)
}

func (w *world) onDeadline(id uint32) {
	w.calls.at(id).timer = 0
	w.end(id, policies.Outcome{Class: policies.TimedOut})
}

// end closes a call and tells whoever made it the outcome.
func (w *world) end(id uint32, o policies.Outcome) {
	c := w.calls.at(id)
	left := policies.Dropped
	if o.Class == policies.TimedOut {
		left = policies.TimedOut
	}
	w.close(c, left)
	parent, step, rep := c.parent, c.step, c.rep
	if parent == 0 {
		w.endRequest(c, o)
		w.calls.release(id)
		return
	}
	w.unlinkChild(parent, id)
	w.calls.release(id)
	w.childEnded(parent, step, rep, o)
}

// close stops a call's clocks and abandons its attempts in flight, which end as class left.
func (w *world) close(c *call, left policies.Class) {
	c.timer, c.wake = 0, 0
	for c.attempt != 0 {
		aid := c.attempt
		a := w.attempts.at(aid)
		n := int(a.n)
		o := w.conclude(aid, a, policies.Outcome{Class: left})
		w.observe(c, &w.p.Edges[c.edge], n, o)
		w.abandon(aid)
	}
}

// unlinkChild takes a call off the list of those its attempt waits for.
func (w *world) unlinkChild(parent, id uint32) {
	p := &w.attempts.at(parent).child
	for *p != id {
		p = &w.calls.at(*p).next
	}
	*p = w.calls.at(id).next
}
