package sweep

import (
	"math"
	"slices"

	"cascadesim/experiments/statistics"
	"cascadesim/model/load"
)

// Replications go on until an interval is narrow or a constraint is in no doubt. Who looks again
// and again, and stops when he likes what he sees, is wrong more often than his interval says. How
// often a sweep may look is known before it begins, so that each look gets its part of what may go
// wrong (Bonferroni), and an interval holds at whichever look it is read.

// growth is by how much the replications of a cell grow in one round: few rounds, and little that
// is run in vain.
const growth = 1.5

// grown is how many replications a cell has after n of at most so many.
func grown(n, most int) int { return min(most, int(math.Ceil(growth*float64(n)))) }

// looks are the numbers of replications at which a cell may be looked at.
func looks(r load.Replications) []int {
	out := []int{r.Min}
	for n := r.Min; n < r.Max; {
		n = grown(n, r.Max)
		out = append(out, n)
	}
	return out
}

// confidence is that of one look at a cell. Under a change of the sensitivity there is only one.
func (s *Sweep) confidence(c *Cell) float64 {
	if c.Change != "" {
		return statistics.Confidence
	}
	return parted(len(looks(s.Cases[c.Case].Replications)))
}

// together is the confidence of one look at one point beside the best. They have as many pairs as
// the one with fewer replications has.
func (s *Sweep) together() float64 {
	sizes := map[int]bool{}
	for _, o := range s.Objectives {
		i := slices.IndexFunc(s.Cases, func(c caseT) bool { return c.Name == o.Case })
		for _, n := range looks(s.Cases[i].Replications) {
			sizes[n] = true
		}
	}
	return parted(len(sizes) * max(len(s.Points)-1, 1))
}

// parted is the confidence of each of n intervals that all hold with statistics.Confidence.
func parted(n int) float64 { return 1 - (1-statistics.Confidence)/float64(n) }
