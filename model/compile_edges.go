package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
)

// edges compiles how callers reach their targets, without the policies of their stacks.
func (c *compiler) edges() {
	reach := make([][]bool, len(c.n.t.Clients))
	for i := range reach {
		reach[i], _ = c.n.edgesReached(c.n.g, i)
	}
	for i := range c.n.edges {
		k := c.edge(i)
		k.CanReach = make([]bool, len(reach))
		for client := range reach {
			k.CanReach[client] = reach[client][i]
		}
		c.p.Edges = append(c.p.Edges, k)
	}
}

func (c *compiler) edge(i int) kernel.Edge {
	e := &c.n.edges[i]
	path := e.path
	k := kernel.Edge{
		Name: e.key, From: -1, Client: -1,
		Latency: c.param(kernel.Param{Path: path + ".latency", Field: kernel.FieldDist, Of: i,
			Dist: e.Latency}, path+".latency"),
		ReplyLatency: c.hidden(path+".reply_latency", kernel.FieldDist, i, 0),
		Loss:         c.plainParam(path+".loss", float64(e.Loss)),
		RepliesLost:  c.plainParam(path+".replies_lost", float64(e.RepliesLost)),
		Try:          c.plainParam(path+".timeout.try", timerNumber(e.Timeout.Try)),
		Lease:        c.plainParam(path+".timeout.lease", leaseNumber(e.Timeout.Lease)),
		Overall:      c.plainParam(path+".timeout.overall", timerNumber(e.Timeout.Overall)),
		BlockShare:   c.plainParam(path+".block.share", float64(e.Block.Share)),
		BlockStatus:  c.plainParam(path+".block.status", float64(e.Block.Status)),
		Link:         c.hidden(path+".link", kernel.FieldLink, i, float64(kernel.LinkUp)),
		BlockBy:      blockByNamed(e.Block.By),
		Propagate:    e.PropagateDeadline,
		CarryAttempt: e.CarryAttempt,
		Cancel:       cancelNamed(e.Cancel),
		Balance:      c.balance(&e.Balance),
		Health:       c.health(e),
	}
	if s := e.Connections; s != nil {
		k.Connections = c.connections(path+".connections", s)
	}
	if r := e.Retransmit; r != nil {
		k.Resend = kernel.Resend{First: r.First, Factor: float64(r.Factor), Tries: r.Tries}
	}
	k.CallPriority, _ = regrade(e.Priority.Call)
	k.RetryPriority, _ = regrade(e.Priority.Retry)
	if k.Home = e.to.tier; e.to.route >= 0 {
		k.Home = -1
	}
	switch e.from.kind {
	case aClient:
		k.Client = e.from.index
	case aTier:
		k.From = e.from.index
	}
	enabled := 0.0
	if e.Retry != nil {
		enabled = float64(e.Retry.Enabled)
		k.HasRetry = c.n.triesAgain(e)
		k.RetryOn = retrySet(e.Retry.RetryOn)
	}
	k.Enabled = c.plainParam(path+".retry.enabled", enabled)
	return k
}

func blockByNamed(word string) kernel.Key {
	if word == "" {
		return kernel.ByAttempt
	}
	return keyNamed(word)
}

func cancelNamed(word string) kernel.Cancel {
	switch word {
	case "", "none":
		return kernel.CancelNone
	case "queued":
		return kernel.CancelQueued
	case "all":
		return kernel.CancelAll
	}
	panic("model: unknown word for cancel " + word)
}

func (c *compiler) balance(b *Balance) kernel.Balance {
	k := kernel.Balance{Key: keyNamed(b.Key), Choices: max(1, b.Choices), Rehash: b.Rehash,
		Failover: -1}
	switch b.Policy {
	case "", "round_robin":
		k.Policy = kernel.RoundRobin
	case "random":
		k.Policy = kernel.Random
	case "least_request":
		k.Policy = kernel.LeastRequest
	case "least_connections":
		k.Policy = kernel.LeastConnections
	case "hash":
		k.Policy = kernel.Hash
	case "local":
		k.Policy = kernel.Local
	default:
		panic("model: unknown balancing policy " + b.Policy)
	}
	switch b.OnRetry {
	case "", "any":
		k.OnRetry = kernel.Any
	case "same":
		k.OnRetry = kernel.Same
	case "other":
		k.OnRetry = kernel.Other
	default:
		panic("model: unknown word for on_retry " + b.OnRetry)
	}
	if b.Failover != "" {
		to, _ := c.n.target(b.Failover, false)
		k.Failover = c.target(to)
	}
	return k
}

// retrySet turns outcome words into a set that is asked about at each failure.
func retrySet(words []string) (set kernel.RetryOn) {
	for _, w := range words {
		if class := classNamed(w); class != policies.Pending {
			set.Class[class] = true
			continue
		}
		first, last, _ := statusWord(w)
		for s := first; s <= last; s++ {
			set.Status[s>>6] |= 1 << (s & 63)
		}
	}
	return set
}
