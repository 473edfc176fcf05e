package selftest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim/stats"
	"cascadesim/sim/unit"
)

// bounds are what a value is compared with: an expectation and how far off it may be, or limits.
type bounds struct {
	want, within float64 // want is NaN when there are only limits; within 0 is exact
	relative     bool    // within is a part of want
	min, max     float64 // infinities where there is no limit
}

// wastedShare is a measure of whole runs: it has no value for a batch.
const wastedShare = "totals.wasted_work_share"

// slack is what adding up and dividing may do to a value that is exact.
const slack = 1e-9

func noBounds() bounds { return bounds{want: math.NaN(), min: math.Inf(-1), max: math.Inf(1)} }

// tolerance is how far from want a value may lie.
func (b bounds) tolerance() float64 {
	if b.relative {
		return b.within * math.Abs(b.want)
	}
	return b.within
}

// hold says whether a value passes: within its tolerance, or with an interval that holds what is
// expected and is narrower than twice the tolerance.
func (b bounds) hold(got float64, interval stats.Interval) bool {
	if math.IsNaN(got) || got < b.min || got > b.max {
		return false
	}
	if math.IsNaN(b.want) {
		return true
	}
	tolerance := b.tolerance()
	if math.Abs(got-b.want) <= tolerance+slack*math.Abs(b.want) {
		return true
	}
	return interval.Holds(b.want) && interval.Hi-interval.Lo < 2*tolerance
}

// text is the tolerance as people read it; figure writes a value in the unit of the measure.
func (b bounds) text(u string) string {
	var parts []string
	if !math.IsInf(b.min, 0) {
		parts = append(parts, "at least "+figure(b.min, u))
	}
	if !math.IsInf(b.max, 0) {
		parts = append(parts, "at most "+figure(b.max, u))
	}
	switch {
	case math.IsNaN(b.want):
	case b.within == 0:
		parts = append(parts, "exact")
	case b.relative:
		parts = append(parts, strconv.FormatFloat(100*b.within, 'g', 3, 64)+" %")
	default:
		parts = append(parts, "+- "+figure(b.within, u))
	}
	return strings.Join(parts, ", ")
}

// judge compares all checks and statistics of a world that has been simulated.
func (w *world) judge() []Outcome {
	var out []Outcome
	verdicts := check.Judge(w.plan, w.results)
	for i, v := range verdicts {
		c := &w.plan.Scenario.Checks[i]
		if c.Is != "" || c.Pass.Kind == "share" {
			out = append(out, w.counted(c, v))
			continue
		}
		out = append(out, w.measured(c, v))
	}
	for i := range w.run.Compute {
		out = append(out, w.computed(&w.run.Compute[i]))
	}
	return out
}

// counted compares in how many replications a check holds with how many there must be.
func (w *world) counted(c *model.Check, v check.Verdict) Outcome {
	n, need := float64(len(v.PerRun)), float64(len(v.PerRun))
	if c.Pass.Kind == "share" {
		need = math.Ceil(c.Pass.Share*n - slack)
	}
	o := w.outcome(c.Name + " " + v.Want)
	o.Unit = fmt.Sprintf("of %d", len(v.PerRun))
	o.Want, o.OK = need, v.OK
	o.Tolerance = "at least"
	for _, r := range v.PerRun {
		if r.OK {
			o.Got++
		}
	}
	if !v.OK {
		o.Detail += "; worst: " + v.Text
	}
	return o
}

// measured compares the value of a check.
func (w *world) measured(c *model.Check, v check.Verdict) Outcome {
	b := noBounds()
	if c.Min != nil {
		b.min = c.Min.Value
	}
	if c.Max != nil {
		b.max = c.Max.Value
	}
	if c.Expect != nil {
		b.want = w.expected(c.Name, c.Expect.Value)
	}
	if c.Within != nil {
		b.within, b.relative = c.Within.Value, c.WithinRelative
	}
	got := math.NaN()
	if v.Value != nil {
		got = *v.Value
	}
	var values []float64
	switch {
	case len(v.PerRun) > 1:
		for _, r := range v.PerRun {
			if r.Value != nil {
				values = append(values, *r.Value)
			}
		}
	case w.batched && c.From == nil && c.To == nil && c.At == nil && c.Measure != wastedShare:
		values = w.inBatches(func(rg check.Range) float64 {
			x, err := check.Over(w.plan, w.results[0], c.Measure, rg)
			if err != nil {
				panic(fmt.Sprintf("selftest: %v", err)) // Validate has accepted the measure
			}
			return x
		})
	}
	return w.compared(c.Name, string(v.Unit), b, got, values)
}

