package kernel

import "cascadesim/sim"

// codel is the state of a line that controls its delay as RFC 8289 says, with an attempt for a
// packet: whoever is taken from it is asked about, one after the other. What the RFC writes as one
// dequeue is here several questions; inside and entered say how far it is.
type codel struct {
	target, interval sim.Time
	firstAbove       sim.Time // from when on waits are long enough to drop; 0: they are short
	dropNext         sim.Time
	count, before    uint32 // drops in this state of dropping; at its beginning
	dropping         bool
	entered          bool // the last one taken began the state, and the next one is let through
	inside           bool // the last one taken was dropped, the state goes on
}

func newCodel(p *Replica) *codel { return &codel{target: p.Target, interval: p.Interval} }

// above tells whether waits have been at the target or above it for an interval.
func (c *codel) above(now, waited sim.Time, left int) bool {
	if waited < c.target || left <= 1 {
		c.firstAbove = 0
		return false
	}
	if c.firstAbove == 0 {
		c.firstAbove = now + c.interval
		return false
	}
	return now >= c.firstAbove
}

// drops tells whether to turn away an attempt that has waited so long, with so many left in line.
func (c *codel) drops(now, waited sim.Time, left int) bool {
	long := c.above(now, waited, left)
	entered, inside := c.entered, c.inside
	c.entered, c.inside = false, false
	switch {
	case entered:
		return false
	case !long:
		c.dropping = false
		return false
	case !c.dropping:
		c.enter(now)
		return true
	}
	if inside {
		c.dropNext = c.law(c.dropNext)
	}
	if now < c.dropNext {
		return false
	}
	c.count++
	c.inside = true
	return true
}

// enter begins to drop. Soon after the last time it goes on from the rate that was right then.
func (c *codel) enter(now sim.Time) {
	delta := c.count - c.before
	c.count = 1
	if delta > 1 && now-c.dropNext < 16*c.interval {
		c.count = delta
	}
	c.before = c.count
	c.dropNext = c.law(now)
	c.dropping, c.entered = true, true
}

// law is when the next drop is due, the sooner the more there have been.
func (c *codel) law(t sim.Time) sim.Time {
	return t + sim.Time(float64(c.interval)/sqrt(float64(c.count)))
}

// emptied is told when the line is empty after a drop.
func (c *codel) emptied() {
	if !c.inside && !c.entered {
		return
	}
	c.firstAbove = 0
	c.dropping = c.dropping && c.entered
	c.entered, c.inside = false, false
}
