package model

import (
	"context"
	"slices"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

func TestSmallWorldsRun(t *testing.T) {
	for _, top := range []*Topology{twoTier(), chain(5)} {
		p := compiled(t, top, minute())
		if len(p.Warnings) > 0 {
			t.Errorf("%s: got warnings\n%s", top.Name, texts(p.Warnings))
		}
		r, err := p.Run(context.Background(), 1, RunOptions{})
		if err != nil {
			t.Fatalf("%s: %v", top.Name, err)
		}
		requests := uint32(0)
		for _, c := range r.Clients[0].Cells {
			requests += c.Requests
		}
		if requests == 0 {
			t.Errorf("%s: got no requests", top.Name)
		}
	}
}

// TestIdentitiesAreNumberedThrough gives each client's identities a range of their own.
func TestIdentitiesAreNumberedThrough(t *testing.T) {
	top := twoTier()
	for _, name := range []string{"b", "c"} {
		top.Clients = append(top.Clients, Entry[Client]{name, arrivals("web", 1)})
	}
	top.Clients[0].Value.Population, top.Clients[1].Value.Population = 5, 7
	got := []int{}
	for _, c := range compiled(t, top, minute()).World.Clients {
		got = append(got, c.First)
	}
	if want := []int{0, 5, 12}; !slices.Equal(got, want) {
		t.Errorf("first identities: got %v, want %v", got, want)
	}
}

// TestPausesInTurn must not take one pause after another, in any order of the file, for an overlap.
func TestPausesInTurn(t *testing.T) {
	top, s := twoTier(), minute()
	s.Timeline = []TimelineEntry{
		pauseFor("late", 10*sim.Second, 20*sim.Second, Pause{Tier: "db"}),
		pauseFor("early", 0, 10*sim.Second, Pause{Tier: "db@0"}),
		pauseFor("last", 20*sim.Second, 30*sim.Second, Pause{Tier: "db"}),
	}
	if got := len(compiled(t, top, s).World.Pauses); got != 3 {
		t.Errorf("got %d pauses, want 3", got)
	}
}

// TestProfileBeginsAtZero cuts off what a curve says of the time before the run.
func TestProfileBeginsAtZero(t *testing.T) {
	sec := sim.Second
	seg := func(at sim.Time, from, slope float64) kernel.Segment {
		return kernel.Segment{At: at, From: from, Slope: slope}
	}
	segs := func(s ...kernel.Segment) []kernel.Segment { return s }
	for _, c := range []struct {
		curve Curve
		want  []kernel.Segment
	}{
		{Curve{{5 * sec, 2}}, segs(seg(0, 2, 0), seg(5*sec, 2, 0))},
		{Curve{{0, 1}, {10 * sec, 2}}, segs(seg(0, 1, 0.1), seg(10*sec, 2, 0))},
		{Curve{{-10 * sec, 1}, {10 * sec, 3}}, segs(seg(0, 2, 0.1), seg(10*sec, 3, 0))},
		{Curve{{-10 * sec, 1}, {0, 2}, {10 * sec, 3}},
			segs(seg(0, 2, 0.1), seg(10*sec, 3, 0))},
		{Curve{{-10 * sec, 1}, {-5 * sec, 2}}, segs(seg(0, 2, 0))},
	} {
		top := twoTier()
		top.Clients[0].Value.Arrivals.Profile = &Profile{Curve: c.curve}
		if got := compiled(t, top, minute()).World.Clients[0].Profile; !slices.Equal(got, c.want) {
			t.Errorf("%v: got %v, want %v", c.curve, got, c.want)
		}
	}
}

// TestFaultsOfOneReplicaMeet puts two faults on one param, so that their factors multiply.
func TestFaultsOfOneReplicaMeet(t *testing.T) {
	top, s := twoTier(), minute()
	top.Tiers[1].Value.Replicas.Count = 3
	s.Timeline = []TimelineEntry{faultFor("a", Fault{Tier: "db@1", Slow: 2}),
		faultFor("b", Fault{Tier: "db@1", Slow: 3})}
	p := compiled(t, top, s).World
	got := changesOf(t, p, "tiers.db@1.slow")
	if len(got) != 4 || got[0].Param != got[1].Param || got[0].Layer == got[1].Layer {
		t.Errorf("got changes %+v, want two layers on one param, and their ends", got)
	}
	for i, r := range p.Rows {
		if own := r.Slow >= 0; own != (p.Replicas[r.Replica].Name == "1" && r.Replica > 0) {
			t.Errorf("row %d: got a param of its own: %v", i, own)
		}
	}
}

// TestOneReplicaOfATierIsSet sets slots that a named replica has from its tier.
func TestOneReplicaOfATierIsSet(t *testing.T) {
	top, s := twoTier(), minute()
	top.Tiers[1].Value.Replicas = Replicas{Named: Map[Replica]{
		{"a", Replica{Weight: 1}}, {"b", Replica{Weight: 1}}}}
	s.Timeline = []TimelineEntry{setAt("one", "tiers.db.replicas.b.slots", Replace, 5)}
	p := compiled(t, top, s).World
	if len(p.Changes) != 1 || p.Changes[0].Param != p.Replicas[2].Slots {
		t.Errorf("got changes %+v, want one of b's slots, param %d", p.Changes, p.Replicas[2].Slots)
	}
}
