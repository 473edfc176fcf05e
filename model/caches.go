package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Bounds of caches. A kept key takes some 40 bytes.
const (
	mostKeys     = 1_000_000_000
	mostKept     = 50_000_000 // at the scale of the run, in all stores of a cache
	mostExponent = 10
)

// checkCache checks a cache step.
func (n *names) checkCache(path string, c *Cache, branch bool) {
	if branch {
		n.errorf(path, "not in this version: a cache within a parallel list").
			hint("put it before or after the list, or into a tier of its own")
	}
	n.count(path+".keys.count", c.Keys.Count, 1)
	if c.Keys.Count > mostKeys {
		n.errorf(path+".keys.count", "%s; expected at most %s", unit.Count(c.Keys.Count),
			unit.Count(mostKeys))
	}
	if !(c.Keys.Zipf >= 0 && c.Keys.Zipf <= mostExponent) {
		n.errorf(path+".keys.zipf", "%v; expected an exponent from 0 to %d", c.Keys.Zipf, mostExponent)
	}
	n.limit(path+".capacity", c.Capacity, 1)
	n.word(path+".scope", c.Scope, "replica", "tier")
	n.length(path+".negative_ttl", c.Negative)
	if len(c.Miss) == 0 {
		n.errorf(path+".miss", "expected the steps that fetch a key")
	}
	if holdsCache(c.Miss) {
		n.errorf(path+".miss", "a cache within the fetch of another").
			hint("put the second level into a tier of its own, with keys of the same name")
	}
	n.checkSteps(path+".miss", c.Miss, false)
}

// holdsCache tells whether there is a cache among steps or within them.
func holdsCache(steps []Step) bool {
	for i := range steps {
		s := &steps[i]
		if s.Cache != nil || holdsCache(s.Parallel) || s.Call != nil && holdsCache(s.Call.Fallback) {
			return true
		}
	}
	return false
}

// cache compiles a cache step; next is the call site of the first call of its fetch.
func (c *compiler) cache(tier int, d *Cache, next int) int {
	index, at := len(c.p.Caches), len(c.p.Programs)
	path := "tiers." + c.n.t.Tiers[tier].Name
	k := kernel.Cache{
		Tier: tier, PerReplica: d.Scope != "tier", Each: c.scale.by,
		Keys:     sim.NewZipf(uint64(d.Keys.Count), d.Keys.Zipf),
		Capacity: c.count(path+".steps.cache.capacity", d.Capacity, "keys"),
		Negative: d.Negative, Join: d.Coalesce,
	}
	if d.TTL != nil {
		k.TTL, k.HasTTL = *d.TTL, true
	}
	if d.Keys.Name != "" {
		k.Luck = kernel.KeySpace(d.Keys.Name)
	}
	kept := float64(d.Keys.Count) / c.scale.by
	if k.Capacity >= 0 {
		kept = min(kept, float64(k.Capacity))
	}
	if k.PerReplica {
		kept *= float64(c.p.Tiers[tier].Count)
	}
	if kept > mostKept {
		c.doubt(path, "its caches can come to hold "+plain(kept)+" keys, which take "+
			plain(float64(int(kept*40/(1<<30))))+" GB; run it at a smaller --scale")
	}
	c.p.Caches = append(c.p.Caches, k)
	c.p.Programs = append(c.p.Programs, kernel.Step{Verb: kernel.Lookup, Cache: index})
	next = c.steps(tier, d.Miss, next)
	c.p.Programs = append(c.p.Programs, kernel.Step{Verb: kernel.Store, Cache: index})
	c.p.Programs[at].Count = len(c.p.Programs) - at - 1
	return next
}
