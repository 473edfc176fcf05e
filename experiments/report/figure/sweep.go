package figure

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model/check"
)

// swept is what the figure needs of a sweep's result, as its JSON has it.
type swept struct {
	Schema, Experiment, Question string
	Axes                         []string
	Samples                      []sampled // of a design that is no grid
	Points                       []struct {
		Values   map[string]string
		Cells    []int
		Front    bool `json:"pareto"`
		Meets    bool `json:"meets_constraints"`
		Baseline bool
		Dropped  string // why it was run no further
	}
	Cells []struct {
		Case         string
		Values       map[string]string
		Replications int
		Quantities   []quantity
	}
	Recommendation *struct {
		Sentence string
		Point    *int
	}
}

// quantity is one objective or constraint of a cell, with its interval.
type quantity struct {
	Name, Kind, Unit string
	Mean, Low, High  *float64
	// Share is how many replications meet a constraint; of words it is all that there is.
	Share *struct {
		Met, Of   int
		Low, High *float64
	}
	State string // of a constraint
	Limit *limit // of a constraint
}

// holds says whether a constraint counts as met.
func (q quantity) holds() bool { return strings.HasPrefix(q.State, "met") }

// numbered is a quantity with numbers: a word is drawn as the share of replications that have it.
func (q quantity) numbered() quantity {
	if q.Unit != string(check.Word) || q.Share == nil || q.Share.Of == 0 {
		return q
	}
	met := float64(q.Share.Met) / float64(q.Share.Of)
	q.Unit, q.Mean, q.Low, q.High = "share", &met, q.Share.Low, q.Share.High
	if q.Limit != nil {
		q.Limit = &limit{Text: q.Limit.Text, Min: q.Limit.Share}
	}
	return q
}

// curve is one quantity over the values of an axis.
type curve struct {
	name, unit string
	points     []quantity
	back       []quantity // of a run that went up and down, the way down; nil: there is one way
	both       []bool     // by value, whether both states are stable
	limit      *limit     // of a constraint
}

// readSweep reads sweep.json.
func readSweep(data []byte) (swept, error) {
	var s swept
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("read sweep: %w", err)
	}
	if len(s.Axes) == 0 || len(s.Points) == 0 {
		return s, fmt.Errorf("read sweep: it has no axis or no points")
	}
	for _, p := range s.Points {
		for _, c := range p.Cells {
			if c < 0 || c >= len(s.Cells) {
				return s, fmt.Errorf("read sweep: a point names cell %d of %d", c, len(s.Cells))
			}
		}
	}
	for _, one := range s.Samples {
		if one.Values == nil && len(one.Numbers) != len(s.Points) {
			return s, fmt.Errorf("read sweep: %d values of %s, but %d points", len(one.Numbers), one.Axis,
				len(s.Points))
		}
	}
	return s, nil
}

// recommended is the number of the recommended point; -1: none.
func (s swept) recommended() int {
	if r := s.Recommendation; r != nil && r.Point != nil && *r.Point < len(s.Points) {
		return *r.Point
	}
	return -1
}

// Sweep is the curves of a sweep's result: each objective and constraint over the first axis, with
// its interval, and the recommended value marked. Other axes stand at the recommended point.
func Sweep(data []byte) (Figure, error) {
	s, err := readSweep(data)
	if err != nil {
		return Figure{}, err
	}
	f := Figure{ID: "cascadesim-sweep", Title: s.Experiment + ": " + s.Question, Across: s.Axes[0],
		Caption: "Mean and 95 % interval of each quantity by " + s.Axes[0] + "."}
	at := s.recommended()
	if at >= 0 {
		f.Caption += " Shaded: the recommended value. " + s.Recommendation.Sentence
	}
	f.Alt = f.Caption
	f.Curves, f.Ticks, f.Mark = s.curves(at)
	if by := (len(f.Ticks) + mostTicks - 1) / mostTicks; by > 1 {
		f.each(by)
		f.Caption += fmt.Sprintf(" One value of %d is drawn.", by)
	}
	if len(f.Curves) == 0 {
		return f, fmt.Errorf("read sweep: nothing was measured: %w", ErrNothing)
	}
	return f, nil
}

