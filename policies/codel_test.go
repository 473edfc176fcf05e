package policies

import (
	"testing"

	"cascadesim/sim"
)

// turn is one attempt whose turn comes, and whether it may go.
type turn struct {
	at, waited sim.Time
	want       bool
}

func playTurns(t *testing.T, p Policy, turns []turn) {
	t.Helper()
	for i, u := range turns {
		if got := p.Turner.Turn(u.at, &Attempt{}, u.waited); got != u.want {
			t.Errorf("turn %d at %d after %d: %t, want %t", i+1, u.at, u.waited, got, u.want)
		}
	}
}

// sixes is an interval in which every attempt waits 6 ms. The first turn is looked at alone, so
// that the interval from 1 ms to 101 ms is overloaded already.
func sixes() []turn {
	turns := []turn{{0, 6 * ms, true}}
	for at := ms; at <= 101*ms; at += ms {
		turns = append(turns, turn{at, 6 * ms, true})
	}
	return turns
}

func TestCoDelTurnsAwayLongWaitsAfterAnIntervalOfThem(t *testing.T) {
	for _, c := range []struct {
		name string
		more []turn
	}{
		{"the first of an interval passes", []turn{{101*ms + 1, 11 * ms, true}}},
		{"the next long one does not, a shorter one does", []turn{
			{101*ms + 1, 6 * ms, true}, {102 * ms, 11 * ms, false}, {103 * ms, 9 * ms, true},
		}},
		{"twice the target is not too long", []turn{
			{101*ms + 1, 6 * ms, true}, {102 * ms, 10 * ms, true}, {102 * ms, 10*ms + 1, false},
		}},
		{"the interval goes on at its very end", []turn{{101 * ms, 11 * ms, false}}},
		{"one short wait among long ones", []turn{
			{101*ms + 1, 50 * ms, true}, {150 * ms, 50 * ms, false}, {151 * ms, 4 * ms, true},
			{152 * ms, 50 * ms, false},
			{202 * ms, 50 * ms, true}, {203 * ms, 50 * ms, true}, {204 * ms, 50 * ms, true},
		}},
		{"a least wait of the target is no overload", []turn{
			{101*ms + 1, 50 * ms, true}, {151 * ms, 5 * ms, true},
			{202 * ms, 50 * ms, true}, {203 * ms, 50 * ms, true},
		}},
		{"an interval lasts until somebody's turn comes", []turn{
			{sim.Second, 50 * ms, true}, {sim.Second, 50 * ms, false},
			{sim.Second + 100*ms, 50 * ms, false}, {sim.Second + 100*ms + 1, 50 * ms, true},
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			playTurns(t, kindOf("codel").New(nil), append(sixes(), c.more...))
		})
	}
}

func TestCoDelLooksAtTheFirstAttemptAloneAtFirst(t *testing.T) {
	playTurns(t, kindOf("codel").New(nil), []turn{
		{sim.Second, 50 * ms, true},      // opens
		{sim.Second + 1, 50 * ms, true},  // begins an interval, and the one before was overloaded
		{sim.Second + 2, 50 * ms, false}, // so the third can be turned away
	})
}

func TestFailAtScaleShortensTheTimeInALineThatStands(t *testing.T) {
	p := kindOf("fail_at_scale").New(nil)
	come := func(at sim.Time) *guest { g, _ := arrive(p, at); return g }
	served := func(g *guest, at sim.Time) bool { return p.Turner.Turn(at, &g.a, at-g.at) }
	first, second := come(0), come(0)
	if !served(first, 0) {
		t.Error("one that did not wait was turned away")
	}
	old := come(100 * ms) // the line stands since 0, but not for longer than the window
	late := come(100*ms + 1)
	if !served(second, 100*ms) || !served(old, 200*ms) {
		t.Error("one that waited the window was turned away")
	}
	if served(late, 105*ms+2) {
		t.Error("5 ms and 1 ns in a line that stands were served")
	}
	if p.Admission.(*failAtScale).waiting != 0 {
		t.Fatal("somebody is still thought to wait")
	}
	again := come(300 * ms) // the line was empty
	if !served(again, 400*ms) {
		t.Error("the line is thought to stand still")
	}
}

func TestFailAtScaleCountsThoseWhoGiveUpInLine(t *testing.T) {
	p := kindOf("fail_at_scale").New(nil)
	f := p.Admission.(*failAtScale)
	waits, _ := arrive(p, 0)
	works, _ := arrive(p, 0)
	p.Turner.Turn(0, &works.a, 0)
	waits.leave(p, 50*ms, Outcome{Class: Dropped})
	works.leave(p, 60*ms, Outcome{Class: OK})
	if f.waiting != 0 || f.empty != 50*ms {
		t.Errorf("%d wait, and the line was empty at %d; want 0, 50 ms", f.waiting, f.empty)
	}
}
