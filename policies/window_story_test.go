package policies

import (
	"testing"

	"cascadesim/sim"

	"pgregory.net/rapid"
)

// budgetUnderTest is what the budgets of Finagle and tower are to these tests.
type budgetUnderTest interface {
	put(now sim.Time)
	take(now sim.Time) bool
	held(now sim.Time) int64
}

// ledger is a budget that forgets nothing. What it holds is worked out anew for each question, by a
// walk over every touch since the beginning: the rolls that they cause give each its place.
type ledger struct {
	deposit, withdraw, reserve int64
	unit, width                sim.Time // of its clock; of a slot in that unit
	memory                     int64    // an entry is gone once it lies more places back

	places  func(passed, width sim.Time) int64 // how far a roll moves on, so long after the last
	touches []touch
}

type touch struct {
	at     sim.Time
	amount int64 // 0: a look
	place  int64
}

func (l *ledger) put(now sim.Time) { l.touches = append(l.touches, touch{now, l.deposit, 0}) }

func (l *ledger) take(now sim.Time) bool {
	if l.held(now) < l.withdraw {
		return false
	}
	l.touches = append(l.touches, touch{now, -l.withdraw, 0})
	return true
}

func (l *ledger) held(now sim.Time) int64 {
	l.touches = append(l.touches, touch{at: now})
	var place int64
	var start sim.Time
	for i := range l.touches {
		if at := l.touches[i].at / l.unit; at-start >= l.width {
			place, start = place+l.places(at-start, l.width), at
		}
		l.touches[i].place = place
	}
	total := l.reserve
	for _, t := range l.touches {
		if place-t.place <= l.memory {
			total += t.amount
		}
	}
	return total
}

// TestBudgetsAgreeWithALedger plays random histories of deposits, withdrawals and looks, at random
// times and on the beat of the slots, a nanosecond or a millisecond beside it too.
func TestBudgetsAgreeWithALedger(t *testing.T) {
	for name, pair := range map[string]func(sim.Time) (budgetUnderTest, *ledger){
		"finagle": finagleAndLedger, "tower": towerAndLedger,
	} {
		t.Run(name, func(t *testing.T) {
			for range 10 { // a check is a hundred histories
				rapid.Check(t, func(t *rapid.T) { compareHistories(t, pair) })
			}
		})
	}
}

func compareHistories(t *rapid.T, pair func(sim.Time) (budgetUnderTest, *ledger)) {
	ttl := rapid.SampledFrom([]sim.Time{sim.Second, 1999 * sim.Millisecond, 10 * sim.Second}).
		Draw(t, "ttl")
	ours, theirs := pair(ttl)
	slot := ttl / 10
	aligned := rapid.Bool().Draw(t, "aligned")
	now := sim.Time(0)
	for i := range rapid.IntRange(1, 120).Draw(t, "events") {
		gap := sim.Time(rapid.Int64Range(0, int64(3*slot)).Draw(t, "gap"))
		if aligned {
			gap = slot*sim.Time(rapid.IntRange(0, 12).Draw(t, "slots")) +
				rapid.SampledFrom([]sim.Time{0, 0, 0, 1, -1, sim.Millisecond}).Draw(t, "beside")
		}
		now += max(0, gap)
		switch rapid.IntRange(0, 3).Draw(t, "event") {
		case 0:
			ours.put(now)
			theirs.put(now)
		case 1, 2:
			if got, want := ours.take(now), theirs.take(now); got != want {
				t.Fatalf("event %d at %d: granted %t, want %t", i, now, got, want)
			}
		default:
			if got, want := ours.held(now), theirs.held(now); got != want {
				t.Fatalf("event %d at %d: holds %d, want %d", i, now, got, want)
			}
		}
	}
}

func finagleAndLedger(ttl sim.Time) (budgetUnderTest, *ledger) {
	s := FinagleBudget{TTL: ttl, MinRetriesPerSec: 2, PercentCanRetry: 0.3}
	const ms = sim.Millisecond
	return &finagleBudget{terms: newFinagleTerms(s)}, &ledger{
		deposit: 1000, withdraw: 3333, reserve: 2 * int64(ttl/sim.Second) * 3333,
		unit: ms, width: ttl / ms / 10, memory: 9,
		places: func(passed, width sim.Time) int64 { return 1 + min(int64(passed/width)-1, 9) },
	}
}

