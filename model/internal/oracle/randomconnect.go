package oracle

import "cascadesim/model/internal/kernel"

// connections lets attempts of some edges need one.
func (m *maker) connections() {
	for i := range m.Plan.Edges {
		if !m.rarely() {
			continue
		}
		c := &kernel.Connections{
			Connect: m.dist(10, true), Idle: m.below(4) - 1, Multiplexed: m.chance(0.3),
		}
		if m.chance(0.5) {
			c.Handshake = m.Plan.AddHandshake(m.dist(5, true))
		}
		m.Plan.Edges[i].Connections = c
	}
}
