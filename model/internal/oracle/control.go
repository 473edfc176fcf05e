package oracle

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// control is a controller that has begun.
type control struct {
	kernel.Control
	w     *world
	index int
	stage int
	mark  int // of this stay in the result
	next  *event
}

// startControl begins a controller.
func (w *world) startControl(i int) {
	c := &control{Control: w.plan.Controls[i], w: w, index: i, stage: -1}
	c.enter(0, false)
	if c.Lasts != sim.Never {
		w.at(w.now+c.Lasts, c.end)
	}
}

// enter puts the settings of a stage in force, in place of those of the one before.
func (c *control) enter(stage int, back bool) {
	old := c.stage
	c.stage = stage
	if old >= 0 {
		for _, l := range c.Stages[old].Layers {
			if !c.sets(l.Param) {
				l.Op = kernel.Lift
				c.w.change(l)
			}
		}
	}
	c.note(back)
	for _, l := range c.Stages[stage].Layers {
		c.w.change(l)
	}
	if back && c.CoolDown > 0 {
		c.next = c.w.at(c.w.now+c.CoolDown, c.observe)
		return
	}
	c.observe()
}

func (c *control) sets(param int) bool {
	for _, l := range c.Stages[c.stage].Layers {
		if l.Param == param {
			return true
		}
	}
	return false
}

func (c *control) note(back bool) {
	c.mark = len(c.w.result.Stages)
	c.w.result.Stages = append(c.w.result.Stages, kernel.StageMark{
		Control: c.index, Stage: c.stage, At: c.w.now, Back: back,
	})
}

// observe looks at the stage for its time, then goes on, stays or steps back.
func (c *control) observe() {
	w, stage := c.w, c.Stages[c.stage]
	var tops, unders []float64
	var ends []int
	for _, x := range stage.Pass {
		tops = append(tops, w.total(x.Top))
		unders = append(unders, w.total(x.Bottom))
		ends = append(ends, w.howMany(x.Top))
	}
	c.next = w.at(w.now+stage.Observe, func() {
		stay := &w.result.Stages[c.mark]
		stay.Looks++
		ok := true
		for i, x := range stage.Pass {
			value := w.total(x.Top) - tops[i]
			switch h := w.durations(x.Top, ends[i]); {
			case x.Quantile > 0 && h.Count() == 0:
				value = math.NaN()
			case x.Quantile > 0:
				value = float64(h.Quantile(x.Quantile))
			case len(x.Bottom) == 0:
				value /= float64(stage.Observe) * x.Unit
			case w.total(x.Bottom) == unders[i]:
				value = math.NaN()
			default:
				value /= w.total(x.Bottom) - unders[i]
			}
			met := value < x.Limit
			if x.Above {
				met = value > x.Limit
			}
			if ok && !met {
				ok = false
				stay.Misses, stay.Unmet, stay.Value = stay.Misses+1, i, value
			}
		}
		c.judge(ok)
	})
}

func (c *control) judge(ok bool) {
	switch last := len(c.Stages) - 1; {
	case ok && c.stage < last:
		c.enter(c.stage+1, false)
	case ok || c.stage == 0:
		c.observe()
	case c.ToBottom:
		c.enter(0, true)
	default:
		c.enter(c.stage-1, true)
	}
}

// end takes back all that the controller has set.
func (c *control) end() {
	c.next.cancel()
	for _, l := range c.Stages[c.stage].Layers {
		l.Op = kernel.Lift
		c.w.change(l)
	}
	c.stage = -1
	c.note(false)
}

// controls adds controllers of anything that may change.
func (m *maker) controls() {
	for range 1 + m.below(2) {
		m.control()
	}
}

func (m *maker) control() {
	c := kernel.Control{From: m.when(), Lasts: sim.Never, ToBottom: m.chance(0.5)}
	if m.chance(0.5) {
		c.Lasts = m.time(300)
	}
	if m.chance(0.5) {
		c.CoolDown = m.time(40)
	}
	if n := len(m.Plan.Triggers); n > 0 && m.chance(0.5) {
		c.Trigger = 1 + m.below(n)
	}
	params := []int{m.below(len(m.Plan.Params)), m.below(len(m.Plan.Params))}
	for range 2 + m.below(3) {
		s := kernel.Stage{Observe: m.time(60)}
		for i, param := range params {
			if m.chance(0.7) && (i == 0 || param != params[0]) {
				s.Layers = append(s.Layers, m.effect(param))
			}
		}
		for range m.below(3) {
			x := m.watch()
			x.Limit *= 0.3
			s.Pass = append(s.Pass, x)
		}
		c.Stages = append(c.Stages, s)
	}
	m.Plan.Controls = append(m.Plan.Controls, c)
}

// effect is what a stage of the next controller does to a param: the first value of a layer that
// fits it.
func (m *maker) effect(param int) kernel.Change {
	n := len(m.Plan.Changes)
	m.change(param)
	c := m.Plan.Changes[n]
	m.Plan.Changes = m.Plan.Changes[:n]
	c.At, c.Layer, c.Mark = 0, 1<<20+len(m.Plan.Controls), false
	return c
}

// timedControls schedules controllers that wait for nothing.
func (w *world) timedControls() {
	for i, c := range w.plan.Controls {
		if c.Trigger == 0 {
			w.at(c.From, func() { w.startControl(i) })
		}
	}
}
