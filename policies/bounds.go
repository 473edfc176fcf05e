package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// bounds collects what is wrong with settings, each mistake under its field's name.
type bounds []error

func (b *bounds) say(field, format string, args ...any) {
	*b = append(*b, fmt.Errorf(field+": "+format, args...))
}

// length wants a time that a run can hold. Shorter than least is a slip, or time would stand still.
func (b *bounds) length(field string, t, least sim.Time) {
	if t < least || t > sim.MaxTime {
		b.say(field, "%s; %s to %s", unit.FormatDuration(t), unit.FormatDuration(least),
			unit.FormatDuration(sim.MaxTime))
	}
}

// limit wants a time that may be none.
func (b *bounds) limit(field string, t, least sim.Time) {
	if t < least {
		b.say(field, "%s; at least %s, or none", unit.FormatDuration(t), unit.FormatDuration(least))
	}
}

// count wants a whole number from least on; -1 is how "unlimited" is kept, where least allows it.
func (b *bounds) count(field string, n, least int) {
	if n < least || n > 1e9 {
		b.say(field, "%d; %d to 1e9", n, max(least, 0))
	}
}

// number wants a finite number within bounds.
func (b *bounds) number(field string, x, least, most float64) {
	if !(x >= least && x <= most) {
		b.say(field, "%v; %v to %v", x, least, most)
	}
}

// multiplier wants what a wait may be multiplied with from a retry to the next. Between 1 and 1.001
// nothing is meant that a reader could tell from 1.
func (b *bounds) multiplier(field string, x float64) {
	if x != 1 && !(x >= 1.001 && x <= 1000) {
		b.say(field, "%v; 1, or 1.001 to 1000", x)
	}
}

func (b *bounds) statuses(field string, list []int) {
	for _, s := range list {
		if s < 100 || s > 599 {
			b.say(field, "status %d is not within 100 and 599", s)
		}
	}
}
