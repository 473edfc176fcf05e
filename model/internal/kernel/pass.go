package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// passes brings the next try of a call through the entries of its stack that are asked at the send,
// in their order, or on from the one that held it back: of each its shaper, and once that lets the
// try go, its queuer and its gate. It tells whether the try may be sent now.
func (w *world) passes(c *call) bool {
	e := c.edge
	chance := c.passChance() // of queuers and gates, which share it; shapers have theirs
	for _, i := range e.atSend {
		if i < int(c.passed) {
			continue
		}
		ps := &w.states[e.p.Stack[i].State]
		if c.through {
			c.through = false
		} else if ps.plays.Shaper != nil && w.holdsBack(c, i) ||
			ps.plays.Queuer != nil && !w.joins(c, i, &chance) {
			return false
		}
		if ps.gates == nil || !w.p.States[e.p.Stack[i].State].AtSend {
			continue
		}
		w.show(c, int(c.n)+1)
		w.scratch.Chance = chance
		ok := w.admits(c, i)
		chance = w.scratch.Chance
		if !ok {
			c.passed = 0
			w.turnedBack(c, i)
			return false
		}
	}
	c.passed = 0
	return true
}

// passChance is the chance of queuers and gates in the pass of a call's next try from where it is.
func (c *call) passChance() sim.Stream {
	ident := c.ident.Child(uint64(c.n) + 1)
	if c.edge.first < int(c.passed) {
		ident = ident.Child(uint64(c.passed) + 1) // gates before have had their draws
	}
	return ident.Draw(forGuard)
}

// holdsBack asks the shaper of entry i about the next try of a call. It tells whether the try
// waits; the deadline's timer ends a call whose wait would cross it.
func (w *world) holdsBack(c *call, i int) bool {
	w.showFor(c, int(c.n)+1, forShaper)
	delay := w.played(c, i).Shaper.Delay(w.now, &w.scratch)
	w.alert(c, i)
	if delay <= 0 {
		return false
	}
	c.passed = uint8(i)
	w.waitToSend(c, delay, -1)
	return true
}

// tellUnsent tells the wrappers before entry i, which have let the next try of a call pass, that it
// is not sent. Those that stand for the call as a whole are told at its end.
func (w *world) tellUnsent(c *call, i int, o policies.Outcome) {
	c.reached = max(c.reached, uint8(i))
	w.showFor(c, int(c.n)+1, forWrapper)
	stack := c.edge.p.Stack[:i]
	for k := range stack {
		if w.states[stack[k].State].plays.Wrapper != nil && !stack[k].PerCall {
			w.played(c, k).Wrapper.Unsent(w.now, &w.scratch, o)
			w.told(c, k)
		}
	}
}

// leaveUnsent is tellUnsent for a try that an entry holds back when its call ends; left is the
// class of the attempts that end with the call.
func (w *world) leaveUnsent(c *call, left policies.Class) {
	if c.passed > 0 && c.edge.wrapped {
		w.tellUnsent(c, int(c.passed), policies.Outcome{Class: left, Cancelled: true})
	}
}
