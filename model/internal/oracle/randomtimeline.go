package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// disturb adds a timeline.
func (m *maker) disturb() {
	for range m.below(1 + int(12*m.wild)) {
		m.change(m.below(len(m.Plan.Params)))
	}
	if m.rarely() {
		m.tierFault()
	}
	slices.SortStableFunc(m.Plan.Changes, func(a, b kernel.Change) int {
		return int(a.At - b.At)
	})
	for _, t := range m.Plan.Tiers {
		switch {
		case !m.rarely():
		case m.chance(0.5):
			m.pause(t.First, t.Count)
		default:
			m.pause(t.First+m.below(t.Count), 1)
		}
	}
	if m.rarely() {
		m.crashFault()
	}
	if m.rarely() {
		m.scaler()
	}
}

// crashFault takes a share of a tier's replicas down, whether they are paused or not.
func (m *maker) crashFault() {
	t := m.Plan.Tiers[m.below(len(m.Plan.Tiers))]
	from := m.when()
	m.Plan.Pauses = append(m.Plan.Pauses, kernel.Pause{
		From: from, To: from + m.time(100), First: t.First, Count: t.Count, Fresh: true,
		Flows: kernel.Reset + kernel.Flows(m.below(2)), Share: m.r.Float64(),
	})
}

// when is an instant of the run.
func (m *maker) when() sim.Time {
	t := sim.Time(m.r.Intn(uint64(m.Plan.End)))
	if m.grid {
		t -= t % sim.Millisecond
	}
	return t
}

// layer puts one layer on a param, mostly for a while. A ramp is three values of one layer.
func (m *maker) layer(param int, op kernel.Op, values ...float64) {
	m.layerOf(kernel.Change{Param: param, Op: op}, values...)
}

func (m *maker) layerOf(c kernel.Change, values ...float64) {
	m.layers++
	c.Layer = m.layers
	c.At = m.when()
	c.Mark = true
	for _, v := range values {
		c.Value = v
		m.Plan.Changes = append(m.Plan.Changes, c)
		c.Mark = false
		c.At += m.time(50)
	}
	if m.chance(0.7) {
		c.Op = kernel.Lift
		m.Plan.Changes = append(m.Plan.Changes, c)
	}
}

// change puts a layer that fits on a param.
func (m *maker) change(param int) {
	p := m.Plan.Params[param]
	factor := []float64{0.5, 0.3, 1.5, 2, 3}[m.below(5)]
	switch {
	case p.Field == kernel.FieldLink:
		m.layer(param, kernel.Replace, float64(1+m.below(4))) // as files must
	case p.Field == kernel.FieldDist && m.chance(0.4) && !ends(p.Path, ".reply_latency"):
		m.layerOf(kernel.Change{Param: param, Op: kernel.Replace, Dist: m.dist(10, true)}, 0)
	case p.Field == kernel.FieldDist && m.chance(0.5):
		m.layer(param, kernel.Add, float64(m.time(5)))
	case p.Field == kernel.FieldDist:
		m.layer(param, kernel.Multiply, factor)
	default:
		m.changeNumber(param, factor)
	}
}

// The fields that are shares, statuses and so on are known by the end of their path.
func (m *maker) changeNumber(param int, factor float64) {
	p := m.Plan.Params[param]
	switch {
	case ends(p.Path, ".status"):
		m.layer(param, kernel.Replace, []float64{400, 500, 502, 504}[m.below(4)])
	case ends(p.Path, ".errors"), ends(p.Path, ".loss"), ends(p.Path, ".replies_lost"):
		m.layer(param, kernel.Combine, m.r.Float64()/2)
	case ends(p.Path, ".share"), ends(p.Path, ".enabled"):
		m.layer(param, kernel.Replace, m.r.Float64(), m.r.Float64(), m.r.Float64())
	case ends(p.Path, ".retry_after"), ends(p.Path, ".cost"), ends(p.Path, "reject.delay"):
		m.layer(param, kernel.Replace, float64(m.time(6)))
	case ends(p.Path, ".try"), ends(p.Path, ".overall"):
		m.layer(param, kernel.Replace, float64(m.time(60)))
	case p.Field == kernel.FieldActive:
		m.layer(param, kernel.Replace, float64(m.below(4)))
	case p.Whole && m.chance(0.5):
		m.layer(param, kernel.Replace, float64(m.below(6)))
	case p.Whole && m.chance(0.5):
		m.layer(param, kernel.Add, float64(m.below(5)-2))
	case p.Field == kernel.FieldRate:
		m.layer(param, kernel.Multiply, factor, 1, 0.5)
	default:
		m.layer(param, kernel.Multiply, factor)
	}
}

func ends(path, with string) bool {
	return len(path) >= len(with) && path[len(path)-len(with):] == with
}

// tierFault gives one row faults of its own.
func (m *maker) tierFault() {
	i := m.below(len(m.Plan.Rows))
	row := &m.Plan.Rows[i]
	path := m.Plan.Replicas[row.Replica].Name + ".fault"
	row.Slow = m.param(kernel.Param{Path: path + ".slow", Base: 1})
	row.Errors = m.param(kernel.Param{Path: path + ".errors"})
	row.ErrorStatus = m.param(kernel.Param{Path: path + ".status", Base: 599})
	row.Delay = m.param(kernel.Param{Path: path + ".delay", Field: kernel.FieldDist})
	m.layer(row.Slow, kernel.Multiply, 2)
	m.layer(row.Errors, kernel.Combine, 0.3)
	m.layer(row.Delay, kernel.Add, float64(m.time(10)))
}

// pause adds pauses of some replicas that do not overlap.
func (m *maker) pause(first, count int) {
	from := m.when()
	for range 1 + m.below(2) {
		to := from + m.time(100)
		p := kernel.Pause{
			From: from, To: to, First: first, Count: count, Flows: kernel.Flows(m.below(4)),
		}
		if p.Flows != kernel.Keep {
			p.Fresh = m.chance(0.5)
		}
		m.Plan.Pauses = append(m.Plan.Pauses, p)
		from = to + m.time(100)
	}
}

// scaler adds an autoscaler of one tier by its own gauge.
func (m *maker) scaler() {
	tier, metric := m.below(len(m.Plan.Tiers)), m.below(len(m.Plan.Tiers))
	t := m.Plan.Tiers[tier]
	s := kernel.Scaler{
		Tier: tier, Metric: metric, Gauge: kernel.Gauge(m.below(5)), Target: 0.3 + m.r.Float64(),
		Min: 1, Max: t.Count, Every: max(sim.Millisecond, m.time(80)), // else a run is all looks
		Tolerance: 0.1, DownWindow: m.time(200),
	}
	if m.chance(0.5) {
		s.Delay = m.time(60)
	}
	if m.chance(0.5) {
		s.HPA = m.hpa(tier, s.Every)
		m.Plan.Scalers = append(m.Plan.Scalers, s)
		return
	}
	limited := m.Plan.Params[m.Plan.Replicas[t.First].Slots].Base > 0
	if s.Slots = limited && m.chance(0.5); s.Slots {
		s.Max = 5
		s.PerReplica = m.Plan.Tiers[metric].Count == t.Count && m.chance(0.5)
	}
	m.Plan.Scalers = append(m.Plan.Scalers, s)
}
