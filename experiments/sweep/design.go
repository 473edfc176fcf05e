package sweep

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"cascadesim/model/load"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
	"gonum.org/v1/gonum/stat/samplemv"
)

// maxPoints bounds a design: more is a mistake, and would be compiled before anything runs.
const maxPoints = 100_000

// Point is one setting: a level of each axis, in the order of the axes.
type Point struct {
	Levels   []load.Level
	Baseline bool
	cells    []int // by case
}

// Name writes the point as AXIS VALUE, AXIS VALUE.
func (p *Point) Name(axes []load.Axis) string {
	parts := make([]string, len(axes))
	for i, a := range axes {
		parts[i] = a.Name + " " + p.Levels[i].Label
	}
	if len(parts) == 0 {
		return "as it is"
	}
	return strings.Join(parts, ", ")
}

// points are those of the design, and the baseline when it is none of them.
func points(e *load.Experiment) ([]Point, error) {
	var out []Point
	var err error
	if e.Design != "grid" && e.Points > maxPoints {
		return nil, fmt.Errorf("%d points are more than the %d that a design may have", e.Points,
			maxPoints)
	}
	switch e.Design {
	case "latin_hypercube":
		out = sampled(e, latin(e))
	case "sobol":
		if len(e.Axes) > maxDimensions {
			return nil, fmt.Errorf("the design sobol takes at most %d axes", maxDimensions)
		}
		rows := make([][]float64, e.Points)
		for i := range rows {
			rows[i] = sobol(uint(i), len(e.Axes))
		}
		out = sampled(e, rows)
	default:
		out, err = grid(e)
	}
	if err != nil || e.Baseline == nil {
		return out, err
	}
	base := Point{Baseline: true}
	for i := range e.Axes {
		base.Levels = append(base.Levels, baseLevel(e, i, out))
	}
	at := slices.IndexFunc(out, func(p Point) bool { return sameLevels(p.Levels, base.Levels) })
	if at >= 0 {
		out[at].Baseline = true
		return out, nil
	}
	return append(out, base), nil
}

// baseLevel is the baseline's value of an axis; an axis that it does not name has its first.
func baseLevel(e *load.Experiment, axis int, points []Point) load.Level {
	for _, c := range e.Baseline {
		if c.Axis == e.Axes[axis].Name {
			l, _ := e.Axes[axis].Named(c.Value)
			return l
		}
	}
	return points[0].Levels[axis]
}

func sameLevels(a, b []load.Level) bool {
	return slices.EqualFunc(a, b, func(x, y load.Level) bool { return x.Label == y.Label })
}

// grid is every combination, the last axis fastest.
func grid(e *load.Experiment) ([]Point, error) {
	n := 1
	for _, a := range e.Axes {
		if n *= len(a.Levels); n > maxPoints {
			return nil, fmt.Errorf("the grid has more than %d points; sample it with design: sobol "+
				"and points", maxPoints)
		}
	}
	out := make([]Point, n)
	for i := range out {
		rest := i
		levels := make([]load.Level, len(e.Axes))
		for k := len(e.Axes) - 1; k >= 0; k-- {
			own := e.Axes[k].Levels
			levels[k] = own[rest%len(own)]
			rest /= len(own)
		}
		out[i].Levels = levels
	}
	return out, nil
}

// latin are the coordinates of a Latin hypercube: of each axis every part of the way is taken once.
func latin(e *load.Experiment) [][]float64 {
	source := rand.NewPCG(e.Seed, 0)
	unit := distmv.NewUnitUniform(max(len(e.Axes), 1), source)
	batch := mat.NewDense(e.Points, max(len(e.Axes), 1), nil)
	samplemv.LatinHypercube{Q: unit, Src: source}.Sample(batch)
	out := make([][]float64, e.Points)
	for i := range out {
		out[i] = slices.Clone(batch.RawRowView(i))
	}
	return out
}

// sampled turns coordinates into points. Those that read the same, of axes of few values, are one.
func sampled(e *load.Experiment, rows [][]float64) []Point {
	var out []Point
	seen := map[string]bool{}
	for _, row := range rows {
		p := Point{Levels: make([]load.Level, len(e.Axes))}
		for k := range e.Axes {
			p.Levels[k] = e.Axes[k].At(row[k])
		}
		if name := p.Name(e.Axes); !seen[name] {
			seen[name] = true
			out = append(out, p)
		}
	}
	return out
}
