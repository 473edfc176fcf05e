package kernel

import (
	"slices"

	"cascadesim/sim"
)

// fresh picks a replica of a tier that no try of a call has gone to, or so it hopes: it picks as
// often as the edge's placer may, and the last pick stands. A key or the caller's own number would
// pick the same again.
func (w *world) fresh(c *call, ti int) *replica {
	r := w.balance(c, ti, nil)
	switch c.edge.p.Balance.Policy {
	case Hash, Local:
		return r
	case RoundRobin, Random, LeastRequest, LeastConnections:
	}
	for w.repick < c.edge.repicks && slices.Contains(w.tried[c.id], r) {
		w.repick++
		r = w.balance(c, ti, nil)
	}
	w.repick = 0
	return r
}

// forgetTried begins the list of the replicas that tries of a call go to.
func (w *world) forgetTried(c *call) {
	for len(w.tried) <= int(c.id) {
		w.tried = append(w.tried, nil)
	}
	w.tried[c.id] = w.tried[c.id][:0]
}

// luck is what the draws that pick a replica for the next try of a call are keyed by.
func (w *world) luck(c *call) sim.Ident {
	who := c.ident.Child(c.nextTry()).Child(c.edge.p.Luck)
	if w.repick > 0 {
		who = who.Child(w.repick)
	}
	return who
}
