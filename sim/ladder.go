package sim

import (
	"math/bits"
	"slices"
)

// The ladder is the event set: a queue by key in which an insertion and a
// removal cost the same whether a hundred events wait or a million.
//
//	bottom   the nearest events, sorted, the earliest at the end
//	rungs    the next ones, unsorted in slots of one width per rung; each
//	         deeper rung divides one slot of the rung above
//	top      the rest, unsorted
//
// What is about to be due is sorted slot by slot, so nothing is moved more
// than a few times. It is the ladder queue of Tang, Goh and Thng (ACM TOMACS
// 15(3), 2005) with widths that are powers of two, so that a slot is found by
// a shift; bitmaps to pass over empty slots; and bags of chunks for the
// unsorted parts. While few events wait, all of them are in the bottom.
const (
	slotsMax  = 1024 // slots of a rung
	slotFill  = 8    // entries per slot that a new rung aims at
	sortMax   = 32   // a slot with more becomes a rung
	bottomMax = 128  // a bottom with more becomes a rung
	smallMax  = 48   // with no more, the bottom alone will do
	rungsMax  = 16   // more than 48 bits of time can need
	slack     = 64   // free places before the bottom
	forever   = uint64(1) << 48
)

type ladder struct {
	bottom    []entry // from front on: idle, then entries, the latest first
	front     int
	limit     int    // of entries in the bottom
	bottomEnd uint64 // entries before this tick go to the bottom
	topStart  uint64 // entries from this tick on go to top
	n         int    // entries in all
	depth     int    // rungs in use, the narrowest last
	rungs     [rungsMax]*rung
	top       bag
	topMin    uint64
	topMax    uint64
	pool      pool
	ahead     ahead
}

// rung divides a stretch of time into slots of 1<<shift ticks.
type rung struct {
	start, end uint64
	shift      uint
	used       [slotsMax / 64]uint64
	slots      [slotsMax]bag
}

func (l *ladder) init() {
	l.bottom = make([]entry, slack+1, slack+2*bottomMax)
	l.pool.init()
	l.clear()
}

// clear prepares an empty ladder for use. All its bounds must be reset, or the
// next push would look for a rung that is no longer there.
func (l *ladder) clear() {
	l.emptyBottom()
	l.depth = 0
	l.small()
}

// small lets the bottom hold everything until it overflows.
func (l *ladder) small() {
	l.limit, l.bottomEnd, l.topStart = smallMax, forever, forever
	l.topMin, l.topMax = forever, 0
}

func (l *ladder) emptyBottom() {
	l.front = slack
	l.bottom = l.bottom[:slack+1]
	l.bottom[slack] = idle
}

func (l *ladder) push(e entry) {
	l.n++
	t := e.tick()
	if t < l.bottomEnd {
		l.insert(e)
		return
	}
	if t >= l.topStart {
		l.pushTop(e)
		return
	}
	for i := l.depth - 1; ; i-- {
		if r := l.rungs[i]; t < r.end {
			r.put(&l.pool, e)
			return
		}
	}
}

func (l *ladder) pushTop(e entry) {
	t := e.tick()
	l.pool.add(&l.top, e)
	l.topMin = min(l.topMin, t)
	l.topMax = max(l.topMax, t)
}

// min is the earliest entry, or idle. Finding it may drop timers that h calls
// dead, and may open slots that lie beyond the present instant.
func (l *ladder) min(h Handler) entry {
	if m := l.peek(); m != idle {
		return m
	}
	return l.refilled(h)
}

// peek is the earliest entry as long as the bottom is not empty, or idle.
func (l *ladder) peek() entry { return l.bottom[len(l.bottom)-1] }

// pop removes the entry that min returned.
func (l *ladder) pop() {
	l.n--
	l.bottom = l.bottom[:len(l.bottom)-1]
}

// insert puts e in its place in the bottom.
func (l *ladder) insert(e entry) {
	b := append(l.bottom, e)
	j := len(b) - 1
	if j-l.front > sortMax && b[l.front+1].before(e) {
		l.prepend(e)
		return
	}
	for b[j-1].before(e) {
		b[j] = b[j-1]
		j--
	}
	b[j] = e
	l.bottom = b
	if len(b)-l.front > l.limit {
		l.spill()
	}
}

// prepend puts e, which is later than the whole bottom, before it. Without
// this, many events of one instant would cost the square of their number.
func (l *ladder) prepend(e entry) {
	if l.front == 0 {
		n := len(l.bottom)
		l.bottom = append(l.bottom, l.bottom...)
		l.front = n
	}
	l.bottom[l.front] = e
	l.front--
	l.bottom[l.front] = idle
	if len(l.bottom)-l.front > l.limit {
		l.spill()
	}
}

