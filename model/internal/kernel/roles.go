package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// roles are what the policies of a stack do, so that a stack which does little costs little.
type roles struct {
	gated   bool // some are gates
	watched bool // are told of outcomes: observers and ejectors
	wrapped bool // are told of attempts that they let pass and that were not sent
	started bool // are told of attempts that are sent
	closed  bool // are told of calls that end
	keeps   bool // an attempt may answer after its per-try timeout
	sizer   int  // of a callee: place of the one that says how many slots there are; -1: none
	turned  bool // of a callee: are asked when a turn has come
	left    bool // of a callee: are told of attempts that leave
	advises bool // of a callee: put a number on answers
	answers bool // of a callee: say what a rejection answers
	alerts  bool // some have a level below which an alert is due
	notes   int  // how many keep a note of each call
	loop    int  // place of the first condition or pacer: what stands after it is inside the loop

	// Places of those that are the only one; -1: none.
	judge, placer, hedger, ejector, queuer int

	repicks  uint64                       // of a placer
	failedAs func(o policies.Outcome) int // status of an outcome that has none

	asked  []int // places of the gates that are asked as a try is decided
	atSend []int // places of shapers, queuers, and gates that are asked at the send
	first  int   // place of the first of these gates and queuers
}

// playsMore tells whether a policy plays a role that states do not keep a vector of.
func playsMore(p *policies.Policy) bool {
	return p.Condition != nil || p.Placer != nil || p.Shaper != nil || p.Starter != nil ||
		p.Lingerer != nil || p.Wrapper != nil || p.Queuer != nil || p.Closer != nil || p.Sizer != nil ||
		p.Hedger != nil || p.Ejector != nil || p.KeepTimedOut ||
		p.Turner != nil || p.Finisher != nil || p.Adviser != nil || p.Answerer != nil
}

func (w *world) rolesOf(stack []Use) roles {
	r := roles{judge: -1, placer: -1, hedger: -1, ejector: -1, queuer: -1, sizer: -1,
		loop: len(stack), first: len(stack), failedAs: gatewayStatus}
	for i := range stack {
		u := &stack[i]
		p := w.states[u.State].plays
		atSend := w.p.States[u.State].AtSend
		r.gated = r.gated || p.Gate != nil && !atSend && (!p.SparesFirst || u.Carried)
		if p.Gate != nil && !atSend {
			r.asked = append(r.asked, i)
		}
		if p.Gate != nil && atSend || p.Queuer != nil {
			r.first = min(r.first, i)
		}
		if p.Shaper != nil || p.Queuer != nil || p.Gate != nil && atSend {
			r.atSend = append(r.atSend, i)
		}
		r.wrapped = r.wrapped || p.Wrapper != nil
		r.watched = r.watched || p.Observer != nil && !u.PerCall || p.Ejector != nil
		r.started = r.started || p.Starter != nil
		r.closed = r.closed || p.Closer != nil || p.Observer != nil && u.PerCall ||
			p.Wrapper != nil && u.PerCall
		r.keeps = r.keeps || p.KeepTimedOut
		if p.Sizer != nil {
			r.sizer = i
		}
		r.turned = r.turned || p.Turner != nil
		r.left = r.left || p.Finisher != nil
		r.advises = r.advises || p.Adviser != nil
		r.answers = r.answers || p.Answerer != nil
		r.alerts = r.alerts || u.Low > 0 && p.Level != nil
		if w.p.States[u.State].Notes {
			r.notes++
		}
		if p.Condition != nil || p.Pacer != nil {
			r.loop = min(r.loop, i)
		}
		r.only(i, &p)
	}
	for i := len(stack) - 1; i >= 0; i-- {
		if as := w.states[stack[i].State].plays.FailedAs; as != nil {
			r.failedAs = as
		}
	}
	return r
}

// gatewayStatus is the status that a proxy answers for an outcome without one.
func gatewayStatus(o policies.Outcome) int {
	switch o.Class {
	case policies.TimedOut:
		return 504
	case policies.Dropped:
		return 502
	}
	return 503
}

// only remembers the place of roles that one policy of a stack plays.
func (r *roles) only(i int, p *policies.Policy) {
	if p.Condition != nil {
		r.judge = i
	}
	if p.Placer != nil {
		r.placer, r.repicks = i, uint64(p.Repicks)
	}
	if p.Hedger != nil {
		r.hedger = i
	}
	if p.Ejector != nil {
		r.ejector = i
	}
	if p.Queuer != nil {
		r.queuer = i
	}
}

// whole is a state of a policy that plays other roles than gate, pacer, observer and admission.
func (w *world) whole(state, i int) *policies.Policy {
	ps := &w.states[state]
	if ps.whole[i] == nil {
		w.makeState(state, i)
	}
	return ps.whole[i]
}

