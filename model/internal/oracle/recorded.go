package oracle

import (
	"cascadesim/sim"
)

// recording lists the arrivals of a recording that happen in this run, from number first on. The
// one before that is at a time.
func (c *client) recording(first uint64, before sim.Time) []arrival {
	var all []arrival
	for k, at := range c.Recording.Times {
		if uint64(k) >= first {
			all = append(all, arrival{uint64(k), at})
		}
	}
	k := uint64(0)
	for _, span := range c.Recording.Counts {
		at := span.From
		for j := range span.N {
			if k < first {
				at = before
				k++
				continue
			}
			length := float64(span.To - span.From)
			if c.Spaced {
				half := length / float64(2*span.N)
				at = span.From + sim.Time(float64(float64(2*j+1)*half))
			} else {
				// The minimum of what is left of n uniform instants.
				share := 1 - sim.Exp(-c.stream.Exp()/float64(span.N-j))
				at += sim.Time(float64(float64(span.To-at) * share))
			}
			at = min(at, span.To-1)
			all = append(all, arrival{k, at})
			k++
		}
	}
	var kept []arrival
	for _, a := range all {
		if c.Keep >= 1 || c.root.Child(a.k).Share(40) < c.Keep {
			kept = append(kept, a)
		}
	}
	return kept
}

// follow schedules the next arrival of a recording.
func (c *client) follow() {
	c.upcoming = nil
	if len(c.recorded) == 0 {
		return
	}
	a := c.recorded[0]
	c.upcoming = &a
	c.recorded = c.recorded[1:]
	c.w.at(a.at, func() {
		c.follow()
		c.openNumbered(a.k)
	})
}
