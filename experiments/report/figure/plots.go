package figure

import (
	"encoding/json"
	"fmt"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model/check"

	"github.com/go-echarts/go-echarts/v2/charts"
	"github.com/go-echarts/go-echarts/v2/opts"
)

// Plots are the figures of a sweep for its page, which a reader can point into: the curves, the
// fronts and the map, or of a sampled design all settings over each axis, and the fronts. What has
// nothing to show is left out.
func Plots(data []byte) ([]report.Plot, error) {
	s, err := readSweep(data)
	if err != nil {
		return nil, err
	}
	var out []report.Plot
	all := [][]plot{s.curvePlots(), s.tradePlots(), s.fieldPlots()}
	if len(s.Samples) > 0 {
		all = [][]plot{s.samplePlots(), s.tradePlots()}
	}
	for _, of := range all {
		for i, p := range of {
			p.id = fmt.Sprintf("%s-%d", p.hints.Kind, i)
			option, err := p.option()
			if err != nil {
				return nil, fmt.Errorf("plot %s: %w", p.id, err)
			}
			out = append(out, report.Plot{ID: p.id, Title: p.title, Doc: p.doc, Option: option,
				Height: p.height, Numbers: p.numbers})
		}
	}
	return out, nil
}

// plot is one of them: series over two axes, of categories when those are named.
type plot struct {
	id, title, doc string
	series         []charts.SingleSeries
	across, up     []string // categories; none: the axis has values
	hints          hints
	height         int // in pixels
	numbers        report.Table
}

// hints tell the page's script what an option cannot say without code.
type hints struct {
	Kind  string        `json:"kind"` // curve, trade, field, samples
	Units []report.Unit `json:"units"`
	Names []string      `json:"names"` // of the axes
	// Texts are what is said of each value; nothing where there is none. Of curves they are by line
	// and tick, of a trade by setting, of a field by layer and field, of samples by layer and setting.
	Texts [][]string `json:"texts"`
	// Ends are the intervals of the values, by series: of curves low and high, of a trade those
	// across and up; of samples they are by layer and setting.
	Ends [][][]any `json:"ends,omitempty"`
	Best []int     `json:"best"` // the recommended place; none: empty
	// Limits are levels to compare the values of a curve with.
	Limits []mark `json:"limits,omitempty"`

	Points []plotted `json:"points,omitempty"` // of a trade and of samples
	Layers []layer   `json:"layers,omitempty"` // of a field and of samples
	// Across are of samples, by setting: its number on the axis, or which value it has there.
	Across []*float64 `json:"across,omitempty"`
	Log    bool       `json:"log,omitempty"`
}

// option is what ECharts draws, with the hints. No string in it can steer what shows it.
func (p plot) option() ([]byte, error) {
	chart := charts.NewLine()
	x, y := opts.XAxis{Type: "value"}, opts.YAxis{Type: "value"}
	if p.across != nil {
		x.Type = "category"
		chart.SetXAxis(p.across)
	}
	if p.up != nil {
		y.Type, y.Data = "category", p.up
	}
	chart.SetGlobalOptions(
		charts.WithInitializationOpts(opts.Initialization{ChartID: p.id, Theme: "none"}),
		charts.WithAnimation(false),
		charts.WithTooltipOpts(opts.Tooltip{Show: opts.Bool(true)}),
		charts.WithLegendOpts(opts.Legend{Show: opts.Bool(true), Type: "scroll"}),
		charts.WithXAxisOpts(x), charts.WithYAxisOpts(y),
	)
	chart.MultiSeries = p.series
	chart.Validate()
	option := chart.JSON()
	option["cascadesim"] = p.hints
	data, err := json.Marshal(option)
	if err != nil {
		return nil, err
	}
	var plain any
	if err := json.Unmarshal(data, &plain); err != nil {
		return nil, err
	}
	return json.Marshal(harmless(plain))
}

// harmless makes the strings of a value from JSON visible.
func harmless(v any) any {
	switch v := v.(type) {
	case string:
		return report.Visible(v)
	case []any:
		for i := range v {
			v[i] = harmless(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = harmless(v[k])
		}
	}
	return v
}

// unit is how the page writes values of a unit of sweep.json.
func (q quantity) unit() report.Unit {
	switch u := check.Unit(q.Unit); u {
	case check.Share, check.Rate, check.Duration:
		return report.Unit(u)
	case check.Time:
		return report.Duration
	case check.Ratio:
		return report.Factor
	}
	return report.Level
}

// written is a value of the quantity.
func (q quantity) written(v float64) string {
	text := check.Format(v, check.Unit(q.Unit))
	if q.Unit == string(check.Ratio) {
		text += "x"
	}
	return text
}

// said is all there is to say of the quantity: its mean, its interval, and how many replications
// meet it.
func (q quantity) said() string {
	var words []string
	if q.Mean != nil {
		text := q.written(*q.Mean)
		if q.Low != nil && q.High != nil {
			text += " [" + q.written(*q.Low) + " to " + q.written(*q.High) + "]"
		}
		words = append(words, text)
	}
	if q.Share != nil && q.Share.Of > 0 {
		words = append(words, fmt.Sprintf("%d of %d replications meet it", q.Share.Met, q.Share.Of))
	}
	if q.State != "" {
		words = append(words, q.State)
	}
	return strings.Join(words, ", ")
}

// ends are the ends of an interval, for JSON.
func (q quantity) ends() []any {
	if q.Low == nil || q.High == nil {
		return nil
	}
	return []any{*q.Low, *q.High}
}

func column(name string) report.Column { return report.Column{Name: name} }
