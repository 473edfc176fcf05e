package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// openCall starts a call: its deadline runs from here over all tries and waits.
func (w *world) openCall(c *call) {
	e := c.edge
	c.start = w.now
	if e.p.CallPriority != nil {
		c.priority = e.p.CallPriority[c.priority]
	}
	if e.notes > 0 {
		w.clearNotes(c)
	}
	if e.repicks > 0 {
		w.forgetTried(c)
	}
	if w.p.Operations {
		w.callOperation(c)
	}
	w.edgeCell(e, c.client, c.window).Calls++
	carried := sim.Never
	if c.parent != nil {
		carried = w.extraOf(c.parent).deadline
	}
	c.deadline = carried
	if overall := e.live.overall; overall >= 0 && w.now+overall <= carried {
		c.deadline = w.now + overall
		c.timer = w.arm(&e.overall, overall, evDeadline, c.id)
	} else if carried <= w.now {
		w.end(c, pastDeadline)
		return
	} else if carried != sim.Never {
		c.timer = w.en.ArmAt(carried, evDeadline, c.id)
	}
	w.try(c)
}

// arm sets a timer through the ring of a constant delay.
func (w *world) arm(h *ringState, delay sim.Time, k sim.Kind, id uint32) sim.Key {
	if h.delay != delay {
		h.delay, h.lane = delay, w.en.TimerLane(delay)
	}
	return w.en.Arm(h.lane, k, id)
}

// after schedules an event through the ring of a constant delay.
func (w *world) after(h *ringState, delay sim.Time, k sim.Kind, id uint32) sim.Key {
	if h.delay != delay {
		h.delay, h.lane = delay, w.en.Lane(delay)
	}
	return w.en.After(h.lane, k, id)
}

// try asks the edge's policies about the next attempt of a call, and sends it now, later or never.
func (w *world) try(c *call) {
	e := c.edge
	if e.p.PickFirst {
		w.pick(c)
		c.picked = true
	}
	if e.gated || c.n > 0 {
		w.show(c, int(c.n)+1)
		if by := w.refusal(c); by >= 0 {
			w.refuse(c, by)
			return
		}
		if c.n > 0 && !c.paced && w.backsOff(c) {
			return
		}
	}
	w.dispatch(c)
}

// backsOff asks how long to wait before a retry, and where it goes; it tells whether it waits.
func (w *world) backsOff(c *call) bool {
	wait, fixed := w.backoff(c)
	c.lastWait = wait
	if c.edge.placer >= 0 {
		w.place(c)
	}
	if wait == 0 && w.now < c.deadline {
		return false
	}
	if w.tracer != nil {
		w.traceBackoff(c, wait)
	}
	w.waitToSend(c, wait, fixed)
	return true
}

// dispatch sends the next attempt of a call, unless an entry of the stack holds it back or turns it
// back.
func (w *world) dispatch(c *call) {
	c.paced = false
	if len(c.edge.atSend) > 0 && !w.passes(c) {
		return
	}
	w.send(c)
}

// show prepares what policies see of a call's attempt n.
func (w *world) show(c *call, n int) {
	a := &w.scratch
	a.N, a.Wait, a.Priority = n, c.lastWait, int(c.priority)
	if n > 1 {
		a.Priority = int(c.again())
	}
	a.Chance = c.ident.Child(uint64(n)).Draw(forGates)
	a.Client = w.person(int(c.client), c.identity)
	a.Started, a.Deadline, a.Last, a.Carried, a.Note = c.start, c.deadline, c.last, 0, nil
	if w.carries && c.parent != nil && c.parent.edge.p.CarryAttempt {
		a.Carried = int(w.extraOf(c.parent).carried)
	}
	if a.Waiting = 0; c.edge.queuer >= 0 {
		a.Waiting = w.lineOf(c).Len()
	}
}

// refusal is the index of the first gate that grants no next try of a call, or -1, of those that
// are asked as it is decided.
func (w *world) refusal(c *call) int {
	for _, i := range c.edge.asked {
		if !w.admits(c, i) {
			return i
		}
	}
	return -1
}

// admits asks the gate of entry i about the attempt that is shown.
func (w *world) admits(c *call, i int) bool {
	a := &w.scratch
	n, e := a.N, c.edge
	u := &e.p.Stack[i]
	if u.PerCall && n > 1 {
		return true
	}
	if e.notes > 0 {
		w.note(c, i)
	}
	a.N = w.countedAs(c, u, n)
	ok := w.gate(u.State, w.member(c, u)).Admit(w.now, a)
	a.N = n
	if e.alerts {
		w.alert(c, i)
	}
	return ok
}

// countedAs is the number of try n for the gate of an entry.
func (w *world) countedAs(c *call, u *Use, n int) int {
	if u.Carried && n == 1 && c.parent != nil && w.extraOf(c.parent).carried > 1 {
		return 2
	}
	return n
}

// again is the priority of a call's tries after the first.
func (c *call) again() uint8 {
	if r := c.edge.p.RetryPriority; r != nil {
		return r[c.priority]
	}
	return c.priority
}

