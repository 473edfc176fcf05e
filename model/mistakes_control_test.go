package model

import "cascadesim/sim"

// control is a mistake of a timeline with one control, from second 10 on.
func control(c Control) func(*Topology, *Scenario) {
	if c.Observe == 0 {
		c.Observe = sim.Minute
	}
	return entries(TimelineEntry{Name: "a", At: 10 * sim.Second, End: sim.Never, Control: &c})
}

// passing is one condition: below a bound.
func passing(measure string, below Bound) []Condition {
	return []Condition{{Measure: measure, Below: &below}}
}

// stage sets the slots of db to a number.
func stage(name string, slots float64) Stage {
	return Stage{Name: name, Set: slotsTo("", slots).Set}
}

var controlMistakes = []mistakeCase{
	{"control without stages", control(Control{}), "timeline.a.control"},
	{"control that steps nowhere", control(Control{Back: "last", Stages: []Stage{{}}}),
		"timeline.a.control.back"},
	{"control that is in no time", control(Control{Observe: 1, Stages: []Stage{{}}}),
		"timeline.a.control.observe"},
	{"control that looks too often", func(t *Topology, s *Scenario) {
		s.Duration = 9 * sim.Hour
		control(Control{Observe: 50 * sim.Millisecond, Stages: []Stage{{}}})(t, s)
	}, "timeline.a.control.observe"},
	{"stage that is in no time", control(Control{Stages: []Stage{{Observe: 1}}}),
		"timeline.a.control.stages.0.observe"},
	{"control that cools down for ever", control(Control{CoolDown: sim.Never, Stages: []Stage{{}}}),
		"timeline.a.control.cool_down"},
	{"stages of one name", control(Control{Stages: []Stage{stage("b", 2), stage("b", 3)}}),
		"timeline.a.control.stages.b"},
	{"stage that passes without a measure", control(Control{
		Stages: []Stage{{Name: "b", Pass: passing("", Bound{0.1, "share"})}}}),
		"timeline.a.control.stages.b.pass.0"},
	{"control that passes without a bound", control(Control{Stages: []Stage{{}},
		Pass: []Condition{{Measure: "clients.users.failed_share"}}}), "timeline.a.control.pass.0"},
	{"stage that passes by what nobody sees", control(Control{
		Stages: []Stage{{Name: "b", Pass: passing("totals.failed_share", Bound{0.1, "share"})}}}),
		"timeline.a.control.stages.b.pass.0.measure"},
	{"stage that passes by a rate of a share", control(Control{
		Stages: []Stage{{Name: "b", Pass: passing("clients.users.failed_share", Bound{1, "rate"})}}}),
		"timeline.a.control.stages.b.pass.0.below"},
	{"stage of a field that stays", control(Control{Stages: []Stage{{Name: "b",
		Set: []Setting{{Path: "tiers.db.slot", Value: Value{Number: 1}}}}}}),
		"timeline.a.control.stages.b.set.tiers.db.slot"},
	{"stage that is a ramp", control(Control{Stages: []Stage{{Name: "b", Set: []Setting{{
		Path: "tiers.db.slots", Ramp: true, Curve: Curve{{10 * sim.Second, 1}, {sim.Minute, 2}}}}}}}),
		"timeline.a.control.stages.b.set.tiers.db.slots"},
	{"stage of a negative number of slots", control(Control{Stages: []Stage{stage("b", -5)}}),
		"timeline.a.control.stages.b.set.tiers.db.slots"},
	{"ramp from where a control may be", func(t *Topology, s *Scenario) {
		control(Control{Stages: []Stage{stage("b", 2)}})(t, s)
		later := slotsTo("later", 9)
		later.At, later.Over = 20*sim.Second, 5*sim.Second
		s.Timeline = append(s.Timeline, later)
	}, "timeline.later.set.tiers.db.slots"},
}
