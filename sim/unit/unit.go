package unit

import "cascadesim/sim"

// Count is a whole number of things, at least 0, or Unlimited.
type Count int64

// Unlimited is the count that sets no limit.
const Unlimited Count = -1

// Rate is how often per second, at least 0.
type Rate float64

// Share is a part of a whole, within 0 and 1.
type Share float64

// Ratio is one quantity per another, at least 0; it may exceed 1.
type Ratio float64

// Factor multiplies: at least 0, and 1 changes nothing.
type Factor float64

// String is FormatCount.
func (c Count) String() string { return FormatCount(c) }

// String is FormatRate.
func (r Rate) String() string { return FormatRate(r) }

// String is FormatShare.
func (s Share) String() string { return FormatShare(s) }

// String is FormatRatio.
func (r Ratio) String() string { return FormatRatio(r) }

// String is FormatFactor.
func (f Factor) String() string { return FormatFactor(f) }

// Interval is the mean time between events at this rate, sim.Never at rate 0. It is rounded to
// the nearest nanosecond and at least one, so that events in sequence always advance the clock.
func (r Rate) Interval() sim.Time {
	x := 1e9/float64(r) + 0.5
	switch {
	case !(x < float64(sim.MaxTime)):
		return sim.Never
	case x < 1:
		return 1
	}
	return sim.Time(x)
}
