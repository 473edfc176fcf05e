package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// callLine is where tries wait at their caller: the line of one state of a queuer, by calls.
type callLine struct {
	queue.Line
	due bool // it is about to be looked at
}

// noLine is what a state has of which nobody has waited.
var noLine callLine

// lineNumber is where the number of the line is kept of the state that serves a call's queuer; a
// line is made when somebody waits in it.
func (w *world) lineNumber(c *call) *uint32 {
	u := &c.edge.p.Stack[c.edge.queuer]
	return &w.states[u.State].lines[w.member(c, u)]
}

// lineOf is that line.
func (w *world) lineOf(c *call) *callLine {
	if n := *w.lineNumber(c); n > 0 {
		return w.lines[n-1]
	}
	return &noLine
}

// joins asks the queuer of entry i about the next try of a call, which is in the given draws of its
// pass. It tells whether the try goes on now.
func (w *world) joins(c *call, i int, chance *sim.Stream) bool {
	switch w.queue(c, i, w.lineOf(c).Len(), chance) {
	case policies.QueueRefuse:
		c.passed = 0
		w.turnedBack(c, i)
	case policies.QueueWait:
		n := w.lineNumber(c)
		if *n == 0 {
			l := &callLine{}
			l.Init(queue.FIFO, -1)
			w.lines = append(w.lines, l)
			*n = uint32(len(w.lines))
		}
		c.line, c.passed = *n, uint8(i)
		c.hold()
		w.callLinks.Grow(c.id)
		w.lines[*n-1].Push(&w.callLinks, c.id, 0)
		most := w.states[c.edge.p.Stack[i].State].plays.QueueFor
		if most > 0 && most <= sim.MaxTime-w.now {
			c.wake = w.en.At(w.now+most, evRetry, c.id)
		}
	case policies.QueuePass:
		return true
	}
	return false
}

// queue is the question to the queuer of entry i.
func (w *world) queue(c *call, i, ahead int, chance *sim.Stream) policies.QueueVerb {
	n := int(c.n) + 1
	u := &c.edge.p.Stack[i]
	if u.PerCall && n > 1 {
		return policies.QueuePass
	}
	w.show(c, n)
	w.scratch.N = w.countedAs(c, u, n)
	w.scratch.Chance = *chance
	verb := w.played(c, i).Queuer.Join(w.now, &w.scratch, ahead)
	*chance = w.scratch.Chance
	w.alert(c, i)
	return verb
}

// told is called after entry i was told that something has ended: whoever waits there may go.
func (w *world) told(c *call, i int) {
	w.alert(c, i)
	if i != c.edge.queuer {
		return
	}
	n := *w.lineNumber(c)
	if n == 0 {
		return
	}
	if l := w.lines[n-1]; l.Len() > 0 && !l.due {
		l.due = true
		w.en.At(w.now, evLine, n-1)
	}
}

// onLine asks about those who wait, the first one first, until one waits on.
func (w *world) onLine(id uint32) {
	l := w.lines[id]
	l.due = false
	for l.Len() > 0 {
		c := w.calls.at(l.First())
		i := int(c.passed)
		chance := c.passChance()
		switch w.queue(c, i, 0, &chance) {
		case policies.QueueWait:
			return
		case policies.QueueRefuse:
			w.refuseInLine(c)
		case policies.QueuePass:
			w.leaveCallLine(c)
			c.through = true
			w.dispatch(c)
		}
	}
}

// leaveCallLine takes a call out of the line in which its next try waits, if it does.
func (w *world) leaveCallLine(c *call) {
	if c.line > 0 {
		w.lines[c.line-1].Remove(&w.callLinks, c.id, 0)
		c.line, c.wake = 0, 0
	}
}

// refuseInLine refuses a try that waits in line.
func (w *world) refuseInLine(c *call) {
	w.leaveCallLine(c)
	i := int(c.passed)
	c.passed = 0
	w.turnedBack(c, i)
}
