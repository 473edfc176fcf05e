package kernel

import "cascadesim/policies"

// showGuest prepares what a callee's policies see of an attempt.
func (w *world) showGuest(a *attempt, role uint64) {
	w.scratch = policies.Attempt{
		N: int(a.n), Priority: int(a.priority), Chance: a.ident.Draw(role),
		Started: a.sent, Deadline: a.deadline,
	}
	if a.edge.p.CarryAttempt {
		w.scratch.Carried = int(a.carried)
	}
}

// guestState is the state that serves an attempt in an entry of its tier's admission, which plays
// one of the roles that whole is about.
func (w *world) guestState(a *attempt, u *Use) *policies.Policy {
	return w.whole(u.State, w.guest(a, u))
}

// mayTurn asks whether an attempt whose turn has come may take its slot.
func (w *world) mayTurn(a *attempt) bool {
	w.showGuest(a, forTurner)
	stack := a.replica.tier.p.Admission
	for i := range stack {
		u := &stack[i]
		if w.states[u.State].plays.Turner != nil &&
			!w.guestState(a, u).Turner.Turn(w.now, &w.scratch, w.now-a.since) {
			return false
		}
	}
	return true
}

// tellLeft tells policies of an attempt that has left its replica's system.
func (w *world) tellLeft(a *attempt, o policies.Outcome) {
	took := w.now - a.admitted
	o.Latency = took
	w.showGuest(a, forFinisher)
	stack := a.replica.tier.p.Admission
	for i := range stack {
		u := &stack[i]
		if w.states[u.State].plays.Finisher != nil {
			w.guestState(a, u).Finisher.Finish(w.now, &w.scratch, took, o)
		}
	}
}

// advice is the number that the tier's policies put on an answer: that of the last who has one.
func (w *world) advice(a *attempt) float64 {
	w.showGuest(a, forAdviser)
	advice := 0.0
	stack := a.replica.tier.p.Admission
	for i := range stack {
		u := &stack[i]
		if w.states[u.State].plays.Adviser != nil {
			advice = w.guestState(a, u).Adviser.Advise(w.now, &w.scratch)
		}
	}
	return advice
}
