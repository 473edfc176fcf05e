package check

import (
	"math"

	"cascadesim/model"
	"cascadesim/sim"
)

// reading is what a check reads from one replication.
type reading struct {
	x      float64  // none: it does not exist
	never  bool     // a time that was looked for and not found
	looked float64  // of never: how far was looked, in the check's unit
	word   string   // of recovery.verdict
	bin    sim.Time // start of the bin that x comes from; -1 when it comes from no bin
	empty  int      // bins without a value, left out
	note   string   // why there is no value, or what else to know
}

func noReading(note string) reading { return reading{x: none, bin: -1, note: note} }

func rangeOf(w *model.World, c *model.Check) Range { return rangeBetween(w, c.From, c.To) }

func rangeBetween(w *model.World, from, to *sim.Time) Range {
	rg := DefaultRange(w)
	if from != nil {
		rg.From, rg.Default = *from, false
	}
	if to != nil {
		rg.To, rg.Default = *to, false
	}
	return rg
}

// binOf is the width of a check's bins.
func binOf(w *model.World, c *model.Check) sim.Time {
	if c.Bin == 0 {
		return w.Window
	}
	return c.Bin
}

// read reads a check that Validate accepts.
func (rd reader) read(c *model.Check) reading {
	m, err := Parse(rd.w, c.Measure, c.Client)
	if err != nil {
		return noReading(err.Error())
	}
	switch {
	case m.Kind == Whole:
		return rd.readWhole(m)
	case c.At != nil:
		return plain(rd.relative(c, Range{From: *c.At}, rd.at(m, *c.At)))
	case kind(c) == "slope":
		return plain(rd.slope(c, m))
	case !binned(c):
		rg := rangeOf(rd.w, c)
		got := plain(rd.relative(c, rg, rd.over(m, rg)))
		if !exists(got.x) && m.Kind == Lengths && !rd.kept(m, rg) {
			got.note = "durations were not kept by window"
		}
		return got
	}
	bins := rd.relativeBins(c, m)
	if timed(c) {
		return rd.when(c, bins)
	}
	return rd.pick(c, bins)
}

// kept says whether durations over rg were recorded, if there were any.
func (rd reader) kept(m Measure, rg Range) bool {
	s, _, ok := rd.span(rg, false)
	return ok && rd.lengths(m, rg, s) != nil
}

func plain(x float64) reading {
	if !exists(x) {
		return noReading("there is no value")
	}
	return reading{x: x, bin: -1}
}

// readWhole reads a figure of the whole run.
func (rd reader) readWhole(m Measure) reading {
	if m.of == "controls" {
		return rd.control(m)
	}
	if m.of != "recovery" {
		return plain(rd.whole(m))
	}
	switch rec := Recover(rd.plan, rd.r); {
	case m.what == "verdict":
		return reading{x: none, word: rec.Verdict, bin: -1}
	case m.what == "time" && rec.Never:
		return reading{x: none, never: true, bin: -1, looked: rec.Looked}
	case m.what == "time":
		return plain(rec.Time)
	default:
		return plain(rec.Surge)
	}
}

// slope is how fast a gauge moved from the start of the range to its end, per second.
func (rd reader) slope(c *model.Check, m Measure) float64 {
	rg := rangeOf(rd.w, c)
	x := (rd.at(m, rg.To) - rd.at(m, rg.From)) / (rg.To - rg.From).Seconds()
	if c.Relative != nil && c.Relative.Number != nil {
		return ratio(x, c.Relative.Number.Value)
	}
	return x
}

// relative divides x, read over rg, as relative_to says.
func (rd reader) relative(c *model.Check, rg Range, x float64) float64 {
	rel := c.Relative
	switch {
	case rel == nil:
		return x
	case rel.Number != nil:
		return ratio(x, rel.Number.Value)
	case rel.Measure != "":
		other, err := Parse(rd.w, rel.Measure, c.Client)
		switch {
		case err != nil:
			return none
		case c.At != nil:
			return ratio(x, rd.at(other, *c.At))
		}
		return ratio(x, rd.over(other, rg))
	}
	return ratio(x, rd.base(c))
}

// base is a check's measure over the range that it is relative to, as one bin.
func (rd reader) base(c *model.Check) float64 {
	m, err := Parse(rd.w, c.Measure, c.Client)
	if err != nil {
		return none
	}
	return rd.over(m, rangeBetween(rd.w, c.Relative.From, c.Relative.To))
}

