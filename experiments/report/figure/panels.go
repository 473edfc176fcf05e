package figure

import (
	"math"
	"slices"

	"github.com/go-echarts/go-echarts/v2/charts"
)

// plots collects what ECharts draws of panels.
type plots struct {
	grids, xs, ys []any
	line          *charts.Line
	hints         []map[string]any // by series: what go-echarts cannot say
}

// panelOption lays panels below each other, over one axis of time; those of a figure beside it are
// the second column.
func (f Figure) panelOption() (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	f.heading(c)
	columns := f.columns()
	top := float64(titleRoom)
	if len(columns) > 1 {
		for _, one := range columns {
			c.text(one.margin(), top+8, shortened(one.Name, 14, one.right()-one.margin()),
				map[string]any{"fontSize": 13, "fontWeight": "bold", "fill": f.theme().soft})
		}
		top += 22
	}
	lanes, rows := make([][]lane, len(columns)), 0
	for k, one := range columns {
		var n int
		lanes[k], n = one.lanes()
		rows = max(rows, n)
	}
	y := top + float64(rows*laneStep)
	if rows > 0 {
		y += 6
	}
	all := plots{line: charts.NewLine()}
	var shades [][2]float64 // from and to of each panel, for what the timeline did
	for i := range columns[0].Panels {
		from, height := all.row(c, columns, i, y)
		shades = append(shades, [2]float64{from, from + height})
		y = from + height + 8
	}
	for k, one := range columns {
		one.bands(c, lanes[k], top, shades)
	}
	option := f.patched(all.line, all.hints)
	option["grid"], option["xAxis"], option["yAxis"] = all.grids, all.xs, all.ys
	option["graphic"] = c.elements
	return option, int(y) + axisRoom - 8
}

// row draws the panels of a number, and says from where on and how high.
func (a *plots) row(c *canvas, columns []Figure, i int, y float64) (from, height float64) {
	top, head := 0.0, 0.0
	height = panelHeight
	for _, one := range columns {
		p := one.Panels[i]
		top = max(top, peak(p.Lines))
		if p.Height > 0 {
			height = float64(p.Height)
		}
	}
	m := measureOf(columns[0].Panels[i].Unit, top)
	for _, one := range columns {
		head = max(head, one.legend(c, one.Panels[i], m, y))
	}
	last := i == len(columns[0].Panels)-1
	if last {
		for _, one := range columns {
			one.times(c, y+head+height)
		}
	}
	for _, one := range columns {
		p, grid := one.Panels[i], len(a.grids)
		a.grids = append(a.grids, map[string]any{"left": one.left(), "top": y + head,
			"height": height, "width": one.right() - one.left()})
		a.xs = append(a.xs, one.timeAxis(grid, last))
		a.ys = append(a.ys, one.valueAxis(grid, p, m, top))
		if !p.hasValues() {
			c.text((one.left()+one.right())/2, y+head+height/2, "no values",
				map[string]any{"textAlign": "center", "fill": one.theme().soft})
		}
		for k, l := range p.Lines {
			a.band(one, l, m, grid, k)
			a.add(one.series(l, m), grid, map[string]any{"lineStyle": one.lineStyle(p, l)})
		}
	}
	return y + head, height
}

// hasValues says whether there is anything to draw but limits.
func (p Panel) hasValues() bool {
	return slices.ContainsFunc(p.Lines, func(l Line) bool {
		return !l.Level && slices.ContainsFunc(l.Values, func(v float64) bool {
			return !math.IsNaN(v) && !math.IsInf(v, 0)
		})
	})
}

// add takes in a series of a grid.
func (a *plots) add(s charts.SingleSeries, grid int, more map[string]any) {
	hint := map[string]any{"xAxisIndex": grid, "yAxisIndex": grid}
	for k, v := range more {
		hint[k] = v
	}
	a.line.MultiSeries = append(a.line.MultiSeries, s)
	a.hints = append(a.hints, hint)
}

// band shades between the bounds of a line: one series up to the lower one, which is not seen, and
// the rest stacked on it.
func (a *plots) band(f Figure, l Line, m measure, grid, k int) {
	if l.Low == nil {
		return
	}
	rest := make([]float64, len(l.Low))
	for i := range rest {
		rest[i] = l.High[i] - l.Low[i]
	}
	stack := "band " + string(rune('a'+k)) + " " + string(rune('a'+grid))
	for i, values := range [][]float64{l.Low, rest} {
		name := l.Name + [2]string{", from", ", wide"}[i]
		s := f.series(Line{Name: name, Values: values, Color: l.Color, Length: l.Length}, m)
		// Not by opts.LineStyle, which leaves out a width of 0.
		more := map[string]any{"stack": stack, "lineStyle": map[string]any{"width": 0},
			"stackStrategy": "all", "silent": true,
			"tooltip": map[string]any{"show": false}}
		if i == 1 {
			more["areaStyle"] = map[string]any{"color": f.theme().color(l.Color), "opacity": 0.22}
		}
		a.add(s, grid, more)
	}
}

// columns is the figure alone, or with the one beside it. Each then has the panels of both, and
// lines of one name have one colour.
func (f Figure) columns() []Figure {
	if f.Beside == nil {
		return []Figure{f}
	}
	left, right := f, *f.Beside
	left.column, right.column, right.Dark = 1, 2, f.Dark
	left.Panels, right.Panels = nil, nil
	for _, p := range append(append([]Panel{}, f.Panels...), f.Beside.Panels...) {
		if _, known := panelOf(left.Panels, p.key()); known {
			continue
		}
		a, okA := panelOf(f.Panels, p.key())
		b, okB := panelOf(f.Beside.Panels, p.key())
		if !okA {
			a = Panel{Title: p.Title + ": nothing", Unit: p.Unit, Key: p.key(), Height: p.Height}
		}
		if !okB {
			b = Panel{Title: p.Title + ": nothing", Unit: p.Unit, Key: p.key(), Height: p.Height}
		}
		left.Panels, right.Panels = append(left.Panels, a), append(right.Panels, b.colouredLike(a))
	}
	return []Figure{left, right}
}

func (p Panel) key() string {
	if p.Key != "" {
		return p.Key
	}
	return p.Title
}

func panelOf(panels []Panel, key string) (Panel, bool) {
	for _, p := range panels {
		if p.key() == key {
			return p, true
		}
	}
	return Panel{}, false
}

func (p Panel) lineOf(name string) (Line, bool) {
	for _, l := range p.Lines {
		if l.Name == name {
			return l, true
		}
	}
	return Line{}, false
}

// colouredLike gives lines the colours that those of the same names have in another panel.
func (p Panel) colouredLike(other Panel) Panel {
	lines := append([]Line(nil), p.Lines...)
	for i := range lines {
		if same, ok := other.lineOf(lines[i].Name); ok {
			lines[i].Color = same.Color
		}
	}
	p.Lines = lines
	return p
}

// Beside puts two figures of one kind beside each other, on the same scales.
func Beside(a, b Figure) Figure {
	a.Title = a.Name + " and " + b.Name
	a.Caption += " Left: " + a.Name + "; right: " + b.Name + ", on the same scales."
	a.Alt = a.Name + ": " + a.Alt + " " + b.Name + ": " + b.Alt
	a.Beside = &b
	return a
}

// Plotted says whether a figure has panels of lines, which can have bands and stand beside others.
func (f Figure) Plotted() bool {
	return len(f.Panels) > 0 && f.Panels[0].Bars == nil
}
