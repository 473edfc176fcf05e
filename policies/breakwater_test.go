package policies

import (
	"testing"

	"cascadesim/sim"
)

const us = sim.Microsecond

// waiters puts one attempt in line and makes it known that the line takes so long.
func waiters(t *testing.T, p Policy, wait sim.Time) {
	t.Helper()
	first, _ := arrive(p, 0)
	if _, in := arrive(p, 0); !in {
		t.Fatal("an attempt was turned away from an empty callee")
	}
	p.Turner.Turn(0, &first.a, wait)
}

// TestCreditsMoveOncePerRTT holds the pool's values for a thousand sessions and credits.
func TestCreditsMoveOncePerRTT(t *testing.T) {
	for wait, want := range map[sim.Time]int{
		50 * us: 1001, 80*us - 1: 1001, 80 * us: 1000, 81*us - 1: 1000, 160 * us: 980,
		800 * us: 820, 5000 * us: 500,
	} {
		p := kindOf("breakwater").New(nil)
		b := p.Admission.(*breakwater)
		waiters(t, p, wait)
		b.credits = 1000
		p.Adviser.Advise(10*us-1, nil)
		if b.credits != 1000 {
			t.Errorf("wait %d: the pool moved before an rtt had passed", wait)
		}
		if p.Adviser.Advise(10*us, nil); b.credits != want {
			t.Errorf("wait %d: %d credits, want %d", wait, b.credits, want)
		}
	}
}

func TestTheWaitIsNothingWhenNobodyWaits(t *testing.T) {
	p := kindOf("breakwater").New(nil)
	b := p.Admission.(*breakwater)
	first, _ := arrive(p, 0)
	second, _ := arrive(p, 0)
	p.Turner.Turn(0, &first.a, 160*us)
	if _, in := arrive(p, 0); in {
		t.Error("an attempt entered at twice the target")
	}
	b.credits = 1000
	second.leave(p, 0, Outcome{Class: Dropped})
	third, in := arrive(p, 0)
	if !in {
		t.Error("with nobody in line an attempt was turned away")
	}
	p.Turner.Turn(0, &third.a, 0)
	if p.Adviser.Advise(100*us, nil); b.credits != 1010 {
		t.Errorf("%d credits after ten rtts without a line, want 1010", b.credits)
	}
	first.leave(p, 100*us, Outcome{Class: OK})
	if b.waiting != 0 {
		t.Errorf("%d are thought to wait", b.waiting)
	}
}

func TestCreditsStayWithinTheirBounds(t *testing.T) {
	p := kindOf("breakwater").New(nil)
	b := p.Admission.(*breakwater)
	if p.Adviser.Advise(sim.MaxTime, nil); b.credits != 64_000 {
		t.Errorf("%d credits after a long calm, want 64 for each session", b.credits)
	}
	q := kindOf("breakwater").New(nil)
	waiters(t, q, sim.Second)
	if got := q.Adviser.Advise(sim.Hour, nil); got != 0.01 {
		t.Errorf("a share of %v after a long overload, want ten credits for a thousand", got)
	}
}

func TestABreakwaterClientKeepsToItsCredits(t *testing.T) {
	p := kindOf("breakwater_client").New(nil)
	send := func() bool { return p.Gate.Admit(0, &Attempt{N: 1}) }
	if !send() || send() {
		t.Error("one must go before the first answer, and no second")
	}
	p.Observer.Observe(0, &Attempt{}, Outcome{Class: OK, Advice: 2.9})
	for i := range 3 {
		if got, want := send(), i < 2; got != want {
			t.Errorf("with 2.9 credits attempt %d was sent: %t, want %t", i+1, got, want)
		}
	}
	p.Observer.Observe(0, &Attempt{}, Outcome{Class: TimedOut})
	if !send() || send() {
		t.Error("one that timed out is in flight no more")
	}
}

// TestManyClientsTogetherHaveTheirCreditsInFlight gives a thousand of them 0.1 credits each.
func TestManyClientsTogetherHaveTheirCreditsInFlight(t *testing.T) {
	sent := 0
	for i := range 1000 {
		p := kindOf("breakwater_client").New(nil)
		p.Gate.Admit(0, &Attempt{N: 1})
		p.Observer.Observe(0, &Attempt{}, Outcome{Class: OK, Advice: 0.1})
		a := attemptOf(visit{id: uint64(i), n: 1})
		if p.Gate.Admit(0, &a) {
			sent++
		}
	}
	if sent < 70 || sent > 130 {
		t.Errorf("%d of 1000 are in flight, want about 100", sent)
	}
}
