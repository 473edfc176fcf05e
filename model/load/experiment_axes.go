package load

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Range is values between two ends, in the unit that those were written in.
type Range struct {
	From, To float64
	Steps    int
	Log      bool
	kind     *numberKind
	whole    bool // both ends are whole numbers without a unit, so all values are
}

// numberKind is a kind of value that a range may have: how it is read and written.
type numberKind struct {
	name  string
	parse func(string) (float64, error)
	write func(float64) string
}

// numberKinds in the order in which they are tried.
var numberKinds = []numberKind{
	{"share", parsePercent, func(x float64) string { return unit.FormatRatio(unit.Ratio(x)) }},
	{"factor", parseTimes, func(x float64) string { return unit.FormatFactor(unit.Factor(x)) }},
	{"rate", parseRate, func(x float64) string { return unit.FormatRate(unit.Rate(x)) }},
	{"size", parseBytes, func(x float64) string { return unit.FormatSize(unit.Size(math.Round(x))) }},
	{"number", parseCounted, plainNumber},
	{"duration", parseSpan, func(x float64) string {
		return unit.FormatDuration(sim.Time(math.Round(x * 1e9)))
	}},
}

func parsePercent(text string) (float64, error) {
	if !strings.HasSuffix(text, "%") {
		return 0, fmt.Errorf("no %%")
	}
	x, err := unit.ParseRatio(text)
	return float64(x), err
}

func parseTimes(text string) (float64, error) {
	x, err := unit.ParseFactor(text)
	return float64(x), err
}

func parseRate(text string) (float64, error) {
	x, err := unit.ParseRate(text)
	return float64(x), err
}

func parseBytes(text string) (float64, error) {
	x, err := unit.ParseSize(text)
	return float64(x), err
}

func parseCounted(text string) (float64, error) {
	if x, err := unit.ParseRatio(text); err == nil {
		return float64(x), nil
	}
	c, err := unit.ParseCount(text)
	if c == unit.Unlimited {
		return 0, fmt.Errorf("no number")
	}
	return float64(c), err
}

func parseSpan(text string) (float64, error) {
	t, err := unit.ParseDuration(text)
	if t == sim.Never {
		return 0, fmt.Errorf("no length")
	}
	return t.Seconds(), err
}

// plainNumber writes a number without a unit, in full.
func plainNumber(x float64) string { return fmt.Sprintf("%.12g", x) }

// readNumber reads a value with a unit.
func readNumber(text string) (float64, *numberKind) {
	for i := range numberKinds {
		if x, err := numberKinds[i].parse(text); err == nil {
			return x, &numberKinds[i]
		}
	}
	return 0, nil
}

// axes reads what is varied.
func (d *experimentReader) axes() {
	for _, e := range d.form.Axes {
		f, path := e.Value, "axes."+e.Name
		a := Axis{Name: e.Name, Doc: f.Doc, Cases: f.Cases, paths: f.Paths, at: d.locate(path)}
		if f.Path != "" {
			a.paths = append(a.paths, f.Path)
		}
		for _, name := range f.Cases {
			if !slices.Contains(d.caseNames(), name) {
				d.add(problem{path: path + ".cases", at: d.locate(path + ".cases"),
					hint: nearest(name, d.caseNames())}, "there is no case %q", name)
			}
		}
		forms := 0
		for _, given := range []bool{len(f.Values) > 0, f.Range != nil, len(f.Points) > 0} {
			if given {
				forms++
			}
		}
		switch {
		case forms != 1:
			d.add(problem{path: path, at: a.at}, "an axis has one of values, range and points")
		case len(f.Points) > 0 && len(a.paths) > 0:
			d.add(problem{path: path, at: a.at}, "points name their own paths")
		case len(f.Points) == 0 && (len(a.paths) == 0 || f.Path != "" && f.Paths != nil):
			d.add(problem{path: path, at: a.at}, "an axis needs path or paths: what it sets")
		case f.Range != nil:
			d.ranged(&a, f.Range, path+".range")
		}
		for _, v := range f.Values {
			a.Levels = append(a.Levels, a.level(v.text, scalar(v.text, v.at)))
		}
		for _, p := range f.Points {
			a.Levels = append(a.Levels, Level{Label: p.Name, writes: writesOf(p.Value, "axis "+a.Name)})
		}
		d.twice(a, path)
		d.out.Axes = append(d.out.Axes, a)
	}
}

