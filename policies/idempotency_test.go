package policies

import (
	"testing"

	"cascadesim/sim"

	"pgregory.net/rapid"
)

var (
	keyedOK    = Outcome{Class: OK}
	keyedError = Outcome{Class: Error, Status: 500}
)

// TestAKeyIsTreatedAsStripeDocumentsIt plays one key: a first request, and then another.
func TestAKeyIsTreatedAsStripeDocumentsIt(t *testing.T) {
	for _, c := range []struct {
		name   string
		set    Idempotency
		first  Outcome
		began  bool
		params uint64 // of the second
		later  sim.Time
		want   IdempotencyVerdict
	}{
		{"v1 replays a success", StripeV1, keyedOK, true, 1, sim.Hour, IdempotencyReplayed},
		{"v1 replays a failure", StripeV1, keyedError, true, 1, sim.Hour, IdempotencyReplayed},
		{"v1 saves no invalid request", StripeV1, Outcome{Class: Error, Status: 400}, false, 1, 0,
			IdempotencyExecute},
		{"v1 refuses other parameters", StripeV1, keyedOK, true, 2, 0, IdempotencyMismatch},
		{"v1 keeps a key for a day", StripeV1, keyedOK, true, 1, 24*sim.Hour - 1, IdempotencyReplayed},
		{"and then no longer", StripeV1, keyedOK, true, 1, 24 * sim.Hour, IdempotencyExecute},
		{"with other parameters neither", StripeV1, keyedOK, true, 2, 24 * sim.Hour,
			IdempotencyExecute},
		{"v2 replays a success", StripeV2, keyedOK, true, 1, sim.Hour, IdempotencyReplayed},
		{"v2 executes what failed again", StripeV2, keyedError, true, 1, sim.Hour, IdempotencyExecute},
		{"v2 refuses other parameters", StripeV2, keyedError, true, 2, 0, IdempotencyMismatch},
		{"what was lost is no result", StripeV1, Outcome{Class: Dropped}, true, 1, 0,
			IdempotencyExecute},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := NewIdempotencyStore(c.set)
			if v, _ := s.Begin(0, 7, 1); v != IdempotencyExecute {
				t.Fatalf("the first request got %d", v)
			}
			s.Finish(0, 7, c.first, c.began)
			got, o := s.Begin(c.later, 7, c.params)
			if got != c.want {
				t.Errorf("got verdict %d, want %d", got, c.want)
			}
			if got == IdempotencyReplayed && o != c.first {
				t.Errorf("replayed %+v, want %+v", o, c.first)
			}
		})
	}
}

func TestAConcurrentRequestIsAConflictAndIsNotSaved(t *testing.T) {
	for _, set := range []Idempotency{StripeV1, StripeV2} {
		s := NewIdempotencyStore(set)
		s.Begin(0, 7, 1)
		if v, o := s.Begin(sim.Second, 7, 1); v != IdempotencyConflict || o.Status != 409 {
			t.Errorf("got verdict %d with status %d, want a conflict and 409", v, o.Status)
		}
		if v, o := s.Begin(sim.Second, 7, 2); v != IdempotencyMismatch || o.Status != 400 {
			t.Errorf("got verdict %d with status %d, want a mismatch and 400", v, o.Status)
		}
		if v, _ := s.Begin(48*sim.Hour, 7, 1); v != IdempotencyConflict {
			t.Errorf("work of two days lost its key: verdict %d", v)
		}
		s.Finish(48*sim.Hour, 7, keyedOK, true)
		if v, _ := s.Begin(48*sim.Hour, 7, 1); v != IdempotencyExecute {
			t.Errorf("a key of two days was kept: verdict %d", v)
		}
	}
}

func TestFinishingWithoutAKeyPanics(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	NewIdempotencyStore(StripeV1).Finish(0, 7, keyedOK, true)
}

// TestNothingIsDoneTwice sends requests of few keys at random and watches what is executed: one at
// a time for each key, nothing after a success, and with v1 nothing after a failure either.
func TestNothingIsDoneTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set := rapid.SampledFrom([]Idempotency{StripeV1, StripeV2}).Draw(t, "set")
		set.TTL = sim.Hour
		s := NewIdempotencyStore(set)
		type life struct {
			born, running, over bool
			at                  sim.Time
		}
		keys := make([]life, 4)
		now := sim.Time(0)
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			now += sim.Time(rapid.IntRange(0, 10).Draw(t, "min")) * sim.Minute
			i := rapid.IntRange(0, len(keys)-1).Draw(t, "key")
			k := &keys[i]
			if k.running && rapid.Bool().Draw(t, "finish") {
				o := rapid.SampledFrom([]Outcome{keyedOK, keyedError}).Draw(t, "outcome")
				s.Finish(now, uint64(i), o, true)
				k.running = false
				k.over = o.Class == OK || set.Replay == ReplayAll
				continue
			}
			if k.born && !k.running && now-k.at >= set.TTL {
				*k = life{}
			}
			want := IdempotencyExecute
			switch {
			case k.running:
				want = IdempotencyConflict
			case k.over:
				want = IdempotencyReplayed
			}
			if got, _ := s.Begin(now, uint64(i), 1); got != want {
				t.Fatalf("key %d at %d: verdict %d, want %d", i, now, got, want)
			}
			if want == IdempotencyExecute {
				k.running = true
				if !k.born {
					k.born, k.at = true, now
				}
			}
		}
	})
}

func TestOldKeysTakeNoMemory(t *testing.T) {
	s := NewIdempotencyStore(Idempotency{TTL: sim.Second})
	for i := range 100_000 {
		now := sim.Time(i) * ms
		s.Begin(now, uint64(i), 0)
		s.Finish(now, uint64(i), keyedOK, true)
	}
	if s.Len() > 1000 || len(s.born) > 4000 {
		t.Errorf("%d keys and %d births are kept of the last 1000", s.Len(), len(s.born))
	}
}
