package figure

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"cascadesim/experiments/report"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

const (
	titleRoom   = 34
	panelHeight = 150
	panelHead   = 40 // its title and its legend
	axisRoom    = 40
	keyWidth    = 26 // of a line in a legend: what its dashes need
)

// Option is what ECharts draws, as JSON that is safe within a script element, and the height of the
// picture.
func (f Figure) Option() ([]byte, int, error) {
	var option map[string]any
	var height int
	switch {
	case f.draw != nil:
		option, height = f.draw(f)
	case f.Graph != nil:
		option, height = f.graphOption()
	case len(f.Curves) > 0:
		option, height = f.curveOption()
	case len(f.Panels) > 0 && f.Panels[0].Bars != nil:
		option, height = f.barOption()
	default:
		option, height = f.panelOption()
	}
	t := f.theme()
	option["backgroundColor"] = t.back
	option["animation"] = false
	option["useUTC"] = true
	option["textStyle"] = map[string]any{"fontFamily": font, "color": t.text}
	data, err := json.Marshal(option)
	if err != nil {
		return nil, 0, fmt.Errorf("draw %s: it has a number that cannot be drawn: %w", f.ID, err)
	}
	return data, height, nil
}

// canvas collects what is drawn at fixed places.
type canvas struct {
	theme    theme
	elements []any
}

// text writes at a place what names of strangers cannot steer; align is left, center or right.
func (c *canvas) text(x, y float64, s string, style map[string]any) {
	st := map[string]any{"text": report.Visible(s), "x": even(x), "y": even(y), "fontFamily": font,
		"fontSize": nameSize, "fill": c.theme.text, "textVerticalAlign": "middle"}
	for k, v := range style {
		st[k] = v
	}
	c.elements = append(c.elements, map[string]any{"type": "text", "z": 20, "silent": true,
		"style": st})
}

// even is a place in hundredths of a pixel: ECharts rounds those of shapes, and of texts writes all
// digits, the last of which differ between machines.
func even(v float64) float64 { return math.Round(v*100) / 100 }

// rect fills a rectangle.
func (c *canvas) rect(x, y, w, h float64, fill string, z int) {
	c.elements = append(c.elements, map[string]any{"type": "rect", "z": z, "silent": true,
		"shape": map[string]any{"x": x, "y": y, "width": w, "height": h},
		"style": map[string]any{"fill": fill}})
}

// stroke draws a line.
func (c *canvas) stroke(x0, y0, x1, y1 float64, style map[string]any) {
	c.elements = append(c.elements, map[string]any{"type": "line", "z": 15, "silent": true,
		"shape": map[string]any{"x1": x0, "y1": y0, "x2": x1, "y2": y1}, "style": style})
}

// question writes a title that asks something, in two lines when it is long, and says where what is
// below it begins.
func (f Figure) question(c *canvas) float64 {
	words, line := strings.Fields(f.Title), ""
	style := map[string]any{"fontSize": 15, "fontWeight": "bold"}
	for i, word := range words {
		if longer := strings.TrimSpace(line + " " + word); wide(longer, 18) <= Width-32 || line == "" {
			line = longer
			continue
		}
		c.text(16, 18, line, style)
		c.text(16, 38, shortened(strings.Join(words[i:], " "), 18, Width-32), style)
		return titleRoom + 20
	}
	c.text(16, 18, shortened(line, 18, Width-32), style)
	return titleRoom
}

// heading writes the title.
func (f Figure) heading(c *canvas) {
	c.text(16, 18, shortened(f.Title, 18, Width-32), map[string]any{"fontSize": 15,
		"fontWeight": "bold"})
}

// patched is the option of lines with what go-echarts cannot say.
func (f Figure) patched(line *charts.Line, hints []map[string]any) map[string]any {
	line.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: f.ID, Theme: "none"}),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true), Trigger: "axis"}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(false)}),
	)
	line.Validate()
	option := map[string]any{}
	data, err := json.Marshal(line.JSON())
	if err == nil {
		err = json.Unmarshal(data, &option)
	}
	if err != nil {
		panic(fmt.Sprintf("figure: options that are no JSON: %v", err))
	}
	delete(option, "title")
	delete(option, "toolbox")
	if all, ok := option["series"].([]any); ok {
		for i := range all {
			one := all[i].(map[string]any)
			for k, v := range hints[i] {
				one[k] = v
			}
		}
	}
	return option
}

