package lint

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// clock is a live time of the plan as it stands at first, in seconds; infinite: none.
func (l *linter) clock(param int) float64 {
	if v := l.w.Params[param].Base; v >= 0 && v < float64(sim.Never) {
		return v / 1e9
	}
	return math.Inf(1)
}

// blocking is the longest time that a call over an edge keeps its caller: tries and the waits
// between them, or the overall timeout.
func (l *linter) blocking(e int) float64 {
	one := l.attempt(e)
	all := one
	if h := &l.hops[e]; h.tries != 1 {
		all = math.Inf(1)
		if h.tries > 0 {
			all = float64(float64(h.tries)*one) + h.waits
		}
	}
	return min(all, l.clock(l.w.Edges[e].Overall))
}

// attempt is the longest time that one try can take.
func (l *linter) attempt(e int) float64 {
	edge := &l.w.Edges[e]
	longest := 0.0
	for _, n := range l.g.targets(l.g.callOf[e]) {
		longest = max(longest, l.holds(n))
	}
	way := l.longest(l.w.Params[edge.Latency].Dist)
	return min(longest+2*way, l.clock(edge.Try))
}

// longest is the greatest value of a distribution; infinite: it has none.
func (l *linter) longest(d sim.Dist) float64 {
	if t, ok := d.Const(); ok {
		return t.Seconds()
	}
	return math.Inf(1)
}

// holds is the longest time that an endpoint keeps an attempt: waiting for a slot, then its steps.
func (l *linter) holds(n node) float64 {
	t := &l.w.Tiers[n.tier]
	sum := 0.0
	for r := t.First; r < t.First+t.Count; r++ {
		p := &l.w.Replicas[r]
		switch {
		case l.w.Params[p.Slots].Base < 0 || l.w.Params[p.LineLimit].Base == 0:
		case p.HasPatience:
			sum = max(sum, l.longest(p.Patience))
		default:
			sum = math.Inf(1)
		}
	}
	steps := l.g.steps(n)
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		if s.Verb != kernel.Parallel {
			sum += l.lasts(s)
			continue
		}
		side := 0.0
		for range s.Count {
			i++
			side = max(side, l.lasts(&steps[i]))
		}
		sum += side
	}
	return sum
}

// lasts is the longest time that one step takes.
func (l *linter) lasts(s *kernel.Step) float64 {
	switch s.Verb {
	case kernel.Work:
		if s.PerInFlight > 0 || s.Crowd != nil {
			return math.Inf(1)
		}
		return l.longest(s.Time)
	case kernel.Call:
		return product(float64(s.Times), l.blocking(s.Edge))
	}
	return 0
}
