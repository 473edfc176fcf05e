package policies

import "cascadesim/sim"

// answered tells whether the caller got an answer of the callee, or of somebody on its behalf: what
// a client library sees as a response. A call that timed out, was dropped or was never sent has
// none.
func (o Outcome) answered() bool {
	switch o.Class {
	case OK, Error, Blocked:
		return true
	case Rejected:
		return !o.Unreached
	case Pending, TimedOut, Refused, Dropped:
		return false
	}
	panic("policies: no such class")
}

// serverError tells whether the answer is one of status 500 to 599.
func (o Outcome) serverError() bool {
	return o.answered() && o.Class != OK && o.Status >= 500 && o.Status <= 599
}

// is tells whether the answer has one of some statuses.
func (o Outcome) is(statuses ...int) bool {
	if !o.answered() || o.Class == OK {
		return false
	}
	for _, s := range statuses {
		if o.Status == s {
			return true
		}
	}
	return false
}

// unsent tells whether the request never reached anybody, as far as its caller can know: a refused
// connection, or one that was not made in time.
func (o Outcome) unsent() bool { return o.Unreached && !o.answered() }

// reset tells whether a connection broke under a request that may have been worked on.
func (o Outcome) reset() bool { return o.Class == Dropped && !o.Unreached }

// letGo tells whether the caller dropped the attempt unanswered although its time was not up:
// another copy had answered, or whoever called was gone.
func (o Outcome) letGo() bool { return o.Cancelled && o.Class != TimedOut }

// hinted tells whether an answer asks when to come back; "at once" is such a hint.
func (o Outcome) hinted() bool {
	return o.answered() && (o.RetryAfter > 0 || o.RetryAfter == RetryNow)
}

// hint is the wait that an answer asks for, within what a run can hold; 0 when it asks for none.
func (o Outcome) hint() sim.Time {
	if !o.answered() {
		return 0
	}
	return min(max(o.RetryAfter, 0), sim.MaxTime)
}
