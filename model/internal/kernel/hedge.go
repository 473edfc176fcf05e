package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// copySent asks the hedger when the next copy goes, as attempt c.n is sent.
func (w *world) copySent(c *call) {
	w.showFor(c, int(c.n), forHedger)
	h := w.played(c, c.edge.hedger).Hedger.Sent(w.now, &w.scratch)
	switch h.Verb {
	case policies.HedgeNext:
		w.copyLater(c, h.Delay)
	case policies.HedgeStop:
		c.hedge = 0
	case policies.HedgeWait:
	case policies.HedgeFail:
		panic("kernel: a hedger fails a call whose copy was only sent")
	}
}

// copyLater sets when the next copy goes; what was set before no longer counts.
func (w *world) copyLater(c *call, delay sim.Time) {
	c.hedge = 0
	if delay < sim.MaxTime-w.now && w.now+delay < c.deadline {
		c.hedge = w.en.At(w.now+max(0, delay), evHedge, c.id)
	}
}

// copyFailed asks the hedger what follows after copy n failed, which was not the last in flight, or
// was.
func (w *world) copyFailed(c *call, n int, o policies.Outcome) {
	w.showFor(c, n, forHedger)
	h := w.played(c, c.edge.hedger).Hedger.Failed(w.now, &w.scratch, o)
	switch h.Verb {
	case policies.HedgeFail:
		w.end(c, o)
		return
	case policies.HedgeNext:
		if h.Delay <= 0 {
			c.hedge = 0
			w.copy(c)
			return
		}
		w.copyLater(c, h.Delay)
	case policies.HedgeStop:
		c.hedge = 0
	case policies.HedgeWait:
	}
	w.endIfSpent(c)
}

// endIfSpent ends a call that has no copy in flight and none to come.
func (w *world) endIfSpent(c *call) {
	if c.attempt == nil && c.hedge == 0 && !c.waits() {
		w.end(c, c.last)
	}
}

func (w *world) onHedge(c *call, key sim.Key) {
	if c.hedge != key {
		return
	}
	c.hedge = 0
	w.copy(c)
}

// copy sends one more copy of a call, if the gates let it; a refusal ends its hedging.
func (w *world) copy(c *call) {
	if c.waits() {
		return // an entry of the stack holds the copy before
	}
	if c.edge.p.PickFirst {
		w.pick(c)
		c.picked = true
	}
	w.show(c, int(c.n)+1)
	if by := w.refusal(c); by >= 0 {
		w.countRefusal(c, by)
		w.endIfSpent(c)
		return
	}
	c.copied = true
	w.dispatch(c)
}
