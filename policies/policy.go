package policies

import "cascadesim/sim"

// Class is how an attempt ended, seen from the caller. Each attempt ends in exactly one class.
type Class uint8

// The classes of outcomes. Pending is no outcome yet: the attempt is in flight.
const (
	Pending  Class = iota
	OK             // answered in time, and well
	Error          // answered in time with an error status: the work failed
	Rejected       // turned away by the callee's admission, a full line, or no replica in rotation
	TimedOut       // the caller's own clock ran out
	Refused        // a gate of the caller said no: it was never sent
	Blocked        // an operator's rule at the door answered
	Dropped        // lost without an answer, and the caller was told (a reset connection)
	Classes        // how many there are
)

var classNames = [Classes]string{
	"pending", "ok", "error", "rejected", "timed_out", "refused", "blocked", "dropped",
}

// String is the class as files and results write it.
func (c Class) String() string { return classNames[c] }

// Outcome is what the caller learns of an attempt.
type Outcome struct {
	Class      Class
	Status     int      // of an error, rejection or block, as HTTP numbers them; 0 otherwise
	RetryAfter sim.Time // what a rejection asked the caller to wait; 0 when it asked nothing
	Latency    sim.Time // from send to outcome
}

// Attempt is what a policy may know about the try it is asked about.
type Attempt struct {
	N        int        // number of this try, from 1; a retry has N > 1
	Wait     sim.Time   // the wait before the previous retry of this call; 0 before the first
	Priority int        // of the request; higher is more important
	Chance   sim.Stream // chance of this call and try alone, the same whatever else happens
}

// Gate decides whether an attempt may be sent. It is asked about each attempt, first tries too, in
// the order of the stack, at the moment the caller decides (before any backoff). An attempt that a
// gate refuses is never sent.
type Gate interface {
	Admit(now sim.Time, a *Attempt) bool
}

// Pacer says how long to wait before a retry (a.N > 1); never negative.
type Pacer interface {
	Wait(now sim.Time, a *Attempt, last Outcome) sim.Time
}

// Observer is told how each attempt that was sent ended for its caller. A late reply is not told.
type Observer interface {
	Observe(now sim.Time, a *Attempt, o Outcome)
}

// Admission decides, on the callee's side, whether an attempt that arrives may enter.
type Admission interface {
	Enter(now sim.Time, a *Attempt) bool
}

// Policy is one state of a policy: one field per role it plays, nil where it plays none.
type Policy struct {
	Gate      Gate
	Pacer     Pacer
	Observer  Observer
	Admission Admission
	// Fixed is the wait of a pacer whose every wait is the same, else 0. It changes no result: such
	// waits end in the order they began, so the kernel may keep them in a ring.
	Fixed sim.Time
	// Level is the share of its tokens that are left, for charts; nil when it holds none.
	Level func(now sim.Time) float64
}
