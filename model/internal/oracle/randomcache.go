package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// lookup is a cache step with what it does on a miss.
func (m *maker) lookup(tier int) []kernel.Step {
	n := 1 + m.below(20)
	c := kernel.Cache{
		Tier: tier, PerReplica: m.chance(0.5), Luck: uint64(m.below(2)),
		Keys: sim.NewZipf(uint64(n), []float64{0, 0.9, 1, 2}[m.below(4)]),
		Each: []float64{1, 1, 3, 2.5}[m.below(4)], Capacity: -1, Join: m.chance(0.6),
	}
	if m.chance(0.6) {
		c.Capacity = m.below(n + 1)
	}
	if m.chance(0.7) {
		c.TTL, c.HasTTL = m.dist(200, true), true
	}
	if m.chance(0.5) {
		c.Negative = m.time(100)
	}
	index := len(m.Plan.Caches)
	m.Plan.Caches = append(m.Plan.Caches, c)
	steps := []kernel.Step{{Verb: kernel.Lookup, Cache: index}}
	for range 1 + m.below(2) {
		s := m.lesser(tier)
		steps = append(steps, s)
		if s.Verb == kernel.Call && m.rarely() {
			steps[len(steps)-1].OnFail, steps[len(steps)-1].Count = kernel.FailFallback, 1
			steps = append(steps, Work(m.dist(5, true)))
		}
	}
	steps = append(steps, kernel.Step{Verb: kernel.Store, Cache: index})
	steps[0].Count = len(steps) - 1
	return steps
}
