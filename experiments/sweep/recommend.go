package sweep

import (
	"context"
	"math"
	"slices"

	"cascadesim/experiments/statistics"
	"cascadesim/model/load"
)

// choice is how a point came to be recommended.
type choice struct {
	point    int   // -1: none meets the constraints
	tied     []int // points that do not differ detectably from the best, itself too, in their order
	front    []bool
	scores   []float64
	scales   map[string]float64
	free     int      // the point that would be recommended without constraints
	binding  []string // the constraints that it violates
	feasible []int
}

// choose recommends a point. Without a recommend section the point of the lowest score is.
func (s *Sweep) choose() choice {
	c := choice{point: -1, free: -1}
	c.scales = s.scales()
	c.scores = s.scores(c.scales)
	c.front = s.front(func(p int) bool { return len(s.violated(p, false)) == 0 })
	for p := range s.Points {
		if len(s.violated(p, false)) == 0 {
			c.feasible = append(c.feasible, p)
		}
		if c.free < 0 || c.scores[p] < c.scores[c.free] {
			c.free = p
		}
	}
	if len(s.Objectives) == 0 {
		c.free = -1 // nothing but constraints: the first of the axis that meets them
	}
	c.pick(s)
	if c.free >= 0 && c.free != c.point && !slices.Contains(c.tied, c.free) {
		c.binding = s.violated(c.free, false)
	}
	return c
}

// pick takes the lowest score, or what the tie says of those that are as good.
func (c *choice) pick(s *Sweep) {
	among := slices.DeleteFunc(slices.Clone(c.feasible), func(p int) bool {
		return s.dropped[p] != ""
	})
	if s.Recommend == nil || s.Recommend.Among == "pareto" {
		among = slices.DeleteFunc(among, func(p int) bool { return !c.front[p] })
	}
	if len(among) == 0 {
		return
	}
	best := among[0]
	for _, p := range among {
		if c.scores[p] < c.scores[best] {
			best = p
		}
	}
	c.point = best
	base, ok := s.luck(best, c.scales)
	for _, p := range among {
		if p == best || c.scores[p] == c.scores[best] {
			c.tied = append(c.tied, p)
			continue
		}
		if d, okay := s.worse(p, base, c.scales); ok && okay && d.N > 1 && !d.Clear() {
			c.tied = append(c.tied, p)
		}
	}
	if s.Recommend == nil {
		return
	}
	axis := slices.IndexFunc(s.Axes, func(a load.Axis) bool { return a.Name == s.Recommend.Axis })
	for _, p := range c.tied {
		a, b := s.order(p, axis), s.order(c.point, axis)
		if a < b || a == b && c.scores[p] < c.scores[c.point] {
			c.point = p
		}
	}
}

// order is where a point's value of the axis stands, as the tie counts.
func (s *Sweep) order(p, axis int) float64 {
	l := s.Points[p].Levels[axis]
	x := l.Number
	if !l.Numeric {
		x = float64(slices.IndexFunc(s.Axes[axis].Levels, func(k load.Level) bool {
			return k.Label == l.Label
		}))
	}
	if s.Recommend.Tie == "largest" {
		return -x
	}
	return x
}

// front says which of some points no other of them beats in every objective.
func (s *Sweep) front(among func(p int) bool) []bool {
	var rows [][]float64
	var of []int
	for p := range s.Points {
		if !among(p) {
			continue
		}
		row := make([]float64, len(s.Objectives))
		for i, o := range s.Objectives {
			row[i] = s.objective(p, o)
		}
		rows, of = append(rows, row), append(of, p)
	}
	out := make([]bool, len(s.Points))
	for i, in := range statistics.Front(rows) {
		out[of[i]] = in
	}
	return out
}

// changed are the cells of a point under a change, by case; nil where it changes nothing.
type changed struct {
	change string
	point  int
	cells  []*Cell
}

// executeChanges runs the recommended point and its neighbours on the axis under each change.
func (s *Sweep) executeChanges(ctx context.Context) error {
	c := s.choose()
	if c.point < 0 || len(s.Sensitivity) == 0 {
		return nil
	}
	var cells []*Cell
	for _, change := range s.Sensitivity {
		for _, p := range s.neighbours(c) {
			at := changed{change: change.Name, point: p, cells: make([]*Cell, len(s.Cases))}
			for k := range s.Cases {
				levels := s.levelsOf(k, &s.Points[p])
				if !s.Cases[k].Touched(levels, change) {
					continue
				}
				cell, err := Compile(s.Experiment, s.o.Version, k, levels, change.Name)
				if err != nil {
					return err
				}
				cell.wanted = s.Cases[k].Replications.Min
				cells, at.cells[k] = append(cells, cell), cell
			}
			s.changes = append(s.changes, at)
		}
	}
	spent := 0
	for _, cell := range cells {
		spent += cell.wanted
	}
	if s.Runs > 0 && s.runs+spent > s.Runs {
		s.changes, s.bounded = nil, true
		return nil
	}
	return s.round(ctx, cells)
}

// neighbours are the recommended point and the next ones on either side of the recommended axis,
// all else equal.
func (s *Sweep) neighbours(c choice) []int {
	out := []int{c.point}
	if s.Recommend == nil {
		return out
	}
	axis := slices.IndexFunc(s.Axes, func(a load.Axis) bool { return a.Name == s.Recommend.Axis })
	below, above := -1, -1
	here := math.Abs(s.order(c.point, axis))
	for p := range s.Points {
		if !s.equalBut(p, c.point, axis) {
			continue
		}
		x := math.Abs(s.order(p, axis))
		if x < here && (below < 0 || x > math.Abs(s.order(below, axis))) {
			below = p
		}
		if x > here && (above < 0 || x < math.Abs(s.order(above, axis))) {
			above = p
		}
	}
	for _, p := range []int{below, above} {
		if p >= 0 {
			out = append(out, p)
		}
	}
	return out
}

// equalBut says whether two points differ in one axis alone.
func (s *Sweep) equalBut(p, q, axis int) bool {
	for i := range s.Axes {
		if i != axis && s.Points[p].Levels[i].Label != s.Points[q].Levels[i].Label {
			return false
		}
	}
	return p != q
}
