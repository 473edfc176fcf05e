package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// param is what a live field's value follows from; the values in force stand apart, close together:
// world.value, and for distributions world.fixed.
type param struct {
	base   float64
	layers []layer  // in the order in which they began
	factor float64  // product of the layers' factors
	sum    float64  // of their additions
	dist   sim.Dist // of a distribution: in force, factors included; additions are in sum
}

type layer struct {
	id    int
	op    Op
	value float64
	dist  sim.Dist
}

func (w *world) initParams() {
	w.params = make([]param, len(w.p.Params))
	w.value = make([]float64, len(w.params))
	w.fixed = make([]sim.Time, len(w.params))
	for i := range w.params {
		w.params[i].base = w.p.Params[i].Base
		w.inForce(i)
	}
}

// inForce works out a param's value from its base and layers.
func (w *world) inForce(i int) {
	pp, p := &w.p.Params[i], &w.params[i]
	value, dist := p.base, pp.Dist
	kept := 1.0 // share that no independent cause takes
	p.factor, p.sum = 1, 0
	for k := range p.layers {
		switch l := &p.layers[k]; l.op {
		case Replace:
			value, dist = l.value, l.dist
		case Multiply:
			p.factor *= l.value
		case Add:
			p.sum += l.value
		case Combine:
			kept *= 1 - l.value
		case Lift:
		}
	}
	if pp.Field == FieldDist {
		w.distInForce(i, dist)
		return
	}
	if value >= 0 {
		value = max(0, float64(value*p.factor)+p.sum)
		if whole := floor(value + 0.5); pp.Whole && (whole > 0 || value == 0) {
			value = whole
		} else if pp.Whole {
			value = 1 // a count is not rounded away
		}
	}
	if kept != 1 {
		value = 1 - float64((1-min(value, 1))*kept)
	}
	w.value[i] = value
}

// distInForce is inForce for a distribution; its value is the number of layers on it.
func (w *world) distInForce(i int, dist sim.Dist) {
	p := &w.params[i]
	if p.factor != 1 {
		dist = dist.Scale(p.factor)
	}
	p.dist = dist
	w.value[i] = float64(len(p.layers))
	w.fixed[i] = -1
	if t, ok := dist.Const(); ok {
		w.fixed[i] = max(0, t+sim.Time(p.sum))
	}
}

// sample draws from a live distribution for an identity and purpose.
func (w *world) sample(param int, who sim.Ident, purpose uint64) sim.Time {
	if t := w.fixed[param]; t >= 0 {
		return t
	}
	d := who.Draw(purpose)
	p := &w.params[param]
	return max(0, p.dist.Sample(&d)+sim.Time(p.sum))
}

// time is a live time; negative: none.
func (w *world) time(param int) sim.Time { return sim.Time(w.value[param]) }

// count is a live count; negative: unlimited.
func (w *world) count(param int) int { return int(w.value[param]) }

// set gives a param the layer of a change, or takes it away.
func (w *world) set(c *Change) {
	p := &w.params[c.Param]
	at := -1
	for k := range p.layers {
		if p.layers[k].id == c.Layer {
			at = k
		}
	}
	l := layer{id: c.Layer, op: c.Op, value: c.Value, dist: c.Dist}
	switch {
	case c.Op == Lift && at >= 0:
		p.layers = append(p.layers[:at], p.layers[at+1:]...)
	case c.Op == Lift:
	case at >= 0:
		p.layers[at] = l
	default:
		p.layers = append(p.layers, l)
	}
	w.apply(c.Param)
}

