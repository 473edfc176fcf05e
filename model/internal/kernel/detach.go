package kernel

// A detached call is one that nobody waits for: a message, a write behind the answer. It outlives
// the attempt that made it, so a stand-in is its parent: one for each calling replica, which
// carries nothing, is no record of the slab and is never abandoned.

// detached is the step of a detached call: nobody goes on from it.
const detached = -1

// initDetached makes the stand-ins, if the plan has detached calls. Their edges do not go the
// straight way back, which leads to whoever waits.
func (w *world) initDetached() {
	for i := range w.p.Programs {
		if s := &w.p.Programs[i]; s.Verb == Detach {
			w.edges[s.Edge].detached = true
			w.senders = make([]attempt, len(w.replicas))
		}
	}
	none := &edge{p: &Edge{}}
	for i := range w.senders {
		s := &w.senders[i]
		s.replica, s.edge, s.call = &w.replicas[i], none, &w.alone
	}
}

// detach opens the calls of a step that nobody waits for. It tells whether the attempt that makes
// them is still there afterwards.
func (w *world) detach(a *attempt, step int) bool {
	s, serial := &w.p.Programs[step], a.serial
	for rep := range s.Times {
		c := w.takeCall()
		luck := s.Luck + 1 + uint64(rep)
		c.ident, c.request, c.identity = a.ident.Child(luck), a.request, a.identity
		c.parent, c.step, c.window = &w.senders[a.replica.index], detached, w.window
		c.client, c.priority = a.client, a.priority
		c.edge, c.target, c.rep = &w.edges[s.Edge], int32(s.Target), uint16(rep)
		if w.p.Operations {
			w.ops.calls = put(w.ops.calls, c.id, w.ops.attempts[a.id].Child(luck))
		}
		w.openCall(c)
		if a.serial != serial || a.place == nowhere {
			return false
		}
	}
	return true
}
