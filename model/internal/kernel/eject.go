package kernel

// fitHosts is the tier without the replicas that the ejector of a call's edge keeps out: the tier
// itself when there are none, else one that holds until the next pick.
func (w *world) fitHosts(c *call, t *tier) *tier {
	e := c.edge
	u := &e.p.Stack[e.ejector]
	m := 0
	if !w.p.States[u.State].Single {
		m = w.member(c, u)
	}
	ej := w.played(c, e.ejector).Ejector
	if e.hosts == nil {
		e.hosts = make([]int, w.p.States[u.State].Len)
	}
	if e.hosts[m] != t.active {
		e.hosts[m] = t.active
		ej.Hosts(w.now, t.active)
	}
	f := &w.fit
	f.p, f.index, f.active, f.even = t.p, t.index, t.active, true
	f.sum, f.rotation, f.rotSum = f.sum[:0], f.rotation[:0], f.rotSum[:0]
	out := 0
	sum, rot, first := 0.0, 0.0, -1.0
	for i := range t.active {
		r := &w.replicas[t.p.First+i]
		weight := w.value[r.p.Weight]
		if ej.Out(w.now, i) {
			out++
			weight = 0
		}
		sum += weight
		f.sum = append(f.sum, sum)
		if r.paused || weight == 0 {
			continue
		}
		rot += weight
		f.rotation = append(f.rotation, r)
		f.rotSum = append(f.rotSum, rot)
		if first < 0 {
			first = weight
		}
		f.even = f.even && weight == first
	}
	if out == 0 {
		return t
	}
	if sum == 0 {
		f.sum = f.sum[:0] // nobody is left, by hash neither
	}
	return f
}
