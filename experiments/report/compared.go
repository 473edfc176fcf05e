package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// mostCompared is how many charts of one kind a page of several runs has: the largest ones.
const mostCompared = 6

// Compared is several runs on one page: their verdicts, what they counted, how they were judged,
// and charts in which each run has a line. Names tell the runs apart; there are as many as runs.
func Compared(runs []Run, names []string, replay string) (Page, error) {
	page := Page{Title: strings.Join(names, ", "), Replay: replay,
		Doc:    "Runs beside each other; in each chart a run has a line of its own.",
		Tables: []Table{comparedRuns(runs, names)}}
	var sources []string
	var spans [][]Span
	for i, r := range runs {
		spans = append(spans, SpansOf(r.Plan, r.Results[0]))
		note := r.Recovery()
		note.Text = names[i] + ": " + note.Text
		page.Notes = append(page.Notes, note)
		sources = append(sources, "# "+names[i]+"\n"+r.Source)
	}
	page.Source = strings.Join(sources, "---\n")
	if t := comparedChecks(runs, names); len(t.Rows) > 0 {
		page.Tables = append(page.Tables, t)
	}
	for _, of := range []func(Run) Table{Run.clients, Run.edges, Run.tiers} {
		if t := comparedTable(runs, names, of); len(t.Rows) > 0 {
			page.More = append(page.More, t)
		}
	}
	var err error
	page.Axis, page.Charts, err = comparedCharts(runs, names)
	page.Spans = InAll(spans)
	if len(page.Spans) > 0 {
		page.Tables = append(page.Tables, timelineTable(page.Spans, page.Axis.Clock))
	}
	if slices.ContainsFunc(spans, func(of []Span) bool { return len(of) > len(page.Spans) }) {
		page.Notes = append(page.Notes, Note{Plain, "Charts mark what happened in all runs; " +
			"the page of each has its own timeline."})
	}
	return page, err
}

// comparedRuns says what each run was and how it ended.
func comparedRuns(runs []Run, names []string) Table {
	t := Table{Title: "Runs", Head: []Column{text("run"), text("scenario"), text("seeds"),
		text("scale"), number("requests"), number("failed"), number("amplif."), number("surge"),
		number("ok again after"), text("verdict")}}
	for i, r := range runs {
		s := r.Summary
		tone := map[string]Tone{check.Recovered: Good, check.Metastable: Bad}[s.Recovery.Verdict]
		t.Rows = append(t.Rows, Row{Mark: tone, Cells: []string{
			names[i], r.Name(), r.seeds(), scaleText(s.Scale), r.real(s.Totals.Requests),
			part(s.Totals.Failed, s.Totals.Requests), optional(Factor, s.Totals.Amplification),
			optional(Factor, s.Recovery.Surge), optional(Duration, s.Recovery.TimeS),
			s.Recovery.Verdict,
		}})
	}
	return t
}

