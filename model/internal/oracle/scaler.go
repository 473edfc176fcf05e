package oracle

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// scaler is an autoscaler: it looks at a gauge now and then and adjusts replicas or slots.
type scaler struct {
	kernel.Scaler
	w     *world
	units []*unit
}

// unit is one thing that a scaler adjusts: a tier, or one replica of it.
type unit struct {
	params []int      // what is set
	look   []*replica // whose gauges are looked at, those of them that are active
	before []totals   // their integrals at the last look
	wishes []wish
}

type wish struct {
	at sim.Time
	n  int
}

func newScaler(w *world, spec kernel.Scaler) *scaler {
	s := &scaler{Scaler: spec, w: w}
	tier, metric := w.plan.Tiers[spec.Tier], w.plan.Tiers[spec.Metric]
	own := w.replicas[tier.First : tier.First+tier.Count]
	seen := w.replicas[metric.First : metric.First+metric.Count]
	switch {
	case spec.Slots && spec.PerReplica:
		for i := range own {
			s.units = append(s.units, &unit{
				params: []int{own[i].Slots}, look: []*replica{seen[i]},
			})
		}
	case spec.Slots:
		u := &unit{look: seen}
		for _, r := range own {
			u.params = append(u.params, r.Slots)
		}
		s.units = append(s.units, u)
	default:
		s.units = append(s.units, &unit{params: []int{tier.Active}, look: seen})
	}
	for _, u := range s.units {
		u.before = make([]totals, len(u.look))
	}
	return s
}

func (s *scaler) begin() { s.w.at(s.w.now+s.Every, s.act) }

func (s *scaler) act() {
	var wants []int
	for _, u := range s.units {
		wants = append(wants, s.want(u, s.look(u)))
	}
	s.w.after(s.Delay, func() {
		for i, u := range s.units {
			s.w.adjust(u.params, wants[i])
		}
	})
	s.begin()
}

// look reads a unit's gauge: the average since the last look, per replica.
func (s *scaler) look(u *unit) float64 {
	var sum totals
	n := 0
	for i, r := range u.look {
		now := r.integrals()
		since := now.minus(u.before[i])
		u.before[i] = now
		if s.PerReplica || r.isActive() {
			sum = sum.plus(since)
			n++
		}
	}
	return gaugeOf(s.Gauge, sum, float64(s.Every)*float64(max(n, 1)))
}

// gaugeOf is a gauge's average over a time in which it added up to so much.
func gaugeOf(gauge kernel.Gauge, t totals, span float64) float64 {
	switch gauge {
	case kernel.GaugeUtilization:
		if t.slots == 0 {
			return 0
		}
		return t.busy / t.slots
	case kernel.GaugeBusy:
		return t.busy / span
	case kernel.GaugeInLine:
		return t.line / span
	case kernel.GaugeInSystem:
		return t.system / span
	}
	return t.slots / span
}

// want is Kubernetes' rule. The hair off the product keeps 3 x 1.0000000000000002 at 3.
func (s *scaler) want(u *unit, gauge float64) int {
	current := int(s.w.fields[u.params[0]].spec.Base)
	n := current
	if ratio := gauge / s.Target; math.Abs(ratio-1) > s.Tolerance {
		n = int(math.Ceil(float64(float64(current)*ratio) - 1e-9))
	}
	n = min(max(n, s.Min), s.Max)
	u.wishes = append(u.wishes, wish{at: s.w.now, n: n})
	if n >= current {
		return n
	}
	highest := n
	for _, x := range u.wishes {
		if x.at >= s.w.now-s.DownWindow {
			highest = max(highest, x.n)
		}
	}
	return min(highest, current)
}

// adjust gives fields a new base.
func (w *world) adjust(params []int, n int) {
	for _, p := range params {
		f := w.fields[p]
		if f.spec.Base == float64(n) {
			continue
		}
		w.before(f)
		f.spec.Base = float64(n)
		w.acted(f)
	}
}
