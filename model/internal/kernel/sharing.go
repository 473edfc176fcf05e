package kernel

import (
	"math/bits"

	"cascadesim/sim"
)

// sharing is a replica of discipline ps: nobody waits for a slot, and all that work share the slots
// in equal parts, none of them more than one. One clock serves all: it shows how much each has had
// that has been there since the start, so that who comes with so much work is done when the clock
// has gone on by as much, and whoever comes or goes changes only how fast it runs.
type sharing struct {
	heap   []sharer // by when they are done
	served attained
	at     sim.Time // up to which served is taken
	joined uint64
	timer  sim.Key // for the first who is done; 0: none
}

// attained is a time in whole ns and parts of 2^-64 ns.
type attained struct{ whole, part uint64 }

// hair is 2^-20 ns. When somebody is done is rounded to it, and nobody is kept for less than that,
// so that the 2^-64 ns that are lost at each change of speed move nothing by a ns.
const hair = 1 << 44

// sharer is one work step, branch or rejection in work.
type sharer struct {
	done   attained // when served reaches it
	joined uint64
	need   sim.Time
	a      *attempt
	branch *call // nil: no branch of a parallel step
}

func (s *sharer) before(o *sharer) bool {
	if s.done != o.done {
		return s.done.before(o.done)
	}
	return s.joined < o.joined
}

func (x attained) before(y attained) bool {
	return x.whole < y.whole || x.whole == y.whole && x.part < y.part
}

// minus is 0 where y is later.
func (x attained) minus(y attained) attained {
	if x.before(y) {
		return attained{}
	}
	part, borrow := bits.Sub64(x.part, y.part, 0)
	return attained{x.whole - y.whole - borrow, part}
}

// plus adds whole ns and a part.
func (x attained) plus(whole, part uint64) attained {
	sum, carry := bits.Add64(x.part, part, 0)
	return attained{x.whole + whole + carry, sum}
}

// speed is how much each of n sharers has of so many slots, as a fraction.
func (r *replica) speed(n uint64) (slots, of uint64) {
	if r.slots < 0 || n <= uint64(r.slots) {
		return 1, 1
	}
	return uint64(r.slots), n
}

// catchUp takes the clock up to now; call it before its speed changes.
func (r *replica) catchUp(now sim.Time) {
	s := r.shared
	dt := uint64(now - s.at)
	s.at = now
	if r.frozen || dt == 0 || len(s.heap) == 0 {
		return
	}
	slots, n := r.speed(uint64(len(s.heap)))
	hi, lo := bits.Mul64(dt, slots)
	whole, rest := bits.Div64(hi, lo, n)
	part, _ := bits.Div64(rest, 0, n)
	s.served = s.served.plus(whole, part)
}

// due is how long it takes until the first of the sharers is done: the first whole ns at which it
// has had all of its work but less than a hair.
func (r *replica) due() sim.Time {
	s := r.shared
	left := s.heap[0].done.minus(s.served).minus(attained{part: hair})
	slots, n := r.speed(uint64(len(s.heap)))
	carry, part := bits.Mul64(left.part, n)
	hi, lo := bits.Mul64(left.whole, n)
	lo, more := bits.Add64(lo, carry, 0)
	hi += more
	if hi >= slots {
		return sim.Never
	}
	t, rest := bits.Div64(hi, lo, slots)
	if rest > 0 || part > 0 {
		t++
	}
	if t > uint64(sim.MaxTime) {
		return sim.Never
	}
	return sim.Time(t)
}

// share lets work begin on a replica that shares.
func (w *world) share(r *replica, x sharer) {
	r.catchUp(w.now)
	s := r.shared
	s.joined++
	x.joined = s.joined
	x.done = s.served.plus(uint64(x.need), hair/2)
	x.done.part &^= hair - 1
	s.heap = append(s.heap, x)
	s.up(len(s.heap) - 1)
	w.reshare(r)
}

