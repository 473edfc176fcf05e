package check

import (
	"math"

	"cascadesim/model"
)

// Verdict is one check, judged.
type Verdict struct {
	Name, Doc string
	Reported  string // the same figure in the real world
	Measure   string

	// Value is in Unit: of the only replication; of several, the mean when the check passes by
	// its mean, else the replication's that lies worst in the bounds. Nil: it does not exist, or
	// never happened, or is a word.
	Value *float64
	Unit  Unit
	Word  string // of recovery.verdict
	Never bool   // a time that was looked for and not found
	Text  string // the value as people read it; never, or a dash for what does not exist
	Note  string // which bin it comes from, or why there is none
	Want  string // the bounds as people read them

	Min, Max, Expect *float64 // in Unit; nil where none was set
	Is               string

	OK     bool
	Pass   string // how replications are counted: all, 90%, mean
	PerRun []RunVerdict
}

// RunVerdict is a check in one replication.
type RunVerdict struct {
	Seed  uint64
	Value *float64
	Word  string
	Never bool
	Text  string
	OK    bool
}

// slack is how far beyond a bound a value may lie, as a part of the bound: dividing by a scale and
// by seconds rounds, and a bound is inclusive.
const slack = 1e-9

// Judge judges the scenario's checks by all replications, in the order of the scenario.
//
// A time that never happened lies beyond every time: after the end for first_above, first_below
// and recovery.time, so that max fails and min holds (up to the end of what was looked at); before
// the start for last_above and last_below, so that max holds and min fails. expect always fails.
// "Over by 16:42" is true of what never began; "not before 16:30" is not.
func Judge(plan *model.Plan, results []*model.Result) []Verdict {
	out := make([]Verdict, len(plan.Scenario.Checks))
	for i := range plan.Scenario.Checks {
		out[i] = judge(plan, &plan.Scenario.Checks[i], results)
	}
	return out
}

// judge judges one check.
func judge(plan *model.Plan, c *model.Check, results []*model.Result) Verdict {
	v := Verdict{
		Name: c.Name, Doc: c.Doc, Reported: c.Reported, Measure: c.Measure, Is: c.Is,
		Min: value(c.Min), Max: value(c.Max), Expect: value(c.Expect),
		Text: "-", Pass: passText(c.Pass),
	}
	m, err := Parse(plan.World, c.Measure, c.Client)
	if err != nil {
		v.Note = err.Error()
		return v
	}
	v.Unit = unitOf(c, m)
	v.Want = wanted(plan, c, v.Unit)
	readings := make([]reading, len(results))
	passed := 0
	for i, r := range results {
		got := newReader(plan, r).read(c)
		run := RunVerdict{Seed: r.Seed, Value: number(got.x), Word: got.word, Never: got.never,
			OK: holds(c, got)}
		run.Text = show(plan, c, v.Unit, got, run.OK)
		if run.OK {
			passed++
		}
		readings[i], v.PerRun = got, append(v.PerRun, run)
	}
	shown := worst(c, readings)
	switch c.Pass.Kind {
	case "mean":
		shown = mean(readings)
		v.OK = holds(c, shown)
	case "share":
		v.OK = len(results) > 0 && float64(passed)/float64(len(results)) >= c.Pass.Share-slack
	default:
		v.OK = len(results) > 0 && passed == len(results)
	}
	v.Value, v.Word, v.Never = number(shown.x), shown.word, shown.never
	v.Text = show(plan, c, v.Unit, shown, v.OK)
	v.Note = noteOf(plan, c, shown)
	return v
}

func value(b *model.Bound) *float64 {
	if b == nil {
		return nil
	}
	return number(b.Value)
}

// number is x for JSON: nil when it does not exist.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// holds says whether a reading meets all bounds of its check.
func holds(c *model.Check, got reading) bool {
	switch {
	case c.Is != "":
		return got.word == c.Is
	case got.never:
		return neverHolds(c, got)
	case !exists(got.x):
		return false
	}
	return excess(c, got.x) <= slack*scaleOf(c)
}

// scaleOf is the size of a check's largest bound.
func scaleOf(c *model.Check) float64 {
	size := 0.0
	for _, b := range []*model.Bound{c.Min, c.Max, c.Expect} {
		if b != nil {
			size = max(size, math.Abs(b.Value))
		}
	}
	return size
}

// neverHolds judges a time that never happened; see Judge.
func neverHolds(c *model.Check, got reading) bool {
	if c.Expect != nil || c.Min == nil && c.Max == nil {
		return false
	}
	if timed(c) && !first(c) {
		return c.Min == nil
	}
	if c.Max != nil {
		return false
	}
	return c.Min.Value <= got.looked // until then it has not happened
}

// worst is the reading that lies worst in the bounds: one that does not exist before all others,
// of equals the first.
func worst(c *model.Check, readings []reading) reading {
	out, most := noReading("there are no replications"), math.Inf(-1)
	for i, got := range readings {
		weight := math.Inf(-1)
		switch {
		case exists(got.x):
			weight = excess(c, got.x)
		case !holds(c, got):
			weight = math.Inf(1)
		}
		if i == 0 || weight > most {
			out, most = got, weight
		}
	}
	return out
}

// mean is the mean of all readings, none when one of them is missing.
func mean(readings []reading) reading {
	if len(readings) == 1 { // which may also be never
		return readings[0]
	}
	out := reading{bin: -1}
	for _, got := range readings {
		if !exists(got.x) {
			return noReading("a replication has no value, so there is no mean")
		}
		out.x += got.x / float64(len(readings))
	}
	if len(readings) == 0 {
		return noReading("there are no replications")
	}
	return out
}
