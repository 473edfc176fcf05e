package kernel

import "cascadesim/sim"

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
	if kept != 1 {
		value = 1 - float64((1-value)*kept)
	}
	if value >= 0 {
		value = max(0, float64(value*p.factor)+p.sum)
		if pp.Whole {
			value = floor(value + 0.5)
		}
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
	switch w.p.Params[i].Field {
	case FieldPlain, FieldDist:
		w.inForce(i)
	case FieldRate:
		w.changeRate(i, of)
	case FieldSlots:
		r := &w.replicas[of]
		r.accrueAll(w.en.Now())
		w.inForce(i)
		r.slots = w.count(i)
		w.fill(int32(of))
	case FieldLine:
		w.inForce(i)
		w.replicas[of].line.SetLimit(w.count(i))
	case FieldInFlight:
		w.inForce(i)
		w.replicas[of].inFlight = w.count(i)
		w.moveBacklog(&w.replicas[of])
	case FieldWeight:
		w.inForce(i)
		w.rotate(w.p.Replicas[of].Tier)
	case FieldActive:
		w.accrueTier(of)
		w.inForce(i)
		w.rotate(of)
	case FieldRoute:
		w.inForce(i)
		w.weighRoute(of)
	case FieldLink:
		was := LinkState(w.value[i])
		w.inForce(i)
		if was == LinkHeld && LinkState(w.value[i]) != LinkHeld {
			w.releaseHeld(of)
		}
	}
}

// changeRate takes the integral of the old rate up to now and schedules by the new one.
func (w *world) changeRate(i, client int) {
	open := w.p.Clients[client].Process == Poisson || w.p.Clients[client].Process == Even
	now := w.en.Now()
	if open && now < w.p.End {
		w.passTo(client, now)
	}
	w.inForce(i)
	if open && now < w.p.End {
		w.nextArrival(client)
	}
}
