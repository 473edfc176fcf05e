package kernel

// rotate makes a tier's sums anew after weights, pauses or the number of active replicas changed.
func (w *world) rotate(t *tier) {
	t.active = min(int(w.value[t.p.Active]), t.p.Count)
	t.sum, t.rotation, t.rotSum = t.sum[:0], t.rotation[:0], t.rotSum[:0]
	t.even = true
	for i := range t.p.Count {
		w.replicas[t.p.First+i].place = -1
	}
	sum, rot, first := 0.0, 0.0, -1.0
	for i := t.p.First; i < t.p.First+t.active; i++ {
		r := &w.replicas[i]
		weight := w.value[r.p.Weight]
		sum += weight
		t.sum = append(t.sum, sum)
		if r.paused || weight == 0 {
			continue
		}
		rot += weight
		r.place = len(t.rotation)
		t.rotation = append(t.rotation, r)
		t.rotSum = append(t.rotSum, rot)
		if first < 0 {
			first = weight
		}
		t.even = t.even && weight == first
	}
	if t.lowest.size > 0 {
		t.lowest.size = 0
		t.keepLowest()
	}
	for i := range w.targets {
		if pt := &w.p.Targets[i]; pt.Route < 0 && pt.Tier == t.index {
			to := &w.targets[i]
			to.tier, to.endpoint, to.sole = t, int32(pt.Endpoint), nil
			if t.active == 1 && len(t.rotation) == 1 {
				to.sole = t.rotation[0]
			}
		}
	}
}

// weigh makes a route's sums anew.
func (w *world) weigh(r *route) {
	r.sum = r.sum[:0]
	sum := 0.0
	for _, p := range r.p.Weights {
		sum += w.value[p]
		r.sum = append(r.sum, sum)
	}
}
