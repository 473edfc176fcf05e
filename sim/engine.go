package sim

import (
	"fmt"
	"math/bits"
)

// Kind tells a handler what an event is about; it must be below 64.
type Kind uint8

// Key tells one event from every other that is due at the same time. A timer
// is named by its time and its key together: keys alone repeat in a long run.
type Key uint64

// Event is something that happens to one entity at one instant. It carries no
// payload: the entity, below 1<<30, names a record that the handler keeps.
type Event struct {
	At   Time
	Key  Key
	Kind Kind
	ID   uint32
}

// Handler reacts to events.
type Handler interface {
	// Handle reacts to ev; the engine's clock stands at ev.At. It may schedule
	// anything at that instant or later.
	Handle(ev Event)

	// Live tells whether a timer (Arm, ArmAt) still counts; no other event is
	// asked about. It must compare both ev.At and ev.Key with what the entity
	// waits for now, change nothing, and never turn from false to true: the
	// engine forgets a dead timer whenever it meets one. It is asked of any
	// armed timer at any moment, so the handler stores a key before it arms
	// the next timer.
	Live(ev Event) bool
}

// Fetcher is a Handler that is told of events shortly before they are due, where many are pending:
// their records are in memory by then, not in the processor's cache, and reading a few at a time
// fetches them side by side where Handle would wait for one after the other.
type Fetcher interface {
	// Fetch reads what Handle or Live will of the entities of evs, and changes nothing that they
	// see. Some of them may never be delivered; none has been. The slice is the engine's own.
	Fetch(evs []Event)
}

// deep is how many events are pending when their records are fetched ahead.
const deep = 1 << 12

// The order of events is one 128-bit number, compared without a branch:
//
//	hi = time (48 bits) | sequence (upper 16 of 44 bits)
//	lo = sequence (lower 28) | kind (6) | id (30)
//
// The sequence grows by two from event to event, so that its lowest bit is
// free to mark timers and yet never decides which of two events comes first.
const (
	idBits     = 30
	kindBits   = 6
	tagBits    = idBits + kindBits
	seqLowBits = 64 - tagBits
	tickShift  = 16
	timeBits   = 64 - tickShift
	seqBits    = seqLowBits + tickShift - 1 // half of the numbers, so that only idle's hi is all ones
	seqStep    = 2
	timerMark  = 1            // in the sequence
	timerBit   = 1 << tagBits // the same bit in lo
)

// entry is a pending event as the engine stores it: 16 bytes and no pointer,
// so that the garbage collector never looks inside.
type entry struct{ hi, lo uint64 }

// idle stands where there is no event; it comes after all of them.
var idle = entry{^uint64(0), ^uint64(0)}

// before is the total order of events.
func (e entry) before(f entry) bool { return e.less(f) != 0 }

// less is before as a number, 1 for true.
func (e entry) less(f entry) int {
	_, borrow := bits.Sub64(e.lo, f.lo, 0)
	_, borrow = bits.Sub64(e.hi, f.hi, borrow)
	return int(borrow)
}

// tick is the entry's time as an unsigned number.
func (e entry) tick() uint64 { return e.hi >> tickShift }

func (e entry) timer() bool { return e.lo&timerBit != 0 }

func (e entry) event() Event {
	return Event{
		At:   Time(e.hi >> tickShift),
		Key:  Key(e.lo),
		Kind: Kind(e.lo >> idBits & (1<<kindBits - 1)),
		ID:   uint32(e.lo & (1<<idBits - 1)),
	}
}

// Engine is a clock with the events that are still to come. It delivers them
// in the order of their times, and events of one instant in the order in which
// they were scheduled. It belongs to one goroutine.
type Engine struct {
	now     Time
	seq     uint64
	events  uint64
	set     ladder
	heads   heads
	firing  int32 // the source whose event is being handled and was not set again
	stopped bool
	plain   bool
	running Handler // nil outside Run
	heap    heap    // of the plain twin only
}

// NewEngine returns an engine at time 0 with nothing to do.
func NewEngine() *Engine {
	en := &Engine{firing: -1}
	en.set.init()
	en.heads.init()
	return en
}

// NewPlain returns an engine that keeps every event in one heap. It delivers
// exactly what NewEngine's does, more slowly: the oracle for tests.
func NewPlain() *Engine {
	en := NewEngine()
	en.plain = true
	return en
}

// Now is the present instant.
func (en *Engine) Now() Time { return en.now }

// Events is the number of events delivered so far. A timer found dead is none.
func (en *Engine) Events() uint64 { return en.events }

// Pending is the number of events that the engine holds, dead timers among
// them as long as it has not met them: a figure for tests and diagnosis.
func (en *Engine) Pending() int {
	if en.plain {
		return len(en.heap)
	}
	return en.set.n + en.heads.pending()
}

