package report

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Axis is the time axis that all charts of a page share: bin i covers Step seconds from
// Start + i*Step.
type Axis struct {
	Clock Clock
	Start float64 // seconds after the start of the run
	Step  float64 // seconds
	Bins  int
}

// Time is the start of bin i, in seconds after the start of the run.
func (a Axis) Time(i int) float64 { return a.Start + float64(float64(i)*a.Step) }

// millis is what ECharts calls a time: milliseconds of Unix time, or from the start of the run.
func (a Axis) millis(s float64) int64 {
	ms := int64(math.Round(s * 1000))
	if a.Clock.Epoch.IsZero() {
		return ms
	}
	return a.Clock.Epoch.UnixMilli() + ms
}

// Span is a moment that all charts mark, or a stretch of time that they shade.
type Span struct {
	At   float64 // seconds after the start of the run
	End  float64 // NaN: it stays, so that only its start is marked
	Name string
	Doc  string
	Verb string // what it does: fault, pause, set, stage
}

// Line is one line of a chart: a value for each bin of the axis, NaN where there is none.
type Line struct {
	Name   string
	Values []float64
	// Peaks are the highest window of each bin, drawn thin above the bin's mean; nil: a bin is a
	// window, or it would say nothing.
	Peaks []float64
	// Color is the number of a colour of the page's palette, counted from 1, for lines that
	// belong together; 0 takes the next one.
	Color int
	// Second is of the other line of a pair in one colour.
	Second bool
}

// Chart is lines over time.
type Chart struct {
	ID    string // of the element, fixed so that pages are equal to the byte
	Title string
	Doc   string // how to read it
	Unit  Unit
	Lines []Line
	// Limit is a level to compare with, such as 1 for a utilization; 0: none.
	Limit float64
}

// Option builds what ECharts draws, as JSON that is safe within a script element. The values of a
// line stand alone; the page's script adds the times, which are the same for all lines.
func (c Chart) Option(axis Axis, spans []Span) ([]byte, error) {
	line := charts.NewLine()
	line.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: c.ID, Theme: "none"}),
		charts.WithAnimation(false),
		charts.WithTooltipOpts(opts.Tooltip{
			Show: opts.Bool(true), Trigger: "axis",
		}),
		charts.WithLegendOpts(opts.Legend{
			Show: opts.Bool(true), Type: "scroll", Top: "4", Left: "56", Right: "16",
		}),
		charts.WithXAxisOpts(opts.XAxis{Type: "time"}),
		charts.WithYAxisOpts(opts.YAxis{Type: "value"}),
		charts.WithGridOpts(opts.Grid{Top: "40", Left: "64", Right: "24", Bottom: "52"}),
		charts.WithDataZoomOpts(
			opts.DataZoom{Type: "inside", XAxisIndex: []int{0}},
			opts.DataZoom{Type: "slider", XAxisIndex: []int{0}},
		),
	)
	for i, l := range c.Lines {
		line.MultiSeries = append(line.MultiSeries, c.series(i, l, axis, spans))
	}
	line.Validate()
	option := line.JSON()
	// Not in go-echarts: times are shown in UTC, whatever the zone of the reader.
	option["useUTC"] = true
	option["cascadesim"] = pageHints{
		Unit: c.Unit, Start: axis.millis(axis.Start), Step: axis.Step * 1000,
		Epoch: !axis.Clock.Epoch.IsZero(), Colors: c.colors(), Dashes: c.dashes(),
		Peaks: c.peaks(),
	}
	data, err := json.Marshal(option)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", c.ID, err)
	}
	return data, nil
}

// pageHints tell the page's script what an option cannot say without code.
type pageHints struct {
	Unit   Unit    `json:"unit"`
	Start  int64   `json:"start"` // of the first bin, ms
	Step   float64 `json:"step"`  // ms
	Epoch  bool    `json:"epoch"`
	Colors []int   `json:"colors"` // by line, counted from 0
	Dashes []int   `json:"dashes"` // by line, counted from 0
	// Peaks are by line; a line without any has none. Left out when no line has.
	Peaks [][]any `json:"peaks,omitempty"`
}

