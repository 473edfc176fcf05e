package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// attempt is one try of a call.
type attempt struct {
	w      *world
	call   *call
	ident  sim.Ident
	n      int
	order  int // of all attempts of the run, by when they were sent
	sent   sim.Time
	timer  *event
	target int   // never a route
	rank   uint8 // its priority

	deadline sim.Time // carried; Never: none
	carried  int      // the number that travels with it; 0: none does

	settled   bool // its caller knows the outcome
	abandoned bool // its caller stopped waiting for it

	again     int  // how often it was sent again
	spare     bool // a copy of a try in flight
	told      bool // an ejector has heard of its timeout, and hears no more
	reached   bool // its replica has seen it
	onWay     bool // the request message is
	doomed    bool // a cancel message overtook it
	answering bool // the answer waits for the fault's delay, or is on the way

	connection *connection
	shakes     int      // its handshake, in Programs; 0: none
	replica    *replica // where it goes or is
	keyed      bool     // it executes what an idempotency key stands for
	notes      []uint64 // of its replica's admission policies
	admitted   sim.Time // when it entered
	holding    bool     // the replica has it: in its backlog, its system, or as a rejection
	worked     sim.Time // in slots, so far
	serving    bool     // its program has begun and not ended
	search     *search  // for a key that is not in a cache
	degraded   bool     // some fallback stood in
	calls      []*call  // open, in the order in which they were opened
}

// alive tells whether anything can still become of it.
func (a *attempt) alive() bool { return !a.settled || a.onWay || a.holding || a.answering }

// wasted tells whether its caller, or any caller above, has stopped waiting.
func (a *attempt) wasted() bool {
	for ; a != nil; a = a.call.parent {
		if a.abandoned {
			return true
		}
	}
	return false
}

func (a *attempt) forget(c *call) {
	for i := range a.calls {
		if a.calls[i] == c {
			a.calls = append(append([]*call(nil), a.calls[:i]...), a.calls[i+1:]...)
			return
		}
	}
}

// send sends the next try.
func (c *call) send() {
	w := c.w
	c.tries++
	n := c.tries
	w.sent++
	a := &attempt{
		w: w, call: c, ident: c.ident.Child(uint64(n)), n: n, order: w.sent, sent: w.now,
		deadline: sim.Never, rank: c.rankOf(n),
	}
	c.live = append(c.live, a)
	w.attempts[a] = true
	cell := c.cell(w.now)
	cell.Attempts++
	a.spare = c.copying
	first := !c.begun
	c.begun = true
	switch {
	case first:
	case c.copying:
		cell.Hedges++
	default:
		cell.Retries++
		if w.warm(w.now) {
			w.result.Edges[c.edge.index].Again[c.last.Class]++
		}
	}
	c.copying = false
	w.result.Fingerprint.Add(w.now, 1, a.ident, 0)
	a.trace(kernel.TraceRecord{What: kernel.TraceSend})
	limit := c.deadline
	if try, ok := w.duration(c.edge.Try); ok {
		a.timer = w.at(w.now+try, a.timeout)
		limit = min(limit, w.now+try)
	}
	if c.edge.Propagate {
		a.deadline = limit
	}
	a.carry()
	c.started(n, first)
	c.copySent(n)
	a.door()
}

// carry works out the number that travels with the attempt.
func (a *attempt) carry() {
	if !a.call.edge.CarryAttempt {
		return
	}
	a.carried = a.n
	if p := a.call.parent; p != nil {
		a.carried = max(a.carried, p.carried)
	}
}

// door is what happens to an attempt before it is on the way.
func (a *attempt) door() {
	c := a.call
	if a.w.below(a.blockedBy(), 6, c.edge.BlockShare) {
		a.outcome(policies.Outcome{
			Class: policies.Blocked, Status: a.w.count(c.edge.BlockStatus),
		})
		return
	}
	where := c.chosen
	if where.replica == nil || !c.keeps(where.replica) {
		where = c.pick(a.n)
	}
	c.chosen, c.previous = place{}, where
	if where.replica == nil {
		a.outcome(noReplica)
		return
	}
	c.tried = append(c.tried, where.replica)
	c.picked(where.replica)
	a.replica, a.target = where.replica, where.target
	a.connect(a.depart)
}

// blockedBy is the identity that a block is drawn for.
func (a *attempt) blockedBy() sim.Ident {
	return a.call.keyed(a.call.edge.BlockBy, a.n)
}

// keyed is the identity of a key.
func (c *call) keyed(k kernel.Key, n int) sim.Ident {
	switch k {
	case kernel.ByCall:
		return c.ident
	case kernel.ByRequest:
		return c.request.ident
	case kernel.ByClient:
		return c.request.person
	}
	return c.ident.Child(uint64(n))
}

// timeout is the timer of the try.
func (a *attempt) timeout() {
	if a.settled {
		return
	}
	if a.call.only(func(p policies.Policy) bool { return p.KeepTimedOut }) >= 0 {
		a.timer = nil // it has fired; a lease may still begin
		a.overdue()
		return
	}
	o := a.settle(timedOut)
	a.abandon()
	a.call.settled(a, o)
}

// outcome is any other way in which the caller learns what became of it.
func (a *attempt) outcome(o policies.Outcome) {
	o = a.settle(o)
	a.call.settled(a, o)
}

// settle records the outcome and nothing else.
func (a *attempt) settle(o policies.Outcome) policies.Outcome {
	a.settled = true
	a.hangUp()
	a.timer.cancel()
	a.call.live = slices.DeleteFunc(a.call.live, func(x *attempt) bool { return x == a })
	o.Latency = a.w.now - a.sent
	o.Unreached = !a.reached && o.Class != policies.Blocked
	a.w.result.Fingerprint.Add(a.w.now, 2, a.ident, uint8(o.Class))
	a.call.cell(a.sent).Outcomes[o.Class]++
	a.countLatency(o)
	a.trace(kernel.TraceRecord{What: kernel.TraceSettle, Class: o.Class, Status: o.Status})
	return o
}

// late counts an answer that nobody waits for any more.
func (a *attempt) late() {
	a.call.cell(a.sent).Late++
	a.w.result.Fingerprint.Add(a.w.now, 7, a.ident, 0)
	a.trace(kernel.TraceRecord{What: kernel.TraceLate})
}

func (a *attempt) trace(r kernel.TraceRecord) {
	r.Client, r.Request = a.call.request.client.index, a.call.request.ident
	r.Attempt, r.Edge, r.N, r.Replica = a.ident, a.call.edge.index, a.n, -1
	if a.replica != nil {
		r.Replica = a.replica.index
	}
	a.w.trace(r)
}
