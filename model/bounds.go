package model

import (
	"math"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// NoTimeout is a caller that waits for ever.
var NoTimeout = Timeout{Try: sim.Never, Overall: sim.Never, Lease: sim.Never}

// longest is the longest run, and so the longest length of time that means anything: the clock's
// range in whole hours.
const longest = sim.MaxTime / sim.Hour * sim.Hour

// mostCount bounds counts, so that sums and products of them stay exact.
const mostCount = 1_000_000_000

// count checks a count that has a least value.
func (n *names) count(path string, v, least int) {
	switch {
	case v == Unlimited:
		n.errorf(path, "unlimited is no number here; expected a count of at least %d", least)
	case v < least || v > mostCount:
		n.errorf(path, "%d; expected a count from %d to 1000M", v, least)
	}
}

// limit checks a count that may be unlimited.
func (n *names) limit(path string, v, least int) {
	if v != Unlimited && (v < least || v > mostCount) {
		n.errorf(path, "%d; expected a count from %d to 1000M, or unlimited", v, least)
	}
}

func (n *names) share(path string, v unit.Share) {
	if !(v >= 0 && v <= 1) {
		n.errorf(path, "%v; expected a share from 0%% to 100%%", float64(v))
	}
}

// length checks a length of time; 0 is allowed.
func (n *names) length(path string, t sim.Time) {
	if t < 0 || t > longest {
		n.errorf(path, "%s; expected a duration from 0 to %s",
			unit.FormatDuration(t), unit.FormatDuration(longest))
	}
}

// timer checks a length of time that may be none but not 0.
func (n *names) timer(path string, t sim.Time) {
	if t != sim.Never && (t <= 0 || t > longest) {
		n.errorf(path, "%s; expected a duration above 0 and at most %s, or none",
			unit.FormatDuration(t), unit.FormatDuration(longest))
	}
}

func (n *names) status(path string, v int) {
	if v < 100 || v > 599 {
		n.errorf(path, "%d; expected a status from 100 to 599", v)
	}
}

// word checks a field that takes one of some words; empty is the first, the default.
func (n *names) word(path, v string, words ...string) {
	if v == "" {
		return
	}
	for _, w := range words {
		if v == w {
			return
		}
	}
	n.errorf(path, "unknown word %q", v).hint(nearest(v, words))
}

// rate checks a rate per second. What arrives more often than every nanosecond would not move time.
func (n *names) rate(path string, v unit.Rate) {
	if !(v >= 0 && v <= 1e9) {
		n.errorf(path, "%s; expected a rate from 0/s to 1000M/s", unit.FormatRate(v))
	}
}

// curve checks a curve of values at ascending times.
func (n *names) curve(path string, c Curve, least, most float64) {
	if len(c) == 0 {
		n.errorf(path, "expected at least one point")
	}
	for i, p := range c {
		if !(p.Value >= least && p.Value <= most) || math.IsInf(p.Value, 0) {
			n.errorf(path, "value %v at %s; expected %v to %v", p.Value,
				unit.FormatDuration(p.At), least, most)
		}
		if i > 0 && p.At <= c[i-1].At {
			n.errorf(path, "%s comes after %s; expected times in ascending order",
				unit.FormatDuration(p.At), unit.FormatDuration(c[i-1].At))
		}
	}
}
