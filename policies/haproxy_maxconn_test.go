package policies

import (
	"slices"
	"testing"

	"cascadesim/sim"
)

func TestHaproxyDynamicLimit(t *testing.T) {
	grows := HaproxyMaxconn{Minconn: 100, Maxconn: 1000, Fullconn: 10_000}
	for _, c := range []struct {
		name   string
		s      HaproxyMaxconn
		beconn int64
		want   int64
	}{
		{"low", grows, 500, 100}, {"still low", grows, 1000, 100}, {"half", grows, 5000, 500},
		{"nearly full", grows, 9999, 999}, {"full", grows, 10_000, 1000}, {"over", grows, 1e6, 1000},
		{"static", HaproxyMaxconn{Maxconn: 7}, 1, 7},
		{"minconn above maxconn", HaproxyMaxconn{Minconn: 9, Maxconn: 7, Fullconn: 100}, 1, 9},
	} {
		if got := newHaproxyTerms(c.s).limit(0, c.beconn); got != c.want {
			t.Errorf("%s: a limit of %d at %d, want %d", c.name, got, c.beconn, c.want)
		}
	}
}

func TestHaproxySlowstart(t *testing.T) {
	terms := newHaproxyTerms(HaproxyMaxconn{
		Maxconn: 1000, Slowstart: 60 * sim.Second, UpAt: 100 * sim.Second,
	})
	for at, want := range map[sim.Time]int64{
		-1: 1000, 0: 1, sim.Second - 1: 1, sim.Second: 10, 5 * sim.Second: 80, 15 * sim.Second: 250,
		30 * sim.Second: 500, 59 * sim.Second: 980, 60*sim.Second - 1: 980, 60 * sim.Second: 1000,
	} {
		if got := terms.limit(100*sim.Second+at, 0); got != want {
			t.Errorf("%d ns after it came up: a limit of %d, want %d", at, got, want)
		}
	}
	rounded := newHaproxyTerms(HaproxyMaxconn{Maxconn: 10, Slowstart: 1500 * sim.Millisecond})
	if got := rounded.limit(sim.Second, 0); got != 5 {
		t.Errorf("1.5 s of slowstart are 2: a limit of %d after one, want 5", got)
	}
}

// TestHaproxyTurnsPinnedRequestsAway: of four at once two are served and one waits; the fourth may
// come once one has left, whatever became of that.
func TestHaproxyTurnsPinnedRequestsAway(t *testing.T) {
	p := kindOf("haproxy_maxconn").New(HaproxyMaxconn{Maxconn: 2, Maxqueue: 1, Servers: 1})
	enter := func() bool { return p.Admission.Enter(0, &Attempt{N: 1}) }
	got := []bool{enter(), enter(), enter(), enter()}
	if want := []bool{true, true, true, false}; !slices.Equal(got, want) {
		t.Errorf("four at once enter: %v, want %v", got, want)
	}
	for _, o := range []Outcome{{Class: OK}, {Class: Rejected}, {Class: Dropped}} {
		p.Finisher.Finish(0, &Attempt{N: 1}, 0, o)
		if !enter() || enter() {
			t.Errorf("after one left as %v exactly one may come", o.Class)
		}
	}
}

// TestHaproxyLimitFollowsTheBackend: ten servers of 2 to 20 and a fullconn of 200, so that the
// limit is what an even share would be, and a server takes in more the more there is.
func TestHaproxyLimitFollowsTheBackend(t *testing.T) {
	s := HaproxyMaxconn{Minconn: 2, Maxconn: 20, Fullconn: 200, Servers: 10, Maxqueue: 1}
	p := kindOf("haproxy_maxconn").New(s)
	for range 21 {
		if !p.Admission.Enter(0, &Attempt{N: 1}) {
			t.Fatal("an even share of the backend is turned away")
		}
	}
	if p.Admission.Enter(0, &Attempt{N: 1}) {
		t.Error("the 22nd enters a server of 20 and a queue of 1")
	}
	s.Servers = 1 // a backend of one server is nowhere near its fullconn
	p = kindOf("haproxy_maxconn").New(s)
	entered := 0
	for p.Admission.Enter(0, &Attempt{N: 1}) {
		entered++
	}
	if entered != 3 {
		t.Errorf("%d enter a lone server, want minconn and the queue, 3", entered)
	}
}

// TestHaproxyLimitCountsTheRequestItself: the third makes the backend full, which raises the limit
// to 2, so that it has company to wait behind and a place to wait in.
func TestHaproxyLimitCountsTheRequestItself(t *testing.T) {
	s := HaproxyMaxconn{Minconn: 1, Maxconn: 2, Fullconn: 3, Servers: 1, Maxqueue: 1}
	p := kindOf("haproxy_maxconn").New(s)
	for i, want := range []bool{true, true, true, false} {
		if got := p.Admission.Enter(0, &Attempt{N: 1}); got != want {
			t.Errorf("request %d enters: %t, want %t", i+1, got, want)
		}
	}
}

func TestHaproxyMaxconnRefusesSettingsThatDoNothing(t *testing.T) {
	for name, s := range map[string]HaproxyMaxconn{
		"a limit whose queue has no end": {Maxconn: 5, Servers: 1},
		"a queue for nothing":            {Maxqueue: 5, Servers: 1},
		"a range without its scale":      {Minconn: 1, Maxconn: 5, Maxqueue: 5, Servers: 1},
	} {
		if errs := kindOf("haproxy_maxconn").Check(s); len(errs) != 1 {
			t.Errorf("%s: got %v, want one error", name, errs)
		}
	}
}

func BenchmarkHaproxyMaxconn(b *testing.B) {
	s := HaproxyMaxconn{Minconn: 2, Maxconn: 20, Fullconn: 200, Servers: 10, Maxqueue: 1}
	p := kindOf("haproxy_maxconn").New(s)
	for b.Loop() {
		if p.Admission.Enter(0, nil) {
			p.Finisher.Finish(0, nil, 0, Outcome{})
		}
	}
}
