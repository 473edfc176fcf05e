package oracle

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// field is a live field: its base and the layers on it, in the order in which they began.
type field struct {
	spec   kernel.Param
	layers []layer
}

type layer struct {
	id    int
	op    kernel.Op
	value float64
	dist  sim.Dist
}

// change puts a layer on, gives it a new value in its old place, or takes it away.
func (f *field) change(c kernel.Change) {
	place := -1
	for i, l := range f.layers {
		if l.id == c.Layer {
			place = i
		}
	}
	l := layer{id: c.Layer, op: c.Op, value: c.Value, dist: c.Dist}
	switch {
	case c.Op == kernel.Lift && place < 0:
	case c.Op == kernel.Lift:
		f.layers = append(append([]layer(nil), f.layers[:place]...), f.layers[place+1:]...)
	case place < 0:
		f.layers = append(f.layers, l)
	default:
		f.layers[place] = l
	}
}

// number is the value in force of a field that is a number. Negative means unlimited or none,
// which no factor and no addition changes.
func (f *field) number() float64 {
	v := f.spec.Base
	for _, l := range f.layers {
		if l.op == kernel.Replace {
			v = l.value
		}
	}
	if v < 0 {
		return -1
	}
	v = f.bend(v)
	for _, l := range f.layers {
		if l.op == kernel.Combine {
			v = 1 - float64((1-v)*(1-l.value))
		}
	}
	if v < 0 {
		return 0
	}
	if f.spec.Whole && v > 0 {
		return max(1, math.Floor(v+0.5))
	}
	return v
}

// bend applies all factors, then all additions.
func (f *field) bend(v float64) float64 {
	for _, l := range f.layers {
		if l.op == kernel.Multiply {
			v *= l.value
		}
	}
	for _, l := range f.layers {
		if l.op == kernel.Add {
			v += l.value
		}
	}
	return v
}

// draw samples a field that is a distribution.
func (f *field) draw(s sim.Stream) sim.Time {
	dist, factor, sum := f.spec.Dist, 1.0, 0.0
	for _, l := range f.layers {
		switch l.op {
		case kernel.Replace:
			dist = l.dist
		case kernel.Multiply:
			factor *= l.value
		case kernel.Add:
			sum += l.value
		}
	}
	if factor != 1 {
		dist = dist.Scale(factor)
	}
	return max(0, dist.Sample(&s)+sim.Time(sum))
}

// whole is x as a length of time: the nearest nanosecond within what a clock can hold.
func whole(x float64) sim.Time {
	if x <= 0 {
		return 0
	}
	if x >= float64(sim.MaxTime) {
		return sim.MaxTime
	}
	return sim.Time(math.Floor(float64(x) + 0.5))
}

func (w *world) number(param int) float64 { return w.fields[param].number() }

// duration is a field that is a time; ok is false for none.
func (w *world) duration(param int) (t sim.Time, ok bool) {
	v := w.number(param)
	return sim.Time(max(v, 0)), v >= 0
}

// count is a field that is a count, negative for unlimited.
func (w *world) count(param int) int { return int(w.number(param)) }

// below tells whether the chance of one purpose of an identity falls in a share that is a field.
func (w *world) below(who sim.Ident, purpose uint64, param int) bool {
	return who.Share(purpose) < w.number(param)
}

// change is one entry of the timeline.
func (w *world) change(c kernel.Change) {
	f := w.fields[c.Param]
	if f.spec.Field == kernel.FieldRate {
		w.clients[f.spec.Of].count()
	}
	w.before(f)
	f.change(c)
	w.trace(kernel.TraceRecord{What: kernel.TraceChange, Edge: -1, Replica: -1, Text: f.spec.Path})
	w.acted(f)
}

// before is told that a field is about to change.
func (w *world) before(f *field) {
	switch f.spec.Field {
	case kernel.FieldSlots:
		w.replicas[f.spec.Of].progress()
	case kernel.FieldActive:
		w.there = len(w.active(f.spec.Of))
	}
}

// acted does what a field's new value wants done at once.
func (w *world) acted(f *field) {
	switch f.spec.Field {
	case kernel.FieldRate:
		w.clients[f.spec.Of].plan()
	case kernel.FieldSlots:
		w.replicas[f.spec.Of].reshare()
		w.replicas[f.spec.Of].fill()
	case kernel.FieldActive:
		for k, r := range w.active(f.spec.Of) {
			if k >= w.there {
				r.began = w.now
				r.closeThose(true)
			}
		}
	case kernel.FieldInFlight:
		w.replicas[f.spec.Of].fill()
	case kernel.FieldLink:
		w.edges[f.spec.Of].release()
		w.edges[f.spec.Of].forProbes().release()
	}
}
