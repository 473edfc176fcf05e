package check

import (
	"fmt"
	"math"
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
	if u == Time {
		return instant(plan, got.x)
	}
	out := text(got.x, u)
	for _, b := range []*model.Bound{c.Min, c.Max, c.Expect} {
		if !ok && b != nil && out == text(b.Value, u) {
			return exactly(got.x, u)
		}
	}
	return out
}

// instant writes a time in seconds from the start by the clock.
func instant(plan *model.Plan, x float64) string {
	return clock(plan.Scenario.Epoch, sim.Time(math.Round(x*1e9)))
}

// wanted writes the bounds of a check.
func wanted(plan *model.Plan, c *model.Check, u Unit) string {
	var parts []string
	show := func(b *model.Bound) string {
		if u == Time {
			return instant(plan, b.Value)
		}
		return exactly(b.Value, u)
	}
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
			within = " ± " + exactly(c.Within.Value, Share)
		case u == Time:
			within = " ± " + exactly(c.Within.Value, Duration)
		default:
			within = " ± " + exactly(c.Within.Value, u)
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
	switch {
	case got.empty == 1:
		parts = append(parts, "a bin without a value was left out")
	case got.empty > 1:
		parts = append(parts, fmt.Sprintf("%d bins without a value were left out", got.empty))
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
