package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// health lets callers of some edges probe, and routes follow what they find.
func (m *maker) health() {
	for i := range m.Plan.Routes {
		if m.chance(0.5) {
			r := &m.Plan.Routes[i]
			r.Spill = kernel.SpillAll + kernel.Spill(m.below(2))
			r.Overprovision = 1 + float64(m.r.Float64()/2)
		}
	}
	for i := range m.Plan.Edges {
		if m.rarely() {
			m.Plan.Edges[i].Health = m.checks(i)
		}
	}
}

func (m *maker) checks(edge int) *kernel.Health {
	h := &kernel.Health{
		Check: kernel.Check(m.below(2)), Shared: m.chance(0.3), Interval: 2 + m.time(40),
		Fall: 1 + m.below(3), Rise: 1 + m.below(3),
	}
	h.Timeout = 1 + sim.Time(m.r.Intn(uint64(h.Interval)))
	if m.grid {
		h.Timeout = min(h.Interval, m.time(20))
	}
	if m.rarely() {
		h.Jitter = m.r.Float64()
	}
	if m.chance(0.5) {
		h.Panic = m.r.Float64()
	}
	for _, target := range m.aims(edge) {
		first := m.Target(m.Plan.Targets[target].Tier, 0)
		if !slices.Contains(h.Targets, first) {
			h.Targets = append(h.Targets, first)
		}
	}
	if h.Check == kernel.CheckSlot {
		h.Step = len(m.Plan.Programs)
		m.Plan.Programs = append(m.Plan.Programs, Work(m.dist(4, true)))
	}
	return h
}

// aims are the targets, no routes, that attempts over an edge can go to.
func (m *maker) aims(edge int) []int {
	p := m.Plan
	var asked []int
	for _, c := range p.Clients {
		if c.Edge == edge {
			asked = append(asked, c.Target)
		}
	}
	for _, s := range p.Programs {
		if s.Verb.Calls() && s.Edge == edge {
			asked = append(asked, s.Target)
		}
	}
	if f := p.Edges[edge].Balance.Failover; f >= 0 {
		asked = append(asked, f)
	}
	var to []int
	for _, target := range asked {
		if r := p.Targets[target].Route; r >= 0 {
			to = append(to, p.Routes[r].To...)
			continue
		}
		to = append(to, target)
	}
	return to
}
