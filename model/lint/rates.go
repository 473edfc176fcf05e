package lint

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// flow is what comes over each edge and to each tier, per second of the real system.
type flow struct {
	edge []float64 // calls
	tier []float64 // attempts
	hot  []float64 // of a tier: those of its replica that gets most
	node map[node]float64
}

// rates are the flows at the height of the load when an edge makes factor attempts for each call.
// Chances and weights count as they stand at first.
func (l *linter) rates(factor func(edge int) float64) flow {
	f := flow{make([]float64, len(l.w.Edges)), make([]float64, len(l.w.Tiers)),
		make([]float64, len(l.w.Tiers)), map[node]float64{}}
	var send func(c call, rate, share float64)
	send = func(c call, rate, share float64) {
		f.edge[c.edge] += rate
		attempts := float64(rate * factor(c.edge))
		for _, part := range l.parts(c.target) {
			n, rate := part.node, float64(attempts*part.share)
			at := l.hottest(c.edge, n.tier, share)
			f.tier[n.tier] += rate
			f.node[n] += rate
			f.hot[n.tier] += float64(rate * at)
			for _, next := range l.g.calls(n) {
				send(next, rate*float64(next.times)*next.chance, at)
			}
		}
	}
	for i := range l.w.Clients {
		c := &l.w.Clients[i]
		send(rootCall(c), l.offered(c), 1)
	}
	return f
}

// hottest is the share of an edge's attempts that the replica gets which gets most.
func (l *linter) hottest(e, tier int, above float64) float64 {
	t, balance := &l.w.Tiers[tier], l.w.Edges[e].Balance.Policy
	if balance == kernel.Local {
		return above
	}
	most, sum := 0.0, 0.0
	active := int(l.w.Params[t.Active].Base)
	for r := t.First; r < t.First+min(t.Count, max(1, active)); r++ {
		w := l.w.Params[l.w.Replicas[r].Weight].Base
		most, sum = max(most, w), sum+w
	}
	if sum <= 0 {
		return 1
	}
	return most / sum
}

// part is a node and the share of a call's attempts that goes there.
type part struct {
	node  node
	share float64
}

func (l *linter) parts(target int) []part {
	to := l.w.Targets[target]
	if to.Route < 0 {
		return []part{{node{to.Tier, to.Endpoint}, 1}}
	}
	r := &l.w.Routes[to.Route]
	sum := 0.0
	for _, p := range r.Weights {
		sum += l.w.Params[p].Base
	}
	var out []part
	for k, t := range r.To {
		share := l.w.Params[r.Weights[k]].Base / sum
		for _, p := range l.parts(t) {
			if share > 0 {
				out = append(out, part{p.node, p.share * share})
			}
		}
	}
	return out
}

// offered is a client's requests per second at the height of its load.
func (l *linter) offered(c *kernel.Client) float64 {
	if c.Process == kernel.Closed {
		mean := c.Think[policies.OK].Mean() / 1e9
		if mean <= 0 {
			return 0
		}
		return float64(c.Population) / l.w.Scale / mean
	}
	height := 1.0
	if len(c.Profile) > 0 {
		height = 0
		for _, s := range c.Profile {
			height = max(height, s.From)
		}
	}
	return l.w.Params[c.Rate].Base / l.w.Scale * height
}

// hold is the mean time that an attempt holds a slot of its tier: its own work and, unless the tier
// gives the slot back meanwhile, that of the calls which it awaits, each tried once. In seconds.
func (l *linter) hold(n node) float64 {
	awaits := !l.w.Tiers[n.tier].Async
	steps := l.g.steps(n)
	sum := 0.0
	for i := 0; i < len(steps); i++ {
		s := &steps[i]
		if s.Verb != kernel.Parallel {
			sum += l.takes(s, awaits)
			continue
		}
		side := 0.0
		for range s.Count {
			i++
			side = max(side, l.takes(&steps[i], awaits))
		}
		sum += side
	}
	return sum
}

func (l *linter) takes(s *kernel.Step, awaits bool) float64 {
	switch {
	case s.Verb == kernel.Work:
		return s.Time.Mean() / 1e9
	case s.Verb != kernel.Call || !awaits:
		return 0
	}
	longest := 0.0
	for _, p := range l.parts(s.Target) {
		longest = max(longest, l.hold(p.node))
	}
	way := l.w.Params[l.w.Edges[s.Edge].Latency].Dist.Mean() / 1e9
	return float64(s.Times) * s.Share * (longest + 2*way)
}

// capacity is how many attempts per second one replica of a tier can do, of the real system; its
// mix of endpoints is that of f. What it passes on to a replica of its own bounds it too.
func (l *linter) capacity(tier int, f flow) float64 {
	t := &l.w.Tiers[tier]
	sum, weight := 0.0, 0.0
	for e := range t.Endpoints {
		n := node{tier, e}
		sum, weight = sum+float64(f.node[n]*l.hold(n)), weight+f.node[n]
	}
	best := math.Inf(1)
	if slots := l.w.Params[l.w.Replicas[t.First].Slots].Base; slots >= 0 && sum > 0 {
		best = slots / l.w.Scale / (sum / weight)
	}
	for e := range t.Endpoints {
		for _, c := range l.g.calls(node{tier, e}) {
			if l.w.Edges[c.edge].Balance.Policy == kernel.Local && len(t.Endpoints) == 1 {
				for _, n := range l.g.targets(c) {
					best = min(best, l.capacity(n.tier, f)/float64(c.times))
				}
			}
		}
	}
	return best
}

// room is how many attempts one replica of a tier holds at most, of the real system.
func (l *linter) room(tier int) float64 {
	r := &l.w.Replicas[l.w.Tiers[tier].First]
	limit := func(param int) float64 {
		if v := l.w.Params[param].Base; v >= 0 {
			return v / l.w.Scale
		}
		return math.Inf(1)
	}
	return min(limit(r.InFlight), limit(r.Slots)+limit(r.LineLimit))
}