// curves are those of the points that differ from the recommended one in the first axis alone.
func (s swept) curves(best int) (out []curve, ticks []string, mark int) {
	base, mark := max(best, 0), -1
	known := map[string]int{}
	for i, p := range s.Points {
		same := true
		for _, a := range s.Axes[1:] {
			same = same && p.Values[a] == s.Points[base].Values[a]
		}
		if !same {
			continue
		}
		if i == best {
			mark = len(ticks)
		}
		ticks = append(ticks, p.Values[s.Axes[0]])
		for _, c := range p.Cells {
			for _, q := range s.Cells[c].Quantities {
				q = q.numbered()
				name := s.Cells[c].Case + ": " + q.Name
				k, ok := known[name]
				if !ok {
					k = len(out)
					known[name], out = k, append(out, curve{name: name, unit: q.Unit, limit: q.Limit})
				}
				for len(out[k].points) < len(ticks)-1 {
					out[k].points = append(out[k].points, quantity{})
				}
				if len(out[k].points) < len(ticks) {
					out[k].points = append(out[k].points, q)
				}
			}
		}
	}
	for k := range out {
		for len(out[k].points) < len(ticks) {
			out[k].points = append(out[k].points, quantity{})
		}
	}
	return out, ticks, mark
}

// mostTicks is how many values of an axis can be drawn.
const mostTicks = 200

// each keeps one of so many values, the recommended one among them.
func (f *Figure) each(by int) {
	first := max(f.Mark, 0) % by
	thin := f.Curves
	f.Curves = nil
	for _, one := range thin {
		points := one.points
		one.points = nil
		for i := first; i < len(points); i += by {
			one.points = append(one.points, points[i])
		}
		f.Curves = append(f.Curves, one)
	}
	ticks := f.Ticks
	f.Ticks = nil
	for i := first; i < len(ticks); i += by {
		f.Ticks = append(f.Ticks, ticks[i])
	}
	if f.Mark >= 0 {
		f.Mark /= by
	}
}

const curveHeight = 120

// least is how many pixels a tick's name needs to be of use.
const least = 48

// curveOption draws curves below each other.
func (f Figure) curveOption() (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	step := float64(rightEdge-leftEdge) / float64(len(f.Ticks))
	x := func(i int) float64 { return leftEdge + step*(float64(i)+0.5) }
	y := f.question(c)
	switch {
	case f.Curves[0].back != nil:
		f.loopKey(c, y+8)
		y += 20
	case f.Mark >= 0:
		c.rect(16, y+2, 18, 12, f.theme().band, 5)
		c.text(40, y+8, "recommended: "+abridged(f.Across+" "+f.Ticks[f.Mark], nameSize, 500), nil)
		y += 20
	}
	for k, one := range f.Curves {
		top, bottom := y+30, y+30+curveHeight
		low, high, m := one.reach()
		marks := one.limit.marks(reachOf(one.points))
		if f.Mark >= 0 {
			c.rect(x(f.Mark)-step/2, top, step, curveHeight, f.theme().band, -10)
		}
		title := one.name + " (" + m.sign + ")"
		if len(marks) == 0 {
			title += one.limit.said(nil)
		}
		c.text(16, y+10, shortened(title, 12, Width-40),
			map[string]any{"fontSize": 12, "fontWeight": "bold"})
		up := scale{low, high, m, bottom, top}.rounded()
		for _, v := range up.ticks() {
			c.stroke(leftEdge, up.at(v), rightEdge, up.at(v), map[string]any{"stroke": f.theme().grid})
			c.text(leftEdge-6, up.at(v), report.Level.Format(v/m.by),
				map[string]any{"textAlign": "right"})
		}
		f.marks(c, marks, up)
		for i, both := range one.both {
			if both {
				c.rect(x(i)-step/2, top, step, curveHeight, f.theme().band, -10)
			}
		}
		one.draw(c, k, x, func(v float64) float64 { return up.at(max(v, low)) })
		apart := max(int(math.Ceil(least/step)), 1)
		for i := max(f.Mark, 0) % apart; i < len(f.Ticks); i += apart {
			c.text(x(i), bottom+12, shortened(f.Ticks[i], nameSize, step*float64(apart)-4),
				map[string]any{"textAlign": "center"})
		}
		y = bottom + 30
	}
	c.text((leftEdge+rightEdge)/2, y, shortened(f.Across, nameSize, 600),
		map[string]any{"textAlign": "center", "fill": f.theme().soft})
	return map[string]any{"graphic": c.elements}, int(y) + 14
}

