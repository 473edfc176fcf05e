package oracle

import (
	"slices"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim/queue"
)

// Each of six finds two places taken but the first three: the oldest leave, and nobody who came
// later is before who came earlier.
func TestAFullLineDropsItsOldest(t *testing.T) {
	l := newLab(6)
	l.tier.Line, l.tier.Discipline = 2, queue.DropOldest
	l.expect(t, "start settle", "1 start, 2 settle rejected, 2 settle rejected, 2 settle rejected, "+
		"11 start, 12 settle ok, 21 start, 22 settle ok, 32 settle ok")
	l.tier.Line = 0
	l.expect(t, "start settle", "1 start, 2 settle rejected, 2 settle rejected, 2 settle rejected, "+
		"2 settle rejected, 2 settle rejected, 12 settle ok")
	l.tier.Line, l.tier.FullDrops = 2, true
	l.expect(t, "start settle",
		"1 start, 11 start, 12 settle ok, 21 start, 22 settle ok, 32 settle ok")
}

// Waits are above 15 ms from 21 on, and for 20 ms at 41: then the first is turned away. The next
// are due 20 ms later, 20/sqrt 2 after that, 20/sqrt 3 and so on.
func TestAControlledDelayTurnsAwayMoreAndMore(t *testing.T) {
	l := newLab(20)
	l.tier.Discipline, l.tier.Target, l.tier.Interval = queue.CoDel, ms(15), ms(20)
	var tp tape
	Run(l.plan(), 1, &tp)
	l.expect(t, "settle", "12 settle ok, 22 settle ok, 32 settle ok, 42 settle rejected, "+
		"42 settle ok, 52 settle ok, 62 settle rejected, 62 settle ok, 72 settle ok, "+
		"82 settle rejected, 82 settle ok, 92 settle rejected, 92 settle ok")
}

// With one left in line at most, waits are short whatever they are.
func TestAShortLineControlsNoDelay(t *testing.T) {
	l := newLab(3)
	l.tier.Discipline, l.tier.Target, l.tier.Interval = queue.CoDel, 1, 1
	l.expect(t, "settle", "12 settle ok, 22 settle ok, 32 settle ok")
}

// Two without a deadline come first and wait behind two with one, of which the later is due first.
func TestWhoIsDueFirstGoesFirst(t *testing.T) {
	l := newLab(3)
	l.tier.Discipline = queue.EDF
	l.more = func(b *Builder) {
		for i, overall := range []int{90, 50} {
			name := []string{"calm", "hasty"}[i]
			e := b.Edge(name+"->db", -1, EdgeSpec{
				Latency: always(2 + i), Overall: ms(overall), Propagate: true,
			})
			b.Client(kernel.Client{Name: name, Edge: e, Process: kernel.Burst, Burst: 1}, 0)
		}
	}
	p := l.plan()
	var plain, clever tape
	Run(p, 1, &plain)
	if _, err := kernel.Run(t.Context(), p, 1, kernel.Options{Tracer: &clever}); err != nil {
		t.Fatal(err)
	}
	for side, tp := range map[string]tape{"oracle": plain, "kernel": clever} {
		var order []int
		for _, r := range tp {
			if r.What == kernel.TraceStart {
				order = append(order, r.Client)
			}
		}
		if want := []int{0, 2, 1, 0, 0}; !slices.Equal(order, want) {
			t.Errorf("%s: served clients %v, want %v", side, order, want)
		}
	}
}

// One is alone for 3 ms, then two share for 4, then three. All times are exact: thirds of them add
// up again.
func TestWhoSharesIsAsSlowAsThereAreOthers(t *testing.T) {
	l := newLab(1)
	l.tier.Discipline = queue.PS
	l.more = func(b *Builder) {
		for i, late := range []int{4, 8} {
			name := []string{"second", "third"}[i]
			e := b.Edge(name+"->db", -1, EdgeSpec{Latency: always(late)})
			b.Client(kernel.Client{Name: name, Edge: e, Process: kernel.Burst, Burst: 1}, 0)
		}
	}
	// They have 1/2 each from 4 to 8, 1/3 from 8 on, when the first lacks 5 of its 10 ms: it is done
	// at 23. The second has had 2+5 and the third 5: 6 ms later, and 2 ms after that.
	l.expect(t, "arrive settle", "1 arrive, 4 arrive, 8 arrive, 24 settle ok, 33 settle ok, "+
		"39 settle ok")
}

