package oracle

import (
	"math"
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

func (r *replica) paused() bool { return len(r.pauses) > 0 }

// flows is what becomes of what a paused replica holds: the strictest pause says, and of those that
// end it the one that began last.
func (r *replica) flows() kernel.Flows {
	flows := kernel.Finish
	for _, x := range r.pauses {
		switch {
		case x.flows == kernel.Reset || x.flows == kernel.Drop:
			flows = x.flows
		case x.flows == kernel.Keep && flows == kernel.Finish:
			flows = kernel.Keep
		}
	}
	return flows
}

// frozen tells whether nothing may start for the time being.
func (r *replica) frozen() bool {
	return slices.ContainsFunc(r.pauses, func(x *pause) bool { return x.flows == kernel.Keep })
}

// thaw is when that is over.
func (r *replica) thaw() sim.Time {
	t := r.w.now
	for _, x := range r.pauses {
		if x.flows == kernel.Keep {
			t = max(t, x.to)
		}
	}
	return t
}

// closed tells whether the replica holds nothing and takes nothing.
func (r *replica) closed() bool {
	return r.paused() && (r.flows() == kernel.Reset || r.flows() == kernel.Drop)
}

// pause is a reason for some replicas to be out.
type pause struct {
	replicas []*replica
	first    int // replica of the tier, of which none may be active
	flows    kernel.Flows
	to       sim.Time
	fresh    bool
}

// newPause makes a planned pause, which begins now.
func (w *world) newPause(p kernel.Pause) *pause {
	all := w.replicas[p.First : p.First+p.Count]
	if p.Share > 0 {
		up := w.active(all[0].Tier)
		n := int(math.Floor(float64(p.Share*float64(len(up))) + 0.5))
		all = up[len(up)-min(len(up), max(n, 1)):]
	}
	return &pause{
		replicas: slices.Clone(all), first: p.First,
		flows: p.Flows, to: w.now + p.To - p.From, fresh: p.Fresh,
	}
}

// begin takes the replicas out.
func (w *world) begin(x *pause) {
	for _, r := range x.replicas {
		if x.flows == kernel.Keep {
			r.freeze(x.to - r.thaw())
		}
		r.progress()
		r.pauses = append(r.pauses, x)
		r.changed = w.now
		r.reshare()
		if x.flows == kernel.Reset || x.flows == kernel.Drop {
			r.closeThose(false)
		}
	}
	w.trace(kernel.TraceRecord{
		What: kernel.TraceChange, Edge: -1, Replica: x.first, Text: "pause",
	})
	if x.flows == kernel.Reset || x.flows == kernel.Drop {
		w.cut(x)
	}
}

// cut ends all that the replicas of a pause hold, in the order in which it was sent.
func (w *world) cut(x *pause) {
	var held []*attempt
	for _, r := range x.replicas {
		held = append(held, r.holds()...)
	}
	slices.SortFunc(held, func(a, b *attempt) int { return a.order - b.order })
	for _, a := range held {
		if !a.holding {
			continue
		}
		a.replica.lose(a)
		if x.flows == kernel.Reset {
			a.answer(dropped, 0)
		}
	}
}

// holds is all attempts that the replica has, once each.
func (r *replica) holds() []*attempt {
	var all []*attempt
	for a := range r.w.attempts {
		if a.holding && a.replica == r {
			all = append(all, a)
		}
	}
	return all
}

// freeze lets the work in progress end later.
func (r *replica) freeze(t sim.Time) {
	for _, x := range r.running {
		x.late += max(t, 0)
	}
}

// resume ends a pause.
func (w *world) resume(x *pause) {
	w.trace(kernel.TraceRecord{
		What: kernel.TraceChange, Edge: -1, Replica: x.first, Text: "pause",
	})
	if x.fresh && x.flows == kernel.Finish {
		x.flows = kernel.Reset
		w.cut(x)
	}
	if x.fresh && len(x.replicas) > 0 {
		w.emptyShelves(x.replicas)
	}
	for _, r := range x.replicas {
		if x.fresh {
			r.renew()
		}
		r.progress()
		r.pauses = slices.DeleteFunc(r.pauses, func(y *pause) bool { return y == x })
		r.changed = w.now
		r.reshare()
	}
	for _, r := range x.replicas {
		r.fill()
	}
}

// renew makes a replica forget all that it knew.
func (r *replica) renew() {
	r.pace = controlled{}
	r.closeThose(true)
	r.began = r.w.now
	for k := range r.w.rounds {
		if k.caller == r.index {
			delete(r.w.rounds, k)
		}
	}
	for _, e := range r.w.edges {
		for _, x := range e.opinions {
			if x.caller == r {
				x.renew()
			}
		}
	}
	var own []int // states of which it has some of its own
	for _, e := range r.w.edges {
		for _, u := range e.Stack {
			if e.From == r.Tier && u.Scope == kernel.ScopeInstance {
				own = append(own, u.State)
			}
		}
	}
	for _, u := range r.tier().Admission {
		own = append(own, u.State)
	}
	for k := range r.w.states {
		single := r.w.plan.States[k.state].Single
		if !single && k.member == r.number() && slices.Contains(own, k.state) {
			delete(r.w.states, k)
		}
	}
}
