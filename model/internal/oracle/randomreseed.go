package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
)

// reseeds let chance of some plans follow from other seeds from some times on.
func (m *maker) reseeds() {
	if !m.rarely() {
		return
	}
	p := m.Plan
	for range 1 + m.below(3) {
		at := m.time(int(p.End.Seconds() * 1000))
		if m.chance(0.3) {
			at -= at % p.Window
		}
		p.Reseeds = append(p.Reseeds, kernel.Reseed{At: at, Seed: m.r.Uint64()})
	}
	slices.SortStableFunc(p.Reseeds, func(a, b kernel.Reseed) int { return int(a.At - b.At) })
}
