package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/experiments/report"
)

// mostOver is how many lines of a panel are compared, those that differ most: each gets a panel.
const mostOver = 2

// Over lays figures of one kind over each other, so that three runs or more can be compared: a
// panel for each line, in which each run has a line of its own.
func Over(figures []Figure) Figure {
	f := figures[0]
	var names, words []string
	var spans [][]report.Span
	for _, one := range figures {
		spans = append(spans, one.Spans)
		names = append(names, one.Name)
		words = append(words, one.Name+": "+one.Alt)
		f.Length = max(f.Length, one.Length)
	}
	_, what, _ := strings.Cut(f.Title, ": ")
	f.Title = fmt.Sprintf("%d runs: %s", len(figures), what)
	f.Caption += " Each panel compares " + joined(names) +
		"; of their timelines it marks what all have."
	f.Spans = report.InAll(spans)
	f.Alt = strings.Join(words, " ")
	f.Panels = nil
	for _, p := range everyPanel(figures) {
		for _, name := range differing(figures, p.key(), mostOver) {
			f.Panels = append(f.Panels, over(figures, p, name))
		}
	}
	return f
}

// everyPanel are the panels of all figures, each once.
func everyPanel(figures []Figure) (out []Panel) {
	for _, f := range figures {
		for _, p := range f.Panels {
			if _, known := panelOf(out, p.key()); !known {
				out = append(out, p)
			}
		}
	}
	return out
}

// differing names the lines of a panel whose means differ most between the runs, in their order.
func differing(figures []Figure, key string, n int) []string {
	low, high := map[string]float64{}, map[string]float64{}
	var names []string
	for k, f := range figures {
		p, _ := panelOf(f.Panels, key)
		for _, l := range p.Lines {
			if _, known := high[l.Name]; !l.Level && !known {
				names = append(names, l.Name)
				if k > 0 {
					low[l.Name] = 0 // the runs before have none
				} else {
					low[l.Name] = average(l.Values)
				}
			}
		}
		for _, name := range names {
			l, _ := p.lineOf(name)
			low[name], high[name] = min(low[name], average(l.Values)), max(high[name], average(l.Values))
		}
	}
	ranked := slices.Clone(names)
	slices.SortStableFunc(ranked, func(a, b string) int {
		return cmp.Compare(high[b]-low[b], high[a]-low[a])
	})
	kept := ranked[:min(n, len(ranked))]
	return slices.DeleteFunc(names, func(name string) bool { return !slices.Contains(kept, name) })
}

// average is that of the values that exist, 0 when there is none.
func average(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if !math.IsNaN(v) && !math.IsInf(v, 0) {
			sum += v
			n++
		}
	}
	return sum / float64(max(n, 1))
}

// over is one line of all runs that have it. Limits are those of the first.
func over(figures []Figure, p Panel, name string) Panel {
	out := Panel{Title: fmt.Sprintf("%s: %s", p.key(), name), Unit: p.Unit, Height: 110}
	for k, f := range figures {
		from, _ := panelOf(f.Panels, p.key())
		l, ok := from.lineOf(name)
		if !ok {
			continue
		}
		l.Name, l.Color, l.Length = f.Name, k, covered(f, l)
		out.Lines = append(out.Lines, l)
	}
	for _, l := range p.Lines {
		if l.Level {
			l.Length = covered(figures[0], l)
			out.Lines = append(out.Lines, l)
		}
	}
	return out
}

// covered is how many seconds a line of a figure covers.
func covered(f Figure, l Line) float64 {
	if l.Length > 0 {
		return l.Length
	}
	return f.Length
}