func towerAndLedger(ttl sim.Time) (budgetUnderTest, *ledger) {
	s := TowerBudget{TTL: ttl, MinPerSec: 2, RetryPercent: 0.3}
	return &towerBudget{terms: newTowerTerms(s)}, &ledger{
		deposit: 1, withdraw: 3, reserve: 2 * int64(ttl/sim.Second) * 3,
		unit: 1, width: ttl / 10, memory: 10,
		places: func(passed, width sim.Time) int64 {
			places := int64(1)
			for ; passed > width; passed -= width {
				places++
			}
			return places
		},
	}
}

// remembered polls a window that got an amount at time 0, and returns when the poll came that first
// found it gone.
func remembered(every sim.Time, sum func(now sim.Time) int64) sim.Time {
	for now := every; ; now += every {
		if sum(now) == 0 {
			return now
		}
	}
}

// TestFinagleWindowMemory and its neighbour restate measurements: ttl 1 s, one deposit at time 0,
// and a look each so many milliseconds.
func TestFinagleWindowMemory(t *testing.T) {
	for poll, want := range map[int64]int64{
		1: 1000, 3: 1020, 7: 1050, 10: 1000, 33: 1320, 50: 1000, 90: 1800, 99: 1980, 100: 1000,
		101: 1010, 110: 1100, 150: 1500, 200: 1000, 250: 1250, 301: 1204,
	} {
		var w finagleWindow
		w.add(0, 100, 1)
		got := remembered(sim.Time(poll), func(now sim.Time) int64 { return w.sum(int64(now), 100) })
		if int64(got) != want {
			t.Errorf("looked at each %d ms it is gone at %d ms, want %d", poll, got, want)
		}
	}
}

func TestTowerRingMemory(t *testing.T) {
	const us = sim.Microsecond
	for poll, want := range map[sim.Time]sim.Time{
		100 * us: 1_100_000 * us, 3000 * us: 612_000 * us, 7000 * us: 630_000 * us,
		10_000 * us: 1_100_000 * us, 33_000 * us: 792_000 * us, 50_000 * us: 1_100_000 * us,
		90_000 * us: 1_080_000 * us, 99_000 * us: 1_188_000 * us, 100_000 * us: 1_100_000 * us,
		100_001 * us: 600_006 * us, 110_000 * us: 660_000 * us, 150_000 * us: 900_000 * us,
		200_000 * us: 1_200_000 * us, 250_000 * us: 1_000_000 * us, 301_000 * us: 903_000 * us,
	} {
		var r towerRing
		r.add(0, 100_000*us, 1)
		got := remembered(poll, func(now sim.Time) int64 { return r.sum(now, 100_000*us) })
		if got != want {
			t.Errorf("looked at each %d ns it is gone at %d, want %d", poll, got, want)
		}
	}
}

// TestMeanMemory measures how long a deposit counts under Poisson deposits: what the window holds
// on average, over the rate. Arrivals see time averages, so they do the looking. The figures are
// published with one decimal; the runs are long enough for less than half of one.
func TestMeanMemory(t *testing.T) {
	onOneMachine(t)
	const slot = sim.Second
	for _, c := range []struct{ perSecond, tower, finagle float64 }{
		{10, 6.0, 10.4}, {100, 5.6, 9.6}, {1000, 5.5, 9.5}, {10_000, 5.5, 0},
	} {
		luck := sim.Seed(62).Stream("deposits")
		var w finagleWindow
		var r towerRing
		var inTower, inFinagle, looks float64
		now := sim.Time(0)
		for range 1_000_000 {
			now += sim.Time(luck.Exp() * 1e9 / c.perSecond)
			if now > 20*sim.Second {
				inTower += float64(r.sum(now, slot))
				inFinagle += float64(w.sum(milliseconds(now), milliseconds(slot)))
				looks++
			}
			r.add(now, slot, 1)
			w.add(milliseconds(now), milliseconds(slot), 1)
		}
		near(t, "tower's ring, s", inTower/looks/c.perSecond, c.tower, 0.02)
		if c.finagle > 0 {
			near(t, "Finagle's window, s", inFinagle/looks/c.perSecond, c.finagle, 0.02)
		}
	}
}
