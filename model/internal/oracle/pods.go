package oracle

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// pods is an autoscaler that decides as a Kubernetes HorizontalPodAutoscaler. The decision itself
// is a policy's; here is what it is told and what follows from it.
type pods struct {
	kernel.Scaler
	w       *world
	hpa     *policies.HPA
	pods    []*pod
	looks   int
	history []reading // of all looks
}

// pod is one that is asked for.
type pod struct {
	replicas []*replica // its containers
	begins   sim.Time
}

// reading is what the gauges of all replicas had added up to at a look.
type reading map[*replica]totals

func newPods(w *world, spec kernel.Scaler) *pods {
	s := &pods{Scaler: spec, w: w, hpa: policies.NewHPA(spec.HPA.Settings)}
	for range w.count(w.plan.Tiers[spec.Tier].Active) {
		s.add(-sim.MaxTime)
	}
	s.history = []reading{{}} // at the start all are 0
	return s
}

func (s *pods) begin() { s.w.at(s.w.now+s.Every, s.act) }

func (s *pods) add(begins sim.Time) {
	p := &pod{begins: begins}
	for _, tier := range s.HPA.Tiers {
		p.replicas = append(p.replicas, s.w.replicas[s.w.plan.Tiers[tier].First+len(s.pods)])
	}
	s.pods = append(s.pods, p)
}

func (s *pods) act() {
	s.looks++
	now := reading{}
	for _, r := range s.w.replicas {
		now[r] = r.integrals()
	}
	s.history = append(s.history, now)
	var told []policies.HPAMetric
	for _, m := range s.HPA.Metrics {
		told = append(told, s.tell(m))
	}
	want := s.hpa.Decide(s.w.now, len(s.pods), told)
	more := want > len(s.pods)
	for len(s.pods) < want {
		s.add(s.w.now + s.Delay)
	}
	s.pods = s.pods[:want]
	s.count()
	if more && s.Delay > 0 {
		s.w.after(s.Delay, s.count)
	}
	s.begin()
}

// count sets how many replicas there are.
func (s *pods) count() {
	n := 0
	for _, p := range s.pods {
		if p.begins <= s.w.now {
			n++
		}
	}
	for _, tier := range s.HPA.Tiers {
		s.w.adjust([]int{s.w.plan.Tiers[tier].Active}, n)
	}
}

// tell says of each pod what a metric's sample was, if there is one.
func (s *pods) tell(m kernel.HPAMetric) policies.HPAMetric {
	told := policies.HPAMetric{Target: m.Target, Average: m.Average, CPU: m.CPU}
	look := s.looks - s.HPA.Behind // whose sample it is; the start is none
	for _, p := range s.pods {
		x := policies.HPAPod{
			Started: p.begins, Since: p.turned(), Ready: p.ready(), Pending: !p.runs(),
			Sampled: sim.Time(look) * s.Every, Window: s.Every,
		}
		if look < 1 || x.Sampled <= p.begins {
			x.Missing, x.Sampled = true, 0
		}
		for _, part := range m.Of {
			x.Request += part.Request
			if x.Missing {
				continue
			}
			r := p.container(part.Tier)
			x.Usage += s.usage(part, s.history[look][r].minus(s.history[look-1][r]))
		}
		told.Pods = append(told.Pods, x)
	}
	return told
}

// usage is what a part counts for over one look's time: to the nearest millionth of what it is
// told in, then up to whole ones.
func (s *pods) usage(part kernel.HPAPart, t totals) int64 {
	gauge := gaugeOf(part.Gauge, t, float64(s.Every))
	fine := math.Round(float64(float64(gauge*part.Unit) * 1e6))
	return int64(math.Ceil(fine / 1e6))
}

func (p *pod) container(tier int) *replica {
	for _, r := range p.replicas {
		if r.Tier == tier {
			return r
		}
	}
	panic("oracle: a metric of a tier that is in no pod")
}

func (p *pod) ready() bool {
	for _, r := range p.replicas {
		if r.paused() {
			return false
		}
	}
	return true
}

func (p *pod) runs() bool {
	for _, r := range p.replicas {
		if !r.isActive() {
			return false
		}
	}
	return true
}

// turned is when readiness changed last.
func (p *pod) turned() sim.Time {
	at := p.begins
	for _, r := range p.replicas {
		at = max(at, r.changed)
	}
	return at
}
