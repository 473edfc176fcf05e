package policies

import (
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

func newTower(ttl sim.Time, min unit.Rate, percent unit.Ratio) *towerBudget {
	s := TowerBudget{TTL: ttl, MinPerSec: min, RetryPercent: percent}
	return &towerBudget{terms: newTowerTerms(s)}
}

// TestTowerTruncatesItsRatio: what a ratio is, and what it comes to.
func TestTowerTruncatesItsRatio(t *testing.T) {
	for _, c := range []struct {
		percent           unit.Ratio
		deposit, withdraw int64
		effective         float64
	}{
		{0.05, 1, 20, 0.05}, {0.10, 1, 10, 0.10}, {0.15, 1, 6, 1.0 / 6}, {0.20, 1, 5, 0.20},
		{0.25, 1, 4, 0.25}, {0.30, 1, 3, 1.0 / 3}, {0.35, 1, 2, 0.50}, {0.40, 1, 2, 0.50},
		{0.50, 1, 2, 0.50}, {0.60, 1, 1, 1}, {0.75, 1, 1, 1}, {0.90, 1, 1, 1}, {1.0, 1, 1, 1},
		{0, 0, 1, 0}, {2, 1000, 500, 2}, {1000, 1000, 1, 1000},
		{0.200000001, 1, 5, 0.20}, // the same as 0.2 in 32 bits, and 4 in 64
	} {
		terms := newTowerTerms(TowerBudget{TTL: sim.Second, RetryPercent: c.percent})
		if terms.deposit != c.deposit || terms.withdraw != c.withdraw {
			t.Errorf("%v: deposits %d and withdraws %d, want %d and %d",
				c.percent, terms.deposit, terms.withdraw, c.deposit, c.withdraw)
		}
		if got := float64(terms.deposit) / float64(terms.withdraw); got != c.effective {
			t.Errorf("%v: comes to %v, want %v", c.percent, got, c.effective)
		}
	}
}

// TestTowerBudgetStories restates the tests of the original.
func TestTowerBudgetStories(t *testing.T) {
	const ms = sim.Millisecond
	if newTower(sim.Second, 0, 1).take(0) {
		t.Error("a retry is granted that nobody deposited for")
	}
	b := newTower(sim.Second, 5, 1)
	for i := range 6 {
		if got := b.take(0); got != (i < 5) {
			t.Errorf("retry %d of a reserve of five: granted %t", i+1, got)
		}
	}
	b = newTower(sim.Second, 0, 1)
	b.put(0)
	if b.take(3 * sim.Second) {
		t.Error("a deposit of three seconds ago still pays, with a ttl of one")
	}
	b = newTower(sim.Second, 0, 0.5)
	b.put(0)
	b.put(0)
	if !b.take(901 * ms) {
		t.Error("two deposits of 901 ms ago do not pay")
	}
	b.put(2902 * ms)
	b.put(3203 * ms)
	b.put(4004 * ms)
	if !b.take(4004 * ms) {
		t.Error("the second and third deposits do not pay together")
	}
}

// TestTowerSaturated: a client that always wants a retry. From a minimum of 10 a second it gets
// 16.7, since debts are forgotten after six tenths of the ttl; and when each of 1000 calls a second
// fails and deposits, 217 (Finagle: 10 and 210). The published figures have three digits.
func TestTowerSaturated(t *testing.T) {
	onOneMachine(t)
	s := *kindOf("tower_budget").Settings().(*TowerBudget)
	s.DepositOn = "request"
	const length = 2000 * sim.Second
	calls, retries := allFail(kindOf("tower_budget").New(s).Gate, 1000, length)
	near(t, "retries a second, all of 1000 calls fail", retries/calls*1000, 217, 0.01)

	for name, c := range map[string]struct {
		take func(now sim.Time) bool
		want float64
	}{
		"tower":   {newTower(10*sim.Second, 10, 0.2).take, 16.7},
		"finagle": {finagleOf(*kindOf("finagle_budget").Settings().(*FinagleBudget)).take, 10.0},
	} {
		luck := sim.Seed(16).Stream("wants")
		var n float64
		for now := sim.Time(0); now < length; now += sim.Time(luck.Exp() * 1e6) {
			if c.take(now) && now > 100*sim.Second {
				n++
			}
		}
		near(t, name+", retries a second without deposits", n/(length-100*sim.Second).Seconds(),
			c.want, 0.01)
	}
}

func finagleOf(s FinagleBudget) *finagleBudget { return &finagleBudget{terms: newFinagleTerms(s)} }

func TestTowerDepositsForTriesThatEndWell(t *testing.T) {
	s := TowerBudget{TTL: sim.Second, RetryPercent: 1, DepositOn: "success"}
	p := kindOf("tower_budget").New(s)
	p.Gate.Admit(0, &Attempt{N: 1})
	for _, class := range []Class{Error, Rejected, TimedOut, Blocked, Dropped} {
		p.Observer.Observe(0, &Attempt{N: 1}, Outcome{Class: class})
	}
	if got := granted(p.Gate, 0); got != 0 {
		t.Errorf("%d retries for tries that failed, want none", got)
	}
	p.Observer.Observe(0, &Attempt{N: 1}, Outcome{Class: OK})
	if got := granted(p.Gate, 0); got != 1 {
		t.Errorf("%d retries for one good try, want 1", got)
	}
}

func BenchmarkTowerBudget(b *testing.B) {
	p := kindOf("tower_budget").New(nil)
	now := sim.Time(0)
	first, second := &Attempt{N: 1}, &Attempt{N: 2}
	for b.Loop() {
		now += 10 * sim.Millisecond
		p.Observer.Observe(now, first, Outcome{Class: OK})
		p.Gate.Admit(now, second)
	}
}
