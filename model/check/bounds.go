package check

import (
	"math"
	"slices"

	"cascadesim/model"
)

// verdicts are the words of recovery.verdict, from good to bad.
var verdicts = []string{NoFault, Recovered, Degraded, Metastable}

// since checks since: the value must be a time, and what it counts from a time too.
func (v *validator) since() {
	since := v.c.Since
	switch {
	case since == nil:
		return
	case !timed(v.c):
		v.say("since", "", "take %s gives no time; first_ and last_ do", kind(v.c))
		return
	case since.Check == "":
		return
	}
	var known []string
	for i := range v.all {
		other := &v.all[i]
		if other.Name != since.Check {
			known = append(known, other.Name)
			continue
		}
		if !timed(other) || other.Since != nil {
			v.say("since", "", "check %q gives no time", other.Name)
		}
		return
	}
	v.say("since", didYouMean(since.Check, known), "no check %q", since.Check)
}

// bounds checks that there is a bound and that each fits.
func (v *validator) bounds(m Measure) {
	c := v.c
	if c.Measured {
		return
	}
	if m.Unit == Word {
		v.word(m.words(v.plan.World))
		return
	}
	unit := unitOf(c, m)
	v.unit("min", c.Min, unit)
	v.unit("max", c.Max, unit)
	v.unit("expect", c.Expect, unit)
	switch {
	case c.Is != "":
		v.say("is", "", "only recovery.verdict and the stage of a control are words")
	case c.Min == nil && c.Max == nil && c.Expect == nil:
		v.say("", "", "a check needs min, max or expect")
	case c.Min != nil && c.Max != nil && c.Min.Value > c.Max.Value:
		v.say("min", "", "min lies above max")
	}
	switch {
	case c.Within == nil:
	case c.Expect == nil:
		v.say("within", "", "within goes with expect")
	case c.Within.Value < 0:
		v.say("within", "", "must not be negative")
	case c.WithinRelative:
	case unit == Time:
		v.unit("within", c.Within, Duration)
	default:
		v.unit("within", c.Within, unit)
	}
}

// word checks the bounds of a measure that is one of some words.
func (v *validator) word(known []string) {
	c := v.c
	switch {
	case c.Min != nil || c.Max != nil || c.Expect != nil || c.Within != nil:
		v.say("", "", "%s is a word; judge it with is", c.Measure)
	case c.Is == "":
		v.say("", "", "a check of %s needs is", c.Measure)
	case !slices.Contains(known, c.Is):
		v.say("is", didYouMean(c.Is, known), "%s is never %q", c.Measure, c.Is)
	}
}

// unit checks that a bound was written in the unit.
func (v *validator) unit(field string, b *model.Bound, unit Unit) {
	switch {
	case b == nil:
	case math.IsNaN(b.Value) || math.IsInf(b.Value, 0):
		v.say(field, "", "must be a number")
	case unit == Share && Unit(b.Unit) == Count && (b.Value < 0 || b.Value > 1):
		v.say(field, "write "+text(b.Value/100, Share)+" if percent was meant",
			"a share goes from 0 to 1, not to %s", text(b.Value, Ratio))
	case !fits(unit, b):
		v.say(field, "", "expected a %s such as %s, not a %s", unit, sampleOf[unit], b.Unit)
	}
}

// fits says whether what was written can be read in the unit. A number without a unit is a
// count; as a share or a ratio it is itself. 0 is 0 in every unit.
func fits(unit Unit, b *model.Bound) bool {
	written := Unit(b.Unit)
	if written == unit || b.Value == 0 && written == Count {
		return true
	}
	switch unit {
	case Share, Ratio:
		return written == Count || written == Share || written == Ratio
	case Time:
		return written == Duration // 2m from the start
	}
	return false
}

var sampleOf = map[Unit]string{
	Count: "200", Rate: "7k/s", Share: "5%", Ratio: "1.2", Duration: "250ms", Time: "2m",
}

// pass checks how replications are counted.
func (v *validator) pass(m Measure) {
	p := v.c.Pass
	switch p.Kind {
	case "", "all":
	case "share":
		if !(p.Share > 0 && p.Share <= 1) {
			v.say("pass", "", "a share of the replications above 0 and up to 100%% was expected")
		}
	case "mean":
		if m.Unit == Word {
			v.say("pass", "", "words have no mean")
		}
	default:
		v.say("pass", "", "expected all, a share such as 90%%, 9 of 10, or mean, not %q", p.Kind)
	}
}
