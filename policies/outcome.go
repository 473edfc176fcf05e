package policies

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
