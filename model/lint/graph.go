package lint

import (
	"math"
	"slices"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
)

// node is an endpoint of a tier.
type node struct{ tier, endpoint int }

// call is a step that calls, or what a client asks for.
type call struct {
	edge, target int
	times        int
	chance       float64
	detached     bool // nobody waits for it
}

// rootCall is what a client asks for.
func rootCall(c *kernel.Client) call {
	return call{edge: c.Edge, target: c.Target, times: 1, chance: 1}
}

// graph is who calls whom.
type graph struct {
	w      *model.World
	callOf []call // by edge: one of the calls that it serves
}

func newGraph(w *model.World) graph {
	g := graph{w, make([]call, len(w.Edges))}
	for _, c := range w.Clients {
		g.callOf[c.Edge] = rootCall(&c)
	}
	for t := range w.Tiers {
		for e := range w.Tiers[t].Endpoints {
			for _, c := range g.calls(node{t, e}) {
				g.callOf[c.edge] = c
			}
		}
	}
	return g
}

// calls are those that an endpoint's steps make, in parallel or not.
func (g graph) calls(n node) []call {
	var out []call
	for _, s := range g.steps(n) {
		if s.Verb.Calls() {
			out = append(out, call{s.Edge, s.Target, s.Times, s.Share, s.Verb == kernel.Detach})
		}
	}
	return out
}

func (g graph) steps(n node) []kernel.Step {
	ep := g.w.Tiers[n.tier].Endpoints[n.endpoint]
	return g.w.Programs[ep.First : ep.First+ep.Count]
}

// targets are where an attempt of a call may go: one of them, by a route or by failing over.
func (g graph) targets(c call) []node {
	var out []node
	var add func(int)
	add = func(i int) {
		to := g.w.Targets[i]
		if to.Route >= 0 {
			for _, t := range g.w.Routes[to.Route].To {
				add(t)
			}
			return
		}
		if n := (node{to.Tier, to.Endpoint}); !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	add(c.target)
	if f := g.w.Edges[c.edge].Balance.Failover; f >= 0 {
		add(f)
	}
	return out
}

// counter multiplies along the calls: of one kind of figure, up to one edge or tier.
type counter struct {
	g graph
	// factor is what an edge multiplies by; of carried budgets, over what came from above.
	factor func(edge int, above float64) float64
	carry  bool // retries above are known below, where edges carry the attempt's number
	// hit says what is counted: attempts on the edge, or arrivals at the node.
	edge, tier int
	known      map[reached]float64
}

type reached struct {
	call  call
	above float64
}

// of is how many attempts one call leads to where the counter counts; above is by how much the
// retries of the edges above have multiplied it, as far as they are carried.
func (c *counter) of(at call, above float64) float64 {
	key := reached{at, above}
	if v, ok := c.known[key]; ok {
		return v
	}
	factor := c.factor(at.edge, above)
	below := 1.0
	if c.carry && c.g.w.Edges[at.edge].CarryAttempt {
		below = above * factor
	}
	// Each attempt goes to one target: the worst of them bounds any mixture.
	worst := 0.0
	for _, n := range c.g.targets(at) {
		sum := 0.0
		if n.tier == c.tier {
			sum = 1
		}
		for _, next := range c.g.calls(n) {
			sum += product(float64(next.times), c.of(next, below))
		}
		worst = max(worst, sum)
	}
	if at.edge == c.edge {
		worst++
	}
	v := product(factor, worst)
	c.known[key] = v
	return v
}

// product is 0 when one of the factors is, even beside one without limit.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return float64(a * b)
}

// count is what one request of a client leads to, at an edge or at a tier; -1 for the other.
func (l *linter) count(client, edge, tier int, budgets bool) float64 {
	c := &counter{g: l.g, factor: l.tries, edge: edge, tier: tier, known: map[reached]float64{}}
	if budgets {
		c.factor, c.carry = l.budgeted, true
	}
	k := &l.w.Clients[client]
	return c.of(rootCall(k), 1)
}

// tries is the most of one call of an edge.
func (l *linter) tries(edge int, _ float64) float64 {
	if n := l.hops[edge].tries; n > 0 {
		return float64(n)
	}
	return math.Inf(1)
}

// budgeted is attempts for each call of an edge in a storm. A budget that counts what is carried
// has been spent by the retries above already.
func (l *linter) budgeted(edge int, above float64) float64 {
	f := l.hops[edge].factor
	if above > 1 && slices.ContainsFunc(l.w.Edges[edge].Stack, func(u kernel.Use) bool {
		return u.Carried
	}) {
		return f / above
	}
	return f
}

// measureGraph fills the hops and leaves of the report in.
func (l *linter) measureGraph() {
	for e := range l.w.Edges {
		h := &l.hops[e]
		hop := Hop{Edge: l.w.Edges[e].Name, Tries: h.tries, Factor: h.factor,
			Waits: h.waits, Blocking: l.blocking(e)}
		for c := range l.w.Clients {
			hop.Attempts = max(hop.Attempts, l.count(c, e, -1, false))
			hop.Budgeted = max(hop.Budgeted, l.count(c, e, -1, true))
		}
		l.out.Hops = append(l.out.Hops, hop)
	}
	for c := range l.w.Clients {
		for t := range l.w.Tiers {
			if !l.leaf(t) {
				continue
			}
			n := l.count(c, -1, t, false)
			if n == 0 {
				continue
			}
			l.out.Leaves = append(l.out.Leaves, Leaf{
				Client: l.w.Clients[c].Name, Tier: l.w.Tiers[t].Name,
				Path: l.path(c, t), Attempts: n, Budgeted: l.count(c, -1, t, true),
			})
		}
	}
}

// leaf says whether a tier calls nobody.
func (l *linter) leaf(t int) bool {
	for e := range l.w.Tiers[t].Endpoints {
		if len(l.g.calls(node{t, e})) > 0 {
			return false
		}
	}
	return true
}

// path is the edges that try again on the way from a client to a tier on which they multiply most.
func (l *linter) path(client, tier int) []Factor {
	k := &l.w.Clients[client]
	var best []Factor
	most := -1.0
	var walk func(c call, so []Factor, by float64)
	walk = func(c call, so []Factor, by float64) {
		if h := &l.hops[c.edge]; h.tries != 1 {
			so = append(slices.Clone(so), Factor{l.w.Edges[c.edge].Name, h.tries})
			by *= l.tries(c.edge, 1)
		}
		for _, n := range l.g.targets(c) {
			if n.tier == tier && by > most {
				best, most = so, by
			}
			for _, next := range l.g.calls(n) {
				if l.leads(next, tier) {
					walk(next, so, by*float64(next.times))
				}
			}
		}
	}
	walk(rootCall(k), nil, 1)
	return best
}

// leads says whether a call can come to a tier.
func (l *linter) leads(at call, tier int) bool {
	for _, n := range l.g.targets(at) {
		if n.tier == tier {
			return true
		}
		for _, next := range l.g.calls(n) {
			if l.leads(next, tier) {
				return true
			}
		}
	}
	return false
}