// unshare takes a sharer out, by its place.
func (w *world) unshare(r *replica, i int) {
	r.catchUp(w.now)
	r.shared.remove(i)
	w.reshare(r)
}

// reshare sets the timer anew after who shares, or how much, has changed.
func (w *world) reshare(r *replica) {
	s := r.shared
	s.timer = 0
	busy := len(s.heap)
	if r.slots >= 0 {
		busy = min(busy, r.slots)
	}
	for ; r.busy < busy; r.takeSlot(w.now) {
	}
	for ; r.busy > busy; r.freeSlot(w.now) {
	}
	if len(s.heap) == 0 || r.frozen {
		return
	}
	if t := r.due(); t <= sim.MaxTime-w.now {
		s.timer = w.en.ArmAt(w.now+t, evShared, uint32(r.index))
	}
}

// onShared ends the work of the first who is done. Others who are done now have events of their
// own.
func (w *world) onShared(r *replica) {
	x := r.shared.heap[0]
	w.unshare(r, 0)
	if c := x.branch; c != nil {
		w.branchWorked(c)
		return
	}
	a := x.a
	a.slot = false
	if a.place == rejecting {
		w.answerAfter(a, w.rejection(a), r.tier.live.delay)
		return
	}
	w.worked(a)
}

// shareWork begins a work step of an attempt that shares.
func (w *world) shareWork(a *attempt, need sim.Time) {
	a.slot = true
	w.share(a.replica, sharer{need: need, a: a})
}

// cutShares takes all work of an attempt out before it is done, and tells how much it has had.
func (w *world) cutShares(a *attempt) sim.Time {
	r := a.replica
	had := sim.Time(0)
	if a.slot {
		had += r.had(w.now, int(a.frozen))
		a.slot = false
		w.unshare(r, int(a.frozen))
	}
	for c := a.child; c != nil; c = c.next {
		if c.edge == nil && c.start != notBegun {
			had += r.had(w.now, int(c.start))
			w.unshare(r, int(c.start))
		}
	}
	return had
}

// had is how much the sharer at a place has had, in whole ns.
func (r *replica) had(now sim.Time, i int) sim.Time {
	r.catchUp(now)
	x := &r.shared.heap[i]
	left := x.done.minus(r.shared.served).minus(attained{part: hair})
	had := x.need - sim.Time(left.whole)
	if left.part > 0 {
		had--
	}
	return had
}

// sharersOf counts an attempt's, for the proof that none is lost.
func sharersOf(a *attempt) int {
	n := 0
	if a.slot {
		n++
	}
	for c := a.child; c != nil; c = c.next {
		if c.edge == nil && c.start != notBegun {
			n++
		}
	}
	return n
}

func (s *sharing) remove(i int) {
	last := len(s.heap) - 1
	moved := s.heap[last]
	s.heap[last] = sharer{}
	s.heap = s.heap[:last]
	if i == last {
		return
	}
	s.put(i, moved)
	s.down(i)
	s.up(i)
}

func (s *sharing) up(i int) {
	x := s.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&s.heap[parent]) {
			break
		}
		s.put(i, s.heap[parent])
		i = parent
	}
	s.put(i, x)
}

func (s *sharing) down(i int) {
	x := s.heap[i]
	for {
		child := 2*i + 1
		if child >= len(s.heap) {
			break
		}
		if child+1 < len(s.heap) && s.heap[child+1].before(&s.heap[child]) {
			child++
		}
		if !s.heap[child].before(&x) {
			break
		}
		s.put(i, s.heap[child])
		i = child
	}
	s.put(i, x)
}

// put places a sharer, who knows its place: an attempt or branch that shares has no other use for
// the field that says how long its replica was frozen.
func (s *sharing) put(i int, x sharer) {
	s.heap[i] = x
	if x.branch != nil {
		x.branch.start = sim.Time(i)
	} else {
		x.a.frozen = sim.Time(i)
	}
}