// marks draws levels of a limit, with their words above the right end, or below it at the top.
func (f Figure) marks(c *canvas, marks []mark, up scale) {
	for _, one := range marks {
		y := up.at(one.At)
		c.stroke(leftEdge, y, rightEdge, y, map[string]any{"stroke": f.theme().text, "lineWidth": 1.2,
			"lineDash": []int{5, 4}})
		at := y - 8
		if at < up.to {
			at = y + 9
		}
		c.text(rightEdge, at, shortened(one.Text, nameSize, rightEdge-leftEdge),
			map[string]any{"textAlign": "right", "fill": f.theme().soft,
				"stroke": f.theme().back, "lineWidth": 3}) // what lies below does not strike it out
	}
}

// draw draws one: its points, what joins them and their intervals.
func (one curve) draw(c *canvas, k int, x func(int) float64, at func(float64) float64) {
	if one.back == nil {
		branch(c, one.points, map[string]any{"stroke": c.theme.color(k), "lineWidth": 1.8}, x, at)
		return
	}
	branch(c, one.points, wayInk(c.theme, 0), x, at)
	branch(c, one.back, wayInk(c.theme, 1), x, at)
}

// branch draws points of one ink.
func branch(
	c *canvas, points []quantity, ink map[string]any, x func(int) float64, at func(float64) float64,
) {
	last := -1
	for i, q := range points {
		if q.Mean == nil {
			continue
		}
		if last >= 0 {
			c.stroke(x(last), at(*points[last].Mean), x(i), at(*q.Mean), ink)
		}
		if q.Low != nil && q.High != nil {
			c.stroke(x(i), at(*q.Low), x(i), at(*q.High), ink)
			for _, end := range []float64{*q.Low, *q.High} {
				c.stroke(x(i)-5, at(end), x(i)+5, at(end), ink)
			}
		}
		c.rect(x(i)-3, at(*q.Mean)-3, 6, 6, ink["stroke"].(string), 18)
		last = i
	}
}

// reach is between which values a curve lies, from 0 on, and how they are written.
func (one curve) reach() (low, high float64, m measure) {
	below := false
	for _, q := range slices.Concat(one.points, one.back) {
		below = below || q.Mean != nil && *q.Mean < 0
		for _, v := range []*float64{q.Mean, q.Low, q.High} {
			if v != nil && !math.IsInf(*v, 0) {
				low, high = math.Min(low, *v), math.Max(high, *v)
			}
		}
	}
	for _, mark := range one.limit.marks(reachOf(one.points)) {
		low, high = math.Min(low, mark.At), math.Max(high, mark.At)
		below = below || mark.At < 0
	}
	if !below {
		low = 0 // what is never below nothing has intervals that reach there
	}
	if high <= low {
		high = low + 1
	}
	return low, high, measured(one.unit, high)
}

// measured is how values of a unit of sweep.json are written.
func measured(unit string, high float64) measure {
	known := map[string]report.Unit{"share": report.Share, "rate": report.Rate,
		"duration": report.Duration, "ratio": report.Factor}[unit]
	m := measureOf(known, high)
	if m.sign == "" {
		m.sign = unit
	}
	return m
}