// twice reports levels that read the same.
func (d *experimentReader) twice(a Axis, path string) {
	seen := map[string]bool{}
	for _, l := range a.Levels {
		if seen[l.Label] {
			d.add(problem{path: path, at: a.at}, "the value %s is there twice", l.Label)
		}
		seen[l.Label] = true
	}
}

// level is one value of an axis that writes the same paths for each.
func (a *Axis) level(label string, value *node) Level {
	l := Level{Label: label, writes: []Override{
		{Paths: a.paths, By: "axis " + a.Name, node: value, at: value.at}}}
	if x, kind := readNumber(label); kind != nil {
		l.Number, l.Numeric, l.Unit = x, true, kind.name
	}
	return l
}

// ranged reads a range; for a grid its values are the axis's.
func (d *experimentReader) ranged(a *Axis, f *rangeForm, path string) {
	from, kind := readNumber(f.From)
	to, other := readNumber(f.To)
	at := d.locate(path)
	switch {
	case kind == nil || other == nil || kind != other:
		d.add(problem{path: path, at: at}, "from %q to %q: expected two values of one unit, "+
			"such as 1%% and 50%%", f.From, f.To)
		return
	case !(from < to):
		d.add(problem{path: path, at: at}, "from %s must lie below to %s", f.From, f.To)
		return
	case f.Log && from <= 0:
		d.add(problem{path: path, at: at}, "a logarithmic range begins above 0")
		return
	case f.Steps < 2 || f.Steps > 10_000:
		d.add(problem{path: path + ".steps", at: at}, "a range has 2 to 10000 steps")
		return
	}
	a.Range = &Range{From: from, To: to, Steps: f.Steps, Log: f.Log, kind: kind}
	if strings.HasSuffix(f.From, "/s") && strings.HasSuffix(f.To, "/s") {
		// The shortest text of a rate may be one per hour, which nobody meant.
		perSecond := *kind
		perSecond.write = func(x float64) string { return plainNumber(x) + "/s" }
		a.Range.kind = &perSecond
	}
	a.Range.whole = kind.name == "number" && !strings.ContainsAny(f.From+f.To, ".")
	if d.form.Design != "grid" {
		return
	}
	for i := range f.Steps {
		l := a.At(float64(i) / float64(f.Steps-1))
		if len(a.Levels) == 0 || a.Levels[len(a.Levels)-1].Label != l.Label {
			a.Levels = append(a.Levels, l)
		}
	}
}

// At is the axis's value a part u of the way from its first to its last, 0 to 1. Of an axis of
// single values it is the one in whose part of the way u lies.
func (a *Axis) At(u float64) Level {
	if a.Range == nil {
		return a.Levels[min(int(u*float64(len(a.Levels))), len(a.Levels)-1)]
	}
	text := a.Range.text(u)
	return a.level(text, scalar(text, a.at))
}

// text is a value of the range, with four digits between the ends: what people can read and write
// into a file again.
func (r *Range) text(u float64) string {
	x := r.From + float64(u*(r.To-r.From))
	if r.Log {
		x = r.From * sim.Pow(r.To/r.From, u)
	}
	switch {
	case u <= 0:
		x = r.From
	case u >= 1:
		x = r.To
	case r.whole:
		x = math.Round(x)
	default:
		x = significant(x, 4)
	}
	return r.kind.write(x)
}

// significant rounds to so many digits.
func significant(x float64, digits int) float64 {
	var y float64
	if _, err := fmt.Sscanf(fmt.Sprintf("%.*e", digits-1, x), "%g", &y); err != nil {
		return x
	}
	return y
}
