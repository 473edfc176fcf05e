package sim

import "math"

// Time is a point on the virtual clock, or a length of it, in nanoseconds.
type Time int64

// Lengths of virtual time.
const (
	Nanosecond  Time = 1
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
	Minute           = 60 * Second
	Hour             = 60 * Minute
)

// Never is later than every event: a timer that is not set, a limit that does not bind.
const Never Time = math.MaxInt64

// MaxTime is the latest instant at which an event can happen: 2^48-1 ns, about 78 h. What is
// scheduled for later comes then.
const MaxTime Time = 1<<48 - 1

// Seconds is t in seconds.
func (t Time) Seconds() float64 { return float64(t) / 1e9 }
