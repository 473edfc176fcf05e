package oracle

import (
	"slices"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// recording gives a client that follows one something to follow: at times, or counted.
func (m *maker) recording(c *kernel.Client) {
	if c.Process != kernel.FromFile {
		return
	}
	c.Recording, c.Keep, c.Spaced = &kernel.Recording{}, 1, m.chance(0.5)
	if m.chance(0.3) {
		c.Keep = m.r.Float64()
	}
	end := int(m.Plan.End / sim.Millisecond)
	if m.chance(0.5) {
		for range 1 + m.below(100) {
			c.Recording.Times = append(c.Recording.Times, m.time(end+end/4))
		}
		slices.Sort(c.Recording.Times)
		return
	}
	from := sim.Time(0)
	for from < m.Plan.End && len(c.Recording.Counts) < 20 {
		to := from + m.time(1+end/4)
		c.Recording.Counts = append(c.Recording.Counts, kernel.Counted{
			From: from, To: to, N: uint64(m.below(20)),
		})
		from = to
		if m.rarely() {
			from += m.time(10)
		}
	}
}
