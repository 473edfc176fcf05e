package model

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// hpa compiles what decides on the number of a tier's pods.
func (c *compiler) hpa(a *Autoscale) *kernel.HPA {
	h := a.HPA
	k := &kernel.HPA{Settings: hpaSettings(a), Behind: int(h.MetricsAge / a.Every)}
	for i := range h.Containers {
		k.Tiers = append(k.Tiers, c.n.places[h.Containers[i].Name].index)
	}
	for i := range h.Metrics {
		k.Metrics = append(k.Metrics, c.hpaMetric(h, &h.Metrics[i]))
	}
	return k
}

func hpaSettings(a *Autoscale) policies.HPASettings {
	h := a.HPA
	tolerance := float64(a.Tolerance)
	s := policies.HPASettings{
		Min: a.Min, Max: a.Max, CPUInitialization: h.CPUInitialization,
		InitialReadiness: policies.DefaultHPA.InitialReadiness,
		Tolerance: policies.HPATolerance{
			Down: tolerance, Up: tolerance, Older: h.ToleranceTest == "older",
		},
		NoBehavior: h.Behavior == nil,
	}
	s.ScaleDown.Window = a.DownWindow
	if b := h.Behavior; b != nil {
		s.ScaleUp = hpaRules(&b.ScaleUp, policies.DefaultHPA.ScaleUp)
		down := policies.DefaultHPA.ScaleDown
		down.Window = a.DownWindow
		s.ScaleDown = hpaRules(&b.ScaleDown, down)
		if t := b.ScaleUp.Tolerance; t != nil {
			s.Tolerance.Up = float64(*t)
		}
		if t := b.ScaleDown.Tolerance; t != nil {
			s.Tolerance.Down = float64(*t)
		}
	}
	return s
}

// hpaRules fills in what a file leaves out, as Kubernetes does.
func hpaRules(r *HPARules, out policies.HPARules) policies.HPARules {
	if r.StabilizationWindow != nil {
		out.Window = *r.StabilizationWindow
	}
	switch r.SelectPolicy {
	case "", "max":
		out.Select = policies.HPAMost
	case "min":
		out.Select = policies.HPALeast
	case "disabled":
		out.Select = policies.HPADisabled
	default:
		panic("model: unknown word for select_policy " + r.SelectPolicy)
	}
	if len(r.Policies) == 0 {
		return out
	}
	out.Policies = nil
	for _, p := range r.Policies {
		out.Policies = append(out.Policies, policies.HPARule{
			Percent: p.Type == "percent", Value: p.Value, Period: p.Period,
		})
	}
	return out
}

// hpaMetric compiles a metric. What one busy slot counts for grows as the system shrinks, so that
// pods of the simulated system show what the real ones would.
func (c *compiler) hpaMetric(h *HPA, m *HPAMetric) kernel.HPAMetric {
	if m.Type == "pods" {
		part := kernel.HPAPart{
			Tier: c.n.places[m.Container].index, Gauge: gaugeOf(m.Gauge), Unit: 1000 * c.scale.by,
		}
		if part.Gauge == kernel.GaugeUtilization {
			part.Unit = 1000
		}
		return kernel.HPAMetric{
			Target: int(math.Round(1000 * m.AverageValue)), Average: true, Of: []kernel.HPAPart{part},
		}
	}
	out := kernel.HPAMetric{
		Target: int(math.Round(100 * float64(m.AverageUtilization))), CPU: true,
	}
	for i := range h.Containers {
		x := &h.Containers[i]
		if m.Container != "" && x.Name != m.Container {
			continue
		}
		out.Of = append(out.Of, kernel.HPAPart{
			Tier: c.n.places[x.Name].index, Gauge: kernel.GaugeBusy,
			Unit: float64(x.Value.PerSlot) * c.scale.by, Request: int64(x.Value.Request),
		})
	}
	return out
}
