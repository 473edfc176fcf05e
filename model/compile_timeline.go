package model

import (
	"sort"
	"strings"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// effect is what one entry does to some params: one setting, or one effect of a fault.
type effect struct {
	entry  int
	op     kernel.Op
	value  float64
	dist   sim.Dist
	params []int
	curve  Curve // instead of value; values are of the simulated system
	ramp   bool
}

// change is a kernel change with what it is sorted by.
type change struct {
	kernel.Change
	entry int
}

// timeline turns entries into changes. A change's layer is its param's own count of layers, in the
// order in which they begin.
func (c *compiler) timeline() {
	c.triggers()
	effects := c.effects()
	var changes []change
	layers := make([][]layer, len(c.p.Params))
	for _, e := range effects {
		entry := &c.n.s.Timeline[e.entry]
		for _, param := range e.params {
			l := c.layer(&e, entry, &c.p.Params[param], layers[param])
			for _, p := range l.points {
				changes = append(changes, change{kernel.Change{At: p.At, Param: param,
					Layer: len(layers[param]), Op: e.op, Value: p.Value,
					Dist: distAt(&l, p), Trigger: c.trigger[e.entry]}, e.entry})
			}
			if l.end < sim.Never {
				changes = append(changes, change{kernel.Change{At: l.end, Param: param,
					Layer: len(layers[param]), Op: kernel.Lift,
					Trigger: c.trigger[e.entry]}, e.entry})
			}
			layers[param] = append(layers[param], l)
		}
	}
	sort.SliceStable(changes, func(i, j int) bool { return before(&changes[i], &changes[j]) })
	marked := make([]bool, len(c.n.s.Timeline))
	for _, ch := range changes {
		ch.Mark = !marked[ch.entry]
		marked[ch.entry] = true
		c.p.Changes = append(c.p.Changes, ch.Change)
	}
	c.marks()
	c.pauses()
	c.controls(layers)
}

// distAt is the distribution of a layer at one of its points: on the way to a constant, a constant.
func distAt(l *layer, p Point) sim.Dist {
	if len(l.points) == 1 || l.op != kernel.Replace {
		return l.dist
	}
	d, err := sim.ConstDist(nearestTime(p.Value))
	if err != nil {
		panic("model: between two constants lies none: " + err.Error())
	}
	return d
}

// before orders changes: by time; at one instant what ends goes before what begins, and the file
// decides the rest.
func before(a, b *change) bool {
	if a.At != b.At {
		return a.At < b.At
	}
	if lifts := a.Op == kernel.Lift; lifts != (b.Op == kernel.Lift) {
		return lifts
	}
	return a.entry < b.entry
}

// marks lists the entries for charts, in order of time.
func (c *compiler) marks() {
	for i := range c.n.s.Timeline {
		e := &c.n.s.Timeline[i]
		if e.Waits() {
			continue
		}
		c.p.Marks = append(c.p.Marks, kernel.Mark{At: e.At, End: e.End,
			Text: entryName(c.n.s.Timeline, i)})
	}
	sort.SliceStable(c.p.Marks, func(i, j int) bool { return c.p.Marks[i].At < c.p.Marks[j].At })
}

// flowsNamed is what a word says; what was left out, or is wrong and so reported elsewhere, is as
// by default.
func flowsNamed(word string, byDefault kernel.Flows) kernel.Flows {
	for flows, known := range [...]string{
		kernel.Finish: "finish", kernel.Keep: "keep", kernel.Reset: "reset", kernel.Drop: "drop",
	} {
		if word == known {
			return kernel.Flows(flows)
		}
	}
	return byDefault
}

// effects lists what all entries do, in the order in which they begin.
func (c *compiler) effects() []effect {
	var out []effect
	for _, i := range c.n.inOrder() {
		e := &c.n.s.Timeline[i]
		for k := range e.Set {
			f := c.fields[e.Set[k].Path]
			if f.what == theWeights {
				out = append(out, c.weightEffects(i, &e.Set[k])...)
				continue
			}
			path := entryPath(c.n.s.Timeline, i)
			out = append(out, c.setEffect(path, i, &e.Set[k], f))
		}
		if e.Fault != nil {
			out = append(out, c.faultEffects(i, e.Fault)...)
		}
	}
	return out
}

// inOrder lists the entries of the timeline as they begin; those that begin together keep the order
// of the file.
func (n *names) inOrder() []int {
	order := make([]int, len(n.s.Timeline))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(i, j int) bool {
		return n.s.Timeline[order[i]].At < n.s.Timeline[order[j]].At
	})
	return order
}

// setEffect is what a setting of an entry, or of the stage at a path of it, does in values of the
// simulated system.
func (c *compiler) setEffect(path string, entry int, set *Setting, f *liveField) effect {
	at := path + ".set." + f.path
	e := effect{entry: entry, op: opOf(set.Op), params: c.live[f.path], ramp: set.Ramp}
	if set.Value.Dist != nil {
		e.dist = *set.Value.Dist
	}
	e.value = c.simulated(at, set.Value.Number, set.Op, f)
	for _, p := range set.Curve {
		e.curve = append(e.curve, Point{p.At, c.simulated(at, p.Value, set.Op, f)})
	}
	return e
}

func opOf(op Op) kernel.Op {
	switch op {
	case Replace:
		return kernel.Replace
	case Multiply:
		return kernel.Multiply
	case Add:
		return kernel.Add
	}
	panic("model: a setting of unknown op")
}

// simulated scales a value of the timeline: what replaces or is added to a scaled field is divided
// as the field is, factors are not. Additions are rounded with what they are added to.
func (c *compiler) simulated(path string, v float64, op Op, f *liveField) float64 {
	if op == Replace && (f.what == aLimit || f.what == aTimer) && isEndless(v) {
		return -1
	}
	if !f.scales || op == Multiply {
		return v
	}
	if op == Add || f.what == aRate {
		return v / c.scale.by
	}
	if text := c.scale.doubt(v, ""); text != "" {
		c.doubt(path, text)
	}
	return c.scale.divide(v)
}

// weightEffects replaces all weights of a route: a target that is not named gets nothing.
func (c *compiler) weightEffects(entry int, set *Setting) []effect {
	name := strings.Split(set.Path, ".")[1]
	shares := normal(set.Value.Weights)
	var out []effect
	for _, w := range c.weight[name] {
		out = append(out, effect{entry: entry, op: kernel.Replace, params: []int{w.param},
			value: shareOf(shares, w.target)})
	}
	return out
}