// Four share two slots: half a slot each, and none has more than one.
func TestNobodyHasMoreThanOneSlot(t *testing.T) {
	l := newLab(4)
	l.tier = Station(2)
	l.tier.Discipline = queue.PS
	l.expect(t, "settle", "22 settle ok, 22 settle ok, 22 settle ok, 22 settle ok")
	l.tier.Slots = 8
	l.expect(t, "settle", "12 settle ok, 12 settle ok, 12 settle ok, 12 settle ok")
	r := Run(l.plan(), 1, nil)
	if g := r.Replicas[0].Gauges[0]; g.Busy != 4*9e6 || g.InLine != 0 {
		t.Errorf("gauges %+v", g)
	}
}

// A frozen replica goes on where it was; one whose slots are cut in two takes twice as long.
func TestSharersWaitAndSlowDownTogether(t *testing.T) {
	l := newLab(2)
	l.tier.Discipline = queue.PS
	l.more = func(b *Builder) {
		b.Plan.Pauses = append(b.Plan.Pauses, kernel.Pause{
			From: ms(5), To: ms(30), First: 0, Count: 1, Flows: kernel.Keep,
		})
	}
	l.expect(t, "settle", "47 settle ok, 47 settle ok")
	l.tier = Station(2)
	l.tier.Discipline = queue.PS
	l.more = func(b *Builder) {
		b.layers++
		b.Plan.Changes = append(b.Plan.Changes, kernel.Change{
			At: ms(6), Param: b.Plan.Replicas[0].Slots, Layer: b.layers, Op: kernel.Replace, Value: 1,
		})
	}
	l.expect(t, "settle", "17 settle ok, 17 settle ok")
}

// Who leaves gives its share to the others at once.
func TestACancelledSharerLeavesItsShare(t *testing.T) {
	l := newLab(2)
	l.tier.Discipline = queue.PS
	l.more = func(b *Builder) {
		e := b.Edge("hasty->db", -1, EdgeSpec{
			Latency: always(1), Try: ms(9), Cancel: kernel.CancelAll,
		})
		b.Client(kernel.Client{Name: "hasty", Edge: e, Process: kernel.Burst, Burst: 1}, 0)
	}
	// Three share 9 ms from 1 to 10; two lack 7 ms each then.
	l.expect(t, "cancel settle", "9 settle timed_out, 10 cancel, 25 settle ok, 25 settle ok")
}

// The link is lost until 5 ms: what is sent at 0 is sent again at 2 and, at twice the wait, at 6.
func TestALostRequestIsSentAgain(t *testing.T) {
	l := newLab(1)
	l.edge.Resend = kernel.Resend{First: ms(2), Factor: 2, Tries: 3}
	l.more = func(b *Builder) {
		b.layers++
		lost := kernel.Change{Param: b.Plan.Edges[0].Link, Layer: b.layers, Op: kernel.Replace,
			Value: float64(kernel.LinkLost)}
		found := lost
		found.At, found.Op = ms(5), kernel.Lift
		b.Plan.Changes = append(b.Plan.Changes, lost, found)
	}
	l.expect(t, "send arrive settle", "0 send, 7 arrive, 18 settle ok")
	l.edge.Try = ms(6)
	l.expect(t, "send arrive settle", "0 send, 6 settle timed_out")
}

// Two come at once to one place: the second is dropped at the door, as it is sent again at 4, and
// let in when it is sent once more, at 12.
func TestWhoIsNotAcceptedKnocksAgain(t *testing.T) {
	l := newLab(2)
	l.tier.InFlight, l.tier.Over = 1, kernel.OverDrop
	l.edge.Resend = kernel.Resend{First: ms(4), Factor: 2, Tries: 6}
	l.expect(t, "arrive settle", "1 arrive, 1 arrive, 5 arrive, 12 settle ok, 13 arrive, 24 settle ok")
	l.tier = Station(1)
	l.tier.Line, l.tier.FullDrops = 0, true
	l.expect(t, "arrive settle", "1 arrive, 1 arrive, 5 arrive, 12 settle ok, 13 arrive, 24 settle ok")
}
