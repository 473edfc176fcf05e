package kernel

// forRehash is the purpose of the draw that stands in for a key's own; see docs/semantics.md.
const forRehash = 50

// fewest is the replica in rotation that holds the fewest attempts for its weight: the lowest
// (in-system + 1)/weight. Of equals it is the next one in the caller's round, as HAProxy's
// leastconn goes round among servers of the same load.
func (w *world) fewest(c *call, t *tier, skip int) *replica {
	turns := &c.edge.turns[w.roundOf(c, t)]
	n := len(t.rotation)
	if t.lowest.size == 0 && t != &w.fit {
		t.keepLowest()
	}
	if t.lowest.size > 0 {
		k := t.lowest.first(int(*turns)%n, skip)
		*turns = uint32(k + 1)
		return t.rotation[k]
	}
	best := -1
	for i := range n {
		k := (int(*turns) + i) % n
		if k == skip || best >= 0 && !w.fewer(t.rotation[k], t.rotation[best]) {
			continue
		}
		if best = k; t.even && t.rotation[k].inSystem == 0 {
			break // nobody holds fewer
		}
	}
	*turns = uint32(best + 1)
	return t.rotation[best]
}

// fewer tells whether a replica holds fewer attempts than another, each for its weight.
func (w *world) fewer(a, b *replica) bool {
	x := float64(float64(a.inSystem+1) * w.value[b.p.Weight])
	y := float64(float64(b.inSystem+1) * w.value[a.p.Weight])
	return x < y
}

// roundOf is where the turns of a calling replica among those of a tier are.
func (w *world) roundOf(c *call, t *tier) int {
	if c.parent == nil {
		return t.index
	}
	return t.index + c.parent.replica.number*len(w.tiers)
}

// leastWeighed is least where weights differ: as nginx's `random two least_conn` it draws by weight
// and compares what each holds for its weight.
func (w *world) leastWeighed(c *call, t *tier, skip int) *replica {
	d := w.luck(c).Draw(forBalance)
	var best *replica
	for range c.edge.p.Balance.Choices {
		if r := t.weighed(d.Float64(), skip); best == nil || w.fewer(r, best) {
			best = r
		}
	}
	return best
}

// byKey is the replica that a key's draw picks among all that are active; the one given as other is
// left out where there is a second. Who would be out goes elsewhere by another draw, if the edge
// says so: only those who were there move.
func (w *world) byKey(c *call, t *tier, other *replica) *replica {
	if len(t.sum) == 0 {
		return nil
	}
	b := &c.edge.p.Balance
	who := w.keyIdent(c, b.Key).Child(c.edge.p.Luck)
	r := w.upOnly(c, t, choose(t.sum, who.Share(forBalance)))
	if !b.Rehash || r != nil && r != other || len(t.rotation) == 0 {
		return r
	}
	skip := -1
	if other != nil {
		skip = t.placeOf(other)
	}
	if len(t.rotation) == 1 {
		return t.rotation[0]
	}
	return t.weighed(who.Share(forRehash), skip)
}
