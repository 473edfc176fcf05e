package policies

import (
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// granted counts how many retries a gate grants at one instant.
func granted(g Gate, now sim.Time) (n int) {
	for g.Admit(now, &Attempt{N: 2}) {
		n++
	}
	return n
}

func TestFinagleBudgetGrantsItsShareOfDeposits(t *testing.T) {
	for _, c := range []struct {
		percent unit.Ratio
		min     unit.Rate
		want    int
	}{
		// 10,000 deposits of 1000 over int(1000 / percent); a published test allows one more or less
		// of the round figures 1000, 2500, 5000 and 7500.
		{0.1, 0, 1000}, {0.25, 0, 2500}, {0.5, 0, 5000}, {0.75, 0, 7501}, {2, 0, 20_000},
		{0, 10, 10}, {0, 0, 0},
	} {
		s := FinagleBudget{
			TTL: sim.Second, MinRetriesPerSec: c.min, PercentCanRetry: c.percent, DepositOn: "request",
		}
		p := kindOf("finagle_budget").New(s)
		for range 10_000 {
			p.Gate.Admit(0, &Attempt{N: 1})
		}
		if got := granted(p.Gate, 0); got != c.want {
			t.Errorf("%v of 10,000 requests and %v: %d retries, want %d", c.percent, c.min, got, c.want)
		}
	}
}

func TestFinagleReserveHealsAfterATTL(t *testing.T) {
	p := kindOf("finagle_budget").New(nil)
	if got := granted(p.Gate, 0); got != 100 {
		t.Errorf("%d retries at the start, want 100", got)
	}
	if got := granted(p.Gate, 9900*sim.Millisecond); got != 0 {
		t.Errorf("%d retries before a ttl has passed, want none", got)
	}
	// The look at 9.9 s was a roll; the debt is nine places away and leaves with the next one.
	if got := granted(p.Gate, 10_900*sim.Millisecond); got != 100 {
		t.Errorf("%d retries a ttl later, want 100", got)
	}
}

// Nobody looks in between: the debt of the start is gone after exactly a ttl.
func TestFinagleReserveHealsInPeace(t *testing.T) {
	const ttl = 10 * sim.Second
	for at, want := range map[sim.Time]int{ttl - ms: 0, ttl - 1: 0, ttl: 100, ttl + 1: 100} {
		p := kindOf("finagle_budget").New(nil)
		granted(p.Gate, 0)
		if got := granted(p.Gate, at); got != want {
			t.Errorf("%d retries at %d ns after the first hundred, want %d", got, at, want)
		}
	}
}

func TestFinagleDepositsOnSuccessAtTheEndOfACall(t *testing.T) {
	s := *kindOf("finagle_budget").Settings().(*FinagleBudget)
	s.DepositOn, s.MinRetriesPerSec, s.PercentCanRetry = "success", 0, 1
	p := kindOf("finagle_budget").New(s)
	p.Gate.Admit(0, &Attempt{N: 1})
	for _, class := range []Class{Error, Rejected, TimedOut, Refused, Blocked, Dropped} {
		p.Closer.Close(0, &Attempt{N: 1}, Outcome{Class: class})
	}
	if got := granted(p.Gate, 0); got != 0 {
		t.Errorf("%d retries for calls that failed, want none", got)
	}
	p.Closer.Close(0, &Attempt{N: 3}, Outcome{Class: OK})
	if got := granted(p.Gate, 0); got != 1 {
		t.Errorf("%d retries for one call that ended well, want 1", got)
	}
}

// TestFinagleRetriesWhenEverythingFails: each of λ calls a second deposits and wants retries
// without end. Steady grants are a fifth of the calls and the reserve once a ttl, so that
// A = 1 + 0.2 + 10/λ; half a percent is for chance.
func TestFinagleRetriesWhenEverythingFails(t *testing.T) {
	onOneMachine(t)
	for _, c := range []struct{ perSecond, amplification float64 }{{100, 1.3}, {1000, 1.21}} {
		p := kindOf("finagle_budget").New(nil)
		calls, retries := allFail(p.Gate, c.perSecond, 2000*sim.Second)
		near(t, "amplification", 1+retries/calls, c.amplification, 0.005)
	}
}

// allFail plays Poisson calls of which every try fails at once, and counts calls and retries after
// the first 100 s.
func allFail(g Gate, perSecond float64, end sim.Time) (calls, retries float64) {
	luck := sim.Seed(22).Stream("calls")
	for now := sim.Time(0); now < end; now += sim.Time(luck.Exp() * 1e9 / perSecond) {
		g.Admit(now, &Attempt{N: 1})
		n := granted(g, now)
		if now > 100*sim.Second {
			calls, retries = calls+1, retries+float64(n)
		}
	}
	return calls, retries
}

// TestALookAtTheLevelChangesNothing: charts ask for the level whenever they like, while a question
// to a budget itself rolls its window.
func TestALookAtTheLevelChangesNothing(t *testing.T) {
	names := []string{"finagle_budget", "tower_budget", "finagle_retry", "linkerd_profile"}
	for _, name := range names {
		k := kindOf(name)
		looked, left := k.New(nil), k.New(nil)
		luck := sim.Seed(5).Stream(name)
		var now sim.Time
		granted := 0
		for i := range 5000 {
			gap := luck.Intn(uint64(50 * sim.Millisecond))
			now += sim.Time(gap)
			looked.Level(now - sim.Time(luck.Intn(gap+1)))
			looked.Level(now)
			var one, other uint64
			a, b := &Attempt{N: 2, Note: &one}, &Attempt{N: 2, Note: &other}
			got := looked.Gate.Admit(now, a)
			if got != left.Gate.Admit(now, b) {
				t.Fatalf("%s: question %d at %d is answered otherwise after looks", name, i, now)
			}
			granted += int(yes(got))
		}
		if granted == 0 || granted == 5000 {
			t.Errorf("%s: %d of 5000 granted, so that nothing was compared", name, granted)
		}
	}
}

func BenchmarkFinagleBudget(b *testing.B) {
	p := kindOf("finagle_budget").New(nil)
	now := sim.Time(0)
	first, second := &Attempt{N: 1}, &Attempt{N: 2}
	for b.Loop() {
		now += 10 * sim.Millisecond
		p.Gate.Admit(now, first)
		p.Gate.Admit(now, second)
	}
}
