package figure

import (
	"slices"
	"sort"

	"cascadesim/experiments/report"

	"github.com/go-echarts/go-echarts/v2/charts"
)

// The groups of settings of a sampled design that a reader can hide.
var sampleGroups = []string{"meets every constraint", "breaks a constraint"}

// samplePlots are all settings of a sampled design over each axis; a reader chooses the quantity.
func (s swept) samplePlots() (out []plot) {
	sc, err := s.scattered(mostStrewn)
	if err != nil {
		return nil // it is a grid, or nothing was measured
	}
	for _, a := range sc.over {
		var of []strewn
		for _, one := range sc.of {
			for _, known := range sc.mattering(one) {
				if known.Axis == a.Axis {
					of = append(of, one)
				}
			}
		}
		if len(of) > 0 {
			out = append(out, sc.plot(a, of))
		}
	}
	return out
}

// plot is some quantities over an axis.
func (sc scatter) plot(a along, of []strewn) plot {
	p := plot{title: "over " + a.title(), height: 330,
		doc: "mean and 95 % interval of " + sc.told() + "; hollow: a constraint is broken; ringed: " +
			"recommended; dashed: what a constraint asks for",
		hints: hints{Kind: "samples", Names: []string{a.Axis}, Across: a.at, Log: a.Log, Best: []int{},
			Units: []report.Unit{quantity{Unit: a.asUnit()}.unit()}}}
	if a.Numbers == nil {
		p.across = a.Values
	}
	if slices.Contains(a.at, nil) {
		p.doc += "; left out: where " + a.Axis + " is no number"
	}
	for k, i := range sc.points {
		best := i == sc.recommended()
		p.hints.Points = append(p.hints.Points, plotted{Name: sc.pointName(i), Best: best,
			Meets: sc.Points[i].Meets, Front: sc.Points[i].Front})
		if best {
			p.hints.Best = []int{k}
		}
	}
	for _, one := range of {
		l := layer{Name: one.name, Limits: one.limit.marks(reachOf(one.points))}
		texts, ends := []string{}, [][]any{}
		for _, q := range one.points {
			var value any
			if q.Mean != nil {
				value, l.Unit = *q.Mean, q.unit()
			}
			l.Values = append(l.Values, value)
			texts, ends = append(texts, q.said()), append(ends, q.ends())
		}
		p.hints.Layers = append(p.hints.Layers, l)
		p.hints.Texts, p.hints.Ends = append(p.hints.Texts, texts), append(p.hints.Ends, ends)
	}
	for _, name := range sampleGroups {
		p.series = append(p.series, charts.SingleSeries{Name: name, Type: "scatter", Data: []any{}})
	}
	p.numbers = sc.tabled(a, of)
	return p
}

// tabled is a row for each setting that is drawn, in the order of an axis.
func (sc scatter) tabled(a along, of []strewn) report.Table {
	t := report.Table{Head: []report.Column{column(a.Axis), column("setting"), column("")}}
	for _, one := range of {
		t.Head = append(t.Head, column(one.name))
	}
	order := make([]int, len(sc.points))
	for k := range order {
		order[k] = k
	}
	sort.SliceStable(order, func(i, j int) bool {
		x, y := a.at[order[i]], a.at[order[j]]
		return x != nil && (y == nil || *x < *y)
	})
	for _, k := range order {
		i := sc.points[k]
		remark := sampleGroups[1]
		if sc.Points[i].Meets {
			remark = sampleGroups[0]
		}
		if i == sc.recommended() {
			remark = "recommended"
		}
		row := report.Row{Cells: []string{sc.Points[i].Values[a.Axis], sc.pointName(i), remark}}
		for _, one := range of {
			row.Cells = append(row.Cells, one.points[k].said())
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
