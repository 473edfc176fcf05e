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
	Class Class
	// Unreached: no replica ever saw the attempt, as far as a caller can know. The connection was
	// refused or found nobody (Dropped, Rejected), or was lost on its way (TimedOut).
	Unreached bool
	// Cancelled: the caller gave the attempt up because its call had ended: another copy had
	// answered, the deadline passed (TimedOut), or whoever called it was gone (Dropped). Of a call:
	// its deadline passed, or whoever made it was gone.
	Cancelled bool
	Status    int // of an error, rejection or block, as HTTP numbers them; 0 otherwise
	// RetryAfter is what the answer asks of the caller: a wait when positive, nothing when 0, else
	// RetryNow or DontRetry.
	RetryAfter sim.Time
	Advice     float64  // what the callee's admission put on its answer (see Adviser); else 0
	Latency    sim.Time // from send to outcome
}

// What an answer may ask instead of a wait.
const (
	RetryNow  sim.Time = -1 // retry at once
	DontRetry sim.Time = -2 // do not retry
)

// Attempt is what a policy may know about the try it is asked about.
type Attempt struct {
	N        int        // number of this try, from 1; a retry has N > 1
	Wait     sim.Time   // the wait before the previous retry of this call; 0 before the first
	Priority int        // of the request; higher is more important
	Chance   sim.Stream // chance of this call and try alone, the same whatever else happens
	Carried  int        // the try number that came with the request from the layer above; 0: none
	Started  sim.Time   // when the call began
	Deadline sim.Time   // when the call ends at the latest; sim.Never
	Last     Outcome    // of the previous try of this call; of class Pending before the first retry
	Waiting  int        // attempts in the line of the stack's queuer, of the state that serves it
	// Client is who is behind the request: the same number for all its requests at every layer,
	// so that two policies agree on a share of the clients. 0: nobody in particular.
	Client uint64
	// Note is the policy's own memory of this call, 0 when the call begins, the same for all its
	// tries; at a callee it is of this attempt, from its arrival until it has left. It is nil unless
	// the policy's Spec says Notes.
	Note *uint64
}

// Policy is one state of a policy: one field per role it plays, nil where it plays none. The roles
// of a caller's stack come first, then those of a callee.
type Policy struct {
	Condition Condition
	Gate      Gate
	Lingerer  Lingerer
	Wrapper   Wrapper
	Pacer     Pacer
	Placer    Placer
	Shaper    Shaper
	Queuer    Queuer
	Starter   Starter
	Observer  Observer
	Closer    Closer
	Hedger    Hedger
	Ejector   Ejector

	Admission Admission
	Sizer     Sizer
	Turner    Turner
	Finisher  Finisher
	Adviser   Adviser
	Answerer  Answerer

	// KeepTimedOut: an attempt whose per-try timeout has fired stays in flight and may still answer;
	// the call goes on as after a failure of class TimedOut.
	KeepTimedOut bool
	// Repicks is how often the balancer picks again for a retry that a placer wants at a fresh
	// replica.
	Repicks int
	// FailedAs is the status with which a proxy of this kind answers its client for a call that ended
	// as TimedOut, Dropped or Refused, which have none; nil: 504, 502, 503. It is a pure function.
	FailedAs func(o Outcome) int
	// QueueFor is how long an attempt waits in the queuer's line at most, before it is refused; 0: any
	// time. It is the same for all states.
	QueueFor sim.Time
	// Seed gives the state a chance of its own, once, before anything is asked; nil when it needs
	// none. Roles that see an Attempt have its chance instead.
	Seed func(chance sim.Stream)
	// Fixed is the wait of a pacer whose every wait is the same, else 0. It changes no result: such
	// waits end in the order they began, so the kernel may keep them in a ring.
	Fixed sim.Time
	// SparesFirst: the gate lets every first try pass and remembers nothing of it. It changes no
	// result: the kernel need not ask it then.
	SparesFirst bool
	// PassesFirst: the gate lets every first try pass, but may take note of it, as what earns retries.
	PassesFirst bool
	// Level is the share of its tokens that are left, for charts; nil when it holds none.
	Level func(now sim.Time) float64
	// Breaker: its level is that of a breaker, 1 while it is closed, 0 while it is open, between while
	// it is half open. It changes no result but how many are open, for charts.
	Breaker bool
}
