package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// sizer is the policy that says how many slots a replica has.
func (w *world) sizer(r *replica) policies.Sizer {
	u := &r.tier.p.Admission[r.tier.sizer]
	i := 0
	if !w.p.States[u.State].Single {
		i = r.number * u.Stride
	}
	return w.whole(u.State, i).Sizer
}

// resize asks how many slots a replica has.
func (w *world) resize(r *replica) {
	slots := max(-1, w.sizer(r).Slots(w.now, r.inSystem, max(0, r.turned)))
	if slots != r.slots {
		r.accrue(w.now)
		r.slots = slots
	}
}

// expectSlots is called when somebody waits, or may still: the slots may grow as time passes.
func (w *world) expectSlots(r *replica) {
	if r.tier.sizer < 0 || r.expects || r.line.Len()+r.rejects.Len() == 0 {
		return
	}
	if at := w.sizer(r).Until(w.now, max(0, r.turned)); at <= sim.MaxTime {
		r.expects = true
		w.en.At(max(at, w.now), evSlots, uint32(r.index))
	}
}

// onSlots gives out slots that have come by themselves.
func (w *world) onSlots(r *replica) {
	r.expects = false
	w.fill(r)
}
