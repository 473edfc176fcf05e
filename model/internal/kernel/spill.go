package kernel

// spill is the running sums of a route's weights by the health of its targets, as the caller of a
// call sees it.
func (w *world) spill(c *call, r *route) []float64 {
	sums := w.spilled[:0]
	sum := 0.0
	for i, target := range r.p.To {
		weight := w.value[r.p.Weights[i]]
		health := w.healthOf(c, r, &w.tiers[w.p.Targets[target].Tier])
		switch {
		case r.p.Spill == SpillAll:
			sum += float64(weight * health)
		case weight > 0:
			sum += min(health, 1-sum)
		}
		sums = append(sums, sum)
	}
	w.spilled = sums
	if sum == 0 {
		return r.sum
	}
	return sums
}

// healthOf is what a target of a route can take of its share, at most 1.
func (w *world) healthOf(c *call, r *route, t *tier) float64 {
	if t.active == 0 {
		return 0
	}
	up := float64(w.inView(c, t, true)) / float64(t.active)
	return min(1, float64(r.p.Overprovision*up))
}
