package model

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// rampSteps is how many equal steps a ramp takes: a hundredth of the way is finer than any window
// shows, and each step costs one event.
const rampSteps = 100

// layer is what one effect does to one param from its first point on, until its end.
type layer struct {
	op     kernel.Op
	points []Point
	end    sim.Time
	dist   sim.Dist
}

// layer makes the layer of an effect. Those of the param so far, which all began before or at the
// same instant, say from where a ramp to a new value starts.
func (c *compiler) layer(e *effect, entry *TimelineEntry, p *kernel.Param, so []layer) layer {
	l := layer{op: e.op, end: entry.End, dist: e.dist}
	to := e.value
	if t, ok := e.dist.Const(); ok && p.Field == kernel.FieldDist && e.op == kernel.Replace {
		to = float64(t)
	}
	switch {
	case e.curve != nil && e.ramp:
		l.points = rampPoints(e.curve, entry.At)
	case e.curve != nil:
		l.points = append(l.points, e.curve...)
		l.points[0].At = entry.At // before the first point its value holds
	case entry.Over > 0:
		from := start(e.op, p, so, entry.At)
		l.points = ramp(nil, Point{entry.At, from}, Point{entry.At + entry.Over, to})
	default:
		l.points = []Point{{entry.At, to}}
	}
	for i, point := range l.points {
		if point.At >= l.end {
			l.points = l.points[:i]
			break
		}
	}
	return l
}

// start is the value from which a ramp leaves: what is in force of its kind, so that nothing jumps.
func start(op kernel.Op, p *kernel.Param, so []layer, at sim.Time) float64 {
	switch op {
	case kernel.Replace:
		return replacement(p, so, at)
	case kernel.Multiply:
		return 1
	}
	return 0
}

// replacement is the value in force without factors and additions: that of the layer that began
// last, else the base.
func replacement(p *kernel.Param, so []layer, at sim.Time) float64 {
	for i := len(so) - 1; i >= 0; i-- {
		if so[i].op == kernel.Replace && so[i].holds(at) {
			return so[i].value(at)
		}
	}
	if t, ok := p.Dist.Const(); ok && p.Field == kernel.FieldDist {
		return float64(t)
	}
	return p.Base
}

func (l *layer) holds(at sim.Time) bool {
	return len(l.points) > 0 && l.points[0].At <= at && at < l.end
}

// value is the value of a layer that holds.
func (l *layer) value(at sim.Time) float64 {
	v := l.points[0].Value
	for _, p := range l.points {
		if p.At > at {
			break
		}
		v = p.Value
	}
	return v
}

// ramp adds the steps from one point to another: each has the value of its middle, and what is
// reached at the end is exact.
func ramp(points []Point, from, to Point) []Point {
	length, rise := to.At-from.At, to.Value-from.Value
	for i := range sim.Time(rampSteps) {
		middle := (float64(i) + 0.5) / rampSteps
		points = append(points, Point{
			At:    from.At + length/rampSteps*i + length%rampSteps*i/rampSteps,
			Value: from.Value + float64(rise*middle),
		})
	}
	return append(points, to)
}

// rampPoints are the steps along a curve; before its first point that value holds.
func rampPoints(curve Curve, at sim.Time) []Point {
	var points []Point
	if curve[0].At > at || len(curve) == 1 {
		points = append(points, Point{at, curve[0].Value})
	}
	for i := 1; i < len(curve); i++ {
		if i > 1 {
			points = points[:len(points)-1] // the next ramp begins where this one ends
		}
		points = ramp(points, curve[i-1], curve[i])
	}
	return points
}

// mostReplicas is the largest number of replicas that the timeline or its autoscaler, if any, gives
// a tier.
func (c *compiler) mostReplicas(param int, a *Autoscale) int {
	p := &c.p.Params[param]
	most := int(p.Base)
	if a != nil {
		most = max(most, a.Max)
	}
	var so []layer
	for _, i := range c.n.inOrder() {
		entry := &c.n.s.Timeline[i]
		for k := range entry.Set {
			if set := &entry.Set[k]; set.Path == p.Path {
				e := c.setEffect(entryPath(c.n.s.Timeline, i), i, set, c.fields[set.Path])
				so = append(so, c.layer(&e, entry, p, so))
			}
		}
	}
	for i := range so {
		for _, point := range so[i].points {
			most = max(most, int(inForce(p, so, point.At)+0.5))
		}
		if so[i].end < c.n.s.Duration+c.n.s.Drain {
			most = max(most, int(inForce(p, so, so[i].end)+0.5))
		}
	}
	return min(c.mostWaiting(p.Path, float64(most)), maxReplicas)
}

// mostWaiting is the most that a field can become by entries that act nobody knows when, of what
// the others can make of it.
func (c *compiler) mostWaiting(path string, most float64) int {
	for _, op := range [...]Op{Replace, Multiply, Add} {
		for i := range c.n.s.Timeline {
			e := &c.n.s.Timeline[i]
			so := most // of an entry, since stages of a control take turns
			for _, s := range e.settings() {
				if e.varies() && s.Path == path && s.Op == op {
					most = max(most, s.most(so))
				}
			}
		}
	}
	return int(math.Ceil(most))
}

// most is the most that a setting makes of a value.
func (s *Setting) most(v float64) float64 {
	values := []float64{s.Value.Number}
	if s.Curve != nil {
		values = values[:0]
		for _, p := range s.Curve {
			values = append(values, p.Value)
		}
	}
	most := v
	for _, x := range values {
		switch s.Op {
		case Replace:
			most = max(most, x)
		case Multiply:
			most = max(most, v*x)
		case Add:
			most = max(most, v+x)
		}
	}
	return most
}

// inForce is the value of a param: its replacement times all factors plus all additions.
func inForce(p *kernel.Param, so []layer, at sim.Time) float64 {
	v, plus := replacement(p, so, at), 0.0
	for i := range so {
		if !so[i].holds(at) {
			continue
		}
		switch so[i].op {
		case kernel.Multiply:
			v *= so[i].value(at)
		case kernel.Add:
			plus += so[i].value(at)
		}
	}
	return v + plus
}
