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
	}
	for i := range p.Routes {
		p.Routes[i].Luck = luck("route/" + p.Routes[i].Name)
	}
	for i := range p.Tiers {
		for k := range p.Tiers[i].Endpoints {
			p.identifySteps(p.Tiers[i].Name, &p.Tiers[i].Endpoints[k])
		}
	}
}

// identifySteps names a step by its tier, endpoint and verb, a call by its edge too, and counts
// those that are alike.
func (p *Plan) identifySteps(tier string, ep *Endpoint) {
	alike := make(map[string]int)
	for i := ep.First; i < ep.First+ep.Count; i++ {
		s := &p.Programs[i]
		name := "step/" + tier + "/" + ep.Name + "/" + verbs[s.Verb]
		if s.Verb == Call {
			name += "/" + p.Edges[s.Edge].Name
		}
		s.Luck = luck(name + "/" + strconv.Itoa(alike[name]))
		alike[name]++
	}
}

var verbs = [...]string{Work: "work", Call: "call", Fail: "fail", Parallel: "parallel",
	Effect: "effect"}

func luck(name string) uint64 { return uint64(sim.Seed(0).Ident(name)) }
