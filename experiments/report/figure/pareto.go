package figure

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"cascadesim/experiments/report"
)

// spot is a point of a sweep between two objectives.
type spot struct {
	x, y        quantity
	name        string
	front, best bool
	meets       bool // every constraint
	baseline    bool
	dropped     string // why it was run no further
}

// trade is two objectives against each other.
type trade struct {
	across, up curve // without points: names and units
	spots      []spot
}

// mostTrades is how many pairs of objectives are drawn, mostSpots how many settings all are, and
// mostNamed how many of the front are named in words.
const (
	mostTrades = 3
	mostSpots  = 400
	mostNamed  = 30
)

// Pareto is the objectives of a sweep against each other: the front of the settings than which none
// is better in everything, and the recommended one.
func Pareto(data []byte) (Figure, error) {
	s, err := readSweep(data)
	if err != nil {
		return Figure{}, err
	}
	f := Figure{ID: "cascadesim-pareto", Title: s.Experiment + ": " + s.Question,
		Caption: "Objectives against each other, with their 95 % intervals. Joined: the front, the " +
			"settings that meet every constraint and than which no other is better in every objective. " +
			"Hollow: those that do not meet every constraint."}
	trades := s.trades()
	if len(trades) == 0 {
		return f, fmt.Errorf("pareto: fewer than two objectives have numbers: %w", ErrNothing)
	}
	if s.recommended() >= 0 {
		f.Caption += " Ringed: the recommended one. " + s.Recommendation.Sentence
	}
	var front []string
	for _, one := range trades[0].spots {
		if one.front {
			front = append(front, one.name)
		}
	}
	if n := len(front); n > mostNamed {
		front = append(front[:mostNamed], fmt.Sprintf("%d more", n-mostNamed))
	}
	f.Alt = fmt.Sprintf("%s against %s of %d settings; on the front are %s.", trades[0].up.name,
		trades[0].across.name, len(trades[0].spots), joined(front))
	if len(trades[0].spots) > mostSpots {
		f.Caption += " Of settings that lie upon each other one is drawn, and no interval."
	}
	f.draw = func(f Figure) (map[string]any, int) { return drawTrades(f, trades) }
	return f, nil
}

// objectives are a point's objectives that are numbers, by case and name.
func (s swept) objectives(point int) (names []string, of map[string]quantity) {
	of = map[string]quantity{}
	for _, c := range s.Points[point].Cells {
		for _, q := range s.Cells[c].Quantities {
			name := s.Cells[c].Case + ": " + q.Name
			if _, known := of[name]; q.Kind == "objective" && q.Mean != nil && !known {
				names = append(names, name)
				of[name] = q
			}
		}
	}
	return names, of
}

// trades are the first objective against each of the others.
func (s swept) trades() (out []trade) {
	var names []string
	units := map[string]string{}
	for p := range s.Points {
		more, of := s.objectives(p)
		for _, n := range more {
			if _, known := units[n]; !known {
				names, units[n] = append(names, n), of[n].Unit
			}
		}
	}
	for _, n := range names[min(1, len(names)):] {
		t := trade{across: curve{name: names[0], unit: units[names[0]]},
			up: curve{name: n, unit: units[n]}}
		for p, point := range s.Points {
			_, of := s.objectives(p)
			x, okX := of[names[0]]
			y, okY := of[n]
			if okX && okY {
				t.spots = append(t.spots, spot{x, y, s.pointName(p), point.Front, p == s.recommended(),
					point.Meets, point.Baseline, point.Dropped})
			}
		}
		if len(t.spots) > 0 && len(out) < mostTrades {
			out = append(out, t)
		}
	}
	return out
}

// pointName is a point's values.
func (s swept) pointName(p int) string {
	var words []string
	for _, a := range s.Axes {
		words = append(words, s.Points[p].Values[a])
	}
	return strings.Join(words, ", ")
}

const tradeHeight = 260

func drawTrades(f Figure, trades []trade) (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	y := f.question(c)
	f.tradeKey(c, y+8)
	y += 20
	for _, t := range trades {
		f.trade(c, t, y)
		y += 24 + tradeHeight + 48
	}
	return map[string]any{"graphic": c.elements}, int(y)
}

