package model

import (
	"slices"
	"strings"
)

// A node is an endpoint of a tier, the place at which calls arrive and from which others leave.
// Nodes are numbered through all tiers, so that sets of them are slices.
type node struct{ tier, endpoint int }

// graph is who can call whom.
type graph struct {
	first []int  // of each tier, its first node
	nodes []node // of all tiers
	leave [][]int
	// Calls of clients by client, and of nodes by node, as indices of names.calls.
	byClient [][]int
	into     [][]int // tiers that each edge can reach, failover included
}

func endpointsOf(t *Tier) int { return max(1, len(t.Endpoints)) }

func (n *names) graph() *graph {
	g := &graph{
		byClient: make([][]int, len(n.t.Clients)),
		into:     make([][]int, len(n.edges)),
	}
	for i := range n.t.Tiers {
		g.first = append(g.first, len(g.nodes))
		for e := range endpointsOf(&n.t.Tiers[i].Value) {
			g.nodes = append(g.nodes, node{i, e})
		}
	}
	g.leave = make([][]int, len(g.nodes))
	for i := range n.calls {
		c := &n.calls[i]
		if c.edge < 0 {
			continue
		}
		switch c.from.kind {
		case aClient:
			g.byClient[c.from.index] = append(g.byClient[c.from.index], i)
		case aTier:
			from := g.first[c.from.index] + c.endpoint
			g.leave[from] = append(g.leave[from], i)
		}
		for _, to := range n.reached(g, c) {
			tier := g.nodes[to].tier
			if !slices.Contains(g.into[c.edge], tier) {
				g.into[c.edge] = append(g.into[c.edge], tier)
			}
		}
	}
	return g
}

// reached are the nodes at which a call can arrive, by its target or by failover.
func (n *names) reached(g *graph, c *callSite) []int {
	var out []int
	add := func(to target) {
		if to.tier >= 0 && to.endpoint >= 0 {
			out = append(out, g.first[to.tier]+to.endpoint)
		}
	}
	for _, to := range n.spread(c.to) {
		add(to)
	}
	if f := n.edges[c.edge].Balance.Failover; f != "" {
		if to, m := n.target(f, false); m == nil {
			add(to)
		}
	}
	return out
}

// spread are the tiers behind a target: itself, or those of its route. Targets that mean nothing
// have been reported and are left out.
func (n *names) spread(to target) []target {
	if to.route < 0 {
		return []target{to}
	}
	var out []target
	for _, name := range n.routeTargets(to.route) {
		t, m := n.routed(name, to.behind, to.behind != "", false)
		if m == nil && t.route < 0 {
			out = append(out, t)
		}
	}
	return out
}

// routeTargets are the targets of a route: those it begins with, then those that only the timeline
// moves traffic to.
func (n *names) routeTargets(route int) []string {
	r := &n.t.Routes[route]
	out := mapNames(r.Value.To)
	for i := range n.s.Timeline {
		for _, set := range n.s.Timeline[i].settings() {
			if set.Path != "routes."+r.Name+".to" {
				continue
			}
			for k := range set.Value.Weights {
				if name := set.Value.Weights[k].Name; !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	return out
}

// edgesReached marks the edges that a client's requests can use, and the nodes where they arrive.
func (n *names) edgesReached(g *graph, client int) (edges, nodes []bool) {
	edges, nodes = make([]bool, len(n.edges)), make([]bool, len(g.nodes))
	todo := slices.Clone(g.byClient[client])
	for len(todo) > 0 {
		c := &n.calls[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		edges[c.edge] = true
		for _, to := range n.reached(g, c) {
			if !nodes[to] {
				nodes[to] = true
				todo = append(todo, g.leave[to]...)
			}
		}
	}
	return edges, nodes
}

// checkCycles reports calls that come back to where they left from, and whether there are none.
func (n *names) checkCycles(g *graph) bool {
	before := len(n.problems)
	const (
		unseen = iota
		open
		done
	)
	state := make([]int, len(g.nodes))
	var trail []int
	var visit func(at int)
	visit = func(at int) {
		state[at] = open
		trail = append(trail, at)
		for _, i := range g.leave[at] {
			for _, to := range n.reached(g, &n.calls[i]) {
				switch state[to] {
				case unseen:
					visit(to)
				case open:
					n.errorf(n.calls[i].path, "the calls go in a circle: %s",
						n.trailText(g, append(trail[slices.Index(trail, to):], to)))
				}
			}
		}
		trail = trail[:len(trail)-1]
		state[at] = done
	}
	for at := range g.nodes {
		if state[at] == unseen {
			visit(at)
		}
	}
	return len(n.problems) == before
}

func (n *names) trailText(g *graph, trail []int) string {
	words := make([]string, len(trail))
	for i, at := range trail {
		t := &n.t.Tiers[g.nodes[at].tier]
		words[i] = t.Name
		if len(t.Value.Endpoints) > 0 {
			words[i] += "/" + t.Value.Endpoints[g.nodes[at].endpoint].Name
		}
	}
	return strings.Join(words, " -> ")
}

// checkReach reports cycles, tiers that no client reaches and edges that no call uses.
func (n *names) checkReach() {
	n.g = n.graph()
	if !n.checkCycles(n.g) {
		return
	}
	n.checkIdle()
	for i := range n.edges {
		n.checkInto(i)
	}
	n.checkDeadlines()
}

// checkIdle warns of tiers and edges that take no part, unless a call that leads nowhere is why.
func (n *names) checkIdle() {
	for i := range n.calls {
		if n.calls[i].edge < 0 {
			return
		}
	}
	seen := make([]bool, len(n.t.Tiers))
	for c := range n.t.Clients {
		_, nodes := n.edgesReached(n.g, c)
		for i, reached := range nodes {
			seen[n.g.nodes[i].tier] = seen[n.g.nodes[i].tier] || reached
		}
	}
	for i := range n.t.Tiers {
		if !seen[i] {
			n.warnf("tiers."+n.t.Tiers[i].Name, "no client's calls reach this tier")
		}
	}
	for i := range n.edges {
		if e := &n.edges[i]; e.ok && !e.called {
			n.warnf(e.path, "no call of %s goes over this edge", e.From)
		}
	}
}