// series is one line.
func (f Figure) series(l Line, m measure) charts.SingleSeries {
	return charts.SingleSeries{Name: l.Name, Type: "line", Data: f.points(l, m),
		ShowSymbol: opts.Bool(false), Animation: opts.Bool(false),
		ItemStyle: &opts.ItemStyle{Color: f.lineInk(l)}}
}

// points are the values of a line, each in the middle of its bin: a mean over a bin says nothing of
// what came before it. Where a line begins or ends it is as wide as the bin there, so that a value
// without neighbours is seen.
func (f Figure) points(l Line, m measure) (out []any) {
	step := covered(f, l) * 1000 / float64(max(len(l.Values), 1))
	put := func(bins float64, value any) {
		out = append(out, []any{f.start() + int64(math.Round(bins*step)), value})
	}
	exists := func(i int) bool {
		return i >= 0 && i < len(l.Values) && m.value(l.Values[i]) != nil
	}
	for i, v := range l.Values {
		from, value := float64(i), m.value(v)
		if exists(i) && !exists(i-1) {
			put(from, value)
		}
		put(from+0.5, value)
		if exists(i) && !exists(i+1) {
			put(from+1, value)
		}
	}
	return out
}

// start is the first instant in what ECharts calls a time.
func (f Figure) start() int64 {
	if f.Clock.Epoch.IsZero() {
		return 0
	}
	return f.Clock.Epoch.UnixMilli()
}

// legend writes a panel's title and the names of its lines, and says how high that is.
func (f Figure) legend(c *canvas, p Panel, m measure, y float64) float64 {
	title := p.Title
	if m.sign != "" {
		title += " (" + m.sign + ")"
	}
	first, end := f.margin(), f.right()
	c.text(first, y+10, abridged(title, 14, end-first), map[string]any{"fontSize": 12,
		"fontWeight": "bold"})
	x, row := first, 0
	for _, l := range p.Lines {
		name := abridged(l.Name, nameSize, 240)
		length := wide(name, nameSize) + keyWidth + 18
		if x+length > end && x > first {
			x, row = first, row+1
		}
		at := y + 27 + float64(row)*14
		c.stroke(x, at, x+keyWidth, at, map[string]any{"stroke": f.lineInk(l), "lineWidth": 2.2,
			"lineDash": p.dash(l)})
		c.text(x+keyWidth+4, at, name, nil)
		x += length
	}
	return panelHead + float64(row)*14
}

// bands draws the timeline: a bar and a name for each span, and its shade in all panels. Of what
// stays, and of stages, which would shade all that their control does, it is where they begin.
func (f Figure) bands(c *canvas, lanes []lane, top float64, panels [][2]float64) {
	more := 0
	for _, l := range lanes {
		if l.row < 0 {
			more++
		} else {
			f.bar(c, l, top+float64(l.row)*laneStep)
		}
		for _, p := range panels {
			if math.IsNaN(l.span.End) || l.span.Verb == "stage" || l.x1-l.x0 < 4 {
				c.stroke(l.x0, p[0], l.x0, p[1], map[string]any{"stroke": f.theme().soft,
					"lineWidth": 1, "lineDash": []int{2, 3}})
				continue
			}
			c.rect(l.x0, p[0], l.x1-l.x0, p[1]-p[0], f.theme().band, -10)
		}
	}
	if more > 0 {
		c.text(f.left(), top+mostLanes*laneStep+7, fmt.Sprintf("and %d more, shaded below", more),
			map[string]any{"fill": f.theme().soft})
	}
}

// bar draws a span with its name.
func (f Figure) bar(c *canvas, l lane, y float64) {
	c.rect(l.x0, y+2, l.x1-l.x0, 9, f.theme().soft, 10)
	align := map[string]any{}
	if l.textLeft {
		align["textAlign"] = "right"
	}
	c.text(l.textX, y+7, l.text, align)
}
