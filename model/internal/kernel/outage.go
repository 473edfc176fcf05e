package kernel

import (
	"cmp"
	"slices"

	"cascadesim/policies"
	"cascadesim/sim"
)

// outage is one reason why a replica takes part in nothing for a while.
type outage struct {
	by    uint32 // index of the pause, or byCrash
	flows Flows
	to    sim.Time
}

// byCrash is the reason of a replica that crashed by its tier's rule.
const byCrash = ^uint32(0)

// pauseState is whom a pause means, known when it begins.
type pauseState struct{ replicas []*replica }

// takeOut gives a replica one more reason to be out.
func (w *world) takeOut(r *replica, o outage) {
	r.accrue(w.now)
	if r.shared != nil {
		r.catchUp(w.now)
	}
	if o.flows == Keep {
		from := w.now
		if r.frozen {
			from = max(from, r.thaw)
		}
		r.frozenTotal += max(0, o.to-from)
	}
	r.outages = append(r.outages, o)
	if o.flows >= Reset {
		w.disconnect(r, false)
	}
	w.outOrBack(r)
}

// letIn takes a reason away.
func (w *world) letIn(r *replica, by uint32) {
	r.accrue(w.now)
	if r.shared != nil {
		r.catchUp(w.now)
	}
	for i := range r.outages {
		if r.outages[i].by == by {
			r.outages = slices.Delete(r.outages, i, i+1)
			break
		}
	}
	w.outOrBack(r)
}

// outOrBack follows a change of the reasons.
func (w *world) outOrBack(r *replica) {
	r.sumUp()
	r.turned = w.now
	if r.shared != nil {
		w.reshare(r)
	}
}

// sumUp says what all reasons together do: the strictest counts, of those that cut what the replica
// holds the last one.
func (r *replica) sumUp() {
	r.paused, r.frozen, r.flows, r.thaw = len(r.outages) > 0, false, Finish, 0
	for _, o := range r.outages {
		if o.flows == Keep {
			r.frozen, r.thaw = true, max(r.thaw, o.to)
		}
		if o.flows >= Reset || r.flows < Reset {
			r.flows = max(o.flows, min(r.flows, Keep))
		}
	}
}

func (w *world) onPause(id uint32) {
	p, s := &w.p.Pauses[id], &w.pauses[id]
	t := w.replicas[p.First].tier
	first, count := p.First, p.Count
	if p.Share > 0 {
		count = min(t.active, max(1, int(floor(float64(p.Share*float64(t.active))+0.5))))
		first = t.p.First + t.active - count
	}
	s.replicas = s.replicas[:0]
	for i := first; i < first+count; i++ {
		s.replicas = append(s.replicas, &w.replicas[i])
		w.takeOut(&w.replicas[i], outage{id, p.Flows, w.now + p.To - p.From})
	}
	w.rotate(t)
	if w.tracer != nil {
		w.traceText("pause " + t.p.Name)
	}
	if p.Flows >= Reset {
		w.cut(s.replicas, p.Flows)
	}
}

func (w *world) onUnpause(id uint32) {
	p, all := &w.p.Pauses[id], w.pauses[id].replicas
	if len(all) == 0 { // a share of none
		return
	}
	if p.Fresh {
		if p.Flows == Finish {
			w.shut(all, id)
		}
		for _, r := range all {
			w.renew(r)
		}
		w.emptyCaches(all)
	}
	for _, r := range all {
		w.letIn(r, id)
	}
	w.rotate(all[0].tier)
	for _, r := range all {
		w.fill(r)
	}
}

// shut ends what replicas have not finished when their restart ends: whoever still waits is told.
func (w *world) shut(all []*replica, by uint32) {
	for _, r := range all {
		for k := range r.outages {
			if o := &r.outages[k]; o.by == by {
				o.flows = Reset
			}
		}
		r.sumUp()
	}
	w.cut(all, Reset)
}

// cut ends everything that replicas which are out hold, in the order in which the attempts were
// sent.
func (w *world) cut(replicas []*replica, flows Flows) {
	for _, r := range replicas {
		r.cutting = true
	}
	var all []*attempt
	for i := uint32(1); i <= w.attempts.top; i++ {
		if a := w.attempts.at(i); a.toCut() {
			all = append(all, a)
		}
	}
	slices.SortFunc(all, func(x, y *attempt) int { return cmp.Compare(x.serial, y.serial) })
	for _, a := range all {
		if !a.toCut() {
			continue // ended by an earlier one
		}
		w.tierCell(a).Dropped++
		w.pull(a)
		if flows == Reset {
			w.answer(a, policies.Outcome{Class: policies.Dropped})
		} else {
			w.lose(a)
		}
	}
	for _, r := range replicas {
		r.cutting = false
	}
}

// toCut tells whether a replica that is being cut off holds the attempt.
func (a *attempt) toCut() bool {
	return a.place >= inBacklog && a.place <= inCalls && a.replica.cutting
}

// renew makes a replica forget what it knew: the states of policies that it has of its own, as a
// caller and as a callee, what its line remembers, and whose turn it was among those it calls.
func (w *world) renew(r *replica) {
	r.born = w.now
	w.disconnect(r, true)
	if r.codel != nil {
		*r.codel = *newCodel(r.p)
	}
	for i := range w.edges {
		e := &w.edges[i]
		if e.p.From != r.tier.index {
			continue
		}
		for k := range e.p.Stack {
			if u := &e.p.Stack[k]; u.Scope == ScopeInstance && !w.p.States[u.State].Single {
				w.forget(u, r.number)
				if e.hosts != nil && k == e.ejector {
					clear(e.hosts[r.number*u.Stride : (r.number+1)*u.Stride])
				}
			}
		}
		first := r.number * len(w.tiers)
		clear(e.turns[first : first+len(w.tiers)])
		clear(e.smooth[first : first+len(w.tiers)])
	}
	w.forgetProbes(r)
	for k := range r.tier.p.Admission {
		if u := &r.tier.p.Admission[k]; !w.p.States[u.State].Single {
			w.forget(u, r.number)
		}
	}
}

// forget lets a member's states of a policy be made anew when they are next asked.
func (w *world) forget(u *Use, member int) {
	ps := &w.states[u.State]
	for i := member * u.Stride; i < (member+1)*u.Stride; i++ {
		forgetAt(ps.gates, i)
		forgetAt(ps.pacers, i)
		forgetAt(ps.observers, i)
		forgetAt(ps.enters, i)
		forgetAt(ps.levels, i)
		forgetAt(ps.whole, i)
	}
}

func forgetAt[T any](states []T, i int) {
	if i < len(states) {
		var none T
		states[i] = none
	}
}
