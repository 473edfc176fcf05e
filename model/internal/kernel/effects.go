package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// An operation is what a request wants of a tier at one place of its path: all tries of a call, at
// every layer above too, are for the same operation. Its identity is the path without the numbers
// of tries. Only plans that ask for it keep it.

// operations holds what is known of them.
type operations struct {
	calls    []sim.Ident // by call id
	attempts []sim.Ident // by attempt id
	stores   []*policies.IdempotencyStore
	// had is the effects that have happened. It is only ever asked for single ones, so no order of
	// a map is seen, and grows with the number of operations.
	had map[sim.Ident]struct{}
}

func (w *world) initOperations() {
	if !w.p.Operations {
		return
	}
	w.ops.had = make(map[sim.Ident]struct{})
	w.ops.stores = make([]*policies.IdempotencyStore, len(w.p.Tiers))
	for i := range w.p.Tiers {
		if keys := w.p.Tiers[i].Keys; keys != nil {
			w.ops.stores[i] = policies.NewIdempotencyStore(*keys)
		}
	}
}

// callOperation names the operation of a call that opens.
func (w *world) callOperation(c *call) {
	if c.step == detached {
		return // named by whoever detached it
	}
	op := c.request
	if c.parent != nil {
		s := &w.p.Programs[c.step]
		op = w.ops.attempts[c.parent.id].Child(s.Luck + 1 + uint64(c.rep))
	}
	w.ops.calls = put(w.ops.calls, c.id, op)
}

// tryOperation gives an attempt the operation of its call.
func (w *world) tryOperation(a *attempt) {
	w.ops.attempts = put(w.ops.attempts, a.id, w.ops.calls[a.call.id])
}

func put(s []sim.Ident, i uint32, op sim.Ident) []sim.Ident {
	for len(s) <= int(i) {
		s = append(s, 0)
	}
	s[i] = op
	return s
}

// effect counts a side effect.
func (w *world) effect(a *attempt, s *Step) {
	cell := w.tierCell(a)
	cell.Effects++
	op := w.ops.attempts[a.id].Child(s.Luck)
	if _, again := w.ops.had[op]; again {
		cell.Duplicates++
		return
	}
	w.ops.had[op] = struct{}{}
}

// begin runs an attempt's steps, unless its tier's idempotency store answers it.
func (w *world) begin(a *attempt) {
	if a.edge.live.lease >= 0 {
		w.lease(a)
	}
	if t := a.replica.tier; t.p.Keys != nil {
		key := uint64(w.ops.attempts[a.id])
		verdict, o := w.ops.stores[t.index].Begin(w.now, key, uint64(a.endpoint))
		if verdict != policies.IdempotencyExecute {
			w.complete(a, policies.Outcome{
				Class: o.Class, Status: o.Status, RetryAfter: o.RetryAfter,
			})
			return
		}
		w.extra(a).keyed = true
	}
	if w.extraOf(a).opened {
		w.shakeHands(a)
	}
	w.step(a)
}

// executed tells the store how the work for a key ended.
func (w *world) executed(a *attempt, o policies.Outcome) {
	w.extra(a).keyed = false
	w.ops.stores[a.replica.tier.index].Finish(w.now, uint64(w.ops.attempts[a.id]), o, true)
}
