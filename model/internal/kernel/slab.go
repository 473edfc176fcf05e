package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

const (
	pageBits = 12
	pageSize = 1 << pageBits
)

// slab holds records by index, in pages that never move: a pointer stays good while other records
// come and go, and growth copies nothing. Index 0 is no record.
type slab[T any] struct {
	pages      []*[pageSize]T
	free       []uint32 // released indices, last in first out
	top        uint32   // highest index ever used
	live, peak int
}

func (s *slab[T]) at(i uint32) *T { return &s.pages[i>>pageBits][i&(pageSize-1)] }

// take gives an index whose record still holds what its last user left.
func (s *slab[T]) take() uint32 {
	s.live++
	if s.live > s.peak {
		s.peak = s.live
	}
	if n := len(s.free); n > 0 {
		i := s.free[n-1]
		s.free = s.free[:n-1]
		return i
	}
	s.top++
	if int(s.top>>pageBits) >= len(s.pages) {
		s.pages = append(s.pages, new([pageSize]T))
	}
	return s.top
}

func (s *slab[T]) release(i uint32) {
	s.live--
	s.free = append(s.free, i)
}

// place is where an attempt is. It has exactly one owner at any time: the event that will move it
// on, the line or list that holds it, or, when it is lost, its caller's timer.
type place uint8

const (
	nowhere   place = iota // the record is free
	onTheWay               // to the replica: an event or a held link has it
	lost                   // never answered
	inBacklog              // over the flow limit
	inLine                 // for a slot
	rejecting              // the rejection costs work: in a slot or before it
	inWork                 // a work event has it
	inCalls                // child calls have it
	delayed                // its answer leaves later
	replying               // its answer is on the way: an event or a held link has it
)

// attempt is one try of a call, from send to the end of all that it caused.
type attempt struct {
	ident    sim.Ident
	request  sim.Ident
	sent     sim.Time
	deadline sim.Time // carried to the callee; Never: none
	admitted sim.Time // when it came in; in-system time counts from here
	since    sim.Time // when it began to wait, or its work to run
	worked   sim.Time // own work, so far
	frozen   sim.Time // the replica's frozen time when its work began
	timer    sim.Key  // caller's per-try timer; 0: none
	event    sim.Key  // of work, patience or delay that it waits for
	cancel   sim.Key  // of the message that follows it; 0: none
	serial   uint64   // order in which attempts were sent

	call     uint32 // the call that waits for it; 0: abandoned
	sibling  uint32 // next live attempt of that call
	child    uint32 // first child call that it waits for
	identity uint32 // the requesting client's number
	window   uint32 // in which it was offered
	edge     int32
	replica  int32
	step     int32 // index into Programs of the step it is at
	end      int32 // one past its last step
	row      int32
	status   int16
	n        uint16
	carried  uint16
	pending  uint16   // branches of a parallel step still running
	failedAt int32    // step of the first failed branch of a parallel step; -1: none
	wait     sim.Time // Retry-After of its answer
	place    place
	class    policies.Class
	client   uint8
	priority uint8
	inSystem bool
	slot     bool
	discard  bool // cancelled on its way
}

// call is what one tier wants of the next for the attempt it is serving; the root call is the
// request. A branch of parallel work is a call record without an edge.
type call struct {
	ident    sim.Ident
	request  sim.Ident
	start    sim.Time
	deadline sim.Time // Never: none
	lastWait sim.Time
	timer    sim.Key // of the deadline; 0: none
	wake     sim.Key // of the backoff, or of a branch's work; 0: none
	last     policies.Outcome

	parent   uint32 // attempt that makes it; 0: a client does
	attempt  uint32 // first live attempt
	next     uint32 // next child call of the parent
	identity uint32
	window   uint32
	edge     int32 // -1: a branch of parallel work
	target   int32
	step     int32 // of the parent
	tier     int32 // picked for the next try, or where the last one went; -1: none yet
	endpoint int32
	replica  int32
	rep      uint16 // repetition of the step
	n        uint16 // tries sent
	client   uint8
	priority uint8
	picked   bool // tier, endpoint and replica are for the next try
}
