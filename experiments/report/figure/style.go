package figure

import (
	"math"
	"strconv"
	"strings"

	"cascadesim/experiments/report"
)

// The palettes are told apart by people who see few colours (Okabe and Ito, darker where white
// paper needs it); that of dark pages has the same colours lighter, in the same order.
var (
	onLight = [...]string{
		"#0072B2", "#D55E00", "#009E73", "#AA4499", "#B8860B", "#4A97CC", "#7A5230", "#555555",
	}
	onDark = [len(onLight)]string{
		"#3D9BE0", "#F0803C", "#2FBF92", "#D27CC4", "#E0B03A", "#9CCBF2", "#C79A6B", "#A9B0BB",
	}
)

// theme is the colours of a page.
type theme struct {
	back, text, soft, grid, band, alarm string
	lines                               *[len(onLight)]string
}

// color is that of line i.
func (t theme) color(i int) string {
	n := len(t.lines)
	return t.lines[(i%n+n)%n]
}

// dashes tell lines apart where colours do not: in grey print, and for some eyes. Six of them and
// eight colours give two dozen lines looks of their own.
var dashes = [...][]float64{{}, {6, 2}, {2, 2}, {9, 3, 2, 3}, {14, 4}, {9, 3, 2, 2, 2, 3}}

// dash is how a line is broken. A line alone is whole, and a limit has thin dashes of its own.
func (p Panel) dash(l Line) []float64 {
	if l.Level {
		return []float64{8, 4}
	}
	limits := 0
	for _, o := range p.Lines {
		if o.Level {
			limits++
		}
	}
	if len(p.Lines)-limits == 1 {
		return nil
	}
	return dashes[l.Color%len(dashes)]
}

// lineInk is the colour of a line.
func (f Figure) lineInk(l Line) string {
	if l.Level {
		return f.theme().soft
	}
	return f.theme().color(l.Color)
}

// lineStyle is a line of a panel as ECharts is told: go-echarts knows no dashes of one's own.
func (f Figure) lineStyle(p Panel, l Line) map[string]any {
	style := map[string]any{"color": f.lineInk(l), "width": 1.7}
	if l.Level {
		style["width"] = 1.2
	}
	if dash := p.dash(l); len(dash) > 0 {
		style["type"] = dash
	}
	return style
}

var (
	light = theme{"#ffffff", "#1f2937", "#6b7280", "#e5e7eb", "#f3e3d3", "#b91c1c", &onLight}
	dark  = theme{"#111827", "#e5e7eb", "#9ca3af", "#374151", "#3b2f26", "#f87171", &onDark}
)

func (f Figure) theme() theme {
	if f.Dark {
		return dark
	}
	return light
}

// font is one that every machine has something for.
const font = "Helvetica, Arial, 'Liberation Sans', sans-serif"

// wide is about how many pixels a text takes: there is no screen to ask.
func wide(text string, size float64) float64 {
	n := 0.0
	for _, r := range text {
		switch {
		case strings.ContainsRune("iljt.,:;'|!()[] ", r):
			n += 0.34
		case strings.ContainsRune("mwMW%@", r):
			n += 0.9
		case r > 0x2e80:
			n += 1.05
		default:
			n += 0.58
		}
	}
	return n * size
}

// shortened cuts a text to a width.
func shortened(text string, size, room float64) string {
	if wide(text, size) <= room {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && wide(string(runes)+"…", size) > room {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}

// abridged cuts a name to a width in its middle: names of one world often begin alike, and end in
// what tells them apart.
func abridged(name string, size, room float64) string {
	if wide(name, size) <= room {
		return name
	}
	runes := []rune(name)
	tail := len(runes) / 3
	for tail > 1 && wide(string(runes[len(runes)-tail:]), size) > room/2 {
		tail--
	}
	end := string(runes[len(runes)-tail:])
	for head := len(runes) - tail; head > 1; head-- {
		if text := string(runes[:head]) + "…" + end; wide(text, size) <= room {
			return text
		}
	}
	return shortened(name, size, room)
}

// measure is how a panel's numbers are written: what they are divided by, and the sign.
type measure struct {
	by   float64
	sign string
}

// measureOf picks thousands, millions or percent by the largest value.
func measureOf(u report.Unit, top float64) measure {
	switch u {
	case report.Share:
		return measure{0.01, "%"}
	case report.Factor:
		return measure{1, "x"}
	case report.Duration:
		if top < 0.9 {
			return measure{1e-3, "ms"}
		}
		return measure{1, "s"}
	}
	m := measure{1, ""}
	switch {
	case top >= 2e6:
		m = measure{1e6, "M"}
	case top >= 2e3:
		m = measure{1e3, "k"}
	}
	if u == report.Rate {
		m.sign += "/s"
	}
	return m
}

// value is a number in a measure with five figures; nil is a gap.
func (m measure) value(x float64) any {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	v, err := strconv.ParseFloat(strconv.FormatFloat(x/m.by, 'g', 5, 64), 64)
	if err != nil {
		return nil
	}
	return v
}

// peak is the largest value of some lines.
func peak(lines []Line) float64 {
	top := 0.0
	for _, l := range lines {
		for _, v := range l.Values {
			if v > top && !math.IsInf(v, 0) {
				top = v
			}
		}
	}
	return top
}
