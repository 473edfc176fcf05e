package policies

import (
	"math"

	"cascadesim/sim"
)

// envoyRetryTerms are the settings as decisions want them, shared by all states of one place.
type envoyRetryTerms struct {
	envoyConditions
	numRetries uint64
	base, most uint64 // ms
	reset      bool
	resetMost  uint64  // ms
	max        int64   // of retries at once, without a budget
	percent    float64 // of the budget; negative: there is none
	least      int64
	waitsToo   bool // backoffs are requests too
	sentOnly   bool // slots are held by tries in flight alone
}

func newEnvoyRetryTerms(s EnvoyRetry) *envoyRetryTerms {
	t := &envoyRetryTerms{
		envoyConditions: newEnvoyConditions(s),
		numRetries:      uint64(s.NumRetries),
		base:            wholeMillis(s.Base),
		most:            wholeMillis(s.Max),
		reset:           s.Reset,
		resetMost:       wholeMillis(s.ResetMost),
		max:             int64(s.MaxRetries),
		percent:         -1,
		least:           int64(s.Least),
		waitsToo:        s.Backoff == "in_both",
		sentOnly:        s.Backoff == "in_neither",
	}
	if s.Max == 0 {
		t.most = 10 * t.base
	}
	if s.Budget {
		t.percent = percentOf(float64(s.Percent))
	}
	return t
}

// percentOf is a share as the number of percent that was written: 33.3% is 33.3 and not its
// neighbour, so that it is rounded as the product rounds it.
func percentOf(share float64) float64 { return math.Floor(float64(share*1e11)+0.5) / 1e9 }

// envoyRetry counts what its calls have out. A call's note says what of that is its own.
type envoyRetry struct {
	terms   *envoyRetryTerms
	slots   int64       // held by retries
	flying  int64       // tries in flight
	waiting int64       // calls in backoff, or in line after it
	pending int64       // tries that waited for a connection when it was last asked
	starts  envoyStarts // nil unless the budget has an interval
}

// A note, from its low end: holds a slot, is in backoff, retries charged, backoffs drawn.
const (
	envoyHolds   uint64 = 1
	envoyWaits   uint64 = 2
	envoyCharged uint64 = 1 << 8
	envoyDrawn   uint64 = 1 << 32
)

func envoyChargedOf(note uint64) uint64 { return note >> 8 & (1<<24 - 1) }
func envoyDrawnOf(note uint64) uint32   { return uint32(note >> 32) }

// Retryable gives back the slot first, whatever comes next, and is also what says that a call has
// no retries left: neither is an overflow.
func (e *envoyRetry) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	e.release(a.Note)
	return e.terms.match(o) && envoyChargedOf(*a.Note) < e.terms.numRetries
}

// Admit takes one of the call's retries before it looks for a slot: one that finds none is spent.
func (e *envoyRetry) Admit(now sim.Time, a *Attempt) bool {
	if a.N == 1 {
		return true
	}
	e.release(a.Note)
	*a.Note += envoyCharged
	e.pending = int64(a.Waiting)
	if e.slots >= e.limit(now) {
		return false
	}
	*a.Note |= envoyWaits
	e.waiting++
	if !e.terms.sentOnly {
		e.hold(a.Note)
	}
	return true
}

func (e *envoyRetry) hold(note *uint64) {
	*note |= envoyHolds
	e.slots++
}

// release takes back what a call has, but for its tries in flight.
func (e *envoyRetry) release(note *uint64) {
	if *note&envoyHolds != 0 {
		e.slots--
	}
	if *note&envoyWaits != 0 {
		e.waiting--
	}
	*note &^= envoyHolds | envoyWaits
}

func (e *envoyRetry) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	t, draw := e.terms, a.Chance.Uint64()
	if t.reset && last.answered() {
		if asked := wholeMillis(max(0, last.RetryAfter)); asked > 1 && asked <= t.resetMost {
			return sim.Time(envoyResetBackoff(asked, draw)) * sim.Millisecond
		}
	}
	interval := envoyInterval(t.base, t.most, envoyDrawnOf(*a.Note))
	if envoyDrawnOf(*a.Note) < math.MaxUint32 {
		*a.Note += envoyDrawn
	}
	return sim.Time(envoyBackoff(interval, draw)) * sim.Millisecond
}

func (e *envoyRetry) Place(sim.Time, *Attempt) Where { return FreshReplica }

func (e *envoyRetry) Start(now sim.Time, a *Attempt) {
	if e.starts != nil {
		e.starts.add(now)
	} else {
		e.flying++
	}
	if *a.Note&envoyWaits == 0 {
		return
	}
	e.waiting--
	*a.Note &^= envoyWaits
	if e.terms.sentOnly {
		e.hold(a.Note)
	}
}

func (e *envoyRetry) Observe(sim.Time, *Attempt, Outcome) { e.flying-- }

func (e *envoyRetry) Close(_ sim.Time, a *Attempt, _ Outcome) { e.release(a.Note) }

// limit is how many retries there may be at once.
func (e *envoyRetry) limit(now sim.Time) int64 {
	t := e.terms
	if t.percent < 0 {
		return t.max
	}
	requests := e.flying + e.pending
	if e.starts != nil {
		requests = e.starts.count(now)
	}
	if t.waitsToo {
		requests += e.waiting
	}
	return envoyBudget(t.percent, requests, t.least)
}

// envoyBudget is how many retries a budget allows at once.
func envoyBudget(percent float64, requests, least int64) int64 {
	return max(int64(percent/100*float64(requests)), least)
}

// level is the share of slots that are free.
func (e *envoyRetry) level(now sim.Time) float64 {
	limit := e.limit(now)
	if limit == 0 {
		return 0
	}
	return max(0, 1-float64(e.slots)/float64(limit))
}
