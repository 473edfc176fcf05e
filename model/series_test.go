package model

import (
	"slices"
	"testing"
)

func TestWantSeriesCopiesThePlan(t *testing.T) {
	p := compiled(t, twoTier(), minute())
	more, err := p.WantSeries(Series{Clients: []string{"users"}, Wait: []string{"db"}})
	if err != nil {
		t.Fatal(err)
	}
	both, err := more.WantSeries(Series{Edges: []string{"web->db"}})
	if err != nil {
		t.Fatal(err)
	}
	if s := p.World.Series; s.Clients != nil || s.Edges != nil || s.Wait != nil {
		t.Errorf("the plan itself: got %+v, want nothing", s)
	}
	s := both.World.Series
	for _, c := range []struct {
		what      string
		got, want []bool
	}{
		{"clients", s.Clients, []bool{true}},
		{"edges", s.Edges, []bool{true, false}},
		{"wait", s.Wait, []bool{false, true}},
		{"service", s.Service, nil},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", c.what, c.got, c.want)
		}
	}
	if _, err := p.WantSeries(Series{Edges: []string{"web->bd"}}); err == nil {
		t.Error("unknown edge: got no error")
	}
}
