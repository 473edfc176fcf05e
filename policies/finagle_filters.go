package policies

import "cascadesim/sim"

// finagleRetry is the filters of one client. A call's note says how far it is:
//
//	bit 0-1   what comes next: nothing began, a try in flight, a requeue, a retry
//	2-13      requeues that this request may still have
//	14-19     requeues that it had, as far as the list counts
//	20-25     retries that the call had
//	26-63     the wait before the last retry, in ns
//
// A request of the RequeueFilter begins with the call and again with each retry of the RetryFilter.
type finagleRetry struct {
	terms  *finagleRetryTerms
	budget finagleBudget
}

type finagleNote struct {
	step     finagleStep
	left     int64
	requeued int
	retried  int
	wait     sim.Time
}

type finagleStep uint8

const (
	finagleNew finagleStep = iota
	finagleSent
	finagleRequeue
	finagleRetries
)

// What a note has room for.
const (
	finagleMostLeft = 1<<12 - 1
	finagleMost     = 1<<6 - 1 // of requeues and retries that are counted
	finagleLongest  = 4 * sim.Minute
)

func readFinagleNote(a *Attempt) finagleNote {
	x := *a.Note
	return finagleNote{
		step:     finagleStep(x & 3),
		left:     int64(x >> 2 & finagleMostLeft),
		requeued: int(x >> 14 & finagleMost),
		retried:  int(x >> 20 & finagleMost),
		wait:     sim.Time(x >> 26),
	}
}

func (n finagleNote) write(a *Attempt) {
	*a.Note = uint64(n.step) | uint64(min(max(n.left, 0), finagleMostLeft))<<2 |
		uint64(min(n.requeued, finagleMost))<<14 | uint64(min(n.retried, finagleMost))<<20 |
		uint64(n.wait)<<26
}

// Retryable is also what says that a list of waits is at its end, which is no refusal by the
// budget.
func (f *finagleRetry) Retryable(now sim.Time, a *Attempt, o Outcome) bool {
	note := readFinagleNote(a)
	switch {
	case f.terms.requeues && f.terms.requeueable(o):
		note.step = finagleRequeue
		if f.requeuedAll(note) && note.left > 0 && f.budget.take(now) {
			return false // the list is at its end, and the token is spent
		}
	case f.terms.retries && f.terms.retryable(o) && (f.terms.take == 0 || note.retried < f.terms.take):
		note.step = finagleRetries
	default:
		return false
	}
	note.write(a)
	return true
}

// requeuedAll tells whether a request has had as many requeues as the list has waits.
func (f *finagleRetry) requeuedAll(note finagleNote) bool {
	return f.terms.requeueTake > 0 && note.requeued >= f.terms.requeueTake
}

func (f *finagleRetry) Admit(now sim.Time, a *Attempt) bool {
	if a.N == 1 {
		return true
	}
	note := readFinagleNote(a)
	switch note.step {
	case finagleRequeue:
		if note.left == 0 || !f.budget.take(now) {
			return false
		}
		note.left--
		note.requeued++
	case finagleRetries:
		if !f.budget.take(now) {
			return false
		}
		note.retried++
	case finagleNew: // a first try that is counted as a retry, since it came with one
		return f.budget.take(now)
	case finagleSent: // nobody found it worth a retry
		return false
	}
	note.write(a)
	return true
}

func (f *finagleRetry) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	note := readFinagleNote(a)
	if note.step != finagleRetries {
		return f.terms.requeueDelay
	}
	note.wait = f.terms.list.wait(note.wait, note.retried, a.Chance.Uint64())
	note.write(a)
	return note.wait
}

// Start begins a request of the filters, unless it is a requeue. The deposit comes before the look
// at the balance, because the RetryFilter is the outer one.
func (f *finagleRetry) Start(now sim.Time, a *Attempt) {
	note := readFinagleNote(a)
	if note.step == finagleNew && f.terms.retries {
		f.budget.put(now)
	}
	if note.step != finagleRequeue && f.terms.requeues {
		note.left, note.requeued = mayRequeue(f.terms.perRequest, f.budget.balance(now)), 0
	}
	note.step = finagleSent
	note.write(a)
}

// Close is where a RequeueFilter that has the budget to itself deposits.
func (f *finagleRetry) Close(now sim.Time, _ *Attempt, o Outcome) {
	if f.terms.successful(o) {
		f.budget.put(now)
	}
}
