package kernel

import "math"

// lowest knows which replicas of a rotation hold the fewest attempts, without looking at all of
// them: a binary tree over their places, in an array, each node the lowest of the two below it.
type lowest struct {
	size int     // leaves, a power of two; 0: it is not kept
	tree []int32 // the root is at 1, the children of i at 2i and 2i+1, the leaves from size on
}

// nobody holds as many: a leaf without a replica, or one that is left out.
const nobody = math.MaxInt32

// keep begins anew with what the replicas of a rotation hold now.
func (l *lowest) keep(rotation []*replica) {
	for l.size = 1; l.size < len(rotation); { // a power of two
		l.size *= 2
	}
	l.tree = append(l.tree[:0], make([]int32, 2*l.size)...)
	for k := range l.size {
		l.tree[l.size+k] = nobody
		if k < len(rotation) {
			l.tree[l.size+k] = int32(rotation[k].inSystem)
		}
	}
	for i := l.size - 1; i > 0; i-- {
		l.tree[i] = min(l.tree[2*i], l.tree[2*i+1])
	}
}

// set says how many the replica at a place holds.
func (l *lowest) set(place int, holds int32) {
	i := l.size + place
	l.tree[i] = holds
	for i > 1 {
		i /= 2
		least := min(l.tree[2*i], l.tree[2*i+1])
		if l.tree[i] == least {
			return
		}
		l.tree[i] = least
	}
}

// many replicas are not looked at one by one to find the one that holds the fewest.
const many = 64

// keepLowest begins to keep a tier's lowest, where that is faster than looking at all and weights
// do not count. From then on attempts come to the tier and leave it where that is told.
func (t *tier) keepLowest() {
	if !t.even || len(t.rotation) <= many {
		return
	}
	t.lowest.keep(t.rotation)
	t.apart, t.live.open, t.live.plain = true, false, false
}

// tellLowest keeps what a replica holds known where that is asked.
func (r *replica) tellLowest() {
	if l := &r.tier.lowest; l.size > 0 && r.place >= 0 {
		l.set(r.place, int32(r.inSystem))
	}
}

// first is the first place of the lowest from a place on, counted round, leaving out place skip,
// which is not the only one.
func (l *lowest) first(from, skip int) int {
	if skip >= 0 {
		holds := l.tree[l.size+skip]
		l.set(skip, nobody)
		k := l.first(from, -1)
		l.set(skip, holds)
		return k
	}
	least := l.tree[1]
	i := l.size + from
	for l.tree[i] != least {
		for i&1 == 1 { // nothing on the right of it under the same parent
			i /= 2
		}
		if i == 0 {
			i = 1 // round: from the first
			break
		}
		i++
	}
	for i < l.size {
		if i *= 2; l.tree[i] != least {
			i++
		}
	}
	return i - l.size
}
