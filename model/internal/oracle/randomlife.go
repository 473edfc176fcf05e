package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// life adds replicas that crash by themselves and changes that wait for a measure.
func (m *maker) life() {
	if m.rarely() {
		m.crashes()
	}
	if m.rarely() {
		m.triggers()
	}
	if m.rarely() {
		m.controls()
	}
	if m.rarely() {
		m.memories()
	}
	m.coldTiers()
}

func (m *maker) crashes() {
	tier := m.below(len(m.Plan.Tiers))
	t := m.Plan.Tiers[tier]
	c := kernel.Crash{
		Tier: tier, Down: m.dist(60, false), Flows: kernel.Reset + kernel.Flows(m.below(2)),
	}
	over, above, limit := m.over(), m.chance(0.8), m.r.Float64()
	gauge := m.chance(0.5)
	for k := range t.Count {
		x := kernel.Watch{Over: over, Above: above, Unit: 1e-9, Limit: 400 * limit}
		x.Top = []kernel.Term{{Of: kernel.OfReplica, Index: t.First + k, Endpoint: -1}}
		if gauge {
			x.Top[0] = kernel.Term{
				Of: kernel.OfGauge, Index: t.First + k, Count: int(kernel.GaugeInSystem),
			}
			x.Unit, x.Limit = 1, 3*limit
		}
		c.When = append(c.When, x)
	}
	m.Plan.Crashes = append(m.Plan.Crashes, c)
}

// over is a length of time that looks divide.
func (m *maker) over() sim.Time { return kernel.Looks * m.time(8) }

// triggers lets some of the timeline wait for measures.
func (m *maker) triggers() {
	for i := range 1 + m.below(3) {
		t := kernel.Trigger{Name: "t", Nominal: m.when(), Lasts: sim.Never}
		if i > 0 && m.chance(0.3) {
			t.Follows = m.below(i)
		} else {
			x := m.watch()
			t.When, t.From = &x, m.when()/2
			if t.Chained = i > 0 && m.chance(0.5); t.Chained {
				t.Follows, t.Arm, t.From = m.below(i), m.time(30), 0
			}
		}
		if m.chance(0.5) {
			t.After = m.time(30)
		}
		m.Plan.Triggers = append(m.Plan.Triggers, t)
	}
	for i := range m.Plan.Pauses {
		if p := &m.Plan.Pauses[i]; m.chance(0.5) {
			p.Trigger = 1 + m.below(len(m.Plan.Triggers))
			m.earlier(p.Trigger, p.From)
		}
	}
	waits := map[[2]int]int{} // by param and layer
	for i := range m.Plan.Changes {
		c := &m.Plan.Changes[i]
		key := [2]int{c.Param, c.Layer}
		if _, known := waits[key]; !known {
			waits[key] = 0
			if m.chance(0.5) {
				waits[key] = 1 + m.below(len(m.Plan.Triggers))
			}
		}
		if c.Trigger = waits[key]; c.Trigger > 0 {
			m.earlier(c.Trigger, c.At)
		}
	}
}

// earlier makes sure that nothing of a trigger is planned before it.
func (m *maker) earlier(trigger int, at sim.Time) {
	t := &m.Plan.Triggers[trigger-1]
	t.Nominal = min(t.Nominal, at)
}

// watch is a condition on anything.
func (m *maker) watch() kernel.Watch {
	x := kernel.Watch{Over: m.over(), Above: m.chance(0.6), Unit: 1e-9, Limit: m.r.Float64()}
	term := func(of kernel.TermOf, n, count int) kernel.Term {
		return kernel.Term{Of: of, Index: m.below(n), Endpoint: -1, Count: count}
	}
	clients, edges, replicas := len(m.Plan.Clients), len(m.Plan.Edges), len(m.Plan.Replicas)
	switch m.below(6) {
	case 0:
		x.Top = []kernel.Term{term(kernel.OfClient, clients, 2+m.below(6))}
		x.Bottom = []kernel.Term{x.Top[0]}
		x.Bottom[0].Count = kernel.ClientEnded
	case 1:
		x.Top = []kernel.Term{term(kernel.OfEdge, edges, m.below(kernel.EdgeOutcome+7))}
		if x.Top[0].Count == kernel.EdgeOutcome+int(policies.Refused) {
			x.Top[0].Count = kernel.EdgeRefused
		}
		x.Bottom = []kernel.Term{term(kernel.OfEdge, edges, kernel.EdgeEnded)}
	case 2:
		x.Top = []kernel.Term{term(kernel.OfReplica, replicas, m.below(9)),
			term(kernel.OfClient, clients, 0)}
		x.Top[0].Endpoint = m.below(2) - 1
		x.Limit *= 200
	case 3:
		x.Top = []kernel.Term{term(kernel.OfGauge, replicas, int(kernel.GaugeBusy))}
		x.Bottom = []kernel.Term{x.Top[0]}
		x.Bottom[0].Count = int(kernel.GaugeSlots)
	case 4:
		x.Top = []kernel.Term{term(kernel.OfGauge, replicas, 1+m.below(5))}
		x.Unit, x.Limit = 1, 2*x.Limit
	default:
		x.Top = []kernel.Term{term(kernel.OfEdge, edges, 0)}
		if m.chance(0.5) {
			x.Top[0] = term(kernel.OfClient, clients, 0)
		}
		x.Quantile = []float64{0.5, 0.99}[m.below(2)]
		x.Limit *= 50e6
	}
	return x
}

// coldTiers lets replicas of some tiers be slow while they are new.
func (m *maker) coldTiers() {
	for i := range m.Plan.Tiers {
		if m.rarely() {
			m.Plan.Tiers[i].Cold = &kernel.Cold{
				Slow: 1 + float64(4*m.r.Float64()), For: 1 + m.time(200), AtStart: m.chance(0.5),
			}
		}
	}
}

// memories lets replicas of a tier run out of memory.
func (m *maker) memories() {
	m.Plan.Crashes = append(m.Plan.Crashes, kernel.Crash{
		Tier: m.below(len(m.Plan.Tiers)), Most: 1 + m.below(8), Down: m.dist(60, false),
		Flows: kernel.Reset + kernel.Flows(m.below(2)),
	})
}
