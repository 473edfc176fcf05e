package model

import (
	"fmt"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// Outline lays out only the names of a world, for those who look for names in it although it has
// mistakes: clients, tiers with their replicas and endpoints, edges with their stacks. It cannot be
// run.
func Outline(t *Topology, s *Scenario) *Plan {
	n := resolve(t, s, policies.Builtins())
	w := &kernel.Plan{End: s.Duration, Drain: s.Drain, Warmup: s.Warmup, Window: max(1, s.Window)}
	for i := range t.Clients {
		w.Clients = append(w.Clients, kernel.Client{Name: t.Clients[i].Name})
	}
	for i := range t.Tiers {
		outlineTier(w, t.Tiers[i].Name, &t.Tiers[i].Value)
	}
	for i := range n.edges {
		e := kernel.Edge{Name: n.edges[i].key}
		if r := n.edges[i].Retry; r != nil {
			for k := range r.Stack {
				name := r.Stack[k].Name
				if name == "" {
					name = r.Stack[k].Policy
				}
				e.Stack = append(e.Stack, kernel.Use{Name: name})
			}
		}
		w.Edges = append(w.Edges, e)
	}
	return &Plan{Topology: t, Scenario: s, World: w}
}

// mostOutlined is how many unnamed replicas of a tier an outline lists; nobody names more.
const mostOutlined = 10_000

func outlineTier(w *kernel.Plan, name string, t *Tier) {
	out := kernel.Tier{Name: name, First: len(w.Replicas)}
	for i := range t.Endpoints {
		out.Endpoints = append(out.Endpoints, kernel.Endpoint{Name: t.Endpoints[i].Name})
	}
	if len(t.Endpoints) == 0 {
		out.Endpoints = []kernel.Endpoint{{}}
	}
	var names []string
	for i := range t.Replicas.Named {
		names = append(names, t.Replicas.Named[i].Name)
	}
	for i := 0; len(t.Replicas.Named) == 0 && i < min(t.Replicas.Count, mostOutlined); i++ {
		names = append(names, fmt.Sprint(i))
	}
	for _, replica := range names {
		w.Replicas = append(w.Replicas, kernel.Replica{Name: replica, Tier: len(w.Tiers)})
	}
	out.Count = len(names)
	w.Tiers = append(w.Tiers, out)
}
