package sweep

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/model/load"
)

// fences says how far the recommended axis can be moved either way, all else equal, until a
// constraint fails, and which.
func (s *Sweep) fences(p int) string {
	if s.Recommend == nil || len(s.Constraints) == 0 {
		return ""
	}
	axis := slices.IndexFunc(s.Axes, func(a load.Axis) bool { return a.Name == s.Recommend.Axis })
	if !s.Points[p].Levels[axis].Numeric {
		return ""
	}
	var parts []string
	for _, up := range []bool{false, true} {
		q := s.fence(p, axis, up)
		if q < 0 {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s would fail %s", s.Points[q].Levels[axis].Label,
			strings.Join(s.failing(q), " and ")))
	}
	if len(parts) == 0 {
		return "no value that was tried fails a constraint"
	}
	return strings.Join(parts, ", ")
}

// fence is the nearest point above or below on the axis that does not meet every constraint, -1
// when all do.
func (s *Sweep) fence(p, axis int, up bool) int {
	here, best := s.Points[p].Levels[axis].Number, -1
	for q := range s.Points {
		x := s.Points[q].Levels[axis].Number
		if !s.equalBut(q, p, axis) || (x > here) != up || len(s.violated(q, false)) == 0 {
			continue
		}
		if best < 0 || (x < s.Points[best].Levels[axis].Number) == up {
			best = q
		}
	}
	return best
}

// failing are the constraints that a point does not meet, with what was seen.
func (s *Sweep) failing(p int) []string {
	var out []string
	for k := range s.Cases {
		out = append(out, s.failures(k, s.Cells[s.Points[p].cells[k]])...)
	}
	return out
}
