package policies

import "cascadesim/sim"

// growth is a schedule of waits, each computed from the one before in whole nanoseconds or whatever
// grain the product has: the truncation of every step is felt by the next, so that no power of the
// multiplier gives the same. The last wait repeats for ever.
type growth []sim.Time

// newGrowth follows next from first until nothing changes any more, or no run could tell.
func newGrowth(first sim.Time, next func(sim.Time) sim.Time) growth {
	g := growth{first}
	for len(g) < 1<<16 && first < sim.MaxTime {
		then := min(next(first), sim.MaxTime)
		if then == first {
			break
		}
		g = append(g, then)
		first = then
	}
	return g
}

// at is the wait of step i, from 0.
func (g growth) at(i int) sim.Time { return g[min(i, len(g)-1)] }

// times multiplies a time and truncates, without running over.
func times(t sim.Time, factor float64) sim.Time {
	return sim.Time(min(float64(t)*factor, float64(sim.MaxTime)))
}

// inMillis truncates to whole milliseconds, for products that count in them.
func inMillis(t sim.Time) sim.Time { return t / sim.Millisecond * sim.Millisecond }
