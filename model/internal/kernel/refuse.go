package kernel

import "cascadesim/policies"

// refuse ends a call that is not to be tried (again): with what became of the try before, if there
// was one. by is the place in the stack of the gate that says so.
func (w *world) refuse(c *call, by int) {
	w.countRefusal(c, by)
	if c.attempt != nil {
		return // one in flight may still make it
	}
	if c.last.Class == policies.Pending {
		w.end(c, policies.Outcome{Class: policies.Refused})
		return
	}
	if w.states[c.edge.p.Stack[by].State].plays.Lingerer == nil || !w.lingers(c, by) {
		w.end(c, c.last)
	}
}

// lingers asks how long a call waits before it ends that entry by grants no retry. It tells whether
// the call does.
func (w *world) lingers(c *call, by int) bool {
	w.showFor(c, int(c.n)+1, forPacer)
	wait := w.played(c, by).Lingerer.Linger(w.now, &w.scratch, c.last)
	if wait <= 0 {
		return false
	}
	c.leaving = true
	w.waitToSend(c, wait, -1)
	return true
}

// turnedBack is what a gate does that is asked at the send: the try was about to go, and is one
// that failed as refused. Inside the loop it may be tried again.
func (w *world) turnedBack(c *call, by int) {
	w.countRefusal(c, by)
	if c.edge.wrapped {
		w.tellUnsent(c, by, policies.Outcome{Class: policies.Refused})
	}
	if c.copied {
		c.copied = false
		w.endIfSpent(c)
		return
	}
	if c.attempt != nil {
		return
	}
	o := policies.Outcome{Class: policies.Refused}
	c.last = o
	if by > c.edge.loop && c.edge.p.HasRetry && w.retryable(c, int(c.n)+1, &o) {
		c.n++
		w.pause(c)
		return
	}
	w.end(c, o)
}

// pause waits as the pacer says before the gates are asked about the next try: what they refused
// is not asked again at once.
func (w *world) pause(c *call) {
	w.show(c, int(c.n)+1)
	c.paced = true
	if w.backsOff(c) {
		return
	}
	w.deeper()
	w.try(c)
	w.depth--
}

// countRefusal counts that a gate, by its place in the stack, refused the next try of a call.
func (w *world) countRefusal(c *call, by int) {
	e := c.edge
	e.present[c.client].Outcomes[policies.Refused]++
	e.series.RefusedBy[by][w.window]++
	n := uint64(c.n) + 1
	w.print.Add(w.now, printRefused, c.ident.Child(n), uint8(policies.Refused))
	if w.tracer != nil {
		w.traceRefused(c, e.p.Stack[by].Name)
	}
}
