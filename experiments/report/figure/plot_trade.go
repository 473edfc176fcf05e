package figure

import (
	"fmt"
	"strings"

	"cascadesim/experiments/report"

	"github.com/go-echarts/go-echarts/v2/charts"
)

// plotted is a setting between two objectives.
type plotted struct {
	Name  string `json:"name"`
	Front bool   `json:"front"`
	Best  bool   `json:"best"`
	Meets bool   `json:"meets"`
	Named bool   `json:"named"` // its name is always shown
}

// The groups of settings that a reader can hide.
var tradeGroups = []string{"on the front", "meets every constraint", "breaks a constraint"}

func (s spot) group() int {
	switch {
	case s.front:
		return 0
	case s.meets:
		return 1
	}
	return 2
}

// remark says what a setting is.
func (s spot) remark() string {
	var words []string
	if s.best {
		words = append(words, "recommended")
	}
	words = append(words, tradeGroups[s.group()])
	if s.baseline {
		words = append(words, "the baseline")
	}
	if s.dropped != "" {
		words = append(words, s.dropped)
	}
	return strings.Join(words, ", ")
}

// tradePlots are the first objective against each of the others.
func (s swept) tradePlots() (out []plot) {
	for _, t := range s.trades() {
		out = append(out, t.plot())
	}
	return out
}

func (t trade) plot() plot {
	p := plot{title: t.up.name + " against " + t.across.name, height: 430,
		doc: "objectives with their 95 % intervals; joined: the front, than which no setting is better " +
			"in both; hollow: a constraint is broken; ringed: recommended",
		hints: hints{Kind: "trade", Names: []string{t.across.name, t.up.name}, Best: []int{},
			Units: []report.Unit{quantity{Unit: t.across.unit}.unit(), quantity{Unit: t.up.unit}.unit()}},
		numbers: report.Table{Head: []report.Column{column("setting"), column(t.across.name),
			column(t.up.name), column("")}}}
	groups := make([][]any, len(tradeGroups))
	for i, one := range t.spots {
		x, y, remark := one.x.said(), one.y.said(), one.remark()
		groups[one.group()] = append(groups[one.group()], []any{*one.x.Mean, *one.y.Mean, i})
		p.hints.Points = append(p.hints.Points, plotted{Name: one.name, Front: one.front,
			Best: one.best, Meets: one.meets, Named: one.best || one.front || one.baseline})
		p.hints.Texts = append(p.hints.Texts, []string{fmt.Sprintf("%s: %s", t.across.name, x),
			fmt.Sprintf("%s: %s", t.up.name, y), remark})
		p.hints.Ends = append(p.hints.Ends, [][]any{one.x.ends(), one.y.ends()})
		p.numbers.Rows = append(p.numbers.Rows, report.Row{Cells: []string{one.name, x, y, remark}})
		if one.best {
			p.hints.Best = []int{i}
		}
	}
	for k, name := range tradeGroups {
		p.series = append(p.series, charts.SingleSeries{Name: name, Type: "scatter", Data: groups[k]})
	}
	return p
}
