package figure

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/experiments/report"

	"github.com/go-echarts/go-echarts/v2/charts"
)

// mostFanned is how many lines a curve has at most; of more settings there is the recommended one
// alone.
const mostFanned = 10

// fan is a quantity over the first axis: a line for each setting of the other axes.
type fan struct {
	quantity // its name and its kind
	of       string
	lines    []fanned
	places   map[string]int // of lines, by name
	best     int            // the line with the recommended setting, or with the first
}

// fanned is one line.
type fanned struct {
	name   string
	cells  []int // by tick; -1: not run
	points []quantity
}

// fans are the curves of all settings, and their ticks.
func (s swept) fans() (out []fan, ticks []string) {
	points, at, ticks := s.joinable()
	places := map[string]int{}
	for _, i := range points {
		p := s.Points[i]
		tick, name := at[p.Values[s.Axes[0]]], s.besides(i)
		for _, c := range p.Cells {
			for _, q := range s.Cells[c].Quantities {
				of := s.Cells[c].Case + ": " + q.Name
				k, known := places[of]
				if !known {
					k = len(out)
					places[of], out = k, append(out, fan{quantity: q, of: of, places: map[string]int{}})
				}
				out[k].put(name, tick, c, q.numbered(), len(ticks))
			}
		}
	}
	base := s.besides(max(s.recommended(), 0))
	for k := range out {
		out[k].thin(base)
	}
	return out, ticks
}

// joinable are the points of the curves, and where on them a value of the first axis stands: all of
// a grid; of settings that were sampled, hardly two of which differ in the first axis alone, those
// that differ so from the recommended one.
func (s swept) joinable() (points []int, at map[string]int, ticks []string) {
	lines, values := map[string]bool{}, map[string]bool{}
	for i, p := range s.Points {
		lines[s.besides(i)], values[p.Values[s.Axes[0]]] = true, true
	}
	sampled := len(lines)*len(values) > 4*len(s.Points)
	base := s.besides(max(s.recommended(), 0))
	at = map[string]int{}
	for i, p := range s.Points {
		if sampled && s.besides(i) != base {
			continue
		}
		points = append(points, i)
		value := p.Values[s.Axes[0]]
		if _, known := at[value]; !known {
			at[value] = len(ticks)
			ticks = append(ticks, value)
		}
	}
	return points, at, ticks
}

// besides names a point by its values of all axes but the first.
func (s swept) besides(point int) string {
	var words []string
	for _, a := range s.Axes[1:] {
		words = append(words, a+" "+s.Points[point].Values[a])
	}
	return strings.Join(words, ", ")
}

func (f *fan) put(name string, tick, cell int, q quantity, ticks int) {
	k, known := f.places[name]
	if !known {
		k = len(f.lines)
		f.places[name] = k
		f.lines = append(f.lines, fanned{name, make([]int, ticks), make([]quantity, ticks)})
		for i := range ticks {
			f.lines[k].cells[i] = -1
		}
	}
	f.lines[k].cells[tick], f.lines[k].points[tick] = cell, q
}

// thin leaves out lines that are the same, of quantities that an axis does not change, and all but
// one when there are too many.
func (f *fan) thin(base string) {
	var kept []fanned
	for _, l := range f.lines {
		k := slices.IndexFunc(kept, func(o fanned) bool { return slices.Equal(o.cells, l.cells) })
		if k < 0 {
			k = len(kept)
			kept = append(kept, l)
		}
		if l.name == base {
			f.best = k
		}
	}
	if len(kept) > mostFanned {
		kept, f.best = kept[f.best:f.best+1], 0
	} else if len(kept) == 1 {
		kept[0].name = f.of
	}
	f.lines = kept
}

// unit is that of the values; a word has shares of replications.
func (f *fan) unit() report.Unit {
	for _, q := range f.lines[f.best].points {
		if q.Unit != "" {
			return q.unit()
		}
	}
	return report.Level
}

// curvePlots are one for each quantity.
func (s swept) curvePlots() (out []plot) {
	fans, ticks := s.fans()
	for _, f := range fans {
		out = append(out, s.curvePlot(f, ticks))
	}
	return out
}

func (s swept) curvePlot(f fan, ticks []string) plot {
	p := plot{title: f.of, height: 250, across: ticks,
		doc: f.Kind + ", mean and 95 % interval by " + s.Axes[0],
		hints: hints{Kind: "curve", Names: []string{s.Axes[0]}, Units: []report.Unit{f.unit()},
			Best: []int{}}}
	p.numbers.Head = append(p.numbers.Head, column(s.Axes[0]))
	if best := s.recommended(); best >= 0 {
		tick := slices.Index(ticks, s.Points[best].Values[s.Axes[0]])
		p.hints.Best = []int{tick, f.best}
		p.doc += "; shaded: the recommended value"
	}
	reach := 0.0
	for _, l := range f.lines {
		reach = max(reach, reachOf(l.points))
		values, texts := make([]any, len(ticks)), make([]string, len(ticks))
		ends := make([][]any, len(ticks))
		for i, q := range l.points {
			if q.Mean != nil {
				values[i] = *q.Mean
				ends[i] = q.ends()
			}
			texts[i] = q.said()
		}
		p.series = append(p.series, charts.SingleSeries{Name: l.name, Type: "line", Data: values})
		p.hints.Texts, p.hints.Ends = append(p.hints.Texts, texts), append(p.hints.Ends, ends)
		p.numbers.Head = append(p.numbers.Head, column(l.name))
	}
	for i, tick := range ticks {
		row := report.Row{Cells: []string{tick}}
		for k := range f.lines {
			row.Cells = append(row.Cells, p.hints.Texts[k][i])
		}
		p.numbers.Rows = append(p.numbers.Rows, row)
	}
	asked := f.numbered().Limit
	p.hints.Limits = asked.marks(reach)
	p.doc += asked.said(p.hints.Limits)
	if n := len(s.Axes); n > 1 && len(f.lines) > 1 {
		p.doc += fmt.Sprintf("; a line for each %s", strings.Join(s.Axes[1:], " and "))
	}
	return p
}
