package sim

// ringMin is the smallest ring's capacity in entries: 1 KiB.
const ringMin = 64

// fetchLen is how many timers of a ring are fetched at a time: what is not to be
// pushed out of the cache again before they are looked at.
const fetchLen = 16

// ring is a queue of entries in the order of their keys, which is the order in
// which they were pushed. Its capacity is a power of two, or zero before use.
type ring struct {
	buf        []entry
	head, tail uint32 // they run on and wrap; the place is the number modulo the capacity
}

func (r *ring) len() int { return int(r.tail - r.head) }

func (r *ring) full() bool { return int(r.tail-r.head) == len(r.buf) }

// push appends e to a ring that is not full.
func (r *ring) push(e entry) {
	r.buf[int(r.tail)&(len(r.buf)-1)] = e
	r.tail++
}

// first is the oldest entry, or idle in an empty ring.
func (r *ring) first() entry {
	if r.head == r.tail {
		return idle
	}
	return r.buf[int(r.head)&(len(r.buf)-1)]
}

// grow doubles the ring.
func (r *ring) grow() {
	n := r.len()
	buf := make([]entry, max(ringMin, 2*len(r.buf)))
	if n > 0 {
		at := int(r.head) & (len(r.buf) - 1)
		k := copy(buf, r.buf[at:])
		copy(buf[k:], r.buf[:at])
	}
	r.buf, r.head, r.tail = buf, 0, uint32(n)
}

// compact drops dead timers from a full ring, all but the oldest, which stands
// among the heads.
func (r *ring) compact(h Handler) {
	mask := len(r.buf) - 1
	kept := r.head + 1
	for i := kept; i != r.tail; i++ {
		e := r.buf[int(i)&mask]
		if h.Live(e.event()) {
			r.buf[int(kept)&mask] = e
			kept++
		}
	}
	r.tail = kept
}

// skip drops the oldest timer and the dead ones that follow it.
func (r *ring) skip(h Handler) {
	r.head++
	mask := len(r.buf) - 1
	for r.head != r.tail && !h.Live(r.buf[int(r.head)&mask].event()) {
		r.head++
	}
}

// skipLong is skip for many timers, which are fetched ahead.
func (r *ring) skipLong(h Handler, told *ahead) {
	mask := len(r.buf) - 1
	for {
		r.head++
		if r.head%fetchLen == 0 && r.len() > 2*fetchLen {
			i := int(r.head+fetchLen) & mask // they do not wrap: a ring is a multiple of them
			told.tell(r.buf[i : i+fetchLen])
		}
		if r.head == r.tail || h.Live(r.buf[int(r.head)&mask].event()) {
			return
		}
	}
}
