package load

import (
	"reflect"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/sim/unit"
)

// Experiment is a question and the runs that answer it, as a file states them. It never changes.
type Experiment struct {
	Name, Question, Doc string
	Cases               []Case
	Axes                []Axis
	Design              string // grid, latin_hypercube, sobol
	Points              int    // of a design other than the grid
	Baseline            []Coordinate
	UpAndDown           *UpAndDown // nil: each value has runs of its own
	Seed                uint64
	Replications        Replications
	Runs                int // at most so many replications in all; 0: no bound
	Objectives          []Objective
	Constraints         []Constraint
	Sensitivity         []Change
	Recommend           *Recommend
	Text                []byte // the file
}

// Case is a scenario in which points run.
type Case struct {
	Name, Doc    string
	Scenario     string // as written
	Axes         []string
	Replications Replications
	Document     *Document

	options Options
	set     []Override
	checks  *Checks
	stairs  *stairs // nil: none
}

// Replications say how often a point is run.
type Replications struct {
	Min, Max int
	Interval float64
}

// Axis is what is varied: Levels, or for a design of points a Range.
type Axis struct {
	Name, Doc string
	Levels    []Level
	Range     *Range
	Cases     []string
	paths     []string
	at        place
}

// Level is one value of an axis.
type Level struct {
	Label string
	// Number is the value where it is one, for ties and charts; Numeric says whether it is.
	Number  float64
	Numeric bool
	Unit    string // share, factor, rate, size, number or duration; empty: it is no number
	writes  []Override
}

// Coordinate is a value of an axis, by their names.
type Coordinate struct{ Axis, Value string }

// Objective is what is to be small or large.
type Objective struct {
	Name, Doc, Case string
	Maximize        bool
}

// Constraint is what must hold in a case.
type Constraint struct{ Name, Doc, Case string }

// Change is a named change to the scenarios.
type Change struct {
	Name   string
	writes []Override
}

// Recommend says which point is the answer.
type Recommend struct {
	Axis, Among, Tie string
	Weights          map[string]float64
}

// Checks are checks of an experiment, to be read in the place of a scenario's own.
type Checks struct{ list *node }

// reader decodes one experiment.
type experimentReader struct {
	*decoder
	root *node
	form experimentForm
	out  *Experiment

	stairs *stairs // of up_and_down
}

// OpenExperiment reads an experiment and the scenarios that it names, which find turns into
// sources. Everything that is wrong with it, and with the first point of each case and every value
// of each axis, is said at once; the experiment is nil when one of that is an error.
func OpenExperiment(
	src Source, find func(name string) (Source, error),
) (*Experiment, model.Problems) {
	r := &report{}
	data, err := read(src.FS, src.Name)
	if err != nil {
		r.add(problem{at: place{file: src.shown(src.Name)}}, "read: %v", err)
		return nil, r.sorted()
	}
	root := parse(r, src.shown(src.Name), data)
	if root == nil {
		return nil, r.sorted()
	}
	if root.kind != mapNode {
		r.add(problem{at: root.at}, "expected a map of sections, such as question, cases, axes")
		return nil, r.sorted()
	}
	g := builtins()
	root = g.expand(g.experiment, root)
	d := &experimentReader{root: root, out: &Experiment{Text: data},
		decoder: &decoder{report: r, g: g, clock: newClock(newMap(place{}))}}
	d.out.Name = strings.TrimSuffix(src.Name[strings.LastIndex(src.Name, "/")+1:], ".yaml")
	d.record(g.experiment, root, "", reflect.ValueOf(&d.form).Elem())
	d.fields()
	d.axes()
	d.upAndDown()
	d.cases(find)
	d.judged()
	d.recommended()
	d.based()
	if len(r.problems.Errors()) == 0 {
		d.trial()
	}
	problems := r.sorted()
	if len(problems.Errors()) > 0 {
		return nil, problems
	}
	d.everyDwell()
	return d.out, problems
}

