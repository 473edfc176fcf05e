package load

import (
	"slices"

	"cascadesim/model"
	"cascadesim/model/check"
)

// judged sorts objectives and constraints into the checks of their cases.
func (d *experimentReader) judged() {
	lists := map[string]*node{}
	for _, e := range d.form.Objectives {
		path := "objectives." + e.Name
		n := e.Value.node
		o := Objective{Name: e.Name, Doc: n.word("doc"), Case: d.caseOf(n, path)}
		smaller, larger := n.word("minimize") == "true", n.word("maximize") == "true"
		if smaller == larger {
			d.add(problem{path: path, at: n.at}, "an objective has minimize: true or maximize: true")
		}
		o.Maximize = larger
		d.timed(n, path)
		d.out.Objectives = append(d.out.Objectives, o)
		list(lists, o.Case).items = append(list(lists, o.Case).items, checkNode(n, e.Name, true))
	}
	for i, raw := range d.form.Constraints {
		n := raw.node
		path := "constraints." + keyOf(d.g.experiment.field("constraints").shape,
			d.root.get("constraints"), i)
		c := Constraint{Name: n.word("name"), Doc: n.word("doc"), Case: d.caseOf(n, path)}
		for _, key := range []string{"minimize", "maximize"} {
			if n.get(key) != nil {
				d.add(problem{path: path + "." + key, at: n.get(key).at}, "is for objectives")
			}
		}
		if c.Name == "" {
			d.add(problem{path: path, at: n.at}, "a constraint needs a name")
		}
		d.timed(n, path)
		d.out.Constraints = append(d.out.Constraints, c)
		list(lists, c.Case).items = append(list(lists, c.Case).items, checkNode(n, c.Name, false))
	}
	if len(d.out.Objectives)+len(d.out.Constraints) == 0 {
		d.add(problem{path: "objectives", at: d.root.at},
			"an experiment needs objectives or constraints: what is a good answer?")
	}
	for i := range d.out.Cases {
		c := &d.out.Cases[i]
		c.checks = &Checks{d.g.expand(d.g.scenario.field("checks").shape, list(lists, c.Name))}
		if c.stairs != nil {
			// What is wrong with a check is told of one dwell alone.
			c.stairs.asked = c.checks.list
			c.checks = &Checks{c.stairs.checks(1)}
		}
	}
}

// everyDwell asks of every dwell what was asked of the first.
func (d *experimentReader) everyDwell() {
	for i := range d.out.Cases {
		if c := &d.out.Cases[i]; c.stairs != nil {
			c.checks = &Checks{c.stairs.checks(c.stairs.dwells())}
		}
	}
}

// list is the list of a case's checks.
func list(of map[string]*node, name string) *node {
	if of[name] == nil {
		of[name] = &node{kind: listNode}
	}
	return of[name]
}

// checkNode is an objective or constraint as a check.
func checkNode(n *node, name string, measured bool) *node {
	c := n.clone()
	for _, own := range []string{"case", "minimize", "maximize"} {
		c.drop(own)
	}
	c.put("name", scalar(name, n.at))
	c.measured = measured
	return c
}

// caseOf is the case that a check is about; it may be left out when there is only one.
func (d *experimentReader) caseOf(n *node, path string) string {
	name := n.word("case")
	if name == "" && len(d.form.Cases) == 1 {
		return d.form.Cases[0].Name
	}
	if !slices.Contains(d.caseNames(), name) {
		d.add(problem{path: path + ".case", at: n.placeOf("case"),
			hint: nearest(name, d.caseNames())}, "there is no case %q", name)
	}
	return name
}

// recommended reads which point is the answer.
func (d *experimentReader) recommended() {
	f := d.form.Recommend
	if f == nil {
		return
	}
	r := &Recommend{Axis: f.Axis, Among: f.Among, Tie: f.Tie, Weights: map[string]float64{}}
	d.out.Recommend = r
	at := d.locate("recommend")
	if !slices.Contains(d.axisNames(), f.Axis) {
		d.add(problem{path: "recommend.axis", at: at, hint: nearest(f.Axis, d.axisNames())},
			"there is no axis %q", f.Axis)
	}
	var names []string
	for _, o := range d.out.Objectives {
		names = append(names, o.Name)
		r.Weights[o.Name] = 1
	}
	for _, w := range f.Weights {
		if !slices.Contains(names, w.Name) {
			d.add(problem{path: "recommend.weights." + w.Name, at: at, hint: nearest(w.Name, names)},
				"there is no objective %q", w.Name)
		}
		r.Weights[w.Name] = w.Value
	}
}

// based checks the point that others are compared with.
func (d *experimentReader) based() {
	for _, b := range d.form.Baseline {
		i := slices.IndexFunc(d.out.Axes, func(a Axis) bool { return a.Name == b.key })
		if i < 0 {
			d.add(problem{path: "baseline." + b.key, at: b.at, hint: nearest(b.key, d.axisNames())},
				"there is no axis %q", b.key)
			continue
		}
		if _, ok := d.out.Axes[i].Named(b.value.text); !ok {
			d.add(problem{path: "baseline." + b.key, at: b.value.at},
				"%s is no value of the axis", show(b.value))
		}
	}
}

// Named is the level of an axis that reads so. Of an axis that sets paths any value can be.
func (a *Axis) Named(label string) (Level, bool) {
	for _, l := range a.Levels {
		if l.Label == label {
			return l, true
		}
	}
	if len(a.paths) == 0 {
		return Level{}, false
	}
	return a.level(label, scalar(label, a.at)), true
}

