package model

import (
	"context"
	"slices"
	"testing"

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
