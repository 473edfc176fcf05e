package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// hpa adds pods of a tier and of others that are as large.
func (m *maker) hpa(tier int, every sim.Time) *kernel.HPA {
	count := m.Plan.Tiers[tier].Count
	h := &kernel.HPA{Tiers: []int{tier}, Behind: m.below(3), Settings: m.hpaSettings(count)}
	for i, t := range m.Plan.Tiers {
		if i != tier && t.Count == count && m.chance(0.5) {
			h.Tiers = append(h.Tiers, i)
		}
	}
	// Fewer than there can be at the start, so that there is a way up.
	if first := 1 + m.below(count); m.chance(0.7) {
		for _, t := range h.Tiers {
			m.Plan.Params[m.Plan.Tiers[t].Active].Base = float64(first)
		}
	}
	h.Settings.CPUInitialization = every * sim.Time(m.below(10))
	for range 1 + m.below(2) {
		h.Metrics = append(h.Metrics, m.hpaMetric(h.Tiers))
	}
	return h
}

// hpaMetric is a metric of all containers, of one, or a gauge of one.
func (m *maker) hpaMetric(tiers []int) kernel.HPAMetric {
	if m.chance(0.3) {
		return kernel.HPAMetric{Target: 200 + m.below(2000), Average: true, Of: []kernel.HPAPart{{
			Tier: tiers[m.below(len(tiers))], Gauge: kernel.Gauge(m.below(4)), Unit: 1000,
		}}}
	}
	x := kernel.HPAMetric{Target: 20 + m.below(100), CPU: true}
	if m.chance(0.5) {
		tiers = tiers[m.below(len(tiers)):][:1]
	}
	for _, t := range tiers {
		x.Of = append(x.Of, kernel.HPAPart{
			Tier: t, Gauge: kernel.GaugeBusy, Unit: 300 * m.r.Float64(),
			Request: int64(50 + m.below(400)),
		})
	}
	return x
}

func (m *maker) hpaSettings(count int) policies.HPASettings {
	s := policies.HPASettings{
		Min: 1, Max: count, NoBehavior: m.chance(0.3), InitialReadiness: m.time(100),
		Tolerance: policies.HPATolerance{Down: 0.1, Up: 0.2, Older: m.chance(0.5)},
	}
	for _, rules := range []*policies.HPARules{&s.ScaleUp, &s.ScaleDown} {
		rules.Select = policies.HPASelect(m.below(3))
		if m.chance(0.5) {
			rules.Window = m.time(200)
		}
		for range m.below(3) {
			rules.Policies = append(rules.Policies, policies.HPARule{
				Percent: m.chance(0.5), Value: 1 + m.below(150), Period: m.time(200),
			})
		}
	}
	return s
}

// RandomPods makes a plan about an HPA: two tiers that are as large, in one pod or not, under a
// load that comes and goes, with many looks and some pods that pause.
func RandomPods(r *sim.Stream) *kernel.Plan {
	m := &maker{Builder: NewBuilder(sim.Second), r: r, grid: r.Float64() < 0.5, wild: 0.1}
	m.Plan.Window = sim.Time(10+m.below(90)) * sim.Millisecond
	spec := m.tier()
	spec.Slots = 1 + m.below(3)
	for range 1 + m.below(6) {
		spec.Weights = append(spec.Weights, 1)
	}
	for _, name := range []string{"side", "app"} {
		m.Tier(name, spec)
	}
	for tier := range m.Plan.Tiers {
		for e := range spec.Endpoints {
			m.program(tier, e)
		}
	}
	m.client(0)
	m.change(m.Plan.Clients[0].Rate)
	for i := range m.Plan.Replicas {
		if m.chance(0.4) {
			m.pause(i, 1)
		}
	}
	s := kernel.Scaler{Tier: m.below(2), Every: max(m.time(40), sim.Millisecond/5)}
	if m.chance(0.5) {
		s.Delay = m.time(60)
	}
	s.HPA = m.hpa(s.Tier, s.Every)
	m.Plan.Scalers = append(m.Plan.Scalers, s)
	m.everything()
	return m.Build()
}