// Plan compiles a case at one value of each of its axes, in the order of the case's axes, with
// further changes. A change none of whose paths is in the case changes nothing there.
func (c *Case) Plan(levels []Level, changes []Change) (*model.Plan, model.Problems) {
	plan, problems := c.Document.Plan(c.at(levels, changes))
	if plan == nil {
		return nil, problems
	}
	if missing := c.missing(plan); missing != nil {
		return nil, append(problems, *missing)
	}
	plan.World.Series = check.Needs(plan)
	return plan, problems
}

// Resolved is the case at a point as YAML, in the long form.
func (c *Case) Resolved(levels []Level, changes []Change) string {
	text, _ := c.Document.Resolved(c.at(levels, changes))
	return string(text)
}

func (c *Case) at(levels []Level, changes []Change) Options {
	o := c.options
	o.Checks, o.stairs = c.checks, c.stairs
	o.Overrides = slices.Clone(c.set)
	for _, l := range levels {
		o.Overrides = append(o.Overrides, l.writes...)
	}
	base := o
	for _, change := range changes {
		for _, w := range change.writes {
			if c.Document.leads(base, w.Paths) {
				o.Overrides = append(o.Overrides, w)
			}
		}
	}
	return o
}

// Touched says whether a change changes anything in the case.
func (c *Case) Touched(levels []Level, change Change) bool {
	o := c.at(levels, nil)
	return slices.ContainsFunc(change.writes, func(w Override) bool {
		return c.Document.leads(o, w.Paths)
	})
}

// missing is a check that an early end has left out: an experiment cannot do without.
func (c *Case) missing(plan *model.Plan) *model.Problem {
	for _, item := range c.checks.list.items {
		name := item.word("name")
		if !slices.ContainsFunc(plan.Scenario.Checks, func(k model.Check) bool {
			return k.Name == name
		}) {
			return &model.Problem{Path: "cases." + c.Name + ".until", File: item.at.file,
				Line: item.at.line, Col: item.at.col, Text: name + " looks beyond the end of the case"}
		}
	}
	return nil
}

// leads reports whether one of the paths leads to something after the options were applied.
func (d *Document) leads(o Options, paths []string) bool {
	t := d.apply(&report{}, o)
	return slices.ContainsFunc(paths, func(path string) bool {
		places, err := t.find(path)
		return err == nil && slices.ContainsFunc(places, func(c *cursor) bool {
			return c.missing() == ""
		})
	})
}

// trial compiles each case at the first value of each axis, and then at each other value alone.
func (d *experimentReader) trial() {
	for i := range d.out.Cases {
		c := &d.out.Cases[i]
		first := d.levels(c, "", Level{})
		plan, problems := c.Plan(first, nil)
		d.problems = append(d.problems, problems.Errors()...)
		if plan == nil {
			continue
		}
		d.words(c, plan)
		d.crossed(c, first)
		for _, name := range c.Axes {
			a := d.axis(name)
			for _, l := range a.trials() {
				_, problems := c.Plan(d.levels(c, name, l), nil)
				d.problems = append(d.problems, problems.Errors()...)
			}
		}
	}
	for _, s := range d.out.Sensitivity {
		if !slices.ContainsFunc(d.out.Cases, func(c Case) bool {
			return c.Document != nil && c.Touched(d.levels(&c, "", Level{}), s)
		}) {
			d.add(problem{path: "sensitivity." + s.Name, at: d.locate("sensitivity." + s.Name)},
				"its paths lead nowhere in any case")
		}
		for i := range d.out.Cases {
			c := &d.out.Cases[i]
			_, problems := c.Plan(d.levels(c, "", Level{}), []Change{s})
			d.problems = append(d.problems, problems.Errors()...)
		}
	}
}

// crossed reports two axes that write the same place: the later would hide the earlier.
func (d *experimentReader) crossed(c *Case, first []Level) {
	t := c.Document.apply(&report{}, c.at(first, nil))
	writer := map[string]string{}
	names := c.Axes
	if c.stairs != nil {
		names, first = append(slices.Clip(names), c.stairs.Axis), append(first, c.stairs.levels[0])
	}
	for i, name := range names {
		for _, w := range first[i].writes {
			for _, path := range w.Paths {
				places, _ := t.find(path)
				for _, place := range places {
					at := place.path()
					if other := writer[at]; other != "" && other != name {
						d.add(problem{path: "axes." + name, at: d.axis(name).at},
							"writes %s, and so does the axis %s", at, other)
						return
					}
					writer[at] = name
				}
			}
		}
	}
}

// words refuses objectives that are words.
func (d *experimentReader) words(c *Case, plan *model.Plan) {
	for _, k := range plan.Scenario.Checks {
		m, err := check.Parse(plan.World, k.Measure, k.Client)
		if err == nil && m.Unit == check.Word && k.Measured {
			d.add(problem{path: "objectives." + k.Name, at: d.locate("objectives." + k.Name),
				hint: "make it a constraint, {measure: recovery.verdict, is: recovered}"},
				"a word is neither small nor large")
		}
	}
}

func (d *experimentReader) axis(name string) *Axis {
	i := slices.IndexFunc(d.out.Axes, func(a Axis) bool { return a.Name == name })
	return &d.out.Axes[i]
}

// levels are the first level of each axis of a case, and l of one of them.
func (d *experimentReader) levels(c *Case, axis string, l Level) []Level {
	var out []Level
	for _, name := range c.Axes {
		if name == axis {
			out = append(out, l)
			continue
		}
		out = append(out, d.axis(name).At(0))
	}
	return out
}

// trials are the levels that are worth trying: all, or both ends of a range.
func (a *Axis) trials() []Level {
	if len(a.Levels) > 0 {
		return a.Levels
	}
	return []Level{a.At(0), a.At(1)}
}
