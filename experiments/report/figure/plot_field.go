package figure

import (
	"fmt"
	"slices"

	"cascadesim/experiments/report"

	"github.com/go-echarts/go-echarts/v2/charts"
)

// layer is one thing that a field shows at each value of two axes, and samples at each setting.
type layer struct {
	Name   string      `json:"name"`
	Unit   report.Unit `json:"unit"`
	Good   bool        `json:"good"`             // values are shares that should be 1
	Values []any       `json:"values"`           // by field, row by row, or by setting
	Labels []string    `json:"labels"`           // of fields
	Limits []mark      `json:"limits,omitempty"` // of samples: levels to compare with
}

// mostFields is how many fields can be told apart: of more values there are curves alone.
const mostFields = 1024

// fieldPlots are all quantities over the first two axes, when there are two. Other axes stand at
// the recommended point.
func (s swept) fieldPlots() []plot {
	if len(s.Axes) < 2 {
		return nil
	}
	p := plot{title: s.Axes[0] + " against " + s.Axes[1],
		doc: "one quantity at each value of both; of a constraint the share of replications that meet it",
		up:  []string{}, across: []string{},
		hints: hints{Kind: "field", Names: []string{s.Axes[1], s.Axes[0]}, Best: []int{}}}
	base := max(s.recommended(), 0)
	var points []int
	for i, one := range s.Points {
		if s.elsewhere(one.Values, base) {
			continue
		}
		points = append(points, i)
		place(&p.up, one.Values[s.Axes[0]])
		place(&p.across, one.Values[s.Axes[1]])
		if len(p.up)*len(p.across) > mostFields {
			return nil
		}
	}
	if len(points) == 0 {
		return nil
	}
	for _, i := range points {
		row := slices.Index(p.up, s.Points[i].Values[s.Axes[0]])
		at := row*len(p.across) + slices.Index(p.across, s.Points[i].Values[s.Axes[1]])
		s.fill(&p.hints, i, at, len(p.up)*len(p.across))
		if i == s.recommended() {
			p.hints.Best = []int{at}
			p.doc += "; framed: recommended"
		}
	}
	for _, l := range p.hints.Layers {
		p.hints.Units = append(p.hints.Units, l.Unit)
	}
	p.series = []charts.SingleSeries{{Name: p.title, Type: "heatmap", Data: []any{}}}
	p.height, p.numbers = 130+30*len(p.up), p.tabled()
	return []plot{p}
}

// fill writes a point into its field, of as many as there are.
func (s swept) fill(h *hints, point, at, fields int) {
	met, of := 0, 0
	put := func(l layer, value any, label, text string) {
		k := slices.IndexFunc(h.Layers, func(o layer) bool { return o.Name == l.Name })
		if k < 0 {
			k = len(h.Layers)
			l.Values, l.Labels = make([]any, fields), make([]string, fields)
			h.Layers, h.Texts = append(h.Layers, l), append(h.Texts, make([]string, fields))
		}
		h.Layers[k].Values[at], h.Layers[k].Labels[at], h.Texts[k][at] = value, label, text
	}
	all := layer{Name: "constraints that are met", Unit: report.Share, Good: true}
	for _, c := range s.Points[point].Cells {
		for _, q := range s.Cells[c].Quantities {
			if q.Share == nil || q.Share.Of == 0 {
				continue
			}
			if of++; q.holds() {
				met++
			}
		}
	}
	if of > 0 {
		label := fmt.Sprintf("%d of %d", met, of)
		put(all, float64(met)/float64(of), label, label)
	}
	for _, c := range s.Points[point].Cells {
		for _, q := range s.Cells[c].Quantities {
			name := s.Cells[c].Case + ": " + q.Name
			switch {
			case q.Share != nil && q.Share.Of > 0:
				share := float64(q.Share.Met) / float64(q.Share.Of)
				put(layer{Name: name, Unit: report.Share, Good: true}, share,
					fmt.Sprintf("%d of %d", q.Share.Met, q.Share.Of), q.said())
			case q.Mean != nil:
				put(layer{Name: name, Unit: q.unit()}, *q.Mean, q.written(*q.Mean), q.said())
			}
		}
	}
}

// tabled are the texts of all layers, a row for each field.
func (p plot) tabled() report.Table {
	t := report.Table{Head: []report.Column{column(p.hints.Names[1]), column(p.hints.Names[0])}}
	for _, l := range p.hints.Layers {
		t.Head = append(t.Head, column(l.Name))
	}
	for i, down := range p.up {
		for j, across := range p.across {
			row := report.Row{Cells: []string{down, across}}
			for k := range p.hints.Layers {
				row.Cells = append(row.Cells, p.hints.Texts[k][i*len(p.across)+j])
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}