// apply puts a param's new value in force and does what follows from it.
func (w *world) apply(i int) {
	of := w.p.Params[i].Of
	if w.p.Params[i].Field == FieldRate {
		w.changeRate(i, of)
		return
	}
	switch w.p.Params[i].Field {
	case FieldSlots:
		r := &w.replicas[of]
		r.accrue(w.now)
		if r.shared != nil {
			r.catchUp(w.now)
		}
	case FieldActive:
		w.accrueTier(&w.tiers[of])
	}
	was := w.value[i]
	w.inForce(i)
	w.refresh()
	switch w.p.Params[i].Field {
	case FieldPlain, FieldDist:
	case FieldSlots:
		r := &w.replicas[of]
		r.slots = w.count(i)
		if r.shared != nil {
			w.reshare(r)
		}
		w.fill(r)
	case FieldLine:
		w.replicas[of].line.SetLimit(w.count(i))
	case FieldInFlight:
		w.replicas[of].inFlight = w.count(i)
		if w.replicas[of].tier.sizer >= 0 {
			w.fill(&w.replicas[of])
		}
		w.moveBacklog(&w.replicas[of])
	case FieldWeight:
		w.rotate(w.replicas[of].tier)
	case FieldActive:
		t := &w.tiers[of]
		before := t.active
		w.rotate(t)
		for i := before; i < t.active; i++ {
			w.replicas[t.p.First+i].born = w.now
			w.disconnect(&w.replicas[t.p.First+i], true)
		}
	case FieldRoute:
		w.weigh(&w.routes[of])
	case FieldLink:
		if LinkState(was) == LinkHeld && LinkState(w.value[i]) != LinkHeld {
			w.releaseHeld(&w.edges[of])
			if h := w.edges[of].health; h != nil {
				w.releaseHeld(&h.over)
			}
		}
	}
}

// refresh copies values in force to where the handlers read them.
func (w *world) refresh() {
	for i := range w.edges {
		e := &w.edges[i]
		p, l := e.p, &e.live
		l.try, l.overall = w.time(p.Try), w.time(p.Overall)
		l.lease = w.time(p.Lease)
		l.block, l.loss = w.value[p.BlockShare], w.value[p.Loss]
		l.repliesLost, l.enabled = w.value[p.RepliesLost], w.value[p.Enabled]
		l.link = LinkState(w.value[p.Link])
		l.way, l.wayBack = w.fixed[p.Latency], w.fixed[p.Latency]
		if w.value[p.ReplyLatency] != 0 {
			l.wayBack = -1
		}
		instant := w.fixed[p.Latency] == 0 && l.link == LinkUp
		l.direct = instant && l.loss == 0 && e.pools == nil
		l.directBack = instant && l.repliesLost == 0 && w.value[p.ReplyLatency] == 0
		l.straightBack = l.link == LinkUp && l.repliesLost == 0 && w.tracer == nil &&
			e.seen == nil && e.backForthright()
		l.straight = l.link == LinkUp && l.loss == 0 && e.pools == nil && l.block == 0 &&
			l.overall < 0 && l.lease < 0 && w.tracer == nil && e.forthright() && !w.p.Operations
	}
	for _, h := range w.checked {
		h.refreshProbes()
	}
	for i := range w.tiers {
		t := &w.tiers[i]
		p, l := t.p, &t.live
		l.reject = policies.Outcome{
			Class: policies.Rejected, Status: int(w.value[p.RejectStatus]),
			RetryAfter: max(0, w.time(p.RejectAfter)),
		}
		l.cost, l.delay = w.time(p.RejectCost), w.time(p.RejectDelay)
		l.slow = w.value[p.Slow]
		l.delays, l.errors, l.rows = w.fixed[p.Delay] != 0, false, false
		for k := range p.Endpoints {
			l.errors = l.errors || w.value[p.Endpoints[k].Errors] > 0
		}
		w.refreshRows(p, l)
		l.open = len(p.Admission) == 0 && !w.p.Operations && !t.apart
		l.plain = l.open && !l.delays && !l.errors
	}
}

// refreshRows notes faults that name a replica or an endpoint of a tier.
func (w *world) refreshRows(p *Tier, l *tierLive) {
	for r := p.First; r < p.First+p.Count; r++ {
		for k := range p.Endpoints {
			row := &w.p.Rows[w.p.Replicas[r].Row+k]
			l.delays = l.delays || row.Delay >= 0 && w.fixed[row.Delay] != 0
			l.rows = l.rows || row.Slow >= 0
			l.errors = l.errors || row.Errors >= 0 && w.value[row.Errors] > 0
		}
	}
}

// changeRate takes the integral of the old rate up to now and schedules by the new one.
func (w *world) changeRate(i, client int) {
	open := w.p.Clients[client].Process == Poisson || w.p.Clients[client].Process == Even
	if open && w.now < w.p.End {
		w.passTo(client, w.now)
	}
	w.inForce(i)
	if open && w.now < w.p.End {
		w.nextArrival(client)
	}
}
