package stats

import (
	"fmt"
	"math"
	"math/bits"

	"cascadesim/sim"
)

// Histogram counts lengths of time in buckets whose width grows with the value:
//
//	0 1 2 ... 511 | 512 514 ... 1022 | 1024 1028 ... | ...      256 buckets per doubling
//
// so that a bucket is at most 1/256 of its value wide. Buckets live in pages of 128, made when
// first touched: a narrow histogram takes about a kilobyte, an empty one 100 bytes.
//
// The zero value is empty and ready. A copy shares its pages with the original: after copying,
// add to neither, or use Clone.
type Histogram struct {
	pages []*page // those from first on; nil where nothing was counted
	first int
	n     uint64
	sumLo uint64 // the sum of all values, 128 bits wide
	sumHi uint64
	max   sim.Time
	gap   sim.Time // MaxTime less the minimum, so that zero means none yet
	carry []uint16 // buckets that passed 2^32, once for each time
}

const (
	pageBits   = 7
	octaveBits = 8
)

type page [1 << pageBits]uint32

// Add counts v. Values beyond sim.MaxTime count as that; a negative one panics.
func (h *Histogram) Add(v sim.Time) {
	one := [1]sim.Time{v}
	h.AddAll(one[:])
}

// AddAll counts many values. It is faster than to Add one after the other: their buckets, which are
// far apart, are fetched at the same time.
func (h *Histogram) AddAll(values []sim.Time) {
	for n := h.addPlain(values); n < len(values); n += h.addPlain(values[n:]) {
		h.addRare(values[n])
		n++
	}
}

// addPlain counts values up to the first that is out of the ordinary, and returns how many. It
// calls nothing, so that all it needs stays in registers.
func (h *Histogram) addPlain(values []sim.Time) int {
	values = values[:min(len(values), 1<<15)] // whose sum has less than 64 bits
	pages, first := h.pages, h.first
	sum, most, least := uint64(0), h.max, sim.MaxTime-h.gap
	n := 0
	for _, v := range values {
		b := bucketOf(uint64(v))
		i := b>>pageBits - first
		if uint(i) >= uint(len(pages)) {
			break // as always when v is out of range: there are no pages for that
		}
		pg := pages[i]
		if pg == nil {
			break
		}
		c := pg[b&(1<<pageBits-1)] + 1
		if c == 0 {
			break
		}
		pg[b&(1<<pageBits-1)] = c
		sum += uint64(v)
		most, least = max(most, v), min(least, v)
		n++
	}
	var over uint64
	h.sumLo, over = bits.Add64(h.sumLo, sum, 0)
	h.sumHi += over
	h.max, h.gap = most, sim.MaxTime-least
	h.n += uint64(n)
	return n
}

// addRare counts a value that may be out of range, be the first of its page or fill its bucket.
func (h *Histogram) addRare(v sim.Time) {
	if uint64(v) > uint64(sim.MaxTime) {
		v = saturate(v)
	}
	var over uint64
	h.sumLo, over = bits.Add64(h.sumLo, uint64(v), 0)
	h.sumHi += over
	h.max, h.gap = max(h.max, v), max(h.gap, sim.MaxTime-v)
	h.n++
	b := bucketOf(uint64(v))
	c := &h.pageOf(b)[b&(1<<pageBits-1)]
	if *c++; *c == 0 {
		h.carry = append(h.carry, uint16(b))
	}
}

func saturate(v sim.Time) sim.Time {
	if v < 0 {
		panic(fmt.Sprintf("stats: a length of time of %d ns", int64(v)))
	}
	return sim.MaxTime
}

// bucketOf returns the bucket of v; buckets are in the order of their values.
func bucketOf(v uint64) int {
	e := bits.Len64(v|(2<<octaveBits-1)) - octaveBits - 1
	return e<<octaveBits + int(v>>(uint(e)&63)) // & 63 changes nothing but spares a check
}

// bucketAt returns the least value of bucket b and how many values it has.
func bucketAt(b int) (least, width uint64) {
	if b < 2<<octaveBits {
		return uint64(b), 1
	}
	e := b>>octaveBits - 1
	return uint64(b-e<<octaveBits) << uint(e), 1 << uint(e)
}

