package check

import (
	"math"
	"slices"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// Condition is what decides whether a replica comes back: the first tries that reach it and the
// retries that its callers' policies let through, against what it can do. All rates are measured,
// per second of the real system.
//
//	first tries + retries < capacity    it can drain what has piled up
//	first tries + retries > capacity    it cannot, whatever started it
type Condition struct {
	Tier, Replica string  // Replica is empty when the tier has one
	FirstPerS     float64 // arrivals that are first tries of their call
	RetriesPerS   float64 // the other arrivals
	CapacityPerS  float64 // slots over the time that one attempt holds a slot; see capacity
	Layers        []Layer // the edges with retries that lead here, the nearest first
}

// Layer is an edge whose retries reach a replica, directly or as first tries of a nearer layer.
type Layer struct {
	Edge        string
	Hops        int // 0: it calls the replica's tier itself
	FirstPerS   float64
	RetriesPerS float64
	Budgets     []Budget
}

// Budget is a policy of a layer's stack that holds tokens or has refused something.
type Budget struct {
	Policy      string
	Scope, Key  string   // who shares a state, and what each has one for
	RefusedPerS float64  // attempts, first tries too
	Shared      []string // other edges that draw on the same state
}

// Offered is what arrives.
func (c Condition) Offered() float64 { return c.FirstPerS + c.RetriesPerS }

// Load is what arrives over what can be done; above 1 nothing recovers by itself.
func (c Condition) Load() float64 { return ratio(c.Offered(), c.CapacityPerS) }

// Holds says whether what arrives can be done.
func (c Condition) Holds() bool { return c.Offered() < c.CapacityPerS }

// Conditions measures both sides from from to to, for each replica that an edge with retries calls
// and whose capacity is limited.
func Conditions(plan *model.Plan, r *model.Result, from, to sim.Time) []Condition {
	rd := newReader(plan, r)
	s, seconds, ok := rd.span(Range{From: from, To: to}, false)
	if !ok {
		return nil
	}
	g := newCallers(rd.w)
	per := 1 / seconds / rd.scale()
	var out []Condition
	for t, tier := range rd.w.Tiers {
		if !g.retried(rd.w, t) {
			continue
		}
		layers := rd.layers(g, t, s, per)
		for i := tier.First; i < tier.First+tier.Count; i++ {
			c := Condition{Tier: tier.Name, CapacityPerS: rd.capacity(g, i, s), Layers: layers}
			if !exists(c.CapacityPerS) || math.IsInf(c.CapacityPerS, 1) {
				continue
			}
			if tier.Count > 1 {
				c.Replica = replicaName(rd.w, i)
			}
			m := Measure{rows: rowsOf(rd.w, i), only: -1}
			arrivals := rd.ofTiers(m, s, find(tierCounters, "arrivals"))
			retries := rd.ofTiers(m, s, find(tierCounters, "retries"))
			c.RetriesPerS = float64(retries) * per
			c.FirstPerS = float64(arrivals-retries) * per
			out = append(out, c)
		}
	}
	return out
}

func rowsOf(w *model.World, replica int) []tierRow {
	var rows []tierRow
	for e := range w.Tiers[w.Replicas[replica].Tier].Endpoints {
		rows = append(rows, tierRow{replica, e})
	}
	return rows
}

// capacity is how many attempts per second a replica can do: its slots over the time that an
// attempt holds one, as measured (time in use over attempts completed; calls that are awaited in a
// slot count). A replica passes on what it calls by local balancing, so it can do no more than the
// replica of its own number there. Infinite: nothing limits it. NaN: nothing was completed.
func (rd reader) capacity(g callers, replica int, s span) float64 {
	tier := rd.w.Replicas[replica].Tier
	own := math.Inf(1)
	var busy, slots float64
	var time sim.Time
	for _, cell := range rd.r.Replicas[replica].Gauges[s.from:s.to] {
		busy += cell.Busy
		slots += cell.Slots
		time += cell.Span
	}
	if slots > 0 {
		m := Measure{rows: rowsOf(rd.w, replica), only: -1}
		done := rd.ofTiers(m, s, find(tierCounters, "completed"))
		own = ratio(slots/time.Seconds()*float64(done), busy) / rd.scale()
	}
	for _, next := range g.local[tier] {
		n := replica - rd.w.Tiers[tier].First
		if n >= rd.w.Tiers[next.tier].Count {
			continue
		}
		below := rd.capacity(g, rd.w.Tiers[next.tier].First+n, s) / next.times
		if !exists(below) || below < own {
			own = below
		}
	}
	return own
}

// callers is who calls whom.
type callers struct {
	into  [][]callTo    // by tier: the calls that reach it
	local [][]localCall // by tier: what it calls by local balancing
}

// callTo is an edge to an endpoint, and the endpoint whose steps call it.
type callTo struct {
	edge, endpoint int
	from           node
}

// node is an endpoint of a tier; tier -1 is a client.
type node struct{ tier, endpoint int }

// localCall is a call to the replica of the caller's own number, times for each attempt.
type localCall struct {
	tier  int
	times float64
}

func newCallers(w *model.World) callers {
	g := callers{make([][]callTo, len(w.Tiers)), make([][]localCall, len(w.Tiers))}
	for _, c := range w.Clients {
		g.add(w, callTo{edge: c.Edge, from: node{tier: -1}}, c.Target)
	}
	for t, tier := range w.Tiers {
		for e, ep := range tier.Endpoints {
			for _, step := range w.Programs[ep.First : ep.First+ep.Count] {
				if step.Verb.Calls() {
					g.add(w, callTo{edge: step.Edge, from: node{t, e}}, step.Target)
				}
				if step.Verb == kernel.Call {
					g.addLocal(w, t, step)
				}
			}
		}
	}
	return g
}

// add notes that a call goes to a target: to all that it can be routed or fail over to.
func (g callers) add(w *model.World, c callTo, target int) {
	if f := w.Edges[c.edge].Balance.Failover; f >= 0 && f != target {
		g.addTarget(w, c, f)
	}
	g.addTarget(w, c, target)
}

func (g callers) addTarget(w *model.World, c callTo, target int) {
	to := w.Targets[target]
	if to.Route >= 0 {
		for _, t := range w.Routes[to.Route].To {
			g.addTarget(w, c, t)
		}
		return
	}
	c.endpoint = to.Endpoint
	if !slices.Contains(g.into[to.Tier], c) {
		g.into[to.Tier] = append(g.into[to.Tier], c)
	}
}

// addLocal notes a call by local balancing, if it bounds its caller: with several endpoints, others
// may not make it.
func (g callers) addLocal(w *model.World, tier int, step kernel.Step) {
	to := w.Targets[step.Target]
	if w.Edges[step.Edge].Balance.Policy != kernel.Local || to.Route >= 0 ||
		len(w.Tiers[tier].Endpoints) != 1 {
		return
	}
	if call := (localCall{to.Tier, float64(step.Times)}); !slices.Contains(g.local[tier], call) {
		g.local[tier] = append(g.local[tier], call)
	}
}

// retried says whether an edge with retries calls a tier.
func (g callers) retried(w *model.World, tier int) bool {
	return slices.ContainsFunc(g.into[tier], func(c callTo) bool { return w.Edges[c.edge].HasRetry })
}

// layers are the edges with retries that lead to a tier, nearest first.
func (rd reader) layers(g callers, tier int, s span, per float64) []Layer {
	var out []Layer
	var nodes []node
	for e := range rd.w.Tiers[tier].Endpoints {
		nodes = append(nodes, node{tier, e})
	}
	seen := make([]bool, len(rd.w.Edges))
	var met []node
	for hops := 0; len(nodes) > 0; hops++ {
		var above []node
		for _, n := range nodes {
			for _, c := range g.into[n.tier] {
				if c.endpoint != n.endpoint {
					continue
				}
				if !seen[c.edge] && rd.w.Edges[c.edge].HasRetry {
					out = append(out, rd.layer(c.edge, hops, s, per))
				}
				seen[c.edge] = true
				if c.from.tier >= 0 && !slices.Contains(met, c.from) {
					met, above = append(met, c.from), append(above, c.from)
				}
			}
		}
		nodes = above
	}
	return out
}

func (rd reader) layer(e, hops int, s span, per float64) Layer {
	edge := &rd.w.Edges[e]
	m := Measure{of: "edges", edges: []int{e}, only: -1}
	attempts := rd.ofEdges(m, s, find(edgeCounters, "attempts"))
	again := rd.ofEdges(m, s, find(edgeCounters, "retries"))
	hedges := rd.ofEdges(m, s, find(edgeCounters, "hedges"))
	out := Layer{Edge: edge.Name, Hops: hops, RetriesPerS: float64(again) * per,
		FirstPerS: float64(attempts-again-hedges) * per}
	for i, use := range edge.Stack {
		m.entries = []entry{{e, i}}
		refused := rd.refusedBy(m, s)
		if refused == 0 && rd.level(m.entries[0], "level") == nil {
			continue
		}
		out.Budgets = append(out.Budgets, Budget{
			Policy: use.Name, Scope: scopes[use.Scope], Key: keys[use.Key],
			RefusedPerS: float64(refused) * per, Shared: sharers(rd.w, e, use.State),
		})
	}
	return out
}

var scopes = map[kernel.Scope]string{
	kernel.ScopeClient: "client", kernel.ScopeInstance: "instance", kernel.ScopeTier: "tier",
}

var keys = map[kernel.StateKey]string{
	kernel.KeyEdge: "edge", kernel.KeyEndpoint: "endpoint", kernel.KeyReplica: "replica",
	kernel.KeyPriority: "priority",
}

// sharers are the other edges that use the same state. A policy without a state of its own is
// nobody's to share, though one serves all.
func sharers(w *model.World, edge, state int) []string {
	var out []string
	if state < len(w.States) && w.States[state].Single {
		return nil
	}
	for i, e := range w.Edges {
		uses := func(u kernel.Use) bool { return u.State == state }
		if i != edge && slices.ContainsFunc(e.Stack, uses) {
			out = append(out, e.Name)
		}
	}
	return out
}
