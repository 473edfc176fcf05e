package kernel

import "cascadesim/sim"

// forLostAgain is the purpose of the draws of loss for a request that is sent again.
const forLostAgain = 51

// Resend is how a caller's system sends a request again that nobody took in, as it does with the
// first packet of a connection: First after it was sent, then after Factor times the wait before,
// so many times. The caller knows nothing of it but the time that it takes.
type Resend struct {
	First  sim.Time
	Factor float64
	Tries  int
}

// unheard is what becomes of an attempt that got lost before its replica took it in.
func (w *world) unheard(a *attempt) {
	s := &a.edge.p.Resend
	if a.call == nil || int(w.extraOf(a).resent) >= s.Tries {
		w.lose(a)
		return
	}
	at, wait := a.sent, s.First
	x := w.extra(a)
	for range x.resent {
		at += min(wait, sim.MaxTime-at)
		wait = stretch(wait, s.Factor)
	}
	x.resent++
	a.place = lost
	if wait > sim.MaxTime-at {
		return
	}
	a.event = w.en.At(max(at+wait, w.now), evResend, a.id)
}

// onResend sends a request again to the replica that it was for, unless its caller has gone.
func (w *world) onResend(a *attempt, key sim.Key) {
	if a.event != key {
		return
	}
	a.event = 0
	a.place = onTheWay
	w.edgeCell(a.edge, a.client, a.window).Retransmits++
	w.cross(a, a.edge)
}

// lostOnWay draws whether a request is lost on the link.
func (w *world) lostOnWay(a *attempt, share float64) bool {
	if share <= 0 {
		return false
	}
	if resent := w.extraOf(a).resent; resent > 0 {
		return a.ident.Child(uint64(resent)).Share(forLostAgain) < share
	}
	return a.ident.Share(forLoss) < share
}