// comparedChecks has a row for each check of any run, and a column for each run.
func comparedChecks(runs []Run, names []string) Table {
	t := Table{Title: "Checks", Head: []Column{text("check"), text("what"), text("wanted")}}
	for _, name := range names {
		t.Head = append(t.Head, number(name))
	}
	var known []string
	for _, r := range runs {
		for _, v := range r.Verdicts {
			if slices.Contains(known, v.Name) {
				continue
			}
			known = append(known, v.Name)
			what := v.Doc
			if what == "" {
				what = v.Measure
			}
			row := Row{Cells: []string{v.Name, what, v.Want}}
			for _, other := range runs {
				cell := None
				for _, w := range other.Verdicts {
					if w.Name == v.Name {
						cell = w.Text
						if !w.OK {
							cell = w.Text + " NO"
						}
					}
				}
				row.Cells = append(row.Cells, cell)
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// comparedTable is one table of all runs: the rows of one thing stand together, a run each. Columns
// that only some runs have stand at the end.
func comparedTable(runs []Run, names []string, of func(Run) Table) Table {
	all := of(runs[0])
	t := Table{Title: all.Title, Doc: all.Doc, Head: []Column{all.Head[0], text("run")}}
	tables := []Table{all}
	for _, r := range runs[1:] {
		tables = append(tables, of(r))
	}
	var things []string
	for _, one := range tables {
		for _, c := range one.Head[1:] {
			if !slices.Contains(t.Head[2:], c) {
				t.Head = append(t.Head, c)
			}
		}
		for _, row := range one.Rows {
			if !slices.Contains(things, row.Cells[0]) {
				things = append(things, row.Cells[0])
			}
		}
	}
	for _, thing := range things {
		for i, one := range tables {
			for _, row := range one.Rows {
				if row.Cells[0] != thing {
					continue
				}
				cells := []string{thing, names[i]}
				for _, c := range t.Head[2:] {
					cell := None
					if k := slices.Index(one.Head, c); k > 0 {
						cell = row.Cells[k]
					}
					cells = append(cells, cell)
				}
				t.Rows = append(t.Rows, Row{Cells: cells})
			}
		}
	}
	return t
}

// comparedCharts are series of the first replication of each run.
func comparedCharts(runs []Run, names []string) (Axis, []Chart, error) {
	axis, recs, err := commonAxis(runs)
	if err != nil {
		return axis, nil, err
	}
	c := compared{names: names, recs: recs}
	clients := c.each(func(w *model.World) (out []string) {
		for _, one := range w.Clients {
			out = append(out, one.Name)
		}
		return out
	})
	edges := c.each(func(w *model.World) (out []string) {
		for _, one := range w.Edges {
			out = append(out, one.Name)
		}
		return out
	})
	tiers := c.each(func(w *model.World) (out []string) {
		for _, one := range w.Tiers {
			out = append(out, one.Name)
		}
		return out
	})
	c.kind("failed", "Requests that failed", Share, clients, (*recorder).failed)
	c.kind("attempts", "Attempts", Rate, edges, measureAt("edges.", ".attempts_per_s"))
	c.kind("amplification", "Amplification", Factor, edges, measureAt("edges.", ".amplification"))
	c.kind("in-line", "Attempts in line", Level, tiers, measureAt("tiers.", ".in_line"))
	c.kind("utilization", "Utilization", Share, tiers, measureAt("tiers.", ".utilization"))
	for _, rec := range recs {
		if rec.err != nil {
			return axis, nil, rec.err
		}
	}
	return axis, c.charts, nil
}

// commonAxis lays the bins of the run with the widest ones over all of them.
func commonAxis(runs []Run) (Axis, []*recorder, error) {
	var bin, end sim.Time
	clock := clockOf(runs[0].Plan.Scenario)
	for _, r := range runs {
		_, width := axisOf(r.Plan, r.Results[0], maxBins)
		bin, end = max(bin, width), max(end, r.Plan.World.End)
		if !r.Plan.Scenario.Epoch.Equal(clock.Epoch) {
			clock = Clock{} // days that differ are compared from their starts
		}
	}
	axis := Axis{Clock: clock, Step: bin.Seconds(), Bins: int((end + bin - 1) / bin)}
	var recs []*recorder
	for _, r := range runs {
		if window := r.Results[0].Window; bin%window != 0 {
			return axis, nil, fmt.Errorf("runs with windows of %s do not fit into bins of %s of the others",
				seconds(window.Seconds()), seconds(bin.Seconds()))
		}
		recs = append(recs, &recorder{plan: r.Plan, r: r.Results[0], axis: axis, bin: bin})
	}
	return axis, recs, nil
}

// compared collects charts with a line for each run.
type compared struct {
	names  []string
	recs   []*recorder
	charts []Chart
}

// place is something that some runs have, with which.
type place struct {
	name string
	in   []bool // by run
}

// each is what any run has, in the order of the first that has it.
func (c *compared) each(of func(*model.World) []string) (out []place) {
	for i, rec := range c.recs {
		for _, name := range of(rec.plan.World) {
			k := slices.IndexFunc(out, func(p place) bool { return p.name == name })
			if k < 0 {
				k = len(out)
				out = append(out, place{name, make([]bool, len(c.recs))})
			}
			out[k].in[i] = true
		}
	}
	return out
}

// measureAt reads a measure of a place.
func measureAt(before, after string) func(*recorder, string) Line {
	return func(rec *recorder, name string) Line { return rec.line(name, before+name+after) }
}

// kind adds a chart for each place, of the most with the largest values.
func (c *compared) kind(id, title string, u Unit, of []place, read func(*recorder, string) Line) {
	var charts []Chart
	var peaks []float64
	for k, p := range of {
		chart := Chart{ID: fmt.Sprintf("%s-%d", id, k), Title: title + ": " + p.name, Unit: u}
		most := math.NaN()
		for i, rec := range c.recs {
			if !p.in[i] {
				continue
			}
			l := read(rec, p.name)
			l.Name, l.Color = c.names[i], i+1
			if top := peak(l); top > 0 && !(top <= most) {
				most = top
			}
			chart.Lines = append(chart.Lines, l)
		}
		if !math.IsNaN(most) {
			charts, peaks = append(charts, chart), append(peaks, most)
		}
	}
	ranked := slices.Clone(peaks)
	slices.Sort(ranked)
	for k, chart := range charts {
		if len(ranked) <= mostCompared || peaks[k] >= ranked[len(ranked)-mostCompared] {
			c.charts = append(c.charts, chart)
		}
	}
}