func (c Chart) peaks() [][]any {
	if !slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Peaks != nil }) {
		return nil
	}
	out := make([][]any, len(c.Lines))
	for i, l := range c.Lines {
		out[i] = rounded(l.Peaks)
	}
	return out
}

// colors are the numbers of the lines' colours in the palette.
func (c Chart) colors() []int {
	out := make([]int, len(c.Lines))
	next := 0
	for i, l := range c.Lines {
		if l.Color > 0 {
			out[i] = l.Color - 1
			continue
		}
		out[i] = next
		next++
	}
	return out
}

// dashes are the numbers of the lines' dashes, which tell them apart in grey print, and for some
// eyes: those of the colours, and where a colour has a pair of lines two of them each. A line alone
// is whole.
func (c Chart) dashes() []int {
	out := c.colors()
	if len(out) == 1 {
		return []int{0}
	}
	paired := slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Second })
	for i, l := range c.Lines {
		if paired {
			out[i] *= 2
		}
		if l.Second {
			out[i]++
		}
	}
	return out
}

func (c Chart) series(i int, l Line, axis Axis, spans []Span) charts.SingleSeries {
	s := charts.SingleSeries{
		Name: l.Name, Type: "line", Data: rounded(l.Values), Animation: opts.Bool(false),
	}
	if i > 0 {
		return s
	}
	// Marks belong to a series in ECharts; the first one carries them.
	marks(spans, axis)(&s)
	if c.Limit > 0 {
		charts.WithMarkLineNameYAxisItemOpts(opts.MarkLineNameYAxisItem{YAxis: c.Limit})(&s)
	}
	return s
}

// marks draws a line where each span begins, with its name along the line, and shades those that
// end.
func marks(spans []Span, axis Axis) charts.SeriesOpts {
	return func(s *charts.SingleSeries) {
		for i, name := range markNames(spans, axis) {
			if i > 0 && spans[i-1].At == spans[i].At {
				continue
			}
			charts.WithMarkLineNameXAxisItemOpts(opts.MarkLineNameXAxisItem{
				Name: name, XAxis: axis.millis(spans[i].At),
			})(s)
		}
		for _, span := range spans {
			if math.IsNaN(span.End) || span.Verb == "stage" {
				continue // stages follow each other, and would shade all that a control does
			}
			charts.WithMarkAreaData([]opts.MarkAreaData{
				{XAxis: axis.millis(span.At)}, {XAxis: axis.millis(span.End)},
			})(s)
		}
		if s.MarkLines != nil {
			s.MarkLines.MarkLineStyle = opts.MarkLineStyle{Symbol: []string{"none", "none"}}
		}
	}
}

// markApart is the part of the axis that a name needs for itself, and markLength how many letters
// the height of a chart has room for.
const (
	markApart  = 0.02
	markLength = 36
)

// markNames are what stands at the lines of spans, in their order. Names of lines so close together
// that they would cover each other stand at the first of them, and the others have none. When that
// makes one too long, all are letters, which the table of the timeline explains.
func markNames(spans []Span, axis Axis) []string {
	apart := axis.Step * float64(axis.Bins) * markApart
	join := func(name func(int) string, between string) (out []string, longest int) {
		out = make([]string, len(spans))
		first := 0
		for i := range spans {
			if i == 0 || spans[i].At-spans[first].At >= apart {
				first = i
				out[i] = name(i)
			} else {
				out[first] += between + name(i)
			}
			longest = max(longest, len(out[first]))
		}
		return out, longest
	}
	names, longest := join(func(i int) string { return spans[i].Name }, ", ")
	if longest > markLength {
		names, _ = join(letter, " ")
	}
	return names
}

// rounded keeps six figures, which is more than a screen shows, so that pages stay small. A value
// that does not exist becomes null, a gap in the line.
func rounded(values []float64) []any {
	out := make([]any, len(values))
	for i, v := range values {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		out[i] = json.Number(strconv.FormatFloat(v, 'g', 6, 64))
	}
	return out
}
