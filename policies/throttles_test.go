package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// ended tells a policy that n attempts ended so.
func ended(p Policy, now sim.Time, n int, o Outcome) {
	for range n {
		p.Observer.Observe(now, &Attempt{}, o)
	}
}

func closeTo(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

var (
	good = Outcome{Class: OK}
	bad  = Outcome{Class: Error, Status: 500}
)

func TestFailsafeRefusesAboveItsThresholdAndNeverAll(t *testing.T) {
	for _, c := range []struct {
		good, bad int
		want      float64
	}{
		{0, 0, 0}, {100, 0, 0}, {90, 10, 0}, {80, 20, (100 - 80/0.9) / 101}, {0, 1, 0.5}, {0, 100, 0.9},
	} {
		p := kindOf("failsafe_throttler").New(nil)
		ended(p, 0, c.good, good)
		ended(p, 0, c.bad, bad)
		closeTo(t, "rate", p.Gate.(*failsafeThrottler).rate(), c.want)
	}
	p := kindOf("failsafe_throttler").New(FailsafeThrottler{
		Threshold: 0.1, Executions: 10, Period: sim.Minute, Most: 0.9,
	})
	f := p.Gate.(*failsafeThrottler)
	ended(p, 0, 9, bad)
	closeTo(t, "below the execution threshold", f.rate(), 0)
	ended(p, 0, 1, bad)
	closeTo(t, "at it", f.rate(), 0.9)
}

func TestFailsafeForgetsOnlyAsAttemptsEnd(t *testing.T) {
	p := kindOf("failsafe_throttler").New(nil)
	f := p.Gate.(*failsafeThrottler)
	ended(p, 2999*ms, 10, bad)
	p.Gate.Admit(sim.Hour, &Attempt{})
	if f.tally.spent != 10 {
		t.Errorf("asking forgot: %d left", f.tally.spent)
	}
	for at, want := range map[sim.Time]int64{sim.Minute - 1: 11, sim.Minute: 1} {
		p := kindOf("failsafe_throttler").New(nil)
		ended(p, 2999*ms, 10, bad)
		ended(p, at, 1, good)
		if got := p.Gate.(*failsafeThrottler).tally.spent; got != want {
			t.Errorf("at %d it remembers %d, want %d", at, got, want)
		}
	}
}

func TestAegisNeedsItsRequestsAndAFailureOfTheCallee(t *testing.T) {
	for _, c := range []struct {
		good, bad int
		want      float64
	}{
		{0, 99, 0}, {0, 100, 100.0 / 101}, {60, 40, 0}, {59, 41, (100 - 59/0.6) / 101},
		{1000, 0, 0}, {300, 700, 500.0 / 1001},
	} {
		p := kindOf("aegis_sre").New(nil)
		ended(p, 0, c.good, good)
		ended(p, 0, c.bad, bad)
		closeTo(t, "refusal", p.Gate.(*aegisSRE).refusal(), c.want)
	}
	p := kindOf("aegis_sre").New(nil)
	for _, o := range []Outcome{
		{Class: Error, Status: 429}, {Class: Blocked, Status: 403}, {Class: Rejected, Status: 429},
		{Class: Error, Status: 500}, {Class: Rejected, Status: 503}, {Class: Error, Status: 504},
		{Class: TimedOut}, {Class: Dropped}, {Class: Rejected, Status: 429, Unreached: true},
	} {
		ended(p, 0, 1, o)
	}
	if got := p.Gate.(*aegisSRE).tally; got.spent != 9 || got.earned != 3 {
		t.Errorf("%d of %d are successes, want 3 of 9", got.earned, got.spent)
	}
}

func TestAegisCountsWhatItRefusesAndForgetsAfterItsWindow(t *testing.T) {
	p := kindOf("aegis_sre").New(nil)
	b := p.Gate.(*aegisSRE)
	ended(p, 299*ms, 100, bad)
	refused := int64(0)
	for i := range 50 {
		a := attemptOf(visit{id: uint64(i), n: 1})
		if !p.Gate.Admit(299*ms, &a) {
			refused++
		}
	}
	if refused < 40 || b.tally.spent != 100+refused {
		t.Errorf("%d refused and %d counted", refused, b.tally.spent)
	}
	if b.roll(3*sim.Second - 1); b.tally.spent == 0 {
		t.Error("it forgot within the window")
	}
	if b.roll(3 * sim.Second); b.tally.spent != 0 {
		t.Error("it remembers longer than the window")
	}
}

func TestGoZeroRefusesByItsFormula(t *testing.T) {
	for _, c := range []struct {
		name    string
		play    func(p Policy)
		p       float64
		working int
	}{
		{"nothing", func(Policy) {}, -5, 0},
		{"five failures are let be", func(p Policy) { ended(p, 0, 5, bad) }, 0, 0},
		{"a hundred are not", func(p Policy) { ended(p, 0, 100, bad) }, 95.0 / 101, 0},
		{"two thirds of success are enough", func(p Policy) {
			ended(p, 0, 64, good)
			ended(p, 0, 37, bad)
		}, 0, 0},
		{"buckets that failed make it stricter", func(p Policy) {
			ended(p, 0, 50, good)
			for i := range 20 {
				ended(p, sim.Time(1+i)*250*ms, 5, bad)
			}
		}, (145 - 50*1.3) / 151, 0},
		{"a good bucket ends that", func(p Policy) {
			ended(p, 0, 50, bad)
			ended(p, 250*ms, 50, bad)
			ended(p, 500*ms, 10, good)
			ended(p, 750*ms, 10, good)
		}, (115 - 20*1.5) / 121, 2},
		{"an empty bucket ends nothing", func(p Policy) {
			ended(p, 0, 50, good)
			ended(p, 250*ms, 50, bad)
			ended(p, sim.Second, 50, bad)
		}, (145 - 50*(1.5-0.4*2/40)) / 151, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			policy := kindOf("go_zero_breaker").New(nil)
			c.play(policy)
			p, working := policy.Gate.(*goZeroBreaker).refusal()
			closeTo(t, "p", p, c.p)
			if working != c.working {
				t.Errorf("%d buckets work, want %d", working, c.working)
			}
		})
	}
}