// backoff asks the stack's pacer how long to wait; fixed is its state when all its waits are equal,
// else -1.
func (w *world) backoff(c *call) (wait sim.Time, fixed int) {
	stack := c.edge.p.Stack
	for i := range stack {
		u := &stack[i]
		ps := &w.states[u.State]
		if ps.pacers == nil {
			continue
		}
		w.scratch.Chance = c.ident.Child(uint64(c.n) + 1).Draw(forPacer)
		w.note(c, i)
		p := w.pacer(u.State, w.member(c, u))
		wait = max(0, p.Wait(w.now, &w.scratch, c.last))
		fixed = -1
		if ps.fixed == wait {
			fixed = u.State
		}
		return wait, fixed
	}
	return 0, -1
}

// waitToSend schedules the next attempt, unless the deadline comes first.
func (w *world) waitToSend(c *call, wait sim.Time, fixed int) {
	c.hold()
	if wait > sim.MaxTime-w.now || w.now+wait >= c.deadline {
		if c.edge.p.AtOnce && c.deadline != sim.Never && c.attempt == nil {
			w.end(c, pastDeadline)
		}
		return // its deadline's timer ends it
	}
	if fixed < 0 {
		c.wake = w.en.At(w.now+wait, evRetry, c.id)
		return
	}
	c.wake = w.after(&w.states[fixed].lane, wait, evRetry, c.id)
}

func (w *world) onRetry(c *call, key sim.Key) {
	if c.wake != key {
		return // the call ended while it waited
	}
	c.wake = 0
	if c.line > 0 {
		w.refuseInLine(c)
		return
	}
	if c.leaving {
		w.end(c, c.last)
		return
	}
	if c.paced {
		w.try(c)
		return
	}
	w.dispatch(c)
}

// send makes the next attempt of a call. Its timer is set before anything else, so that an answer
// at exactly send + timeout is late.
func (w *world) send(c *call) {
	e := c.edge
	c.n++
	a := w.newAttempt(c)
	if c.n > 1 {
		a.priority = c.again()
	}
	if w.p.Operations {
		w.tryOperation(a)
	}
	cell := e.present[c.client]
	cell.Attempts++
	first := !c.sent
	c.sent = true
	switch {
	case first:
		e.firsts++
		w.notHeld(c)
	case c.copied:
		cell.Hedges++
		c.copied, w.extra(a).spare = false, true
	default:
		cell.Retries++
		if w.window >= w.warmup {
			e.series.Again[c.last.Class]++
		}
	}
	w.print.Add(w.now, printSend, a.ident, 0)
	try := e.live.try
	if try >= 0 {
		a.timer = w.arm(&e.try, try, evTimeout, a.id)
	}
	if e.p.Propagate {
		due := c.deadline
		if try >= 0 {
			due = min(due, w.now+try)
		}
		w.extra(a).deadline = due
	}
	if e.p.CarryAttempt {
		carried := c.n
		if c.parent != nil {
			carried = max(carried, w.extraOf(c.parent).carried)
		}
		w.extra(a).carried = carried
	}
	if w.tracer != nil {
		w.traceAttempt(TraceSend, a)
	}
	if e.started {
		w.tellStarted(c, first)
	}
	if e.hedger >= 0 {
		w.copySent(c)
	}
	w.deeper()
	w.depart(a, c)
	w.depth--
}

// conclude records the outcome of a live attempt and takes it off its call. What becomes of the
// record is the business of whoever has it.
func (w *world) conclude(a *attempt, o *policies.Outcome) {
	o.Latency = w.now - a.sent
	o.Unreached = !a.reached && o.Class != policies.Blocked
	w.recordOutcome(a, o)
	if s := a.edge.seen; s != nil {
		s.sawOutcome(o)
	}
	a.unlink()
}

// resume goes on with a call after the outcome of its attempt n, which went to replica r: it ends,
// waits for another live attempt, or is tried again.
func (w *world) resume(c *call, n int, r *replica, o policies.Outcome) {
	e := c.edge
	if e.watched {
		w.observe(c, n, r, o)
	}
	if o.Class == policies.OK {
		w.end(c, o)
		return
	}
	c.last = o
	if e.hedger >= 0 {
		w.copyFailed(c, n, o)
		return
	}
	if c.attempt != nil || c.waits() {
		return // another try of this call may still make it, or is about to go
	}
	if e.p.HasRetry && w.retryable(c, n, &o) {
		w.try(c)
		return
	}
	w.end(c, o)
}

// observe tells the stack's observers and ejectors, in order, of the outcome of attempt n, which
// went to replica r.
func (w *world) observe(c *call, n int, r *replica, o policies.Outcome) {
	w.showFor(c, n, forObserver)
	stack := c.edge.p.Stack
	for i := range stack {
		u := &stack[i]
		if w.states[u.State].observers != nil && !u.PerCall {
			w.note(c, i)
			w.observer(u.State, w.member(c, u)).Observe(w.now, &w.scratch, o)
			w.told(c, i)
		}
		if i == c.edge.ejector && r != nil && r.tier == c.edge.home {
			w.played(c, i).Ejector.Report(w.now, r.number, o)
			w.alert(c, i)
		}
	}
}

// mayRetry tells whether this call is among the share that may retry.
func (w *world) mayRetry(c *call) bool {
	enabled := c.edge.live.enabled
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