// stamp numbers an event and packs it into its place in the total order.
func (en *Engine) stamp(t Time, k Kind, id uint32, mark uint64) entry {
	seq := en.seq + seqStep
	// One look finds the past, the too distant future and all that does not fit its bits.
	if (uint64(t-en.now)|uint64(t))>>timeBits|uint64(k)>>kindBits|uint64(id)>>idBits|
		seq>>seqBits != 0 {
		t = en.unusual(t, k, id)
	}
	en.seq = seq
	return entry{
		hi: uint64(t)<<tickShift | seq>>seqLowBits,
		lo: (seq|mark)<<tagBits | uint64(k)<<idBits | uint64(id),
	}
}

// unusual is the instant of an event that stamp cannot take as it is: one later than MaxTime is put
// there, and everything else is misuse.
func (en *Engine) unusual(t Time, k Kind, id uint32) Time {
	switch {
	case t < en.now:
		panic(fmt.Sprintf("sim: event scheduled at %d ns, before now (%d ns)", t, en.now))
	case k>>kindBits != 0:
		panic(fmt.Sprintf("sim: event kind %d is not below 64", k))
	case id>>idBits != 0:
		panic(fmt.Sprintf("sim: event id %d is not below 1<<30", id))
	case (en.seq+seqStep)>>seqBits != 0:
		panic("sim: more events scheduled than can be numbered (2^42)")
	}
	return MaxTime
}

// At schedules an event at t, which must not be before now; one after MaxTime
// comes at MaxTime. It is always delivered.
func (en *Engine) At(t Time, k Kind, id uint32) Key {
	e := en.stamp(t, k, id, 0)
	if en.plain {
		en.heap.push(e)
	} else {
		en.set.push(e)
	}
	return Key(e.lo)
}

// ArmAt schedules a timer at t. It is the way for delays that vary; timers of
// one delay are cheaper through a TimerLane.
func (en *Engine) ArmAt(t Time, k Kind, id uint32) Key {
	e := en.stamp(t, k, id, timerMark)
	if en.plain {
		en.heap.push(e)
	} else {
		en.set.push(e)
	}
	return Key(e.lo)
}

// Stop makes Run return once the event being handled has been handled.
func (en *Engine) Stop() { en.stopped = true }

// Run delivers the events with At < until to h, at most limit of them (0 for
// no limit). It returns true when none before until is left; the clock then
// stands at until, or at the last event when until is beyond MaxTime. It
// returns false when limit or Stop ended it, and the clock stands at the last
// event. A run cut into slices delivers the same events as one in one piece.
func (en *Engine) Run(until Time, limit uint64, h Handler) bool {
	if en.running != nil {
		panic("sim: Run called while another Run delivers events")
	}
	end := idle.hi
	if until <= MaxTime {
		end = uint64(max(until, 0)) << tickShift
	}
	last := ^uint64(0)
	if limit != 0 && limit < last-en.events {
		last = en.events + limit
	}
	en.running = h
	en.set.ahead.fetcher, _ = h.(Fetcher)
	en.stopped = false
	var done bool
	if en.plain {
		done = en.deliverPlain(end, last, h)
	} else {
		done = en.deliver(end, last, h)
	}
	en.running = nil
	if done && until <= MaxTime {
		en.now = max(en.now, until)
	}
	return done
}

// deliver merges the heads and the event set: the earliest of either is next.
// It stops before the first event whose hi is not below end, which is true, or
// when last events have been delivered since the engine began.
func (en *Engine) deliver(end, last uint64, h Handler) bool {
	for {
		e := en.heads.lead
		m := en.set.peek()
		if m.hi == idle.hi {
			m = en.set.refilled(h)
		}
		fromSet := m.before(e)
		if fromSet {
			e = m
		}
		if e.hi >= end {
			return true
		}
		if e.timer() && !h.Live(e.event()) {
			en.drop(fromSet, h)
			continue
		}
		if en.events == last {
			return false
		}
		en.now = Time(e.tick())
		en.events++
		if fromSet {
			en.set.pop()
			h.Handle(e.event())
		} else {
			en.fire(e, h)
		}
		if en.stopped {
			return false
		}
	}
}

// drop takes a dead timer away from where it came up.
func (en *Engine) drop(fromSet bool, h Handler) {
	if fromSet {
		en.set.pop()
		return
	}
	en.advance(h)
}

// fire delivers the first event of the heads. A lane has moved up before its
// event is handled; a source moves after, since its handler most often sets it
// again and that moves it only once.
func (en *Engine) fire(e entry, h Handler) {
	hs := &en.heads
	i := hs.leader
	switch hd := &hs.all[i]; hd.class {
	case laneHead:
		hd.ring.head++
		hs.follow(hd.ring.first())
		h.Handle(e.event())
	case timerHead:
		en.advance(h)
		h.Handle(e.event())
	case sourceHead:
		en.firing = i
		h.Handle(e.event())
		if en.firing == i {
			hs.set(i, idle)
		}
		en.firing = -1
	}
}
