package oracle

import (
	"math"

	"cascadesim/sim"
)

// controlled is what a line of discipline codel remembers.
type controlled struct {
	longSince sim.Time // when waits became long; 0: they are short
	spell     bool     // a spell of turning away
	asked     int      // who were turned away, in a row, since one was let through
	first     bool     // the last one turned away began the spell
	due       sim.Time // of the next one
	n, from   int      // in this spell, counted on from the one before; where it began to count
}

// judge tells whether to turn away who has waited so long and leaves so many in line.
func (c *controlled) judge(r *replica, waited sim.Time, left int) bool {
	if r.Discipline.String() != "codel" {
		return false
	}
	now := r.w.now
	ripe := false
	switch {
	case waited < r.Target || left < 2:
		c.longSince = 0
	case c.longSince == 0:
		c.longSince = now + 1 // as 0 is a time too
	default:
		ripe = now >= c.longSince-1+r.Interval
	}
	if c.first {
		c.first, c.asked = false, 0
		return false
	}
	if !ripe {
		c.spell, c.asked = false, 0
		return false
	}
	if !c.spell {
		n := c.n - c.from
		if n < 2 || now-c.due >= 16*r.Interval {
			n = 1
		}
		c.spell, c.first, c.n, c.from = true, true, n, n
		c.due = now + c.gap(r)
		return true
	}
	if c.asked > 0 {
		c.due += c.gap(r)
	}
	if now < c.due {
		c.asked = 0
		return false
	}
	c.n++
	c.asked++
	return true
}

func (c *controlled) gap(r *replica) sim.Time {
	return sim.Time(float64(r.Interval) / math.Sqrt(float64(c.n)))
}

// over is told when nobody is left in line after one was turned away.
func (c *controlled) over() {
	if !c.first && c.asked == 0 {
		return
	}
	c.longSince = 0
	if !c.first {
		c.spell = false
	}
	c.first, c.asked = false, 0
}
