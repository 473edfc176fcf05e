package model

import (
	"cascadesim/model/internal/kernel"
)

// policies compiles admissions and stacks, and gives sharers one state.
func (c *compiler) policies() {
	for i := range c.n.t.Tiers {
		t, k := &c.n.t.Tiers[i], &c.p.Tiers[i]
		for _, u := range c.n.stack("tiers."+t.Name+".admission", t.Value.Admission, -1) {
			k.Admission = append(k.Admission, c.admission(u, k))
		}
	}
	for i := range c.n.edges {
		e := &c.n.edges[i]
		if e.Retry == nil {
			continue
		}
		for _, u := range c.n.stack(e.path+".retry.stack", e.Retry.Stack, i) {
			c.p.Edges[i].Stack = append(c.p.Edges[i].Stack, c.use(u))
			// What a key picks out must be picked before the gates are asked.
			far := e.to.route >= 0 || e.Balance.Failover != ""
			if u.Key == "replica" || u.Key == "endpoint" && far {
				c.p.Edges[i].PickFirst = true
			}
		}
	}
}

// admission compiles one entry of a tier's admission.
func (c *compiler) admission(u use, t *kernel.Tier) kernel.Use {
	k := kernel.Use{Name: u.key, Scope: kernel.ScopeReplica, Stride: 1}
	switch keyOf(u) {
	case "edge":
	case "endpoint":
		k.Key, k.Stride = kernel.KeyEndpoint, len(t.Endpoints)
	case "priority":
		k.Key, k.Stride = kernel.KeyPriority, kernel.Priorities
	case "client":
		k.Key, k.Stride = kernel.KeyClient, len(c.p.Clients)
	default:
		panic("model: unknown key " + u.Key)
	}
	k.State = c.state(u, t.Count*k.Stride)
	return k
}

// use compiles one entry of a stack.
func (c *compiler) use(u use) kernel.Use {
	k := kernel.Use{Name: u.key, Carried: u.Counts == "carried", PerCall: u.Per == "call",
		Low: float64(u.Low)}
	members := 1
	switch u.scope {
	case "client":
		k.Scope = kernel.ScopeClient
		last := &c.p.Clients[len(c.p.Clients)-1]
		members = last.First + last.Population
	case "instance":
		// A client has no replicas: whoever sends for it is one.
		k.Scope = kernel.ScopeTier
		if from := c.p.Edges[u.edge].From; from >= 0 {
			k.Scope, members = kernel.ScopeInstance, c.p.Tiers[from].Count
		}
	case "tier", "shared":
		k.Scope = kernel.ScopeTier
	default:
		panic("model: unknown scope " + u.scope)
	}
	c.key(u, &k)
	by := c.n.sharedBy(u)
	if i, ok := c.shared[by]; ok && by != "" {
		k.State = i
		return k
	}
	k.State = c.state(u, members*k.Stride)
	if by != "" {
		c.shared[by] = k.State
	}
	return k
}

// key says what multiplies an entry's states. All sharers of one state must number it alike.
func (c *compiler) key(u use, k *kernel.Use) {
	k.Stride = 1
	switch keyOf(u) {
	case "edge":
		k.Key = kernel.KeyEdge
	case "priority":
		k.Key, k.Stride = kernel.KeyPriority, kernel.Priorities
	case "client":
		k.Key, k.Stride = kernel.KeyClient, len(c.p.Clients)
	case "endpoint":
		k.Key = kernel.KeyEndpoint
		for tier := range c.p.Tiers {
			if c.n.sharedBy(u) != "" || c.n.reaches(u.edge, c.p.Tiers[tier].Name) {
				k.Stride = max(k.Stride, len(c.p.Tiers[tier].Endpoints))
			}
		}
	case "replica":
		k.Key = kernel.KeyReplica
		k.Base, k.Stride = 0, len(c.p.Replicas)
		if c.n.sharedBy(u) == "" {
			k.Base, k.Stride = c.span(c.n.g.into[u.edge])
		}
	default:
		panic("model: unknown key " + u.Key)
	}
}

// span is the smallest run of replicas that holds all replicas of some tiers.
func (c *compiler) span(tiers []int) (first, count int) {
	first, end := len(c.p.Replicas), 0
	for _, tier := range tiers {
		t := &c.p.Tiers[tier]
		first, end = min(first, t.First), max(end, t.First+t.Count)
	}
	if first > end {
		return 0, 1 // nothing is called over this edge
	}
	return first, end - first
}

// state adds a vector of states. A policy that remembers nothing needs one.
func (c *compiler) state(u use, most int) int {
	s := kernel.State{Name: u.path, Len: most, New: u.kind.Maker(c.settings(u)), Notes: u.kind.Notes,
		AtSend: u.kind.AtSend, Own: c.quotas(u)}
	if !u.kind.Stateful {
		s.Len, s.Single = 1, true
	}
	c.p.States = append(c.p.States, s)
	return len(c.p.States) - 1
}
