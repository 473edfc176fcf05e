package check

import (
	"fmt"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// Stay is a stay of a control in one of its stages.
type Stay struct {
	Control  string // the name of its timeline entry
	Stage    string
	From, To sim.Time
	Back     bool // it began by a step back
	// Ended is how: passed, back, lifted (the entry ended) or lasts (until the end of the run).
	Ended         string
	Looks, Misses int // observations that ended, and those that did not pass
	// Unmet is the first condition that was not met in the last of these, of which Value was the
	// measure; NaN: there was nothing to measure.
	Unmet *model.Condition
	Value float64
	Unit  Unit
}

// How stays end.
const (
	Passed      = "passed"
	SteppedBack = "back"
	Lifted      = "lifted"
	Lasts       = "lasts"
)

// Stays are what the controls of a scenario did, in order of time.
func Stays(plan *model.Plan, r *model.Result) []Stay {
	var out []Stay
	open := map[int]int{} // by control: its stay that has not ended
	for _, m := range r.Stages {
		if i, ok := open[m.Control]; ok {
			s := &out[i]
			s.To, s.Ended = m.At, Passed
			switch {
			case m.Stage < 0:
				s.Ended = Lifted
			case m.Back:
				s.Ended = SteppedBack
			}
			delete(open, m.Control)
		}
		if m.Stage < 0 {
			continue
		}
		k := &plan.World.Controls[m.Control]
		s := Stay{Control: k.Name, Stage: k.Stages[m.Stage].Name, From: m.At, To: r.End, Ended: Lasts,
			Back: m.Back, Looks: m.Looks, Misses: m.Misses}
		if m.Misses > 0 {
			all := plan.Scenario.Timeline[k.Entry].Control.Conditions(m.Stage)
			s.Unmet = &all[m.Unmet]
			s.Value, s.Unit = measured(plan, &k.Stages[m.Stage].Pass[m.Unmet], m.Value)
		}
		open[m.Control] = len(out)
		out = append(out, s)
	}
	return out
}

// measured is a value of a condition's measure as people read it.
func measured(plan *model.Plan, x *kernel.Watch, value float64) (float64, Unit) {
	gauge := x.Top[0].Of == kernel.OfGauge
	switch {
	case x.Quantile > 0:
		return value / 1e9, Duration
	case len(x.Bottom) > 0, gauge && x.Top[0].Count == int(kernel.GaugeUp):
		return value, Share
	case gauge:
		return value / plan.World.Scale, Count
	}
	return value / plan.World.Scale, Rate
}

// Why says what was not met in the last observation that did not pass; empty: all of them passed.
func (s Stay) Why() string {
	if s.Unmet == nil {
		return ""
	}
	word, bound := "above", s.Unmet.Above
	if bound == nil {
		word, bound = "below", s.Unmet.Below
	}
	limit := exactly(bound.Value, s.Unit)
	if !exists(s.Value) {
		return fmt.Sprintf("%s had nothing to measure, wanted %s %s", s.Unmet.Measure, word, limit)
	}
	return fmt.Sprintf("%s was %s, wanted %s %s", s.Unmet.Measure, text(s.Value, s.Unit), word, limit)
}

// staysOf are a replication's stays as JSON has them.
func staysOf(plan *model.Plan, r *model.Result) []StaySummary {
	var out []StaySummary
	for _, s := range Stays(plan, r) {
		j := StaySummary{Control: s.Control, Stage: s.Stage, FromS: s.From.Seconds(),
			ToS: s.To.Seconds(), Back: s.Back, Ended: s.Ended, Observations: s.Looks, Missed: s.Misses,
			Why: s.Why()}
		if s.Unmet != nil {
			j.Unmet, j.Value = s.Unmet.Measure, number(s.Value)
		}
		out = append(out, j)
	}
	return out
}
