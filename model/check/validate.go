package check

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/internal/words"
	"cascadesim/sim"
)

// kinds are the words of take.
var kinds = []string{
	"mean", "min", "max", "each", "slope", "first_above", "first_below", "last_above", "last_below",
}

// kind is what a check takes; mean when nothing is said.
func kind(c *model.Check) string {
	if c.Take.Kind == "" {
		return "mean"
	}
	return c.Take.Kind
}

// timed says whether a check's value is a time: the first or last bin beyond something.
func timed(c *model.Check) bool {
	return strings.HasPrefix(kind(c), "first_") || strings.HasPrefix(kind(c), "last_")
}

// binned says whether a check's value is taken from bins.
func binned(c *model.Check) bool {
	switch kind(c) {
	case "min", "max", "each":
		return true
	}
	return timed(c)
}

// unitOf is the unit that a check's bounds must have.
func unitOf(c *model.Check, m Measure) Unit {
	switch {
	case timed(c) && c.Since != nil:
		return Duration
	case timed(c):
		return Time
	}
	return takenUnit(c, m)
}

// takenUnit is the unit of the bins, after relative_to.
func takenUnit(c *model.Check, m Measure) Unit {
	switch {
	case c.Relative != nil:
		return Ratio
	case kind(c) == "slope":
		return Rate
	}
	return m.Unit
}

// validator collects what is wrong with one check.
type validator struct {
	plan *model.Plan
	all  []model.Check
	c    *model.Check
	path string
	out  model.Problems
}

func (v *validator) say(field, hint, format string, args ...any) {
	path := v.path
	if field != "" {
		path += "." + field
	}
	v.out = append(v.out, model.Problem{Path: path, Text: fmt.Sprintf(format, args...), Hint: hint})
}

// Validate reports all that is wrong with checks, and with the recovery section of the plan's
// scenario: what does not exist, what does not fit, and times that no window's boundary has.
func Validate(plan *model.Plan, checks []model.Check) model.Problems {
	out := append(validateRecovery(plan), validateWarmup(plan.World, checks)...)
	for i := range checks {
		v := validator{plan: plan, all: checks, c: &checks[i], path: "checks." + checks[i].Name}
		v.check()
		out = append(out, v.out...)
	}
	return out
}

