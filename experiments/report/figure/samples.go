package figure

import (
	"fmt"
	"math"
	"slices"

	"cascadesim/model/check"
)

// sampled is an axis of which a design drew values: from a range, or of some.
type sampled struct {
	Axis, Unit string
	Log        bool
	Numbers    []*float64 // by point, of a range; nil: the value is no number
	Values     []string   // where there is no range
}

// scatter is the settings of a sampled design: each quantity over each axis.
type scatter struct {
	swept
	points []int // those that are drawn
	by     int   // one of so many
	over   []along
	of     []strewn
}

// along is where the drawn points lie on an axis: at numbers, or at places of its values. Nil: a
// value is no number, such as a baseline without a limit, and has no place.
type along struct {
	sampled
	at []*float64
}

// strewn is one quantity of the drawn points.
type strewn struct {
	name   string
	unit   string
	limit  *limit
	at     int // of its case
	points []quantity
}

// mostSampled is how many settings can be told apart. So that a page of 3 MB has room for them, all
// panels of a picture together have at most mostPictured values, and all plots mostStrewn.
const (
	mostSampled  = 200
	mostPictured = 1500
	mostStrewn   = 5000
)

// scattered is what there is to draw of a sampled design, at most so many values over all axes.
func (s swept) scattered(values int) (sc scatter, err error) {
	if len(s.Samples) == 0 {
		return sc, fmt.Errorf("samples: the design is a grid, which has curves: %w", ErrNothing)
	}
	sc = scatter{swept: s}
	quantities := 0
	for _, c := range s.Points[0].Cells {
		quantities += len(s.Cells[c].Quantities)
	}
	most := min(mostSampled, max(values/max(len(s.Samples)*quantities, 1), 1))
	sc.by = (len(s.Points) + most - 1) / most
	for i := max(s.recommended(), 0) % sc.by; i < len(s.Points); i += sc.by {
		sc.points = append(sc.points, i)
	}
	for _, one := range s.Samples {
		sc.over = append(sc.over, sc.along(one))
	}
	for k, i := range sc.points {
		for n, c := range s.Points[i].Cells {
			for _, q := range s.Cells[c].Quantities {
				sc.put(k, n, s.Cells[c].Case+": "+q.Name, q.numbered())
			}
		}
	}
	if len(sc.of) == 0 {
		return sc, fmt.Errorf("samples: nothing was measured: %w", ErrNothing)
	}
	return sc, nil
}

// along finds the places of the drawn points on an axis.
func (sc scatter) along(one sampled) along {
	a := along{sampled: one}
	for _, i := range sc.points {
		if one.Numbers != nil {
			x := one.Numbers[i]
			a.at, a.Log = append(a.at, x), a.Log && (x == nil || *x > 0)
			continue
		}
		x := float64(place(&a.Values, sc.Points[i].Values[one.Axis]))
		a.at = append(a.at, &x)
	}
	return a
}

func (sc *scatter) put(point, of int, name string, q quantity) {
	k := slices.IndexFunc(sc.of, func(o strewn) bool { return o.name == name })
	if k < 0 {
		k = len(sc.of)
		sc.of = append(sc.of, strewn{name: name, unit: q.Unit, limit: q.Limit, at: of,
			points: make([]quantity, len(sc.points))})
	}
	sc.of[k].points[point] = q
}

// mattering are the axes that change something in the case of a quantity.
func (sc scatter) mattering(of strewn) (out []along) {
	values := sc.Cells[sc.Points[0].Cells[of.at]].Values
	for _, a := range sc.over {
		if _, known := values[a.Axis]; known {
			out = append(out, a)
		}
	}
	return out
}

// told says which settings there are.
func (sc scatter) told() string {
	text := fmt.Sprintf("%d settings", len(sc.points))
	if sc.by > 1 {
		text = fmt.Sprintf("%d of %d settings", len(sc.points), len(sc.Points))
	}
	return text
}

// title is the axis with how it is laid out.
func (a along) title() string {
	if a.Log {
		return a.Axis + " (log)"
	}
	return a.Axis
}

// ends are the least and the largest number on the axis, apart.
func (a along) ends() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range a.at {
		if x != nil {
			low, high = min(low, *x), max(high, *x)
		}
	}
	switch {
	case low < high:
		return low, high
	case low > high: // there is none
		return 1, 2
	case a.Log:
		return low / 2, high * 2
	}
	return low - 1, high + 1
}

// asUnit is the unit of an axis as values have it.
func (a along) asUnit() string {
	switch a.Unit {
	case "factor":
		return string(check.Ratio)
	case "size", "number":
		return string(check.Count)
	}
	return a.Unit
}

// Samples is each quantity of a sampled design over each of its axes, with all settings.
func Samples(data []byte) (Figure, error) {
	s, err := readSweep(data)
	if err != nil {
		return Figure{}, err
	}
	sc, err := s.scattered(mostPictured)
	if err != nil {
		return Figure{}, err
	}
	f := Figure{ID: "cascadesim-samples", Title: s.Experiment + ": " + s.Question}
	f.Caption = fmt.Sprintf("Mean and 95 %% interval of each quantity of %s over each axis. Filled: "+
		"every constraint is met; hollow: one is broken.", sc.told())
	if at := s.recommended(); at >= 0 {
		f.Caption += " Ringed: the recommended setting. " + s.Recommendation.Sentence
	}
	meet := 0
	for _, i := range sc.points {
		if s.Points[i].Meets {
			meet++
		}
	}
	f.Alt = fmt.Sprintf("%s %d of the settings that are drawn meet every constraint.", f.Caption, meet)
	f.draw = func(f Figure) (map[string]any, int) { return f.samples(sc) }
	return f, nil
}
