package oracle

import (
	"fmt"
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// Builder builds plans by hand, for tests of the oracle and of the kernel. Tiers come first, then
// edges, then the steps, which name edges; Build closes the plan.
type Builder struct {
	Plan   *kernel.Plan
	layers int
}

// NewBuilder begins a plan that ends at end and records in windows of a tenth of it.
func NewBuilder(end sim.Time) *Builder {
	return &Builder{Plan: &kernel.Plan{End: end, Window: max(end/10, 1), Scale: 1}}
}

// param adds a live field.
func (b *Builder) param(p kernel.Param) int {
	b.Plan.Params = append(b.Plan.Params, p)
	return len(b.Plan.Params) - 1
}

// TierSpec is a tier and what all its replicas have; Station gives the usual one.
type TierSpec struct {
	Weights    []float64 // one for each replica
	Endpoints  []string
	Slots      int
	Line       int
	Discipline queue.Discipline
	Above      int // see kernel.Replica.SwitchAbove
	FullDrops  bool
	Target     sim.Time // see kernel.Replica
	Interval   sim.Time
	Patience   *sim.Dist // nil: none
	InFlight   int
	Over       kernel.Over
	Backlog    int
	Async      bool
	Deadline   kernel.DeadlineRule
	Expected   sim.Time
	Admission  []kernel.Use
	Keys       *policies.Idempotency

	RejectStatus                         int
	RejectAfter, RejectCost, RejectDelay sim.Time
}

// Station is one replica with so many slots and a line of any length.
func Station(slots int) TierSpec {
	return TierSpec{
		Weights: []float64{1}, Endpoints: []string{""}, Slots: slots, Line: -1, InFlight: -1,
		RejectStatus: 503,
	}
}

// Tier adds a tier and its replicas and returns its index.
func (b *Builder) Tier(name string, s TierSpec) int {
	p := b.Plan
	i := len(p.Tiers)
	t := kernel.Tier{
		Name: name, First: len(p.Replicas), Count: len(s.Weights), Async: s.Async,
		Deadline: s.Deadline, Expected: s.Expected, Admission: s.Admission,
		Keys: s.Keys,
	}
	p.Operations = p.Operations || s.Keys != nil
	plain := func(field string, base float64) int {
		return b.param(kernel.Param{Path: "tiers." + name + "." + field, Of: i, Base: base})
	}
	t.Active = b.param(kernel.Param{
		Path: "tiers." + name + ".replicas", Field: kernel.FieldActive, Of: i,
		Base: float64(t.Count), Whole: true,
	})
	t.RejectStatus = plain("reject.status", float64(s.RejectStatus))
	t.RejectAfter = plain("reject.retry_after", float64(s.RejectAfter))
	t.RejectCost = plain("reject.cost", float64(s.RejectCost))
	t.RejectDelay = plain("reject.delay", float64(s.RejectDelay))
	t.Slow = plain("slow", 1)
	t.Delay = b.param(kernel.Param{
		Path: "tiers." + name + ".delay", Field: kernel.FieldDist, Of: i,
	})
	for _, e := range s.Endpoints {
		t.Endpoints = append(t.Endpoints, kernel.Endpoint{
			Name: e, Expected: s.Expected,
			Errors: plain(e+".errors", 0), ErrorStatus: plain(e+".status", 500),
		})
	}
	p.Tiers = append(p.Tiers, t)
	for n, weight := range s.Weights {
		b.replica(i, n, weight, s)
	}
	return i
}

func (b *Builder) replica(tier, n int, weight float64, s TierSpec) {
	p := b.Plan
	i := len(p.Replicas)
	name := fmt.Sprintf("%s@%d", p.Tiers[tier].Name, n)
	count := func(field string, kind kernel.Field, base int) int {
		return b.param(kernel.Param{
			Path: name + "." + field, Field: kind, Of: i, Base: float64(base), Whole: true,
		})
	}
	r := kernel.Replica{
		Name: name, Tier: tier, Row: len(p.Rows), Discipline: s.Discipline,
		SwitchAbove: s.Above, Target: s.Target, Interval: s.Interval,
		FullDrops: s.FullDrops, Over: s.Over, Backlog: s.Backlog,
		Weight: b.param(kernel.Param{
			Path: name + ".weight", Field: kernel.FieldWeight, Of: i, Base: weight,
		}),
		Slots:     count("slots", kernel.FieldSlots, s.Slots),
		LineLimit: count("line.limit", kernel.FieldLine, s.Line),
		InFlight:  count("in_flight.limit", kernel.FieldInFlight, s.InFlight),
	}
	if s.Patience != nil {
		r.Patience, r.HasPatience = *s.Patience, true
	}
	p.Replicas = append(p.Replicas, r)
	for e := range s.Endpoints {
		p.Rows = append(p.Rows, kernel.Row{
			Replica: i, Endpoint: e, Slow: -1, Delay: -1, Errors: -1, ErrorStatus: -1,
		})
	}
}

// EdgeSpec is an edge; times of 0 are none. The zero value is a perfect wire without a stack.
type EdgeSpec struct {
	Latency           sim.Dist
	Loss, RepliesLost float64
	Try, Overall      sim.Time
	Lease             sim.Time
	Block             float64
	BlockBy           kernel.Key
	Disabled          float64 // share of calls that may not retry
	Propagate, Carry  bool
	Resend            kernel.Resend
	Cancel            kernel.Cancel
	CallPriority      *kernel.Regrade
	RetryPriority     *kernel.Regrade
	Balance           kernel.Pick
	Key               kernel.Key
	OnRetry           kernel.OnRetry
	Rehash            bool
	Failover          int // target plus 1; 0: none
	Home              int // see kernel.Edge
	RetryOn           []policies.Class
	Statuses          []int
	Stack             []kernel.Use
	AtOnce            bool
}

// Edge adds an edge from a tier, or from the client that will be added next when from is -1.
func (b *Builder) Edge(name string, from int, s EdgeSpec) int {
	p := b.Plan
	i := len(p.Edges)
	value := func(field string, kind kernel.Field, base float64) int {
		return b.param(kernel.Param{
			Path: "edges." + name + "." + field, Field: kind, Of: i, Base: base,
		})
	}
	none := func(t sim.Time) float64 {
		if t == 0 {
			return -1
		}
		return float64(t)
	}
	e := kernel.Edge{
		Name: name, From: from, Client: -1,
		Latency: b.param(kernel.Param{
			Path: "edges." + name + ".latency", Field: kernel.FieldDist, Of: i, Dist: s.Latency,
		}),
		ReplyLatency: value("reply_latency", kernel.FieldDist, 0),
		Loss:         value("loss", kernel.FieldPlain, s.Loss),
		RepliesLost:  value("replies_lost", kernel.FieldPlain, s.RepliesLost),
		Try:          value("timeout.try", kernel.FieldPlain, none(s.Try)),
		Lease:        value("timeout.lease", kernel.FieldPlain, none(s.Lease)),
		Overall:      value("timeout.overall", kernel.FieldPlain, none(s.Overall)),
		BlockShare:   value("block.share", kernel.FieldPlain, s.Block),
		BlockStatus:  value("block.status", kernel.FieldPlain, 403),
		Link:         value("link", kernel.FieldLink, 0),
		Enabled:      value("retry.enabled", kernel.FieldPlain, 1-s.Disabled),
		BlockBy:      s.BlockBy,
		Home:         s.Home,
		Resend:       s.Resend,
		Propagate:    s.Propagate, CarryAttempt: s.Carry, Cancel: s.Cancel,
		CallPriority: s.CallPriority, RetryPriority: s.RetryPriority,
		Stack: s.Stack, HasRetry: len(s.Stack) > 0, AtOnce: s.AtOnce,
		Balance: kernel.Balance{
			Policy: s.Balance, Key: s.Key, Choices: 2, OnRetry: s.OnRetry, Failover: s.Failover - 1,
			Rehash: s.Rehash,
		},
	}
	for _, c := range s.RetryOn {
		e.RetryOn.Class[c] = true
	}
	for _, status := range s.Statuses {
		e.RetryOn.Status[status/64] |= 1 << (status % 64)
	}
	for _, u := range s.Stack {
		e.PickFirst = e.PickFirst || u.Key == kernel.KeyReplica
	}
	if from < 0 {
		e.Client = len(p.Clients)
	}
	p.Edges = append(p.Edges, e)
	return i
}

// Target names an endpoint of a tier.
func (b *Builder) Target(tier, endpoint int) int {
	return b.target(kernel.Target{Route: -1, Tier: tier, Endpoint: endpoint})
}

func (b *Builder) target(t kernel.Target) int {
	if i := slices.Index(b.Plan.Targets, t); i >= 0 {
		return i
	}
	b.Plan.Targets = append(b.Plan.Targets, t)
	return len(b.Plan.Targets) - 1
}

// Route adds a route with equal weights and returns the target that stands for it.
func (b *Builder) Route(key kernel.Key, to ...int) int {
	p := b.Plan
	i := len(p.Routes)
	r := kernel.Route{Name: fmt.Sprintf("route%d", i), Key: key, To: to}
	for n := range to {
		r.Weights = append(r.Weights, b.param(kernel.Param{
			Path: fmt.Sprintf("routes.%s.%d", r.Name, n), Field: kernel.FieldRoute, Of: i, Base: 1,
		}))
	}
	p.Routes = append(p.Routes, r)
	return b.target(kernel.Target{Route: i})
}

// Steps gives an endpoint its program.
func (b *Builder) Steps(tier, endpoint int, steps ...kernel.Step) {
	e := &b.Plan.Tiers[tier].Endpoints[endpoint]
	e.First, e.Count = len(b.Plan.Programs), len(steps)
	b.Plan.Programs = append(b.Plan.Programs, steps...)
}

// Work, Call, Fail and Parallel are steps; the branches of a Parallel follow it.
func Work(d sim.Dist) kernel.Step { return kernel.Step{Verb: kernel.Work, Time: d} }

// Call calls a target over an edge once.
func Call(edge, target int) kernel.Step {
	return kernel.Step{Verb: kernel.Call, Edge: edge, Target: target, Times: 1, Share: 1}
}

// Fail fails a share of attempts.
func Fail(share float64, status int) kernel.Step {
	return kernel.Step{Verb: kernel.Fail, Share: share, Status: status}
}

// Parallel runs the next n steps side by side.
func Parallel(n int) kernel.Step { return kernel.Step{Verb: kernel.Parallel, Count: n} }

// Client adds a client; its edge must have been added last with from -1. Name, Edge, Target and
// Process must be set, Rate is the rate in requests per second.
func (b *Builder) Client(c kernel.Client, rate float64) int {
	p := b.Plan
	i := len(p.Clients)
	c.Rate = b.param(kernel.Param{
		Path: "clients." + c.Name + ".arrivals.rate", Field: kernel.FieldRate, Of: i, Base: rate,
	})
	c.Population = max(c.Population, 1)
	if c.SlowAfter == 0 {
		c.SlowAfter = sim.Second
	}
	for _, other := range p.Clients {
		c.First += other.Population
	}
	p.Clients = append(p.Clients, c)
	return i
}

// Build names everything for its luck and works out which clients can reach which edges.
func (b *Builder) Build() *kernel.Plan {
	p := b.Plan
	p.Identify()
	for i := range p.Edges {
		p.Edges[i].CanReach = make([]bool, len(p.Clients))
	}
	for i, c := range p.Clients {
		b.reach(i, c.Edge, c.Target)
	}
	return p
}

// reach marks an edge, and all edges that calls over it to a target lead to.
func (b *Builder) reach(client, edge, target int) {
	p := b.Plan
	p.Edges[edge].CanReach[client] = true
	targets := []int{target}
	if f := p.Edges[edge].Balance.Failover; f >= 0 {
		targets = append(targets, f)
	}
	for _, t := range targets {
		ends := []int{t}
		if r := p.Targets[t].Route; r >= 0 {
			ends = p.Routes[r].To
		}
		for _, end := range ends {
			e := p.Tiers[p.Targets[end].Tier].Endpoints[p.Targets[end].Endpoint]
			for _, s := range p.Programs[e.First : e.First+e.Count] {
				if s.Verb.Calls() {
					b.reach(client, s.Edge, s.Target)
				}
			}
		}
	}
}
