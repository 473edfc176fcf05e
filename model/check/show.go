package check

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
)

// show writes a reading. When four digits would make a value that fails look like the bound that
// it fails, it is written in full.
func show(plan *model.Plan, c *model.Check, u Unit, got reading, ok bool) string {
	switch {
	case got.word != "":
		return got.word
	case got.never:
		return "never"
	case !exists(got.x):
		return "-"
	}
	out := inUnit(plan, got.x, u)
	if ok || u == Time || u == Duration {
		return out
	}
	for _, b := range []*model.Bound{c.Min, c.Max, c.Expect} {
		if b != nil && out == inUnit(plan, b.Value, u) {
			return full(got.x, u)
		}
	}
	return out
}

// inUnit writes x in its unit, times by the clock.
func inUnit(plan *model.Plan, x float64, u Unit) string {
	if u == Time && exists(x) {
		return clock(plan.Scenario.Epoch, sim.Time(math.Round(x*1e9)))
	}
	return text(x, u)
}

// full writes x with all its digits.
func full(x float64, u Unit) string {
	switch u {
	case Share:
		return strconv.FormatFloat(x*100, 'f', -1, 64) + "%"
	case Rate:
		return strconv.FormatFloat(x, 'f', -1, 64) + "/s"
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// wanted writes the bounds of a check.
func wanted(plan *model.Plan, c *model.Check, u Unit) string {
	var parts []string
	show := func(b *model.Bound) string { return inUnit(plan, b.Value, u) }
	switch {
	case c.Is != "":
		parts = append(parts, c.Is)
	case c.Min != nil && c.Max != nil:
		parts = append(parts, show(c.Min)+" to "+show(c.Max))
	case c.Min != nil:
		parts = append(parts, "at least "+show(c.Min))
	case c.Max != nil:
		parts = append(parts, "at most "+show(c.Max))
	}
	if c.Expect != nil {
		within := ""
		switch {
		case c.Within == nil:
		case c.WithinRelative:
			within = " ± " + text(c.Within.Value, Share)
		case u == Time:
			within = " ± " + text(c.Within.Value, Duration)
		default:
			within = " ± " + text(c.Within.Value, u)
		}
		parts = append(parts, show(c.Expect)+within)
	}
	return strings.Join(parts, ", ")
}

// noteOf says where a value comes from, or why there is none.
func noteOf(plan *model.Plan, c *model.Check, got reading) string {
	var parts []string
	if got.note != "" {
		parts = append(parts, got.note)
	}
	if got.bin >= 0 && !timed(c) {
		parts = append(parts, "bin at "+clock(plan.Scenario.Epoch, got.bin))
	}
	if got.empty > 0 {
		parts = append(parts, fmt.Sprintf("%d bins without a value left out", got.empty))
	}
	return strings.Join(parts, "; ")
}

// passText writes how replications are counted.
func passText(p model.Pass) string {
	switch p.Kind {
	case "mean":
		return "mean"
	case "share":
		return text(p.Share, Share)
	}
	return "all"
}
