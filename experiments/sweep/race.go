package sweep

import (
	"math"
	"strings"

	"cascadesim/experiments/statistics"
	"cascadesim/model/load"
)

type caseT = load.Case

// apart is the least difference of an objective, by its largest value, that is a trade: points
// whose errors differ by a hundredth of themselves are not told apart by whoever chooses.
const apart = 0.1

// scales are by what objectives are divided before they are added up: how far each ranges over the
// points that meet the constraints, or over all when fewer than two do. An objective that hardly
// ranges, or no further than chance moves it, is not blown up to decide.
func (s *Sweep) scales() map[string]float64 {
	out := map[string]float64{}
	for _, o := range s.Objectives {
		for _, all := range []bool{false, true} {
			low, high, least := math.Inf(1), math.Inf(-1), 0.0
			for p := range s.Points {
				q := s.find(s.cellOf(p, o.Case), o.Name)
				x := q.worth(o.Maximize)
				if math.IsInf(x, 0) || !all && len(s.violated(p, false)) > 0 {
					continue
				}
				low, high = min(low, x), max(high, x)
				least = max(least, float64(apart*math.Abs(x)))
				if q.Groups == nil && q.Estimate.N > 1 {
					least = max(least, 2*q.Estimate.Half)
				}
			}
			if high > low {
				out[o.Name] = max(high-low, least)
				break
			}
		}
		if out[o.Name] == 0 {
			out[o.Name] = 1 // all are equal: it decides nothing
		}
	}
	return out
}

// objective is what a point is worth by one objective; smaller is better.
func (s *Sweep) objective(p int, o load.Objective) float64 {
	return s.find(s.cellOf(p, o.Case), o.Name).worth(o.Maximize)
}

// weight of an objective in the score.
func (s *Sweep) weight(o load.Objective) float64 {
	if s.Recommend == nil {
		return 1
	}
	return s.Recommend.Weights[o.Name]
}

// scores are what each point costs: the objectives, each by its scale and weight, added up.
func (s *Sweep) scores(scales map[string]float64) []float64 {
	out := make([]float64, len(s.Points))
	for p := range s.Points {
		for _, o := range s.Objectives {
			if w := s.weight(o); w != 0 {
				out[p] += float64(w * s.objective(p, o) / scales[o.Name])
			}
		}
	}
	return out
}

// luck are a point's scores by replication: the same replication of two points had the same luck.
// Objectives of results in two groups, or without a value, have none; ok is then false.
func (s *Sweep) luck(p int, scales map[string]float64) (out []float64, ok bool) {
	for _, o := range s.Objectives {
		w := s.weight(o)
		if w == 0 {
			continue
		}
		q := s.find(s.cellOf(p, o.Case), o.Name)
		if q.Groups != nil || len(q.Values) != q.N {
			return nil, false
		}
		if o.Maximize {
			w = -w
		}
		if out == nil {
			out = make([]float64, q.N)
		}
		out = out[:min(len(out), q.N)]
		for i := range out {
			out[i] += float64(w * q.Values[i] / scales[o.Name])
		}
	}
	return out, out != nil
}

// worse is by how much a point's score is above another's, by pairs on the same luck. The best is
// compared with many points, at many looks: the interval holds for all of them together.
func (s *Sweep) worse(p int, base []float64, scales map[string]float64) (
	d statistics.Estimate, ok bool,
) {
	own, ok := s.luck(p, scales)
	return statistics.At(statistics.Differences(own, base), s.together()), ok
}

// race drops the points that clearly violate a constraint, and those whose score is clearly worse
// than the best's. Who was behind a point that turned out to violate a constraint is back.
func (s *Sweep) race() {
	clear(s.dropped)
	for p := range s.Points {
		if names := s.violated(p, true); len(names) > 0 {
			s.dropped[p] = "violates " + strings.Join(names, ", ")
		}
	}
	if s.Recommend == nil || len(s.Objectives) == 0 {
		return
	}
	scales := s.scales()
	scores := s.scores(scales)
	best := s.best(scores)
	if best < 0 {
		return
	}
	base, ok := s.luck(best, scales)
	if !ok {
		return
	}
	for p := range s.Points {
		if s.dropped[p] != "" || p == best {
			continue
		}
		if d, ok := s.worse(p, base, scales); ok && d.N > 1 && d.Low() > 0 {
			s.dropped[p] = "clearly worse than " + s.Points[best].Name(s.Axes)
		}
	}
}

// best is the point with the lowest score among those that meet the constraints, -1 if none does.
func (s *Sweep) best(scores []float64) int {
	best := -1
	for p := range s.Points {
		if s.dropped[p] == "" && len(s.violated(p, false)) == 0 &&
			(best < 0 || scores[p] < scores[best]) {
			best = p
		}
	}
	return best
}
