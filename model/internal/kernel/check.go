package kernel

import (
	"fmt"

	"cascadesim/policies"
)

// check proves the conservation laws on what is left in the slabs at the end. A broken law means
// that some number of the result is wrong, so it panics.
func (w *world) check() {
	now := w.en.Now()
	if w.res.Ended < now {
		now = w.res.Ended
	}
	inFlight := make([]uint64, len(w.edges))
	held := make([]replica, len(w.replicas)) // counted anew
	for i := uint32(1); i <= w.attempts.top; i++ {
		a := w.attempts.at(i)
		if a.place == nowhere {
			continue
		}
		if a.forNobody() != a.unwanted() {
			panic(fmt.Sprintf("kernel: attempt %d, of which %t says that it is for nobody", i, a.nobody))
		}
		if a.call != nil && !w.extraOf(a).probe {
			inFlight[a.edge.index]++
		}
		if a.replica == nil {
			continue
		}
		h := &held[a.replica.index]
		if a.inSystem {
			h.inSystem++
			h.gauges.spent += uint64(now - a.admitted)
		}
		if a.replica.shared != nil {
			h.busy += sharersOf(a)
		} else if a.slot {
			h.busy++
		}
	}
	for e := range w.edges {
		w.checkEdge(e, inFlight[e])
	}
	for r := range w.replicas {
		w.checkReplica(r, &held[r])
	}
	w.checkRequests()
}

// unwanted is forNobody by asking everybody above.
func (a *attempt) unwanted() bool {
	for ; a != nil; a = a.parent {
		if a.call == nil {
			return true
		}
	}
	return false
}

// checkEdge: each attempt has one outcome or is in flight; attempts are first tries and retries.
func (w *world) checkEdge(e int, inFlight uint64) {
	var sum EdgeCell
	var calls, attempts, retries, outcomes uint64
	for i := range w.res.Edges[e].Cells {
		sum = w.res.Edges[e].Cells[i]
		calls += uint64(sum.Calls)
		attempts += uint64(sum.Attempts)
		retries += uint64(sum.Retries) + uint64(sum.Hedges)
		for c, n := range sum.Outcomes {
			if policies.Class(c) != policies.Refused {
				outcomes += uint64(n)
			}
		}
	}
	name, es := w.p.Edges[e].Name, &w.edges[e]
	if attempts != outcomes+inFlight {
		panic(fmt.Sprintf("kernel: edge %s sent %d attempts, but %d have an outcome and %d are in flight",
			name, attempts, outcomes, inFlight))
	}
	if attempts != es.firsts+retries || calls != es.firsts+es.unsent+es.waiting {
		panic(fmt.Sprintf("kernel: edge %s has %d calls (%d not sent), %d first tries, "+
			"%d retries and %d attempts",
			name, calls, es.unsent, es.firsts, retries, attempts))
	}
}

// checkReplica: what it says it holds is what there is, and Little's law holds exactly: the
// integral of the number in the system is the sum of the times spent there (both modulo 2^64).
func (w *world) checkReplica(i int, held *replica) {
	r := &w.replicas[i]
	name := w.p.Tiers[w.p.Replicas[i].Tier].Name + "@" + w.p.Replicas[i].Name
	if s := r.shared; s != nil {
		if len(s.heap) != held.busy {
			panic(fmt.Sprintf("kernel: %s says %d share it, but %d do", name, len(s.heap), held.busy))
		}
		if r.slots >= 0 {
			held.busy = min(held.busy, r.slots)
		}
	}
	if r.busy < 0 || r.inSystem < 0 || r.busy != held.busy || r.inSystem != held.inSystem {
		panic(fmt.Sprintf("kernel: %s says %d busy and %d in system, but %d and %d are there",
			name, r.busy, r.inSystem, held.busy, held.inSystem))
	}
	if l := &r.tier.lowest; l.size > 0 && r.place >= 0 && l.tree[l.size+r.place] != int32(r.inSystem) {
		panic(fmt.Sprintf("kernel: %s holds %d, and its tier says %d",
			name, r.inSystem, l.tree[l.size+r.place]))
	}
	if spent := r.gauges.spent + held.gauges.spent; r.gauges.area != spent {
		panic(fmt.Sprintf("kernel: Little's law is broken at %s: area %d ns, time spent %d ns",
			name, r.gauges.area, spent))
	}
}

// checkRequests: each request has ended or is still open.
func (w *world) checkRequests() {
	var requests, ended, open uint64
	for c := range w.res.Clients {
		for i := range w.res.Clients[c].Cells {
			cell := &w.res.Clients[c].Cells[i]
			requests += uint64(cell.Requests)
			ended += uint64(cell.OK) + uint64(cell.Failed)
		}
	}
	for e := range w.edges {
		if w.p.Edges[e].From < 0 {
			open += w.edges[e].open
		}
	}
	w.res.Totals.InFlight = open
	if requests != ended+open {
		panic(fmt.Sprintf("kernel: %d requests, but %d ended and %d are open", requests, ended, open))
	}
}