// TestGoZeroLetsOneThroughEachSecond asks with a draw of 0, which every probability refuses.
func TestGoZeroLetsOneThroughEachSecond(t *testing.T) {
	p := kindOf("go_zero_breaker").New(nil)
	b := p.Gate.(*goZeroBreaker)
	ended(p, 0, 1000, bad)
	unlucky := func(now sim.Time) bool {
		a := Attempt{Chance: lowDraw()}
		return p.Gate.Admit(now, &a)
	}
	if unlucky(2 * sim.Second) {
		t.Error("nothing has ever passed, but one was let through for that")
	}
	b.last, b.passed = 2*sim.Second, true
	if unlucky(3*sim.Second) || !unlucky(3*sim.Second+1) || unlucky(3*sim.Second+2) {
		t.Error("one must pass after more than a second, and one only")
	}
	if c := b.newest(); c.drop != 2 {
		t.Errorf("%d drops counted in this bucket, want 2", c.drop)
	}
}

// lowDraw is chance whose first draw is below 1 in 10,000.
func lowDraw() sim.Stream {
	for i := uint64(0); ; i++ {
		stream := sim.Seed(1).Ident("low").Child(i).Draw(0)
		if probe := stream; probe.Float64() < 1e-4 {
			return stream
		}
	}
}

func TestGoZeroForgetsAfterTenSeconds(t *testing.T) {
	p := kindOf("go_zero_breaker").New(nil)
	b := p.Gate.(*goZeroBreaker)
	ended(p, 249*ms, 100, bad)
	b.roll(10*sim.Second - 1)
	if p, _ := b.refusal(); p <= 0 {
		t.Error("it forgot too early")
	}
	b.roll(10 * sim.Second)
	if p, _ := b.refusal(); p != -5 {
		t.Errorf("it remembers more than ten seconds: p is %v", p)
	}
	if b.roll(sim.Hour); b.slot != 4*3600 {
		t.Errorf("after a pause the newest slot is %d", b.slot)
	}
}
