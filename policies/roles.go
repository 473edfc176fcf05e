package policies

import "cascadesim/sim"

// The life of one try at its caller, and who is asked or told:
//
//	an outcome -> Condition -> Gates -> Pacer ... Shapers -> Starters -> (in flight) -> Observers
//	                                              Queuer     Hedger                     Closers
//
// and at its callee: Admissions, the line, Turners, the work, Finishers and Advisers; Answerers
// when it is turned away.

// Condition decides whether an outcome is one that is tried again at all, in place of the stack's
// retry_on. It is asked about each outcome but OK, before the gates are asked about the next try;
// a.N is the number of the try that failed. It may charge for a failure that it does not retry.
type Condition interface {
	Retryable(now sim.Time, a *Attempt, o Outcome) bool
}

// Gate decides whether an attempt may be sent. It is asked about each attempt, first tries too, in
// the order of the stack, at the moment the caller decides (before any backoff): a refusal is that
// nothing more is tried. When the policy says AtSend it is asked as the attempt is about to go: a
// refusal is what became of this attempt, which is never sent.
type Gate interface {
	Admit(now sim.Time, a *Attempt) bool
}

// Wrapper is a gate at the send that stands around what comes after it in its stack: it is told of
// an attempt that it let pass and that was not sent after all, because a later entry refused it (of
// class Refused) or because its call ended while a later entry held it back (Cancelled). Each
// attempt that it lets pass is so told once: as unsent, or as started and, when it has ended,
// observed.
type Wrapper interface {
	Unsent(now sim.Time, a *Attempt, o Outcome)
}

// Queuer keeps attempts that are about to be sent in a line until others that it let pass have
// ended, as a pool of connections does. It is asked at the send, before the policy's own gate, and
// again about the first in line after it was told something as wrapper, observer or closer. ahead
// is how many wait before the attempt.
type Queuer interface {
	Join(now sim.Time, a *Attempt, ahead int) QueueVerb
}

// QueueVerb is what a queuer says of an attempt.
type QueueVerb uint8

// The verbs of queuers.
const (
	QueuePass   QueueVerb = iota // it goes on, even past others who wait
	QueueWait                    // it joins the end of the line, or stays first in it
	QueueRefuse                  // it is refused, as by a gate at the send
)

// Lingerer says how long a call whose retry the policy's own gate has refused (a.N) waits before it
// ends with last, what became of the try before; 0: not at all. Its chance is the pacer's.
type Lingerer interface {
	Linger(now sim.Time, a *Attempt, last Outcome) sim.Time
}

// Pacer says how long to wait before a retry (a.N > 1); never negative.
type Pacer interface {
	Wait(now sim.Time, a *Attempt, last Outcome) sim.Time
}

// Placer says where a retry (a.N > 1) goes, in place of the edge's on_retry. It is asked after the
// pacer.
type Placer interface {
	Place(now sim.Time, a *Attempt) Where
}

// Where is where a retry goes.
type Where uint8

// The places. Other means any replica but the last, unless there is no second. Fresh means that the
// balancer picks again, Policy.Repicks times at most, while a try of the call has gone to its pick.
const (
	Anywhere Where = iota
	SameReplica
	OtherReplica
	FreshReplica
)

// Shaper holds attempts back, first tries too: it is asked when an attempt is about to be sent, and
// again after each wait that it asked for, until it says 0. Waits are at least 1 ns, or time would
// stand still.
type Shaper interface {
	Delay(now sim.Time, a *Attempt) sim.Time
}

// Starter is told when an attempt is sent: after its backoff, as its clock starts.
type Starter interface {
	Start(now sim.Time, a *Attempt)
}

// Observer is told how each attempt that was sent ended for its caller, each exactly once. A late
// reply is not told.
type Observer interface {
	Observe(now sim.Time, a *Attempt, o Outcome)
}

// Closer is told how each call ended, whatever became of it: answered, out of time in the middle of
// a backoff, refused at its first try. a.N is the number of tries that were sent.
type Closer interface {
	Close(now sim.Time, a *Attempt, o Outcome)
}

// Hedger lets a call have several attempts in flight. The gates are asked about each further copy
// when its time has come; one that they refuse ends the hedging of its call.
type Hedger interface {
	// Sent says what follows after copy a.N was sent.
	Sent(now sim.Time, a *Attempt) Hedge
	// Failed says what follows after copy a.N failed. The call fails anyway once no copy is in
	// flight and none is to come.
	Failed(now sim.Time, a *Attempt, o Outcome) Hedge
}

// Hedge is what a hedger wants.
type Hedge struct {
	Verb  HedgeVerb
	Delay sim.Time // HedgeNext: from now
}

// HedgeVerb is what happens to the copies of a call.
type HedgeVerb uint8

// The verbs of hedging.
const (
	HedgeWait HedgeVerb = iota // as it was: a copy that is due stays due
	HedgeNext                  // the next copy goes after Delay, and not when it was due before
	HedgeStop                  // no further copies; those in flight may still answer
	HedgeFail                  // the call fails now, with this outcome, and its other copies end
)

// Ejector takes callees that misbehave out of the choice for a while. Hosts are the replicas that
// the edge's balancer can choose from, numbered from 0.
type Ejector interface {
	Hosts(now sim.Time, n int)                // how many there are; called first, and when it changes
	Picked(now sim.Time, host int)            // an attempt is sent there
	Report(now sim.Time, host int, o Outcome) // how an attempt sent there ended for its caller
	// Out tells whether a host is out of the choice. It is asked about every host before each pick,
	// unless a Counter says that none is, and says false for all when the policy fails open.
	Out(now sim.Time, host int) bool
}

// Counter is an Ejector that counts: while none is out, it is not asked about each before a pick.
type Counter interface {
	Outs(now sim.Time) int // how many hosts are out, or would be if the policy did not fail open
}

// Admission decides, on the callee's side, whether an attempt that arrives may enter.
type Admission interface {
	Enter(now sim.Time, a *Attempt) bool
}

// Turner is asked, on the callee's side, about an attempt whose turn in the line has come after
// waiting so long; one that never waited is asked about too, with 0. false rejects it.
type Turner interface {
	Turn(now sim.Time, a *Attempt, waited sim.Time) bool
}

// Finisher is told, on the callee's side, how each attempt that this policy had let enter left: o
// is OK or Error after its work; Rejected when a later admission, a full line or a Turner turned it
// away; Dropped when it was given up. took is the time since it entered, waiting in line included.
type Finisher interface {
	Finish(now sim.Time, a *Attempt, took sim.Time, o Outcome)
}

// Adviser puts a number on each answer that leaves the callee, for policies of its callers to read
// in Outcome.Advice: a level of admission, credits.
type Adviser interface {
	Advise(now sim.Time, a *Attempt) float64
}

// Sizer says how many slots a replica has, in place of the tier's; negative is unlimited. It is
// asked when an attempt has entered or left, when one wants a slot and before free ones are given
// out. up is when the replica last went out of rotation or came back; 0: it was always there.
// What it says must follow from its settings and what it is shown alone.
type Sizer interface {
	Slots(now sim.Time, inSystem int, up sim.Time) int
	// Until is the next time at which those who wait should have the slots that there are by then,
	// though nobody has come or left; sim.Never: there is none.
	Until(now, up sim.Time) sim.Time
}

// Answerer says what a rejection of its callee answers, whoever turned the attempt away. o is of
// class Rejected, as the tier's reject and the answerers before this one have it; what comes back
// is sent, and may differ in Status and RetryAfter.
type Answerer interface {
	Answer(now sim.Time, a *Attempt, o Outcome) Outcome
}