// relativeBins are the bins of a check, divided as relative_to says.
func (rd reader) relativeBins(c *model.Check, m Measure) []float64 {
	rg, width := rangeOf(rd.w, c), binOf(rd.w, c)
	bins := rd.bins(m, rg, width)
	rel := c.Relative
	if rel == nil {
		return bins
	}
	var by []float64
	base := none
	switch {
	case rel.Number != nil:
		base = rel.Number.Value
	case rel.Measure != "":
		other, err := Parse(rd.w, rel.Measure, c.Client)
		if err == nil {
			by = rd.bins(other, rg, width)
		}
	default:
		base = rd.base(c)
	}
	for i := range bins {
		divisor := base
		if i < len(by) {
			divisor = by[i]
		}
		bins[i] = ratio(bins[i], divisor)
	}
	return bins
}

// pick takes the smallest, the largest or the worst bin. Bins without a value are left out.
func (rd reader) pick(c *model.Check, bins []float64) reading {
	out, most := noReading("no bin has a value"), math.Inf(-1)
	for i, x := range bins {
		if !exists(x) {
			out.empty++
			continue
		}
		var weight float64
		switch kind(c) {
		case "min":
			weight = -x
		case "max":
			weight = x
		default:
			weight = excess(c, x)
		}
		if out.bin < 0 || weight > most {
			most, out.x, out.note = weight, x, ""
			out.bin = rangeOf(rd.w, c).From + sim.Time(i)*binOf(rd.w, c)
		}
	}
	return out
}

// excess is how far x lies outside a check's bounds; inside, it is negative: how far from the
// nearest of them.
func excess(c *model.Check, x float64) float64 {
	most := math.Inf(-1)
	if c.Min != nil {
		most = max(most, c.Min.Value-x)
	}
	if c.Max != nil {
		most = max(most, x-c.Max.Value)
	}
	if c.Expect != nil {
		most = max(most, math.Abs(x-c.Expect.Value)-tolerance(c))
	}
	return most
}

// tolerance is how far from expect a value may lie.
func tolerance(c *model.Check) float64 {
	switch {
	case c.Within == nil:
		return 0
	case c.WithinRelative:
		return float64(c.Within.Value * math.Abs(c.Expect.Value))
	}
	return c.Within.Value
}

// when finds the first or last bin beyond a value, and counts from since. Bins without a value are
// beyond nothing.
func (rd reader) when(c *model.Check, bins []float64) reading {
	hold := max(1, int(c.Take.Hold/binOf(rd.w, c)))
	found, empty, running := -1, 0, 0
	for i, x := range bins {
		if !exists(x) {
			empty++
		}
		if !beyond(kind(c), x, c.Take.Value.Value) {
			running = 0
			continue
		}
		running++
		if running < hold {
			continue
		}
		found = i
		if first(c) {
			found = i - hold + 1
			break
		}
	}
	if empty == len(bins) {
		return noReading("no bin has a value")
	}
	out := reading{x: none, never: true, bin: -1, empty: empty}
	out.looked = rangeOf(rd.w, c).To.Seconds()
	if found >= 0 {
		out.never = false
		out.bin = rangeOf(rd.w, c).From + sim.Time(found)*binOf(rd.w, c)
		at := out.bin
		if !first(c) {
			at += binOf(rd.w, c)
		}
		out.x = at.Seconds()
	}
	return rd.from(c, out)
}

func first(c *model.Check) bool { return kind(c) == "first_above" || kind(c) == "first_below" }

func beyond(kind string, x, limit float64) bool {
	if kind == "first_above" || kind == "last_above" {
		return x > limit
	}
	return x < limit
}

// from turns a time into the time since something.
func (rd reader) from(c *model.Check, got reading) reading {
	if c.Since == nil {
		return got
	}
	start := c.Since.Time.Seconds()
	if c.Since.Check != "" {
		other := rd.checkNamed(c.Since.Check)
		if other == nil {
			return noReading("there is no check " + c.Since.Check)
		}
		from := rd.read(other)
		if !exists(from.x) {
			return noReading(c.Since.Check + " never happened, so nothing counts from it")
		}
		start = from.x
	}
	got.x -= start // stays none
	got.looked -= start
	return got
}

func (rd reader) checkNamed(name string) *model.Check {
	for i := range rd.plan.Scenario.Checks {
		if c := &rd.plan.Scenario.Checks[i]; c.Name == name {
			return c
		}
	}
	return nil
}
