package kernel

import "cascadesim/sim"

// factor is what the work of a replica of some age takes, over what it takes of one that is warm.
func (c *Cold) factor(age sim.Time) float64 {
	if age >= c.For {
		return 1
	}
	return 1 + float64((c.Slow-1)*float64(c.For-age))/float64(c.For)
}
