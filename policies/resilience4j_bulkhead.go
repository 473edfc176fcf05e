package policies

import "cascadesim/sim"

// Resilience4jBulkhead is the setting of a resilience4j semaphore bulkhead.
type Resilience4jBulkhead struct {
	Most int `yaml:"max_concurrent_calls" scale:"s" doc:"How many may be under way; at least 1."`
}

var _ = builtin(Spec{
	Name: "resilience4j_bulkhead",
	Doc: "The semaphore bulkhead of resilience4j 2: refuses an attempt while `max_concurrent_calls` " +
		"are under way, at once, as with its default wait of 0. Retries ask after their backoff and " +
		"hold no place during it; with per: call one place is held from the call's first try to its " +
		"end. What times out for its caller gives its place back, whatever the callee still does. One " +
		"that a later policy of the stack refuses keeps its place until it asks again, or its call " +
		"ends. Not modelled: maxWaitDuration above 0, in which threads queue, and the thread-pool " +
		"bulkhead.",
	Example:  "{max_concurrent_calls: 25}",
	Source:   "resilience4j@af9e7c979, SemaphoreBulkhead, BulkheadConfig",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
	AtSend:   true,
}, Resilience4jBulkhead{
	Most: 25, // the product's default
}, func(s Resilience4jBulkhead) []error {
	return mistakes(outside("max_concurrent_calls", s.Most, 1, 1e9))
}, func(s Resilience4jBulkhead) func() Policy {
	return func() Policy {
		b := &bulkhead{most: s.Most}
		return Policy{Gate: b, Starter: b, Observer: b, Closer: b, Level: b.level}
	}
})

// bulkhead counts places. The note of a call is how many it has for tries that were sent, and
// whether it has one for a try that was let through and is not sent yet.
type bulkhead struct{ most, underway int }

const bulkheadUnsent = 1 << 32

// Admit takes a place, which shows only afterwards to be for good: another gate may refuse the try.
// A call that asks again was refused so.
func (b *bulkhead) Admit(_ sim.Time, a *Attempt) bool {
	b.giveBack(a.Note)
	if b.underway >= b.most {
		return false
	}
	b.underway++
	*a.Note |= bulkheadUnsent
	return true
}

func (b *bulkhead) giveBack(note *uint64) {
	if *note&bulkheadUnsent != 0 {
		b.underway--
		*note &^= bulkheadUnsent
	}
}

func (b *bulkhead) Start(_ sim.Time, a *Attempt) {
	if *a.Note&bulkheadUnsent != 0 {
		*a.Note = *a.Note&^bulkheadUnsent + 1
	}
}

func (b *bulkhead) Observe(_ sim.Time, a *Attempt, _ Outcome) {
	if *a.Note&(bulkheadUnsent-1) != 0 {
		*a.Note--
		b.underway--
	}
}

// Close gives back the place of a try that was never sent.
func (b *bulkhead) Close(_ sim.Time, a *Attempt, _ Outcome) { b.giveBack(a.Note) }

func (b *bulkhead) level(sim.Time) float64 {
	return float64(b.most-b.underway) / float64(b.most)
}
