package oracle

import "cascadesim/model/internal/kernel"

// coldness is how many times as long as usual work takes while the replica is new.
func (r *replica) coldness() float64 {
	cold := r.tier().Cold
	if cold == nil {
		return 1
	}
	left := cold.For - (r.w.now - r.began)
	if left <= 0 {
		return 1
	}
	return 1 + float64((cold.Slow-1)*float64(left))/float64(cold.For)
}

// doubt has a replica's memory looked at once this event is over.
func (r *replica) doubt() {
	for _, rule := range r.w.plan.Crashes {
		if rule.Tier == r.Tier && rule.When == nil && !r.doubted && r.overfull(rule) {
			r.doubted = true
			r.w.at(r.w.now, func() {
				r.doubted = false
				if r.overfull(rule) {
					r.w.crash(&pause{replicas: []*replica{r}, flows: rule.Flows}, rule.Down)
				}
			})
		}
	}
}

func (r *replica) overfull(rule kernel.Crash) bool {
	return len(r.system)+len(r.backlog) > rule.Most
}
