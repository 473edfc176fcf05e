package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// guests asks or tells the first so many of a tier's admission policies about an attempt, until one
// says no: it is the place of that one, or -1.
func (r *replica) guests(a *attempt, purpose uint64, first int,
	ask func(p policies.Policy, shown *policies.Attempt) bool,
) int {
	shown := policies.Attempt{
		N: a.n, Priority: int(a.rank), Chance: a.ident.Draw(purpose),
		Started: a.sent, Deadline: a.deadline, Carried: a.carried, Client: a.call.request.who(),
	}
	for i, use := range r.tier().Admission[:first] {
		k := stateKey{state: use.State, member: r.number()}
		switch use.Key {
		case kernel.KeyEndpoint:
			k.key = a.w.plan.Targets[a.target].Endpoint
		case kernel.KeyPriority:
			k.key = int(a.rank)
		case kernel.KeyClient:
			k.key = a.call.request.client.index
		}
		shown.Note = nil
		if a.w.plan.States[use.State].Notes {
			shown.Note = &a.notes[i]
		}
		if !ask(r.w.state(k), &shown) {
			return i
		}
	}
	return -1
}

// resize asks the sizer how many slots there are.
func (r *replica) resize() {
	for _, use := range r.tier().Admission {
		if r.w.roles[use.State].Sizer != nil {
			p := r.w.state(stateKey{state: use.State, member: r.number()})
			n := max(-1, p.Sizer.Slots(r.w.now, len(r.system), max(0, r.changed)))
			r.sized = &n
		}
	}
}

// sizes tells whether a policy says how many slots there are.
func (r *replica) sizes() bool {
	for _, use := range r.tier().Admission {
		if r.w.roles[use.State].Sizer != nil {
			return true
		}
	}
	return false
}

// await schedules that slots are given out when the sizer may have more of them, while some wait.
func (r *replica) await() {
	if r.awaits || len(r.line)+len(r.rejections) == 0 {
		return
	}
	for _, use := range r.tier().Admission {
		if r.w.roles[use.State].Sizer == nil {
			continue
		}
		p := r.w.state(stateKey{state: use.State, member: r.number()})
		if at := p.Sizer.Until(r.w.now, max(0, r.changed)); at != sim.Never {
			r.awaits = true
			r.w.at(at, func() {
				r.awaits = false
				r.fill()
			})
		}
	}
}

// slotCount is how many slots there are: as was last said, or as the plan has it.
func (r *replica) slotCount() int {
	if r.sized != nil {
		return *r.sized
	}
	return r.w.count(r.Slots)
}

// store is the tier's idempotency store.
func (r *replica) store() *policies.IdempotencyStore {
	s := r.w.stores[r.Tier]
	if s == nil {
		s = policies.NewIdempotencyStore(*r.tier().Keys)
		r.w.stores[r.Tier] = s
	}
	return s
}

// refusedBy asks the admissions: which refuses, or -1.
func (r *replica) refusedBy(a *attempt) int {
	a.notes = make([]uint64, len(r.tier().Admission))
	return r.guests(a, 25, len(a.notes), func(p policies.Policy, shown *policies.Attempt) bool {
		return p.Admission == nil || p.Admission.Enter(r.w.now, shown)
	})
}

// turned asks the turners.
func (r *replica) turned(a *attempt, waited sim.Time) bool {
	by := r.guests(a, 26, len(a.notes), func(p policies.Policy, shown *policies.Attempt) bool {
		return p.Turner == nil || p.Turner.Turn(r.w.now, shown, waited)
	})
	return by < 0
}

// left tells the finishers among the first entries, which had let the attempt in.
func (r *replica) left(a *attempt, first int, o policies.Outcome) {
	if a.keyed {
		a.keyed = false
		r.store().Finish(r.w.now, uint64(a.call.operation), o, true)
	}
	if a.search != nil {
		a.stopSearch(o)
	}
	o.Latency = r.w.now - a.admitted
	r.guests(a, 27, first, func(p policies.Policy, shown *policies.Attempt) bool {
		if p.Finisher != nil {
			p.Finisher.Finish(r.w.now, shown, o.Latency, o)
		}
		return true
	})
}

// advice is what the last adviser says.
func (r *replica) advice(a *attempt) float64 {
	advice := 0.0
	r.guests(a, 28, len(a.notes), func(p policies.Policy, shown *policies.Attempt) bool {
		if p.Adviser != nil {
			advice = p.Adviser.Advise(r.w.now, shown)
		}
		return true
	})
	return advice
}

// worded is a rejection in the words of the answerers.
func (r *replica) worded(a *attempt, o policies.Outcome) policies.Outcome {
	r.guests(a, 29, len(a.notes), func(p policies.Policy, shown *policies.Attempt) bool {
		if p.Answerer != nil {
			said := p.Answerer.Answer(r.w.now, shown, o)
			o.Status, o.RetryAfter = said.Status, said.RetryAfter
		}
		return true
	})
	return o
}