// fields takes over what needs no more than its own field.
func (d *experimentReader) fields() {
	f, out := &d.form, d.out
	out.Question, out.Doc, out.Design, out.Points = f.Question, f.Doc, f.Design, f.Points
	out.Seed = f.Seed
	if f.Question == "" {
		d.add(problem{path: "question", at: d.root.at}, "an experiment answers a question: say which")
	}
	if f.Runs != unit.Unlimited {
		out.Runs = int(f.Runs)
	}
	out.Replications = Replications{Min: 5, Max: 5, Interval: 0.05}
	if f.Replications != nil {
		out.Replications = d.replications(f.Replications, "replications")
	}
	for _, p := range f.Baseline {
		out.Baseline = append(out.Baseline, Coordinate{p.key, p.value.text})
	}
	for _, c := range f.Sensitivity {
		out.Sensitivity = append(out.Sensitivity, Change{c.Name, writesOf(c.Value, c.Name)})
	}
	if f.Design != "grid" && f.Points < 2 {
		d.add(problem{path: "points", at: d.root.placeOf("design")},
			"the design %s needs points: how many", f.Design)
	}
}

// replications reads how often a point is run.
func (d *experimentReader) replications(f *replicationsForm, path string) Replications {
	r := Replications{Min: f.Min, Max: max(f.Max, f.Min), Interval: 0.05}
	if f.Interval != nil {
		r.Interval = float64(*f.Interval)
	}
	at := d.locate(path)
	switch {
	case f.Min < 1:
		d.add(problem{path: path + ".min", at: at}, "a point needs a replication")
	case f.Max > 0 && f.Max < f.Min:
		d.add(problem{path: path + ".max", at: at}, "max %d is below min %d", f.Max, f.Min)
	case r.Interval <= 0:
		d.add(problem{path: path + ".interval", at: at}, "an interval is wider than 0")
	}
	return r
}

// locate is the place of a part by its path.
func (d *experimentReader) locate(path string) place {
	n := d.root
	for key := range strings.SplitSeq(path, ".") {
		next := n.get(key)
		if next == nil {
			return n.placeOf(key)
		}
		n = next
	}
	return n.at
}

// writesOf are the overrides of a PATH: value map.
func writesOf(set settings, by string) []Override {
	var out []Override
	for _, p := range set {
		out = append(out, Override{Paths: []string{p.key}, By: by, node: p.value, at: p.at})
	}
	return out
}

// cases opens the scenarios.
func (d *experimentReader) cases(find func(string) (Source, error)) {
	if len(d.form.Cases) == 0 {
		d.add(problem{path: "cases", at: d.root.at}, "an experiment needs cases: which scenarios run?")
	}
	for _, e := range d.form.Cases {
		f, path := e.Value, "cases."+e.Name
		c := Case{Name: e.Name, Doc: f.Doc, Scenario: f.Scenario, Replications: d.out.Replications,
			set: writesOf(f.Set, "case "+e.Name), Axes: d.axesOf(e.Name, f.Axes, path),
			stairs: d.stairs}
		if f.Replications != nil {
			c.Replications = d.replications(f.Replications, path+".replications")
		}
		c.options = Options{Variant: f.Variant, Until: f.Until}
		if f.Scale != 0 {
			c.options.Scale = &f.Scale
		}
		at := d.locate(path + ".scenario")
		src, err := find(f.Scenario)
		if f.Scenario == "" {
			d.add(problem{path: path, at: at}, "which scenario?")
			continue
		}
		if err != nil {
			d.add(problem{path: path + ".scenario", at: at}, "%v", err)
			continue
		}
		document, problems := Open(src)
		if document == nil {
			d.problems = append(d.problems, problems...)
			continue
		}
		c.Document = document
		d.out.Cases = append(d.out.Cases, c)
	}
}

// axesOf are the axes that matter in a case.
func (d *experimentReader) axesOf(name string, wanted []string, path string) []string {
	for _, w := range wanted {
		if !slices.ContainsFunc(d.out.Axes, func(a Axis) bool { return a.Name == w }) {
			d.add(problem{path: path + ".axes", at: d.locate(path + ".axes"),
				hint: nearest(w, d.axisNames())}, "there is no axis %q", w)
		}
	}
	var out []string
	for _, a := range d.out.Axes {
		if d.stairs != nil && a.Name == d.stairs.Axis {
			continue // one run has all of its values
		}
		if (wanted == nil || slices.Contains(wanted, a.Name)) &&
			(a.Cases == nil || slices.Contains(a.Cases, name)) {
			out = append(out, a.Name)
		}
	}
	return out
}

func (d *experimentReader) axisNames() []string {
	var out []string
	for _, a := range d.out.Axes {
		out = append(out, a.Name)
	}
	return out
}

func (d *experimentReader) caseNames() []string {
	var out []string
	for _, c := range d.form.Cases {
		out = append(out, c.Name)
	}
	return out
}