// computed compares a statistic that is no measure.
func (w *world) computed(c *computeForm) Outcome {
	s, ok := statistics[c.Statistic]
	if !ok {
		panic(fmt.Sprintf("selftest: %s: there is no statistic %q", w.form.ID, c.Statistic))
	}
	b := w.bounds(c)
	if len(w.results) > 1 {
		var values []float64
		for _, r := range w.results {
			values = append(values, s.read(w, r, check.DefaultRange(w.plan.World)))
		}
		got := stats.MeanInterval(values).Mean
		return w.compared(c.Name, s.unit, b, got, values).dispute(c.Disputed)
	}
	r := w.results[0]
	got := s.read(w, r, check.DefaultRange(w.plan.World))
	values := w.inBatches(func(rg check.Range) float64 { return s.read(w, r, rg) })
	return w.compared(c.Name, s.unit, b, got, values).dispute(c.Disputed)
}

// bounds are those that a file writes beside a statistic or for a verification.
func (w *world) bounds(c *computeForm) bounds {
	b := noBounds()
	if c.Printed != "" {
		b.want = w.expected(c.Name, value(c.Printed))
	}
	if c.Within != "" {
		b.within, b.relative = value(c.Within), strings.HasSuffix(c.Within, "%")
	}
	if c.Min != "" {
		b.min = value(c.Min)
	}
	if c.Max != "" {
		b.max = value(c.Max)
	}
	return b
}

// verified is the outcome of a value that a verification has read.
func (w *world) verified(name, unit string, got float64, values []float64) Outcome {
	for i := range w.run.Verify {
		if c := &w.run.Verify[i]; c.Name == name {
			return w.compared(name, unit, w.bounds(c), got, values).dispute(c.Disputed)
		}
	}
	panic(fmt.Sprintf("selftest: %s: nothing is expected of %q", w.form.ID, name))
}

// dispute marks a value whose stated figure may be wrong, with the reason; empty: none.
func (o Outcome) dispute(reason string) Outcome {
	if reason != "" {
		o.Disputed, o.Reason = true, reason
	}
	return o
}

// inBatches reads a value from each batch of a single run.
func (w *world) inBatches(read func(check.Range) float64) []float64 {
	values := make([]float64, batches)
	for i := range values {
		values[i] = read(w.batch(i))
	}
	return values
}

// compared is the outcome of one value.
func (w *world) compared(name, u string, b bounds, got float64, values []float64) Outcome {
	interval := stats.MeanInterval(values)
	o := w.outcome(name)
	o.Unit, o.Want, o.Got = short(u), b.want, got
	if interval.N > 1 {
		o.SD, o.Lo, o.Hi = interval.SD, interval.Lo, interval.Hi
	}
	o.Tolerance, o.OK = b.text(o.Unit), b.hold(got, interval)
	return o
}

// outcome is one without values.
func (w *world) outcome(name string) Outcome {
	o := Outcome{
		ID: w.form.ID, What: w.title(name), Detail: w.size,
		Want: math.NaN(), SD: math.NaN(), Lo: math.Inf(-1), Hi: math.Inf(1),
	}
	return o.dispute(w.run.Disputed)
}

// short is a unit as the table writes it.
func short(u string) string {
	switch check.Unit(u) {
	case check.Duration, check.Time:
		return "s"
	case check.Rate:
		return "/s"
	}
	return ""
}

// value reads a number, a share or a duration (in seconds).
func value(text string) float64 {
	if x, err := strconv.ParseFloat(text, 64); err == nil {
		return x
	}
	if x, err := unit.ParseShare(text); err == nil {
		return float64(x)
	}
	t, err := unit.ParseDuration(text)
	if err != nil {
		panic(fmt.Sprintf("selftest: %q is no number, share or duration", text))
	}
	return t.Seconds()
}
