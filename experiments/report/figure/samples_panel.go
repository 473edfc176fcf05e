package figure

import (
	"math"
	"slices"

	"cascadesim/experiments/report"
	"cascadesim/model/check"
)

const (
	sampleColumns = 3
	sampleHeight  = 120
)

// samplePanel is one quantity over one axis.
type samplePanel struct {
	scatter
	over     along
	of       strewn
	up       scale
	from, to float64 // across, in pixels
}

// samples draws a row of panels for each quantity, of as many as the page is wide.
func (f Figure) samples(sc scatter) (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	y := f.question(c)
	for _, of := range sc.of {
		over := sc.mattering(of)
		if len(over) == 0 {
			continue
		}
		low, high, m := curve{unit: of.unit, points: of.points, limit: of.limit}.reach()
		title := of.name + " (" + m.sign + ")" + of.limit.said(of.limit.marks(reachOf(of.points)))
		c.text(16, y+10, shortened(title, 12, Width-40), map[string]any{"fontSize": 12,
			"fontWeight": "bold"})
		y += 26
		const wide = float64(rightEdge-leftEdge-(sampleColumns-1)*24) / sampleColumns
		for row := range slices.Chunk(over, sampleColumns) {
			for k, a := range row {
				from := leftEdge + float64(k)*(wide+24)
				p := samplePanel{sc, a, of, scale{low, high, m, y + sampleHeight, y}, from, from + wide}
				p.draw(c, k == 0)
			}
			y += sampleHeight + 40
		}
		y += 6
	}
	return map[string]any{"graphic": c.elements}, int(y)
}

// draw draws the panel; the first of a row has numbers on its left.
func (p samplePanel) draw(c *canvas, first bool) {
	for _, v := range p.up.ticks() {
		c.stroke(p.from, p.up.at(v), p.to, p.up.at(v), map[string]any{"stroke": c.theme.grid})
		if first {
			c.text(leftEdge-6, p.up.at(v), report.Level.Format(v/p.up.m.by),
				map[string]any{"textAlign": "right"})
		}
	}
	for _, mark := range p.of.limit.marks(reachOf(p.of.points)) {
		y := p.up.at(mark.At)
		c.stroke(p.from, y, p.to, y, map[string]any{"stroke": c.theme.text, "lineWidth": 1.2,
			"lineDash": []int{5, 4}})
	}
	at := p.ticks(c)
	c.text((p.from+p.to)/2, p.up.from+26, shortened(p.over.title(), nameSize, p.to-p.from),
		map[string]any{"textAlign": "center", "fill": c.theme.soft})
	for k, i := range p.points {
		if q, x := p.of.points[k], p.over.at[k]; q.Mean != nil && x != nil {
			p.setting(c, at(*x), q, spot{best: i == p.recommended(), meets: p.Points[i].Meets})
		}
	}
}

// setting draws one, with its interval.
func (p samplePanel) setting(c *canvas, x float64, q quantity, s spot) {
	ink, fill := c.theme.soft, c.theme.back
	switch {
	case s.best:
		ink = c.theme.color(1)
	case s.meets:
		ink = c.theme.color(0)
	}
	if s.meets {
		fill = ink
	}
	if q.Low != nil && q.High != nil {
		c.stroke(x, p.up.at(max(*q.Low, p.up.low)), x, p.up.at(*q.High), map[string]any{
			"stroke": ink, "opacity": 0.5})
	}
	c.disc(x, p.up.at(*q.Mean), 2.6, map[string]any{"fill": fill, "stroke": ink})
	if s.best {
		c.disc(x, p.up.at(*q.Mean), 7, map[string]any{"fill": "none", "stroke": ink, "lineWidth": 2})
	}
}

// ticks writes values below the panel, and gives back where a place of the axis stands.
func (p samplePanel) ticks(c *canvas) func(float64) float64 {
	tick := func(x float64, text string, room float64) {
		c.text(x, p.up.from+12, shortened(text, nameSize, room), map[string]any{"textAlign": "center"})
	}
	if n := len(p.over.Values); n > 0 {
		step := (p.to - p.from) / float64(n)
		for i, name := range p.over.Values {
			tick(p.from+step*(float64(i)+0.5), name, step-4)
		}
		return func(v float64) float64 { return p.from + step*(v+0.5) }
	}
	low, high := p.over.ends()
	across := scale{low, high, measure{by: 1}, p.from + 8, p.to - 8}
	if !p.over.Log {
		for _, v := range across.ticks() {
			tick(across.at(v), check.Format(v, check.Unit(p.over.asUnit())), 60)
		}
		return across.at
	}
	across.low, across.high = math.Log10(low), math.Log10(high)
	for _, v := range decades(low, high) {
		tick(across.at(math.Log10(v)), check.Format(v, check.Unit(p.over.asUnit())), 60)
	}
	return func(v float64) float64 { return across.at(math.Log10(v)) }
}

// decades are round values of a logarithmic axis: powers of ten, with halves between when those are
// few.
func decades(low, high float64) (out []float64) {
	parts := []float64{1}
	if math.Log10(high/low) < 2 {
		parts = []float64{1, 2, 5}
	}
	for p := math.Floor(math.Log10(low)); p <= math.Log10(high); p++ {
		for _, part := range parts {
			if v := part * math.Pow(10, p); v >= low*(1-1e-9) && v <= high*(1+1e-9) {
				out = append(out, v)
			}
		}
	}
	return out
}
