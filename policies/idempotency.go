package policies

import "cascadesim/sim"

// Idempotency is how a callee treats requests that carry a key, after the two versions of Stripe's
// API, which are known from its documentation only. It is no policy of a stack: whoever runs the
// callee asks a store before work begins and tells it afterwards.
type Idempotency struct {
	// Replay says which results a repeated request gets again instead of being executed.
	Replay IdempotencyReplay
	// TTL is how long a key is kept, from its first request on.
	TTL sim.Time
}

// IdempotencyReplay is which results are replayed.
type IdempotencyReplay uint8

// The versions. With ReplayAll, API v1, the first result is the result, also when it is a 500: a
// retry with the same key can then never succeed. With ReplaySuccess, API v2 as of its preview of
// 2026, what failed is executed again.
const (
	ReplayAll IdempotencyReplay = iota
	ReplaySuccess
)

// StripeV1 and StripeV2 keep a key for the 24 hours that the documentation promises at least.
var (
	StripeV1 = Idempotency{Replay: ReplayAll, TTL: 24 * sim.Hour}
	StripeV2 = Idempotency{Replay: ReplaySuccess, TTL: 24 * sim.Hour}
)

// IdempotencyVerdict is what becomes of a request with a key.
type IdempotencyVerdict uint8

// The verdicts.
const (
	IdempotencyExecute  IdempotencyVerdict = iota // do the work, and tell Finish how it ended
	IdempotencyReplayed                           // the answer is a saved one
	IdempotencyConflict                           // a request with this key is being executed: 409
	IdempotencyMismatch                           // the key was used with other parameters: 400
)

// IdempotencyStore holds the keys of one callee. It keeps them in a map, which it only ever asks
// for single keys, so that no order of a map is ever seen; unlike a policy it allocates.
type IdempotencyStore struct {
	set  Idempotency
	keys map[uint64]*idempotentKey
	born []idempotentBirth // oldest first, from next on; keys that are gone included
	next int
}

type idempotentKey struct {
	params  uint64
	born    sim.Time
	running bool
	saved   bool
	result  Outcome
}

type idempotentBirth struct {
	key uint64
	at  sim.Time
}

// NewIdempotencyStore is an empty store.
func NewIdempotencyStore(set Idempotency) *IdempotencyStore {
	return &IdempotencyStore{set: set, keys: map[uint64]*idempotentKey{}}
}

// Len is how many keys are kept.
func (s *IdempotencyStore) Len() int { return len(s.keys) }

// Begin says what becomes of a request. params stands for everything else in it. Unless it is to be
// executed, the outcome is its answer. Other parameters are told before a conflict.
func (s *IdempotencyStore) Begin(now sim.Time, key, params uint64) (IdempotencyVerdict, Outcome) {
	s.prune(now)
	k := s.keys[key]
	if k == nil {
		s.keys[key] = &idempotentKey{params: params, born: now, running: true}
		s.born = append(s.born, idempotentBirth{key, now})
		return IdempotencyExecute, Outcome{}
	}
	switch {
	case k.params != params:
		return IdempotencyMismatch, Outcome{Class: Error, Status: 400}
	case k.running:
		return IdempotencyConflict, Outcome{Class: Error, Status: 409}
	case k.saved:
		return IdempotencyReplayed, k.result
	}
	k.running = true
	return IdempotencyExecute, Outcome{}
}

// Finish tells how the request that was to be executed ended. began tells whether its work had
// begun: a request that was found invalid or turned away before leaves no result, nor does one that
// was lost on the way (Dropped), and the key is free again.
func (s *IdempotencyStore) Finish(now sim.Time, key uint64, o Outcome, began bool) {
	k := s.keys[key]
	if k == nil || !k.running {
		panic("policies: a request ended that holds no idempotency key")
	}
	k.running = false
	if !began || o.Class == Dropped || s.old(now, k.born) {
		delete(s.keys, key)
		return
	}
	if s.set.Replay == ReplayAll || o.Class == OK {
		k.saved, k.result = true, o
	}
}

// old tells whether a key born then may be removed.
func (s *IdempotencyStore) old(now, born sim.Time) bool { return now-born >= s.set.TTL }

// prune removes the keys that are old. One that is being executed stays until it ends.
func (s *IdempotencyStore) prune(now sim.Time) {
	for s.next < len(s.born) && s.old(now, s.born[s.next].at) {
		b := s.born[s.next]
		s.next++
		if k := s.keys[b.key]; k != nil && k.born == b.at && !k.running {
			delete(s.keys, b.key)
		}
	}
	if s.next > 1024 && s.next > len(s.born)/2 {
		s.born = append(s.born[:0], s.born[s.next:]...)
		s.next = 0
	}
}
