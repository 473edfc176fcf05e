package kernel

import (
	"strconv"

	"cascadesim/sim"
)

// Identify gives steps, edges and routes the numbers that their draws are keyed by, from their
// names: what else a plan holds does not shift anybody's luck, so that two worlds which share a
// part can be compared on the same chance. Whoever builds a plan calls it last.
func (p *Plan) Identify() {
	for i := range p.Edges {
		p.Edges[i].Luck = luck("edge/" + p.Edges[i].Name)
		if h := p.Edges[i].Health; h != nil && h.Check == CheckSlot {
			p.Programs[h.Step].Luck = luck("health/" + p.Edges[i].Name)
		}
		if c := p.Edges[i].Connections; c != nil && c.Handshake > 0 {
			p.Programs[c.Handshake].Luck = luck("handshake/" + p.Edges[i].Name)
		}
	}
	for i := range p.Routes {
		p.Routes[i].Luck = luck("route/" + p.Routes[i].Name)
	}
	for i := range p.Tiers {
		for k := range p.Tiers[i].Endpoints {
			ep := &p.Tiers[i].Endpoints[k]
			p.identifySteps("step/"+p.Tiers[i].Name+"/"+ep.Name, ep.First, ep.Count)
		}
	}
}

// identifySteps names a step by its tier, endpoint and verb, a call by its edge too, and counts
// those that are alike. Steps of a fallback have the name of its call before their own.
func (p *Plan) identifySteps(of string, first, count int) {
	alike := make(map[string]int)
	for i := first; i < first+count; i++ {
		s := &p.Programs[i]
		name := of + "/" + verbs[s.Verb]
		if s.Verb.Calls() {
			name += "/" + p.Edges[s.Edge].Name
		}
		name, n := name+"/"+strconv.Itoa(alike[name]), name
		alike[n]++
		s.Luck = luck(name)
		if s.Verb == Lookup && p.Caches[s.Cache].Luck == 0 {
			p.Caches[s.Cache].Luck = s.Luck
		}
		if (s.Verb == Call || s.Verb == Lookup) && s.Count > 0 {
			p.identifySteps(name, i+1, s.Count)
			i += s.Count
		}
	}
}

// KeySpace is the luck of keys that several caches share, by name.
func KeySpace(name string) uint64 { return luck("keys/" + name) }

var verbs = [...]string{Work: "work", Call: "call", Fail: "fail", Parallel: "parallel",
	Effect: "effect", Lookup: "cache", Store: "keep", Detach: "call", Enter: "enter"}

func luck(name string) uint64 { return uint64(sim.Seed(0).Ident(name)) }
