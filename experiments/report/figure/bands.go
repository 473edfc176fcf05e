package figure

import (
	"fmt"
	"math"

	"cascadesim/experiments/report"
	"cascadesim/sim/stats"
)

// Mean is figures of the replications of one run as one: its lines are means, with their 95 %
// intervals where there are two replications or more that have the line. What is drawn is chosen by
// the first of them.
func Mean(figures []Figure) Figure {
	f := figures[0]
	if len(figures) == 1 {
		return f
	}
	panels := append([]Panel(nil), f.Panels...)
	for i, p := range panels {
		lines := append([]Line(nil), p.Lines...)
		for k := range lines {
			lines[k] = meanLine(figures, p, lines[k])
		}
		panels[i].Lines = lines
	}
	f.Panels = panels
	f.Caption += fmt.Sprintf(" Lines are means of %d replications, with their 95 %% intervals.",
		len(figures))
	f.Alt = "In the first replication: " + f.Alt
	return f
}

// meanLine is a line of all replications that have it.
func meanLine(figures []Figure, panel Panel, first Line) Line {
	most := math.Inf(1)
	if panel.Unit == report.Share {
		most = 1
	}
	var all [][]float64
	for _, f := range figures {
		if p, ok := panelOf(f.Panels, panel.key()); ok {
			if l, ok := p.lineOf(first.Name); ok && len(l.Values) == len(first.Values) {
				all = append(all, l.Values)
			}
		}
	}
	out, n := first, len(first.Values)
	out.Values = make([]float64, n)
	if !first.Level {
		out.Low, out.High = make([]float64, n), make([]float64, n)
	}
	for i := range n {
		var values []float64
		for _, v := range all {
			if !math.IsNaN(v[i]) {
				values = append(values, v[i])
			}
		}
		in := stats.MeanInterval(values)
		out.Values[i] = in.Mean
		if first.Level {
			continue
		}
		// Nothing that is drawn is negative, and of one value nothing bounds the mean.
		out.Low[i], out.High[i] = math.Max(in.Lo, 0), math.Min(in.Hi, most)
		if len(values) < 2 {
			out.Low[i], out.High[i] = math.NaN(), math.NaN()
		}
	}
	return out
}