// validateWarmup reports a warm-up that leaves checks nothing because they begin with its end. That
// it is longer than the run is no matter of the checks.
func validateWarmup(w *model.World, checks []model.Check) model.Problems {
	var names []string
	for i := range checks {
		c := &checks[i]
		if rel := c.Relative; w.Warmup < w.End && (swallowed(w, c.From, c.To) ||
			rel != nil && swallowed(w, rel.From, rel.To)) {
			names = append(names, c.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	text := "%s leaves nothing of the check %s, which ends before it"
	if len(names) > 1 {
		text = "%s leaves nothing of the checks %s, which end before it"
	}
	return model.Problems{{Path: "warmup", Hint: "give a shorter one, or say from when to look",
		Text: fmt.Sprintf(text, seconds(w.Warmup), words.And(names))}}
}

// swallowed says whether a range ends before the warm-up with whose end it begins.
func swallowed(w *model.World, from, to *sim.Time) bool {
	end := w.End
	if to != nil {
		end = *to
	}
	return from == nil && w.Warmup > 0 && w.Warmup >= end
}

func validateRecovery(plan *model.Plan) model.Problems {
	var out model.Problems
	rec := recoveryOf(plan.Scenario)
	if _, err := watched(plan.World, rec); err != nil {
		out = append(out, problemOf("recovery.watch", err))
	}
	var known []string
	for _, e := range plan.Scenario.Timeline {
		known = append(known, e.Name)
	}
	if rec.After != "" && !slices.Contains(known, rec.After) {
		out = append(out, model.Problem{Path: "recovery.after",
			Text: fmt.Sprintf("no timeline entry %q", rec.After), Hint: didYouMean(rec.After, known)})
	}
	return out
}

func problemOf(path string, err error) model.Problem {
	var u *unknown
	if errors.As(err, &u) {
		return model.Problem{Path: path, Text: u.text, Hint: u.hint}
	}
	return model.Problem{Path: path, Text: err.Error()}
}

func (v *validator) check() {
	m, err := Parse(v.plan.World, v.c.Measure, v.c.Client)
	if err != nil {
		p := problemOf(v.path+".measure", err)
		v.out = append(v.out, p)
		return // nothing else can be said without its unit
	}
	if !slices.Contains(kinds, kind(v.c)) {
		v.say("take", didYouMean(v.c.Take.Kind, kinds), "no take %q", v.c.Take.Kind)
		return
	}
	v.extent(m)
	v.take(m)
	v.relative(m)
	v.since()
	v.bounds(m)
	v.pass(m)
}

// extent checks from, to, at and bin.
func (v *validator) extent(m Measure) {
	c, w := v.c, v.plan.World
	if m.Kind == Whole && (c.From != nil || c.To != nil || c.At != nil || c.Bin != 0) {
		v.say("", "leave from, to, at and bin out", "%s is a figure of the whole run", c.Measure)
		return
	}
	if c.At != nil {
		v.at(m)
		return
	}
	rg := rangeOf(w, c)
	v.boundary("from", c.From)
	if c.To == nil || *c.To != w.End {
		v.boundary("to", c.To)
	}
	if swallowed(w, c.From, c.To) {
		return // the warm-up is to blame
	}
	if rg.From >= rg.To {
		v.say("from", "", "from (%s) must come before to (%s)",
			v.clock(rg.From), v.clock(rg.To))
		return
	}
	if c.Bin < 0 || c.Bin%w.Window != 0 {
		v.say("bin", "", "a bin of %s is no multiple of the %s windows",
			seconds(c.Bin), seconds(w.Window))
		return
	}
	if c.Bin > 0 && !binned(c) {
		v.say("bin", "", "take %s reads no bins", kind(c))
	}
	if binned(c) && binOf(w, c) > rg.To-rg.From {
		v.say("bin", "", "no whole bin of %s fits between %s and %s",
			seconds(binOf(w, c)), v.clock(rg.From), v.clock(rg.To))
	}
}

// at checks a value at an instant.
func (v *validator) at(m Measure) {
	c := v.c
	v.boundary("at", c.At)
	switch {
	case !m.Sampled():
		v.say("at", "", "only gauges have a value at an instant, not %s", c.Measure)
	case c.From != nil || c.To != nil || c.Bin != 0:
		v.say("at", "", "at stands instead of from, to and bin")
	case kind(c) != "mean":
		v.say("take", "", "there is nothing to take of one instant")
	}
}

// boundary checks that a time lies in the run and where windows meet.
func (v *validator) boundary(field string, t *sim.Time) {
	w := v.plan.World
	switch {
	case t == nil:
	case *t < 0 || *t > w.End:
		v.say(field, "", "%s is outside the run, which ends at %s", v.clock(*t), v.clock(w.End))
	case *t%w.Window != 0 && !v.plan.Scenario.Epoch.IsZero():
		v.say(field, "", "must fall on a boundary of the %s windows, which begin at %s",
			seconds(w.Window), v.clock(0))
	case *t%w.Window != 0:
		v.say(field, "", "must fall on a boundary of the %s windows", seconds(w.Window))
	}
}

func (v *validator) clock(t sim.Time) string { return clock(v.plan.Scenario.Epoch, t) }

// take checks that the take fits the measure.
func (v *validator) take(m Measure) {
	c := v.c
	switch {
	case m.Kind == Whole && kind(c) != "mean":
		v.say("take", "", "%s is one figure of the whole run; there is nothing to take",
			c.Measure)
	case kind(c) == "slope" && !m.Sampled():
		v.say("take", "", "only gauges have a slope, not %s", c.Measure)
	case kind(c) == "slope" && c.Relative != nil && c.Relative.Number == nil:
		v.say("relative_to", "", "a slope can be relative to a number alone")
	}
	if !timed(c) {
		if c.Take.Hold != 0 {
			v.say("take", "", "hold goes with first_ and last_ alone")
		}
		return
	}
	if c.Take.Value == nil {
		v.say("take", "", "%s needs a value, as in {%s: 5%%}", kind(c), kind(c))
	} else {
		v.unit("take", c.Take.Value, takenUnit(c, m))
	}
	if c.Take.Hold < 0 || c.Take.Hold%binOf(v.plan.World, c) != 0 {
		v.say("take", "", "a hold of %s is no multiple of the bin of %s", seconds(c.Take.Hold),
			seconds(binOf(v.plan.World, c)))
	}
}

// relative checks relative_to.
func (v *validator) relative(m Measure) {
	rel := v.c.Relative
	if rel == nil {
		return
	}
	if m.Kind == Whole || m.Unit == Word {
		v.say("relative_to", "", "%s is a figure of the whole run", v.c.Measure)
		return
	}
	switch {
	case rel.Number != nil:
		unit := m.Unit
		if kind(v.c) == "slope" {
			unit = Rate
		}
		v.unit("relative_to", rel.Number, unit)
		if rel.Number.Value == 0 {
			v.say("relative_to", "", "nothing can be relative to 0")
		}
	case rel.Measure != "":
		other, err := Parse(v.plan.World, rel.Measure, v.c.Client)
		switch {
		case err != nil:
			v.out = append(v.out, problemOf(v.path+".relative_to", err))
		case other.Kind == Whole:
			v.say("relative_to", "", "%s is a figure of the whole run", rel.Measure)
		case v.c.At != nil && !other.Sampled():
			v.say("relative_to", "", "only gauges have a value at an instant, not %s", rel.Measure)
		case other.Unit != m.Unit:
			v.say("relative_to", "", "%s is a %s, %s a %s", v.c.Measure, m.Unit,
				rel.Measure, other.Unit)
		}
	default:
		v.boundary("relative_to", rel.From)
		v.boundary("relative_to", rel.To)
		rg := rangeBetween(v.plan.World, rel.From, rel.To)
		if rg.From >= rg.To && !swallowed(v.plan.World, rel.From, rel.To) {
			v.say("relative_to", "", "from must come before to")
		}
	}
}
