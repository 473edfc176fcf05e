package kernel

import "cascadesim/policies"

// showGuest prepares what a callee's policies see of an attempt.
func (w *world) showGuest(a *attempt, role uint64) {
	w.scratch = policies.Attempt{
		N: int(a.n), Priority: int(a.priority), Chance: a.ident.Draw(role),
		Started: a.sent, Deadline: w.extraOf(a).deadline, Client: w.person(int(a.client), a.identity),
	}
	if a.edge.p.CarryAttempt {
		w.scratch.Carried = int(w.extraOf(a).carried)
	}
}

// person is the number of a client of a population, from 1; 0 where there is none.
func (w *world) person(class int, identity uint32) uint64 {
	if c := &w.p.Clients[class]; c.Process != Closed && c.Population <= 1 {
		return 0
	}
	return uint64(identity) + 1
}

// guestState is the state that serves an attempt in entry i of its tier's admission, which plays
// one of the roles that whole is about; its note is shown.
func (w *world) guestState(a *attempt, i int) *policies.Policy {
	u := &a.replica.tier.p.Admission[i]
	w.guestNote(a, i)
	return w.whole(u.State, w.guest(a, u))
}

// clearGuestNotes gives an attempt that arrives its notes.
func (w *world) clearGuestNotes(a *attempt) {
	first := int(a.id) * w.guestWidth
	for len(w.guestNotes) < first+w.guestWidth {
		w.guestNotes = append(w.guestNotes, 0)
	}
	clear(w.guestNotes[first : first+w.guestWidth])
}

// guestNote shows entry i of a tier's admission its note of an attempt.
func (w *world) guestNote(a *attempt, i int) {
	w.scratch.Note = nil
	if a.replica.tier.notes == 0 {
		return
	}
	stack := a.replica.tier.p.Admission
	if !w.p.States[stack[i].State].Notes {
		return
	}
	at := int(a.id) * w.guestWidth
	for k := range stack[:i] {
		if w.p.States[stack[k].State].Notes {
			at++
		}
	}
	w.scratch.Note = &w.guestNotes[at]
}

// refusedEntry asks the tier's admission policies, in order: which refuses an attempt, or -1.
func (w *world) refusedEntry(a *attempt) int {
	w.showGuest(a, forAdmission)
	stack := a.replica.tier.p.Admission
	for i := range stack {
		u := &stack[i]
		if w.states[u.State].enters == nil {
			continue
		}
		w.guestNote(a, i)
		if !w.admission(u.State, w.guest(a, u)).Enter(w.now, &w.scratch) {
			return i
		}
	}
	return -1
}

// mayTurn asks whether an attempt whose turn has come may take its slot.
func (w *world) mayTurn(a *attempt) bool {
	w.showGuest(a, forTurner)
	stack := a.replica.tier.p.Admission
	for i := range stack {
		if w.states[stack[i].State].plays.Turner != nil &&
			!w.guestState(a, i).Turner.Turn(w.now, &w.scratch, w.now-a.since) {
			return false
		}
	}
	return true
}

// tellLeft tells policies of an attempt that they let in and that has left its replica.
func (w *world) tellLeft(a *attempt, o policies.Outcome) {
	if w.extraOf(a).keyed {
		w.executed(a, o)
	}
	if w.extraOf(a).looking {
		w.stopLooking(a, o)
	}
	if a.replica.tier.left {
		w.tellLeftUpTo(len(a.replica.tier.p.Admission), a, o)
	}
}

// tellLeftUpTo is tellLeft for the entries before one.
func (w *world) tellLeftUpTo(end int, a *attempt, o policies.Outcome) {
	o.Latency = w.now - a.admitted
	w.showGuest(a, forFinisher)
	stack := a.replica.tier.p.Admission
	for i := range stack[:end] {
		if w.states[stack[i].State].plays.Finisher != nil {
			w.guestState(a, i).Finisher.Finish(w.now, &w.scratch, o.Latency, o)
		}
	}
}

// rejected is what finishers are told of a rejection: the status is the tier's, whatever answerers
// will make of it.
func (t *tier) rejected() policies.Outcome {
	return policies.Outcome{Class: policies.Rejected, Status: t.live.reject.Status}
}

// advice is the number that the tier's policies put on an answer: that of the last who has one.
func (w *world) advice(a *attempt) float64 {
	w.showGuest(a, forAdviser)
	advice := 0.0
	stack := a.replica.tier.p.Admission
	for i := range stack {
		if w.states[stack[i].State].plays.Adviser != nil {
			advice = w.guestState(a, i).Adviser.Advise(w.now, &w.scratch)
		}
	}
	return advice
}

// rejection is what an attempt that is turned away is answered.
func (w *world) rejection(a *attempt) policies.Outcome {
	t := a.replica.tier
	o := t.live.reject
	if !t.answers {
		return o
	}
	w.showGuest(a, forAnswerer)
	for i := range t.p.Admission {
		if w.states[t.p.Admission[i].State].plays.Answerer != nil {
			answer := w.guestState(a, i).Answerer.Answer(w.now, &w.scratch, o)
			o.Status, o.RetryAfter = answer.Status, answer.RetryAfter
		}
	}
	return o
}