// tradeKey says what the looks of settings are.
func (f Figure) tradeKey(c *canvas, y float64) {
	x := 22.0
	for _, k := range []struct {
		spot
		word string
	}{{spot{best: true, meets: true}, "recommended"}, {spot{front: true, meets: true}, "on the front"},
		{spot{meets: true}, "meets every constraint"}, {spot{}, "does not meet every constraint"}} {
		f.spot(c, k.spot, x, y)
		c.text(x+14, y, k.word, nil)
		x += wide(k.word, nameSize) + 44
	}
}

// scale is where values of an axis stand.
type scale struct {
	low, high float64
	m         measure
	from, to  float64 // in pixels
}

func (s scale) at(v float64) float64 {
	return s.from + (s.to-s.from)*(v-s.low)/(s.high-s.low)
}

// step is a round distance of ticks, as the scale writes its values.
func (s scale) step() float64 {
	span := (s.high - s.low) / s.m.by
	step := math.Pow(10, math.Floor(math.Log10(span/4)))
	for _, more := range []float64{5, 2} {
		if span/(step*more) >= 3 {
			return step * more
		}
	}
	return step
}

// rounded goes up to a tick. Further up ticks may be further apart, so that it goes on from there.
func (s scale) rounded() scale {
	for range 3 {
		step := s.step() * s.m.by
		s.high = math.Max(s.high, math.Ceil(s.high/step-1e-9)*step)
	}
	return s
}

// ticks are some round values of a scale.
func (s scale) ticks() (out []float64) {
	step := s.step()
	for i := math.Ceil(s.low / s.m.by / step); i*step <= s.high/s.m.by+step*1e-9; i++ {
		out = append(out, i*step*s.m.by)
	}
	return out
}

// scaleOf leaves some room at both ends.
func scaleOf(unit string, values []quantity, from, to float64) scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, q := range values {
		for _, v := range []*float64{q.Mean, q.Low, q.High} {
			if v != nil && !math.IsInf(*v, 0) {
				low, high = math.Min(low, *v), math.Max(high, *v)
			}
		}
	}
	room := (high - low) * 0.08
	if room <= 0 {
		room = math.Max(math.Abs(high)*0.1, 1e-9)
	}
	if low >= 0 {
		low = math.Max(low-room, 0)
	} else {
		low -= room
	}
	return scale{low, high + room, measured(unit, high), from, to}
}

// trade draws one pair of objectives below y.
func (f Figure) trade(c *canvas, t trade, y float64) {
	var xs, ys []quantity
	many := len(t.spots) > mostSpots
	for _, s := range t.spots {
		if many {
			s.x, s.y = quantity{Mean: s.x.Mean}, quantity{Mean: s.y.Mean}
		}
		xs, ys = append(xs, s.x), append(ys, s.y)
	}
	top, bottom := y+24, y+24+tradeHeight
	sx := scaleOf(t.across.unit, xs, leftEdge, rightEdge)
	sy := scaleOf(t.up.unit, ys, bottom, top)
	c.text(16, y+10, shortened(t.up.name+" ("+sy.m.sign+")", 12, Width-40),
		map[string]any{"fontSize": 12, "fontWeight": "bold"})
	for _, v := range sy.ticks() {
		c.stroke(leftEdge, sy.at(v), rightEdge, sy.at(v), map[string]any{"stroke": f.theme().grid})
		c.text(leftEdge-6, sy.at(v), report.Level.Format(v/sy.m.by),
			map[string]any{"textAlign": "right"})
	}
	for _, v := range sx.ticks() {
		c.stroke(sx.at(v), top, sx.at(v), bottom, map[string]any{"stroke": f.theme().grid})
		c.text(sx.at(v), bottom+12, report.Level.Format(v/sx.m.by),
			map[string]any{"textAlign": "center"})
	}
	c.text((leftEdge+rightEdge)/2, bottom+28, shortened(t.across.name+" ("+sx.m.sign+")", 12, 600),
		map[string]any{"fontSize": 12, "fontWeight": "bold", "textAlign": "center"})
	ranked := byRank(t.spots)
	if many {
		ranked = apart(ranked, sx, sy)
	}
	f.front(c, ranked, sx, sy)
	var taken []label // names keep away from each other and from the points
	for _, s := range ranked {
		taken = append(taken, label{sx.at(*s.x.Mean), sy.at(*s.y.Mean), 10})
	}
	for _, s := range slices.Backward(ranked) {
		if !many {
			f.spread(c, s, sx, sy)
		}
		f.spot(c, s, sx.at(*s.x.Mean), sy.at(*s.y.Mean))
	}
	for _, s := range ranked {
		taken = f.name(c, s, sx.at(*s.x.Mean), sy.at(*s.y.Mean), taken)
	}
}

