package policies

import "fmt"

// failing says which outcomes a breaker counts as failures. Products leave it to the client around
// which they are put: one that raises an exception for each error status makes them all failures,
// one that hands the answer over makes failures only of calls without one.
type failing uint8

const (
	failsNotOK      failing = iota // everything but ok
	fails5xx                       // no answer, or a status from 500 on
	failsTransient                 // no answer, a status from 500 on, 408 or 429
	failsUnanswered                // no answer
)

// failingDoc explains the words to users.
const failingDoc = "Failures are all outcomes but ok (not_ok: the client raises an exception for " +
	"each error status), no answer and statuses from 500 on (5xx), these and 408 and 429 " +
	"(transient), or no answer alone (unanswered: it hands every answer over). "

func parseFailing(word string) failing {
	switch word {
	case "not_ok":
		return failsNotOK
	case "5xx":
		return fails5xx
	case "transient":
		return failsTransient
	case "unanswered":
		return failsUnanswered
	}
	panic(fmt.Sprintf("policies: no failures are called %q", word))
}

func (f failing) counts(o Outcome) bool {
	switch {
	case o.Class == OK:
		return false
	case f == failsNotOK || !o.answered():
		return true
	case f == failsUnanswered:
		return false
	}
	return o.Status >= 500 || f == failsTransient && (o.Status == 408 || o.Status == 429)
}

// clientError tells whether the answer blames the caller: a status of 400 to 499.
func (o Outcome) clientError() bool {
	return o.answered() && o.Class != OK && o.Status >= 400 && o.Status <= 499
}

// breakerState is where a circuit breaker stands.
type breakerState uint8

const (
	breakerClosed breakerState = iota
	breakerHalfOpen
	breakerOpen
)

// level is how much a breaker lets pass, for charts: all, a few, none.
func (s breakerState) level() float64 {
	switch s {
	case breakerClosed:
		return 1
	case breakerHalfOpen:
		return 0.5
	case breakerOpen:
		return 0
	}
	panic("policies: a breaker of no such state")
}
