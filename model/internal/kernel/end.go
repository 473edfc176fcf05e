package kernel

import "cascadesim/policies"

func (w *world) onTimeout(a *attempt) {
	c, n, r := w.callOf(a), int(a.n), a.replica
	o := policies.Outcome{Class: policies.TimedOut}
	if c.edge.keeps {
		w.overdue(a, o)
		return
	}
	if w.tracer != nil {
		w.traceAttempt(TraceAbandon, a)
	}
	w.conclude(a, &o)
	w.abandon(a)
	w.resume(c, n, r, o)
}

// overdue goes on with a call whose attempt has run into its per-try timeout, but stays in flight.
func (w *world) overdue(a *attempt, o policies.Outcome) {
	c := a.call
	a.timer = 0
	o.Latency, o.Unreached = w.now-a.sent, !a.reached
	if e := c.edge; e.ejector >= 0 && a.replica != nil && a.replica.tier == e.home {
		w.extra(a).told = true
		w.played(c, e.ejector).Ejector.Report(w.now, a.replica.number, o)
		w.alert(c, e.ejector)
	}
	c.last = o
	if !c.waits() && c.edge.p.HasRetry && w.retryable(c, int(a.n), &o) {
		w.try(c)
	}
}

// host is the replica whose ejector is to hear how an attempt ended; nil: nobody is.
func (w *world) host(a *attempt) *replica {
	if w.extraOf(a).told {
		return nil
	}
	return a.replica
}

// pastDeadline is how a call ends whose deadline has come.
var pastDeadline = policies.Outcome{Class: policies.TimedOut, Cancelled: true}

func (w *world) onDeadline(c *call) { w.end(c, pastDeadline) }

// end closes a call and tells whoever made it the outcome.
func (w *world) end(c *call, o policies.Outcome) {
	c.timer, c.wake, c.hedge = 0, 0, 0
	w.leaveCallLine(c)
	if !c.sent {
		c.edge.unsent++
		w.notHeld(c)
	}
	if c.attempt != nil || c.passed > 0 {
		left := policies.Dropped
		if o.Class == policies.TimedOut {
			left = policies.TimedOut
		}
		w.leaveTries(c, left)
		w.leaveUnsent(c, left)
	}
	if c.edge.closed {
		w.tellClosed(c, o)
	}
	parent, step, rep := c.parent, c.step, c.rep
	if parent == nil {
		w.endRequest(c, o)
		w.freeCall(c)
		return
	}
	if step == detached {
		w.freeCall(c)
		return
	}
	if c.degraded && o.Class == policies.OK {
		parent.degraded = true
	}
	c.unlink()
	w.freeCall(c)
	w.childEnded(parent, step, rep, o)
}

// leaveTries abandons a call's attempts in flight, which end as class left.
func (w *world) leaveTries(c *call, left policies.Class) {
	for c.attempt != nil {
		a := c.attempt
		n, r := int(a.n), w.host(a)
		o := policies.Outcome{Class: left, Cancelled: true}
		if left == policies.Dropped {
			w.edgeCell(a.edge, a.client, a.window).Cancelled++
			if s := a.edge.seen; s != nil {
				s.cancelled++
			}
		}
		w.conclude(a, &o)
		w.abandon(a)
		if c.edge.watched {
			w.observe(c, n, r, o)
		}
	}
}
