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
		"end. What times out for its caller gives its place back, whatever the callee still does. What " +
		"a later policy of the stack holds back keeps its place, and what it refuses gives it back. " +
		"Not modelled: maxWaitDuration above 0, in which threads queue, and the thread-pool " +
		"bulkhead.",
	Example:  "{max_concurrent_calls: 25}",
	Source:   "resilience4j@af9e7c979, SemaphoreBulkhead, BulkheadConfig",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, Resilience4jBulkhead{
	Most: 25, // the product's default
}, func(s Resilience4jBulkhead) []error {
	return mistakes(outside("max_concurrent_calls", s.Most, 1, 1e9))
}, func(s Resilience4jBulkhead) func() Policy {
	return func() Policy {
		b := &bulkhead{most: s.Most}
		return Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level}
	}
})

// bulkhead counts places.
type bulkhead struct{ most, underway int }

func (b *bulkhead) Admit(sim.Time, *Attempt) bool {
	if b.underway >= b.most {
		return false
	}
	b.underway++
	return true
}

func (b *bulkhead) Unsent(sim.Time, *Attempt, Outcome) { b.underway-- }

func (b *bulkhead) Observe(sim.Time, *Attempt, Outcome) { b.underway-- }

func (b *bulkhead) level(sim.Time) float64 {
	return float64(b.most-b.underway) / float64(b.most)
}
