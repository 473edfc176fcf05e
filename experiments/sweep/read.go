package sweep

import "cascadesim/model"

// Checks are the checks of a task's cell, in the order of its readings.
func (t Task) Checks() []model.Check { return t.cell.Plan.Scenario.Checks }

// Held is in how many replications of a point each case meets all of its constraints, and of how
// many.
func (s *Sweep) Held(p int) (held, of []int) {
	for _, i := range s.Points[p].cells {
		c, n := s.Cells[i], 0
		for _, sample := range c.samples {
			ok := true
			for k, r := range sample.Readings {
				ok = ok && (r.OK || c.Plan.Scenario.Checks[k].Measured)
			}
			if ok {
				n++
			}
		}
		held, of = append(held, n), append(of, len(c.samples))
	}
	return held, of
}

// Cell is what runs at a point of an experiment with one case.
func (s *Sweep) Cell(p int) *Cell { return s.Cells[s.Points[p].cells[0]] }

// Times are the values of an objective that is a time, at a point of an experiment with one case;
// in how many replications it never came, and when those ended, in seconds.
func (s *Sweep) Times(p int, name string) (times []float64, never int, end float64) {
	c := s.Cell(p)
	q := s.find(c, name)
	return q.Values, q.Never, c.Plan.World.End.Seconds()
}
