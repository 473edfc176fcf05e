package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/huge"
)

const (
	pageBits = 10
	pageSize = 1 << pageBits

	manyPages = 16 // of records: 2 megabytes and more
)

// slab holds records by index, in pages that never move: records point at each other, growth
// copies nothing, and only events speak of indices. Index 0 is no record.
//
// Released records are used again, the last one first, and keep their indices. Those are listed
// beside the records: who takes one writes to it without having to wait for what was there. An
// index is used for the first time only when all others are in use, so the highest one is also the
// most that were ever in use at once.
type slab[T any] struct {
	pages []*[pageSize]T
	free  []uint32
	top   uint32 // highest index ever used
	live  int
}

func (s *slab[T]) init() { s.pages = []*[pageSize]T{new([pageSize]T)} }

func (s *slab[T]) at(i uint32) *T { return &s.pages[i>>pageBits][i&(pageSize-1)] }

// take gives a record and its index; what it holds is of old.
func (s *slab[T]) take() (*T, uint32) {
	s.live++
	if n := len(s.free) - 1; n >= 0 {
		id := s.free[n]
		s.free = s.free[:n]
		return s.at(id), id
	}
	s.top++
	if int(s.top>>pageBits) >= len(s.pages) {
		s.extend()
	}
	return s.at(s.top), s.top
}

// put gives a record back.
func (s *slab[T]) put(id uint32) {
	s.live--
	s.free = append(s.free, id)
}

// extend adds a page, and when there are many already, more at a time.
func (s *slab[T]) extend() {
	if len(s.pages) < manyPages {
		s.pages = append(s.pages, new([pageSize]T))
		return
	}
	more := make([][pageSize]T, manyPages)
	huge.Prefer(more) // in a storm nearly each look at a record is at another page
	for i := range more {
		s.pages = append(s.pages, &more[i])
	}
}

// takeCall gives a call's record, empty but for its id.
func (w *world) takeCall() *call {
	c, id := w.calls.take()
	*c = call{} // then field by field: a literal would be made aside and copied
	c.id = id
	return c
}

// freeCall gives a call's record back.
func (w *world) freeCall(c *call) { w.calls.put(c.id) }

// place is where an attempt is. It has exactly one owner at any time: the event that will move it
// on, the line or list that holds it, or, when it is lost, its caller's timer.
type place uint8

const (
	nowhere   place = iota // the record is free
	onTheWay               // to the replica: an event or a held link has it
	recalled               // likewise, but cancelled
	lost                   // never answered
	inBacklog              // over the flow limit
	inLine                 // for a slot
	rejecting              // the rejection costs work: in a slot or before it
	inWork                 // a work event has it
	inCalls                // child calls have it
	delayed                // its answer leaves later
	replying               // its answer is on the way: an event or a held link has it
)

// attempt is one try of a call, from send to the end of all that it caused. What the way back of a
// try that went well reads comes first: it has long left the processor's cache by then, and the
// less of it must be fetched the better. For the same reason a record is a multiple of 64 bytes,
// and what few attempts have is kept apart; see extra.
type attempt struct {
	ident    sim.Ident
	request  sim.Ident
	sent     sim.Time
	admitted sim.Time // when it came in; in-system time counts from here
	worked   sim.Time // own work that has ended
	call     *call    // the call that waits for it; nil: abandoned; world.alone: see callOf
	parent   *attempt // that makes the call; nil: a client does, or it is abandoned
	edge     *edge

	replica  *replica // nil until picked
	alone    *attempt // try of the child call that it waits for and that has no record; nil: none
	event    sim.Key  // of work, patience or delay that it waits for
	timer    sim.Key  // caller's per-try timer; 0: none
	id       uint32
	window   uint32 // in which it was offered
	step     int32  // index into Programs of the step it is at
	end      int32  // one past its last step
	cell     int32  // its row of counters at the replica: endpoint and client
	rep      uint16 // of its call
	place    place
	client   uint8
	inSystem bool
	slot     bool
	reached  bool // its replica has seen it
	odd      bool // it has an extra record
	priority uint8
	class    policies.Class
	nobody   bool // somebody above its caller has stopped waiting; see forNobody
	degraded bool // its answer stands in for a better one

	since    sim.Time // when it began to wait, or its work to run
	term     sim.Time // of the work that runs; 0: none
	frozen   sim.Time // the replica's frozen time when its work began
	serial   uint64   // order in which attempts were sent
	sibling  *attempt // next live attempt of its call
	child    *call    // first child call that it waits for
	identity uint32   // the requesting client's number
	target   int32    // of its call
	endpoint int32
	n        uint16
	status   int16
}