// front joins the settings than which none is better.
func (f Figure) front(c *canvas, spots []spot, sx, sy scale) {
	var on []spot
	for _, s := range spots {
		if s.front {
			on = append(on, s)
		}
	}
	sort.SliceStable(on, func(a, b int) bool { return *on[a].x.Mean < *on[b].x.Mean })
	for i := 1; i < len(on); i++ {
		c.stroke(sx.at(*on[i-1].x.Mean), sy.at(*on[i-1].y.Mean), sx.at(*on[i].x.Mean),
			sy.at(*on[i].y.Mean), map[string]any{"stroke": c.theme.color(0), "lineWidth": 1.4})
	}
}

// spread draws the intervals of a setting.
func (f Figure) spread(c *canvas, s spot, sx, sy scale) {
	ink := map[string]any{"stroke": f.ink(s), "lineWidth": 1, "opacity": 0.6}
	if s.x.Low != nil && s.x.High != nil {
		c.stroke(sx.at(*s.x.Low), sy.at(*s.y.Mean), sx.at(*s.x.High), sy.at(*s.y.Mean), ink)
	}
	if s.y.Low != nil && s.y.High != nil {
		c.stroke(sx.at(*s.x.Mean), sy.at(*s.y.Low), sx.at(*s.x.Mean), sy.at(*s.y.High), ink)
	}
}

func (f Figure) ink(s spot) string {
	switch {
	case s.best:
		return f.theme().color(1)
	case s.front:
		return f.theme().color(0)
	}
	return f.theme().soft
}

// spot draws a setting.
func (f Figure) spot(c *canvas, s spot, x, y float64) {
	fill := f.theme().back
	if s.meets {
		fill = f.ink(s)
	}
	c.disc(x, y, 3.5, map[string]any{"fill": fill, "stroke": f.ink(s), "lineWidth": 1.2})
	if s.best {
		c.disc(x, y, 8, map[string]any{"fill": "none", "stroke": f.ink(s), "lineWidth": 2})
	}
}

// sides are where a name may stand: how far across, in halves of its width, and how far down.
var sides = [][2]float64{{0, -17}, {1, 0}, {-1, 0}, {0, 17}, {0.7, -17}, {-0.7, 17}}

// name writes what a setting is, where that covers none of the others. The recommended one is
// always named.
func (f Figure) name(c *canvas, s spot, x, y float64, taken []label) []label {
	name := s.name
	if s.baseline {
		name += " (baseline)"
	}
	name = shortened(name, nameSize, 200)
	w := wide(name, nameSize) + 4
	for _, side := range sides {
		at := label{x + side[0]*(12+w/2), y + side[1], w}
		if at.x-w/2 < leftEdge || at.x+w/2 > Width-4 || !s.best && !at.free(taken) {
			continue
		}
		style := map[string]any{"textAlign": "center", "fill": f.ink(s)}
		if s.best {
			style["fill"], style["fontWeight"] = f.theme().text, "bold"
		}
		c.text(at.x, at.y, name, style)
		return append(taken, at)
	}
	return taken
}

// byRank puts first whose names matter most: the recommended setting, the front, the baseline.
func byRank(spots []spot) []spot {
	rank := func(s spot) int {
		switch {
		case s.best:
			return 0
		case s.front:
			return 1
		case s.baseline:
			return 2
		}
		return 3
	}
	out := append([]spot(nil), spots...)
	sort.SliceStable(out, func(a, b int) bool { return rank(out[a]) < rank(out[b]) })
	return out
}

// apart keeps of settings that lie upon each other the first.
func apart(ranked []spot, sx, sy scale) (out []spot) {
	const near = 10 // pixels
	seen := map[[2]int]bool{}
	for _, s := range ranked {
		at := [2]int{int(sx.at(*s.x.Mean) / near), int(sy.at(*s.y.Mean) / near)}
		if !seen[at] {
			seen[at] = true
			out = append(out, s)
		}
	}
	return out
}

// disc draws a circle.
func (c *canvas) disc(x, y, r float64, style map[string]any) {
	c.elements = append(c.elements, map[string]any{"type": "circle", "z": 18, "silent": true,
		"shape": map[string]any{"cx": x, "cy": y, "r": r}, "style": style})
}