// played is the state that serves a call in entry i of its edge's stack, which plays one of the
// roles that whole is about; its note is shown.
func (w *world) played(c *call, i int) *policies.Policy {
	u := &c.edge.p.Stack[i]
	w.note(c, i)
	return w.whole(u.State, w.member(c, u))
}

// clearNotes gives a call that begins its notes.
func (w *world) clearNotes(c *call) {
	first := int(c.id) * w.noteWidth
	for len(w.notes) < first+w.noteWidth {
		w.notes = append(w.notes, 0)
	}
	clear(w.notes[first : first+w.noteWidth])
}

// note shows a policy its note of a call.
func (w *world) note(c *call, i int) {
	w.scratch.Note = nil
	if c.edge.notes == 0 {
		return
	}
	at := int(c.id) * w.noteWidth
	stack := c.edge.p.Stack
	for k := range stack[:i] {
		if w.p.States[stack[k].State].Notes {
			at++
		}
	}
	if w.p.States[stack[i].State].Notes {
		w.scratch.Note = &w.notes[at]
	}
}

// showFor is show with chance of its own for one role.
func (w *world) showFor(c *call, n int, role uint64) {
	w.show(c, n)
	w.scratch.Chance = c.ident.Child(uint64(n)).Draw(role)
}

// retryable tells whether an outcome is one that is tried again, after it was told.
func (w *world) retryable(c *call, n int, o *policies.Outcome) bool {
	e := c.edge
	if n == MostTries && w.now > c.start {
		return false
	}
	if e.judge < 0 {
		return e.p.RetryOn.matches(*o) && w.mayRetry(c)
	}
	if !w.mayRetry(c) {
		return false
	}
	w.showFor(c, n, forCondition)
	again := w.played(c, e.judge).Condition.Retryable(w.now, &w.scratch, *o)
	w.alert(c, e.judge)
	return again
}

// place asks where the next try of a call goes.
func (w *world) place(c *call) {
	w.showFor(c, int(c.n)+1, forPlacer)
	c.where = w.played(c, c.edge.placer).Placer.Place(w.now, &w.scratch)
}

// onRetryOf is where retries of a call go.
func (c *call) onRetryOf() OnRetry {
	if c.edge.placer < 0 {
		return c.edge.p.Balance.OnRetry
	}
	switch c.where {
	case policies.SameReplica:
		return Same
	case policies.OtherReplica:
		return Other
	case policies.FreshReplica:
		return Fresh
	case policies.Anywhere:
		return Any
	}
	panic("kernel: a placer names no such place")
}

// hold is called when a call's next try is held back.
func (c *call) hold() {
	if !c.sent && !c.held {
		c.held = true
		c.edge.waiting++
	}
}

// waits tells whether a call's next try is held back, or its end.
func (c *call) waits() bool { return c.wake != 0 || c.line != 0 }

// notHeld is called when a call's first try is sent, or never will be.
func (w *world) notHeld(c *call) {
	if c.held {
		c.held = false
		c.edge.waiting--
	}
}

// tellStarted tells policies that attempt c.n is sent, which is the call's first or is not.
func (w *world) tellStarted(c *call, first bool) {
	w.showFor(c, int(c.n), forStarter)
	stack := c.edge.p.Stack
	for i := range stack {
		if w.states[stack[i].State].plays.Starter == nil || stack[i].PerCall && !first {
			continue
		}
		w.played(c, i).Starter.Start(w.now, &w.scratch)
		w.alert(c, i)
	}
}

// tellClosed tells policies how a call ended.
func (w *world) tellClosed(c *call, o policies.Outcome) {
	o.Latency = w.now - c.start
	w.showFor(c, int(c.n), forCloser)
	stack := c.edge.p.Stack
	for i := range stack {
		u := &stack[i]
		if u.PerCall && c.sent && w.states[u.State].observers != nil {
			w.note(c, i)
			w.observer(u.State, w.member(c, u)).Observe(w.now, &w.scratch, o)
			w.told(c, i)
		}
		if u.PerCall && !c.sent && i < int(c.reached) && w.states[u.State].plays.Wrapper != nil {
			w.played(c, i).Wrapper.Unsent(w.now, &w.scratch, o)
			w.told(c, i)
		}
		if w.states[u.State].plays.Closer != nil {
			w.played(c, i).Closer.Close(w.now, &w.scratch, o)
			w.told(c, i)
		}
	}
}

// alert keeps the first time at which an entry's level was below its alert threshold.
func (w *world) alert(c *call, i int) {
	e := c.edge
	if !e.alerts {
		return
	}
	u := &e.p.Stack[i]
	levels := w.states[u.State].levels
	if u.Low <= 0 || levels == nil || e.series.LowAt[i] != sim.Never {
		return
	}
	if level := levels[w.member(c, u)]; level != nil && level(w.now) < u.Low {
		e.series.LowAt[i] = w.now
	}
}
