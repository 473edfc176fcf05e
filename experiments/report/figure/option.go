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
		return nil, 0, fmt.Errorf("figure %s: %w", f.ID, err)
	}
	return data, height, nil
}

// canvas collects what is drawn at fixed places.
type canvas struct {
	theme    theme
	elements []any
}

// text writes at a place; align is left, center or right.
func (c *canvas) text(x, y float64, s string, style map[string]any) {
	st := map[string]any{"text": s, "x": x, "y": y, "fontFamily": font, "fontSize": nameSize,
		"fill": c.theme.text, "textVerticalAlign": "middle"}
	for k, v := range style {
		st[k] = v
	}
	c.elements = append(c.elements, map[string]any{"type": "text", "z": 20, "silent": true,
		"style": st})
}

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
	length := f.Length
	if l.Length > 0 {
		length = l.Length
	}
	step := length * 1000 / float64(max(len(l.Values), 1))
	data := make([]any, len(l.Values))
	for i, v := range l.Values {
		data[i] = []any{f.start() + int64(math.Round(float64(i)*step)), m.value(v)}
	}
	s := charts.SingleSeries{Name: l.Name, Type: "line", Data: data, ShowSymbol: opts.Bool(false),
		Animation: opts.Bool(false)}
	style := &opts.LineStyle{Width: 1.7, Color: f.theme().color(l.Color)}
	if l.Dashed {
		style.Type = "dashed"
	}
	if l.Level {
		style.Color, style.Width, style.Type = f.theme().soft, 1.2, "dashed"
	}
	s.LineStyle = style
	s.ItemStyle = &opts.ItemStyle{Color: style.Color}
	return s
}

// start is the first instant in what ECharts calls a time.
func (f Figure) start() int64 {
	if f.Clock.Epoch.IsZero() {
		return 0
	}
	return f.Clock.Epoch.UnixMilli()
}

func (f Figure) timeAxis(grid int, last bool) map[string]any {
	t, ticks := f.theme(), 8
	if f.column > 0 {
		ticks = 4
	}
	format := "{HH}:{mm}"
	if f.Clock.Epoch.IsZero() && f.Length < 3600 {
		format = "{mm}:{ss}"
	}
	name := ""
	if last {
		name = f.Clock.Name()
	}
	return map[string]any{"type": "time", "gridIndex": grid, "min": f.start(),
		"max": f.start() + int64(f.Length*1000), "splitNumber": ticks,
		"name": name, "nameLocation": "middle", "nameGap": 24,
		"nameTextStyle": map[string]any{"color": t.soft, "fontSize": 11, "fontFamily": font},
		"axisLabel": map[string]any{"show": last, "formatter": format, "fontFamily": font,
			"color":    t.text,
			"fontSize": 11, "hideOverlap": true},
		"axisLine":  map[string]any{"lineStyle": map[string]any{"color": t.soft}},
		"axisTick":  map[string]any{"show": last},
		"splitLine": map[string]any{"show": true, "lineStyle": map[string]any{"color": t.grid}}}
}

// valueAxis is that of a panel whose largest value is top. Panels beside each other have the same.
func (f Figure) valueAxis(grid int, p Panel, m measure, top float64) map[string]any {
	t := f.theme()
	axis := map[string]any{"type": "value", "gridIndex": grid, "min": 0, "splitNumber": 4,
		"axisLabel": map[string]any{"color": t.text, "fontSize": 11, "fontFamily": font},
		"splitLine": map[string]any{"lineStyle": map[string]any{"color": t.grid}}}
	switch {
	case p.Unit == report.Share && top > 0.8:
		axis["max"], axis["interval"] = 100, 25
	case f.column > 0 && top > 0:
		s := scale{0, top, m, 0, 1}
		step := s.step()
		axis["max"], axis["interval"] = m.value(math.Ceil(top/m.by/step)*step*m.by), step
	}
	return axis
}

// legend writes a panel's title and the names of its lines, and says how high that is.
func (f Figure) legend(c *canvas, p Panel, m measure, y float64) float64 {
	title := p.Title
	if m.sign != "" {
		title += " (" + m.sign + ")"
	}
	first, end := f.margin(), f.right()
	c.text(first, y+10, shortened(title, 14, end-first), map[string]any{"fontSize": 12,
		"fontWeight": "bold"})
	x, row := first, 0
	for _, l := range p.Lines {
		name := abridged(l.Name, nameSize, 240)
		length := wide(name, nameSize) + 34
		if x+length > end && x > first {
			x, row = first, row+1
		}
		at := y + 27 + float64(row)*14
		style := map[string]any{"stroke": f.theme().color(l.Color), "lineWidth": 2.2}
		if l.Level {
			style["stroke"] = f.theme().soft
		}
		if l.Dashed || l.Level {
			style["lineDash"] = []int{4, 3}
		}
		c.stroke(x, at, x+16, at, style)
		c.text(x+20, at, name, nil)
		x += length
	}
	return panelHead + float64(row)*14
}

// bands draws the timeline: a bar and a name for each span, and its shade in all panels. Of what
// stays, and of stages, which would shade all that their control does, it is where they begin.
func (f Figure) bands(c *canvas, lanes []lane, top float64, panels [][2]float64) {
	for _, l := range lanes {
		y := top + float64(l.row)*laneStep
		c.rect(l.x0, y+2, l.x1-l.x0, 9, f.theme().soft, 10)
		align := map[string]any{}
		if l.textLeft {
			align["textAlign"] = "right"
		}
		c.text(l.textX, y+7, l.text, align)
		for _, p := range panels {
			if math.IsNaN(l.span.End) || l.span.Verb == "stage" || l.x1-l.x0 < 4 {
				c.stroke(l.x0, p[0], l.x0, p[1], map[string]any{"stroke": f.theme().soft,
					"lineWidth": 1, "lineDash": []int{2, 3}})
				continue
			}
			c.rect(l.x0, p[0], l.x1-l.x0, p[1]-p[0], f.theme().band, -10)
		}
	}
}