// spill moves the entries of an overgrown bottom back into slots. It leaves
// them where they are if all are due at one instant: no slot divides that.
func (l *ladder) spill() {
	b := l.bottom[l.front+1:]
	if l.bottomEnd == forever {
		l.bottomEnd, l.topStart, l.limit = 0, 0, bottomMax
		for _, e := range b {
			l.pushTop(e)
		}
		l.emptyBottom()
		return
	}
	lo := b[len(b)-1].tick()
	if b[0].tick() == lo || l.depth == rungsMax {
		return
	}
	r := l.spawn(lo, l.bottomEnd, len(b))
	for _, e := range b {
		r.put(&l.pool, e)
	}
	l.bottomEnd = lo
	l.emptyBottom()
}

// spawn adds a rung over the ticks from lo to end for n entries.
func (l *ladder) spawn(lo, end uint64, n int) *rung {
	if l.rungs[l.depth] == nil {
		l.rungs[l.depth] = new(rung)
	}
	r := l.rungs[l.depth]
	l.depth++
	want := min(max(n/slotFill, 2), slotsMax)
	// The last slot's number decides: it must be below slotsMax.
	span := bits.Len64(end - lo - 1)
	shift := max(span-bits.Len64(uint64(want-1)), 0)
	r.start, r.end, r.shift = lo, end, uint(shift)
	return r
}

func (r *rung) put(p *pool, e entry) {
	k := (e.tick() - r.start) >> r.shift & (slotsMax - 1)
	p.add(&r.slots[k], e)
	r.used[k>>6] |= 1 << (k & 63)
}

// take empties the first used slot, and tells which it was.
func (r *rung) take() (b bag, k int, ok bool) {
	for w, m := range r.used {
		if m == 0 {
			continue
		}
		r.used[w] = m & (m - 1)
		k = w<<6 + bits.TrailingZeros64(m)
		b = r.slots[k]
		r.slots[k] = bag{}
		return b, k, true
	}
	return bag{}, 0, false
}

// refilled is min for an empty bottom.
func (l *ladder) refilled(h Handler) entry {
	if l.n > 0 {
		l.refill(h)
	}
	return l.peek()
}

// refill fills an empty bottom with the earliest slot, after it has divided
// those that are too full. The ladder must not be empty.
func (l *ladder) refill(h Handler) {
	for {
		if l.depth == 0 && l.refillFromTop(h) {
			return
		}
		r := l.rungs[l.depth-1]
		b, k, ok := r.take()
		if !ok {
			l.depth--
			continue
		}
		lo := r.start + uint64(k)<<r.shift
		end := min(lo+1<<r.shift, r.end)
		l.bottomEnd = end
		if b.n > sortMax && r.shift > 0 && l.depth < rungsMax {
			l.spread(l.spawn(lo, end, int(b.n)), b, h)
			continue
		}
		if l.load(b, h) {
			return
		}
	}
}

// refillFromTop makes a rung of the top, or the bottom of a small top; it
// returns true when that is all there is to do.
func (l *ladder) refillFromTop(h Handler) bool {
	b := l.top
	l.top = bag{}
	if b.n <= smallMax/2 {
		l.small()
		l.load(b, h)
		return true
	}
	r := l.spawn(l.topMin, l.topMax+1, int(b.n))
	l.limit, l.topStart = bottomMax, l.topMax+1
	l.topMin, l.topMax = forever, 0
	l.spread(r, b, h)
	return false
}

// spread moves the entries of b into the rung r, all but dead timers.
func (l *ladder) spread(r *rung, b bag, h Handler) {
	for b.n > 0 {
		for _, e := range l.pool.last(b) {
			if e.timer() && !h.Live(e.event()) {
				l.n--
				continue
			}
			r.put(&l.pool, e)
		}
		l.pool.drop(&b)
	}
}

// load moves the entries of b into the empty bottom, all but dead timers, and
// sorts it. It returns false when nothing was left. What they are about is soon
// asked for, so it is fetched.
func (l *ladder) load(b bag, h Handler) bool {
	for b.n > 0 {
		for _, e := range l.pool.last(b) {
			if e.timer() && !h.Live(e.event()) {
				l.n--
				continue
			}
			l.bottom = append(l.bottom, e)
		}
		l.pool.drop(&b)
	}
	s := l.bottom[l.front:]
	if l.ahead.fetcher != nil && l.n > deep {
		l.ahead.tell(s[1:])
	}
	if len(s) > 2*sortMax {
		slices.SortFunc(s, latestFirst)
		return true
	}
	for i := 2; i < len(s); i++ {
		e := s[i]
		j := i
		for s[j-1].before(e) { // idle, at s[0], is before nothing
			s[j] = s[j-1]
			j--
		}
		s[j] = e
	}
	return len(s) > 1
}

// latestFirst orders the bottom.
func latestFirst(a, b entry) int {
	if b.before(a) {
		return -1
	}
	if a.before(b) {
		return 1
	}
	return 0
}