// pageOf returns the page of bucket b, made if need be.
func (h *Histogram) pageOf(b int) *page {
	p := b >> pageBits
	switch {
	case len(h.pages) == 0:
		h.first = p
	case p < h.first:
		h.pages = append(make([]*page, h.first-p), h.pages...)
		h.first = p
	}
	for p-h.first >= len(h.pages) {
		h.pages = append(h.pages, nil)
	}
	if h.pages[p-h.first] == nil {
		h.pages[p-h.first] = new(page)
	}
	return h.pages[p-h.first]
}

// Count is how many values were added.
func (h *Histogram) Count() uint64 { return h.n }

// Sum is the sum of all values in nanoseconds: exact inside, rounded once to a float.
func (h *Histogram) Sum() float64 { return float64(float64(h.sumHi)*0x1p64) + float64(h.sumLo) }

// Mean is the mean in nanoseconds, NaN when empty.
func (h *Histogram) Mean() float64 {
	if h.n == 0 {
		return math.NaN()
	}
	return h.Sum() / float64(h.n)
}

// Min is the least value, sim.Never when empty.
func (h *Histogram) Min() sim.Time {
	if h.n == 0 {
		return sim.Never
	}
	return sim.MaxTime - h.gap
}

// Max is the greatest value, sim.Never when empty.
func (h *Histogram) Max() sim.Time {
	if h.n == 0 {
		return sim.Never
	}
	return h.max
}

// Quantile is the value below or at which a part q of all values lies, the order statistic of
// rank q*Count rounded up. Inside a bucket it is interpolated, and it never leaves Min and Max:
// the error is below 0.4 %. q at or below 0 gives Min, at or above 1 Max.
//
// An empty histogram gives sim.Never: "p99 below 300ms" must not hold because nobody was
// answered.
func (h *Histogram) Quantile(q float64) sim.Time {
	rank := math.Ceil(q * float64(h.n))
	switch {
	case h.n == 0:
		return sim.Never
	case !(rank > 1):
		return h.Min()
	case rank >= float64(h.n):
		return h.max
	}
	want, below := uint64(rank), uint64(0)
	for i, pg := range h.pages {
		if pg == nil {
			continue
		}
		for j := range pg {
			b := (h.first+i)<<pageBits + j
			c := h.countAt(b, pg[j])
			if below+c >= want {
				return h.inside(b, (float64(want-below)-0.5)/float64(c))
			}
			below += c
		}
	}
	panic("stats: the buckets of a histogram hold fewer values than were added")
}

// inside is the value a part f of the way through bucket b.
func (h *Histogram) inside(b int, f float64) sim.Time {
	least, width := bucketAt(b)
	v := sim.Time(least + uint64(float64(f*float64(width))))
	return min(max(v, h.Min()), h.max)
}

// countAt adds to a stored count what carry knows of its bucket.
func (h *Histogram) countAt(b int, stored uint32) uint64 {
	c := uint64(stored)
	for _, over := range h.carry {
		if int(over) == b {
			c += 1 << 32
		}
	}
	return c
}

// Merge adds all values of o, which stays as it is. Merging in any order gives the same.
func (h *Histogram) Merge(o *Histogram) {
	if o.n == 0 {
		return
	}
	for i, pg := range o.pages {
		if pg == nil {
			continue
		}
		first := (o.first + i) << pageBits
		into := h.pageOf(first)
		for j, c := range pg {
			into[j] += c
			if into[j] < c {
				h.carry = append(h.carry, uint16(first+j))
			}
		}
	}
	h.carry = append(h.carry, o.carry...)
	var over uint64
	h.sumLo, over = bits.Add64(h.sumLo, o.sumLo, 0)
	h.sumHi += o.sumHi + over
	h.n += o.n
	h.max = max(h.max, o.max)
	h.gap = max(h.gap, o.gap)
}

// Clone returns a copy that shares nothing.
func (h *Histogram) Clone() Histogram {
	var c Histogram
	c.Merge(h)
	return c
}

// Reset empties the histogram and keeps its pages for the next window.
func (h *Histogram) Reset() {
	for _, pg := range h.pages {
		if pg != nil {
			*pg = page{}
		}
	}
	*h = Histogram{pages: h.pages, first: h.first, carry: h.carry[:0]}
}