// call is what one tier wants of the next for the attempt it is serving; the root call is the
// request. A branch of parallel work is a call record without an edge. First comes what a try that
// is sent after a wait reads, then what is read to decide on it.
type call struct {
	ident    sim.Ident
	request  sim.Ident
	deadline sim.Time // Never: none
	timer    sim.Key  // of the deadline; 0: none
	wake     sim.Key  // of the backoff, or of a branch's work; 0: none
	parent   *attempt // that makes it; nil: a client does
	attempt  *attempt // first live one
	edge     *edge    // nil: a branch of parallel work

	replica  *replica // picked for the next try, or where the last one went; nil: none
	next     *call    // next child call of the parent
	id       uint32
	identity uint32
	window   uint32
	target   int32
	step     int32 // of the parent
	endpoint int32
	line     uint32 // where the next try waits, from 1; see callLine; 0: nowhere
	rep      uint16 // repetition of the step
	n        uint16 // number of the last try: of those sent, and refused ones that were tried again
	client   uint8
	priority uint8
	picked   bool           // replica and endpoint are for the next try
	paced    bool           // the next try has waited already; its gates are yet to be asked
	sent     bool           // some try was
	held     bool           // its first try, by a shaper or after a refusal
	leaving  bool           // no try follows; it only waits before it ends
	through  bool           // the next try has left the line of the entry that held it back
	copied   bool           // the next try is a copy of one in flight
	degraded bool           // its answer stands in for a better one
	nobody   bool           // as of its attempts
	passed   uint8          // entries of the stack before the one that holds the next try back
	reached  uint8          // entries of the stack that have let a try pass which was not sent
	where    policies.Where // the next try goes

	start    sim.Time
	lastWait sim.Time
	last     policies.Outcome
	hedge    sim.Key // of the next copy; 0: none
}

// extra is what few attempts have. It is kept in an array of its own, by the attempt's id, of which
// only what somebody writes to takes memory: world.extra is to write to it, extraOf to read.
type extra struct {
	deadline sim.Time // carried to the callee; Never: none
	wait     sim.Time // Retry-After of its answer
	advice   float64  // of its answer
	cancel   sim.Key  // of the message that follows it; 0: none
	failedAt int32    // step of the first failed branch of a parallel step; -1: none
	caller   uint32   // whose connection it has; see poolOf
	epoch    uint32   // of that pool, when it got it
	pending  uint16   // branches of a parallel step still running
	carried  uint16
	resent   uint8 // how often it was sent again
	keyed    bool  // it executes what an idempotency key stands for
	spare    bool  // a copy of a try in flight
	looking  bool  // it has missed a key in a cache, and fetches it or waits for it
	told     bool  // an ejector has heard that it ran into its per-try timeout, and hears no more
	probe    bool  // of a health check: it counts nowhere, and has one step of its own
	opened   bool  // it opened its connection
}

// noExtra is what an attempt has that nobody gave anything.
var noExtra = extra{deadline: sim.Never, carried: 1}

// extra gives an attempt its extra record, to write to.
func (w *world) extra(a *attempt) *extra {
	page := int(a.id >> pageBits)
	for len(w.extras) <= page {
		w.extras = append(w.extras, nil)
	}
	if w.extras[page] == nil {
		w.extras[page] = new([pageSize]extra)
	}
	x := &w.extras[page][a.id&(pageSize-1)]
	if !a.odd {
		a.odd = true
		*x = noExtra
	}
	return x
}

// extraOf is the extra record of an attempt, to read only.
func (w *world) extraOf(a *attempt) *extra {
	if !a.odd {
		return &noExtra
	}
	return &w.extras[a.id>>pageBits][a.id&(pageSize-1)]
}

// takeAttempt gives the record of an attempt that is sent now.
func (w *world) takeAttempt() *attempt {
	a, id := w.attempts.take()
	*a = attempt{} // then field by field: a literal would be made aside and copied
	a.id = id
	w.serial++
	a.serial, a.window = w.serial, w.window
	a.sent = w.now
	a.place = onTheWay
	return a
}

// newAttempt makes the record of a call's try number c.n and puts it first among its live ones.
func (w *world) newAttempt(c *call) *attempt {
	a := w.takeAttempt()
	a.ident, a.request = c.ident.Child(uint64(c.n)), c.request
	a.call, a.sibling, a.parent, a.edge, a.nobody = c, c.attempt, c.parent, c.edge, c.nobody
	a.identity, a.n, a.client, a.priority = c.identity, c.n, c.client, c.priority
	c.attempt = a
	return a
}

// free gives an attempt's record back.
func (w *world) free(a *attempt) {
	if a.place == nowhere {
		panic("kernel: an attempt ends twice")
	}
	a.place, a.timer, a.event, a.odd = nowhere, 0, 0, false
	w.attempts.put(a.id)
}

// newChild makes a call record and puts it on its attempt's list.
func (w *world) newChild(a *attempt, step int) *call {
	c := w.takeCall()
	c.request, c.parent, c.next = a.request, a, a.child
	c.identity, c.window, c.step = a.identity, w.window, int32(step)
	c.client, c.priority, c.nobody = a.client, a.priority, a.forNobody()
	a.child = c
	return c
}

// unlink takes an attempt off its call's live ones; the call no longer waits for it, and what is
// done for it is for nobody.
func (a *attempt) unlink() {
	if !a.nobody {
		a.forsake()
	}
	p := &a.call.attempt
	for *p != a {
		p = &(*p).sibling
	}
	*p = a.sibling
	a.call, a.sibling, a.parent, a.timer = nil, nil, nil, 0
}

// unlink takes a call off the list of those its attempt waits for.
func (c *call) unlink() {
	p := &c.parent.child
	for *p != c {
		p = &(*p).next
	}
	*p = c.next
}
