package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

func (r *replica) paused() bool { return len(r.pauses) > 0 }

// flows is what becomes of what a paused replica holds: the pause that began last says.
func (r *replica) flows() kernel.Flows { return r.pauses[len(r.pauses)-1].Flows }

// frozen tells whether nothing may start for the time being.
func (r *replica) frozen() bool { return r.paused() && r.flows() == kernel.Keep }

// closed tells whether the replica holds nothing and takes nothing.
func (r *replica) closed() bool {
	return r.paused() && (r.flows() == kernel.Reset || r.flows() == kernel.Drop)
}

// pause begins a pause.
func (w *world) pause(p kernel.Pause) {
	var held []*attempt
	for _, r := range w.replicas[p.First : p.First+p.Count] {
		r.pauses = append(r.pauses, p)
		held = append(held, r.holds()...)
		if p.Flows == kernel.Keep {
			r.freeze(p.To - p.From)
		}
	}
	w.trace(kernel.TraceRecord{
		What: kernel.TraceChange, Edge: -1, Replica: p.First, Text: "pause",
	})
	if p.Flows != kernel.Reset && p.Flows != kernel.Drop {
		return
	}
	slices.SortFunc(held, func(a, b *attempt) int { return a.order - b.order })
	for _, a := range held {
		if !a.holding {
			continue
		}
		a.replica.lose(a)
		if p.Flows == kernel.Reset {
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
		x.late += t
	}
}

// resume ends a pause.
func (w *world) resume(p kernel.Pause) {
	w.trace(kernel.TraceRecord{
		What: kernel.TraceChange, Edge: -1, Replica: p.First, Text: "pause",
	})
	for _, r := range w.replicas[p.First : p.First+p.Count] {
		i := slices.Index(r.pauses, p)
		r.pauses = slices.Delete(r.pauses, i, i+1)
	}
	for _, r := range w.replicas[p.First : p.First+p.Count] {
		r.fill()
	}
}
