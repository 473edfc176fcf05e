package kernel

import "cascadesim/policies"

// fitHosts is the tier without the replicas that the ejector of a call's edge keeps out, and those
// that its caller's probes have found to be down: the tier itself when all are as everybody sees
// them, else one that holds until the next pick.
func (w *world) fitHosts(c *call, t *tier) *tier {
	var ej policies.Ejector
	if c.edge.ejector >= 0 && t == c.edge.home {
		ej = w.ejectorOf(c, t)
	}
	if n, ok := ej.(policies.Counter); ok && c.edge.health == nil && n.Outs(w.now) == 0 {
		return t
	}
	view := view{w: w, c: c, t: t}
	f := &w.fit
	f.p, f.index, f.active, f.even = t.p, t.index, t.active, true
	f.sum, f.rotation, f.rotSum = f.sum[:0], f.rotation[:0], f.rotSum[:0]
	out := 0
	sum, rot, first := 0.0, 0.0, -1.0
	for i := range t.active {
		r := &w.replicas[t.p.First+i]
		weight := w.value[r.p.Weight]
		if ej != nil && ej.Out(w.now, i) {
			out++
			weight = 0
		}
		sum += weight
		f.sum = append(f.sum, sum)
		if weight == 0 || !view.up(r) {
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
	if out == 0 && c.edge.health == nil {
		return t
	}
	if sum == 0 {
		f.sum = f.sum[:0] // nobody is left, by hash neither
	}
	return f
}

// view is world.up for many replicas of a tier: whether so few are in view that it does not matter
// who is up is found out once.
type view struct {
	w             *world
	c             *call
	t             *tier
	known, panics bool
}

func (v *view) up(r *replica) bool {
	h := v.c.edge.health
	if h == nil || r.drained() || !h.viewOf(v.w, v.c, r).down {
		return v.w.up(v.c, r)
	}
	if !v.known {
		v.known, v.panics = true, v.w.panics(v.c, v.t)
	}
	return v.panics
}

// ejectorOf is the ejector that a call's edge asks, which knows how many replicas there are.
func (w *world) ejectorOf(c *call, t *tier) policies.Ejector {
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
	return ej
}
