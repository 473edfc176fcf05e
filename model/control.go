package model

import (
	"fmt"
	"slices"
	"strconv"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Control moves settings through stages: up, while all conditions hold over the time for which a
// stage is observed, and back when one does not. It is an operator or a controller that reopens
// what was closed.
type Control struct {
	Stages   []Stage
	Pass     []Condition // of every stage, after its own
	Observe  sim.Time    // how long stages are observed that do not say so
	Back     string      // previous or first
	CoolDown sim.Time    // after a step back, before the stage is observed
}

// Stage is what a control sets while it is in it, and what must hold for it to go on.
type Stage struct {
	Name    string
	Set     []Setting // at once, in force until the next stage
	Observe sim.Time  // 0: the control's
	Pass    []Condition
}

// Condition is When without times: its measure is of the time for which something is observed.
type Condition struct {
	Measure string `yaml:"measure" doc:"a share, a number per second, a gauge or a quantile of durations, such as clients.users.failed_share, edges.web->db.attempt_latency.p99 or tiers.db.utilization"`
	Above   *Bound `yaml:"above" doc:"met if the measure is above this"`
	Below   *Bound `yaml:"below" doc:"met if the measure is below this"`
}

func (c *Condition) over(t sim.Time) *When {
	return &When{Measure: c.Measure, Above: c.Above, Below: c.Below, Over: t}
}

// Conditions are those of a stage, in the order in which they are looked at.
func (c *Control) Conditions(stage int) []Condition {
	return slices.Concat(c.Stages[stage].Pass, c.Pass)
}

// observe is how long a stage is observed.
func (c *Control) observe(stage int) sim.Time {
	if t := c.Stages[stage].Observe; t != 0 {
		return t
	}
	return c.Observe
}

// Key is what paths and results call a stage: its name, else its place.
func (c *Control) Key(stage int) string {
	if name := c.Stages[stage].Name; name != "" {
		return name
	}
	return strconv.Itoa(stage)
}

// settings are all that an entry sets, at whatever time.
func (e *TimelineEntry) settings() []Setting {
	if e.Control == nil {
		return e.Set
	}
	var out []Setting
	for i := range e.Control.Stages {
		out = append(out, e.Control.Stages[i].Set...)
	}
	return out
}

// varies tells whether nobody knows before the run when something that the entry sets is in force.
func (e *TimelineEntry) varies() bool { return e.Waits() || e.Control != nil }

// checkControl checks a control's stages.
func (n *names) checkControl(path string, e *TimelineEntry, fields liveFields) {
	c := e.Control
	n.word(path+".back", c.Back, "previous", "first")
	n.length(path+".cool_down", c.CoolDown)
	if len(c.Stages) == 0 {
		n.errorf(path, "expected stages, the most careful first").
			hint("write stages: [{name: probe, set: {PATH: value}}, {name: open}]")
	}
	if slices.ContainsFunc(c.Stages, func(s Stage) bool { return s.Observe == 0 }) {
		n.checkObserve(path+".observe", c.Observe)
	}
	n.checkPass(path+".pass", c.Pass)
	seen := map[string]bool{}
	for i := range c.Stages {
		s, at := &c.Stages[i], path+".stages."+c.Key(i)
		if seen[s.Name] {
			n.errorf(at, "two stages are called %q", s.Name)
		}
		seen[s.Name] = s.Name != ""
		if s.Observe != 0 {
			n.checkObserve(at+".observe", s.Observe)
		}
		n.checkPass(at+".pass", s.Pass)
		for k := range s.Set {
			n.checkStageSetting(at+".set."+s.Set[k].Path, e, &s.Set[k], fields)
		}
	}
}

// mostObserved is how often a run may be observed, as results keep every move.
const mostObserved = 100_000

func (n *names) checkObserve(path string, t sim.Time) {
	least := max(sim.Millisecond, n.s.Duration/mostObserved)
	if t < least || t > longest {
		n.errorf(path, "%s; expected how long a stage is observed, at least %s in a run of %s",
			unit.FormatDuration(t), unit.FormatDuration(least), unit.FormatDuration(n.s.Duration))
	}
}

// checkPass checks what must hold.
func (n *names) checkPass(path string, all []Condition) {
	for i := range all {
		n.checkCondition(fmt.Sprintf("%s.%d", path, i), all[i].over(0), nil)
	}
}

func (n *names) checkStageSetting(path string, e *TimelineEntry, s *Setting, fields liveFields) {
	f, ok := n.liveField(path, s.Path, fields)
	switch {
	case !ok:
	case s.Curve != nil:
		n.errorf(path, "a stage sets its values at once").hint("write more stages")
	default:
		n.checkSetting(path, e, s, f)
	}
}

// controls compiles what goes through stages. Each has a layer of its own on each param, above
// those of the rest of the timeline, of which a param has as many as layers says.
func (c *compiler) controls(layers [][]layer) {
	for i := range c.n.s.Timeline {
		e := &c.n.s.Timeline[i]
		if e.Control == nil {
			continue
		}
		path := entryPath(c.n.s.Timeline, i)
		k := kernel.Control{Name: entryName(c.n.s.Timeline, i), Entry: i, From: e.At, Lasts: sim.Never,
			Trigger: c.trigger[i], CoolDown: e.Control.CoolDown, ToBottom: e.Control.Back == "first"}
		if e.End < sim.Never {
			k.Lasts = e.End - e.At
		}
		for j := range e.Control.Stages {
			s := kernel.Stage{Name: e.Control.Key(j), Observe: e.Control.observe(j)}
			for _, ef := range c.stageEffects(path+".control.stages."+s.Name, i, j) {
				for _, param := range ef.params {
					s.Layers = append(s.Layers, kernel.Change{Param: param,
						Layer: len(layers[param]) + len(c.p.Controls), Op: ef.op, Value: ef.value,
						Dist: ef.dist})
				}
			}
			for _, x := range e.Control.Conditions(j) {
				s.Pass = append(s.Pass, c.watch(x.over(s.Observe), nil))
			}
			k.Stages = append(k.Stages, s)
		}
		c.p.Controls = append(c.p.Controls, k)
	}
}

// stageEffects are what a stage does.
func (c *compiler) stageEffects(path string, entry, stage int) (out []effect) {
	set := c.n.s.Timeline[entry].Control.Stages[stage].Set
	for k := range set {
		f := c.fields[set[k].Path]
		if f.what == theWeights {
			out = append(out, c.weightEffects(entry, &set[k])...)
			continue
		}
		out = append(out, c.setEffect(path, entry, &set[k], f))
	}
	return out
}
