package check

import "cascadesim/model"

// Format writes a value in its unit as people read it.
func Format(x float64, u Unit) string { return text(x, u) }

// Meets says whether a value lies within a check's bounds.
func Meets(c *model.Check, x float64) bool {
	return exists(x) && excess(c, x) <= slack*scaleOf(c)
}

// UnitOf is the unit of what a valid check reads, after its take and what it is relative to.
func UnitOf(w *model.World, c *model.Check) Unit {
	m, err := Parse(w, c.Measure, c.Client)
	if err != nil {
		return ""
	}
	return unitOf(c, m)
}

// Wanted writes a check's bounds.
func Wanted(plan *model.Plan, c *model.Check) string {
	return wanted(plan, c, UnitOf(plan.World, c))
}

// Limits are the least and the largest value that meet a check; nil: there is no such limit.
func Limits(c *model.Check) (low, high *float64) {
	low, high = value(c.Min), value(c.Max)
	if c.Expect != nil {
		from, to := c.Expect.Value-tolerance(c), c.Expect.Value+tolerance(c)
		if low == nil || *low < from {
			low = &from
		}
		if high == nil || *high > to {
			high = &to
		}
	}
	return low, high
}

// Shown writes a value of a check as people read it: a time by the scenario's clock.
func Shown(plan *model.Plan, c *model.Check, x float64) string {
	if UnitOf(plan.World, c) == Time {
		return instant(plan, x)
	}
	return text(x, UnitOf(plan.World, c))
}
