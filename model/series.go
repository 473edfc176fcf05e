package model

import (
	"fmt"
	"slices"
)

// Series names what histograms of durations are wanted of for each window: latencies of clients and
// edges, waits and work of tiers. Without a name there is one histogram for the run.
type Series struct {
	Clients, Edges, Wait, Service []string
}

// WantSeries is a copy of the plan that records durations by window for what w names, beside what
// it recorded by window already. It costs memory for each window, and changes no other result. A
// name that the plan does not know is an error.
func (p *Plan) WantSeries(w Series) (*Plan, error) {
	world := *p.World
	s := &world.Series
	var clients, edges, tiers []string
	for i := range world.Clients {
		clients = append(clients, world.Clients[i].Name)
	}
	for i := range world.Edges {
		edges = append(edges, world.Edges[i].Name)
	}
	for i := range world.Tiers {
		tiers = append(tiers, world.Tiers[i].Name)
	}
	var err error
	want := func(what string, set *[]bool, known, names []string) {
		*set = slices.Clone(*set)
		for _, name := range names {
			i := slices.Index(known, name)
			if i < 0 {
				err = fmt.Errorf("series of %s %q: there is none of that name", what, name)
				continue
			}
			if *set == nil {
				*set = make([]bool, len(known))
			}
			(*set)[i] = true
		}
	}
	want("client", &s.Clients, clients, w.Clients)
	want("edge", &s.Edges, edges, w.Edges)
	want("tier", &s.Wait, tiers, w.Wait)
	want("tier", &s.Service, tiers, w.Service)
	if err != nil {
		return nil, err
	}
	out := *p
	out.World = &world
	return &out, nil
}
