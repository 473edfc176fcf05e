package oracle

import (
	"slices"

	"cascadesim/policies"
)

// queuer is the stack entry that has a line, or -1.
func (c *call) queuer() int {
	return c.only(func(p policies.Policy) bool { return p.Queuer != nil })
}

// line names the line of the state that serves the call.
func (c *call) line() stateKey { return c.stateOf(c.edge.Stack[c.queuer()]) }

// joins asks the queuer of stack entry i about the next try, and tells whether it goes on.
func (c *call) joins(i int, a *policies.Attempt) bool {
	k := c.line()
	switch c.queue(i, a, len(c.w.lines[k])) {
	case policies.QueueRefuse:
		c.passed = 0
		c.turnedBack(a.N, i)
		return false
	case policies.QueueWait:
		c.passed, c.waiting = i, true
		c.w.lines[k] = append(c.w.lines[k], c)
		if most := c.roles(c.edge.Stack[i]).QueueFor; most > 0 {
			c.tired = c.w.at(c.w.now+most, func() { c.refusedInLine() })
		}
		return false
	}
	return true
}

// queue is the question.
func (c *call) queue(i int, a *policies.Attempt, ahead int) (verb policies.QueueVerb) {
	use := c.edge.Stack[i]
	if use.PerCall && a.N > 1 {
		return policies.QueuePass
	}
	a.Note = c.note(i)
	q := c.policy(use).Queuer
	c.asked(use, a, func() bool {
		verb = q.Join(c.w.now, a, ahead)
		return true
	})
	c.alert(i)
	return verb
}

// told is what follows when the policy of stack entry i was told that something has ended.
func (c *call) told(i int) {
	c.alert(i)
	if i != c.queuer() {
		return
	}
	k, w := c.line(), c.w
	if len(w.lines[k]) == 0 || w.due[k] {
		return
	}
	w.due[k] = true
	w.at(w.now, func() {
		w.due[k] = false
		for len(w.lines[k]) > 0 && w.lines[k][0].looked() {
		}
	})
}

// looked asks about the call that is first in line, and tells whether it has left the line.
func (c *call) looked() bool {
	a := c.atTheSend()
	verb := c.queue(c.passed, &a, 0)
	if verb == policies.QueueWait {
		return false
	}
	if verb == policies.QueueRefuse {
		c.refusedInLine()
		return true
	}
	c.leaveLine()
	c.waiting = false
	c.beyond = true
	c.dispatch()
	return true
}

// refusedInLine refuses the next try, which waits in line.
func (c *call) refusedInLine() {
	c.leaveLine()
	c.waiting = false
	i := c.passed
	c.passed = 0
	c.turnedBack(c.tries+1, i)
}

// leaveLine takes the call out of the line in which its next try waits, if it does.
func (c *call) leaveLine() {
	c.tired.cancel()
	if c.queuer() >= 0 {
		k := c.line()
		c.w.lines[k] = slices.DeleteFunc(c.w.lines[k], func(x *call) bool { return x == c })
	}
}
