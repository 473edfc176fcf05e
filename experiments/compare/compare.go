package compare

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/experiments/statistics"
	"cascadesim/model"
	"cascadesim/model/check"
)

// Side is one of the two.
type Side struct {
	Name string
	Plan *model.Plan
}

// Row is one measure of both.
type Row struct {
	Measure    string   `json:"measure"`
	Unit       string   `json:"unit"`
	Pairs      int      `json:"pairs"`
	A          *float64 `json:"a"`
	B          *float64 `json:"b"`
	Difference *float64 `json:"difference"` // of B to A
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Detectable bool     `json:"detectable"`
}

// Result is what two scenarios differ in.
type Result struct {
	Schema   string         `json:"schema"`
	A        string         `json:"a"`
	B        string         `json:"b"`
	Pairs    int            `json:"pairs"`
	Rows     []Row          `json:"rows"`
	Verdicts map[string]int `json:"verdicts_a"`
	Other    map[string]int `json:"verdicts_b"`
}

// Run compares two plans by measures, over replications with the same seeds.
func Run(
	ctx context.Context, a, b Side, measures []string, o experiments.Options,
) (*Result, error) {
	first, err := experiments.Run(ctx, a.Plan, o)
	if err != nil {
		return nil, err
	}
	second, err := experiments.Run(ctx, b.Plan, o)
	if err != nil {
		return nil, err
	}
	r := &Result{Schema: "cascadesim.compare/1", A: a.Name, B: b.Name, Pairs: len(o.Seeds),
		Rows: []Row{}, Verdicts: map[string]int{}, Other: map[string]int{}}
	for i := range first.Runs {
		r.Verdicts[check.Recover(a.Plan, first.Runs[i].Result).Verdict]++
		r.Other[check.Recover(b.Plan, second.Runs[i].Result).Verdict]++
	}
	for _, measure := range measures {
		m, err := check.Parse(a.Plan.World, measure, "")
		if err != nil {
			return nil, err
		}
		if _, err := check.Parse(b.Plan.World, measure, ""); err != nil {
			continue // B has no such thing
		}
		row := Row{Measure: measure, Unit: string(m.Unit)}
		if err := row.read(a, b, first, second); err != nil {
			return nil, err
		}
		r.Rows = append(r.Rows, row)
	}
	return r, nil
}

// read fills a row from the pairs in which both have a value.
func (row *Row) read(a, b Side, first, second *experiments.Batch) error {
	var own, other []float64
	for i := range first.Runs {
		x, err := check.Over(a.Plan, first.Runs[i].Result, row.Measure, check.DefaultRange(a.Plan.World))
		if err != nil {
			return err
		}
		y, err := check.Over(b.Plan, second.Runs[i].Result, row.Measure,
			check.DefaultRange(b.Plan.World))
		if err != nil {
			return err
		}
		if !math.IsNaN(x) && !math.IsNaN(y) {
			own, other = append(own, x), append(other, y)
		}
	}
	if row.Pairs = len(own); row.Pairs == 0 {
		return nil
	}
	d := statistics.Of(statistics.Differences(other, own))
	row.A, row.B = pointer(statistics.Of(own).Mean), pointer(statistics.Of(other).Mean)
	row.Difference, row.Detectable = pointer(d.Mean), d.Clear()
	if d.N > 1 {
		row.Low, row.High = pointer(d.Low()), pointer(d.High())
	}
	return nil
}

func pointer(x float64) *float64 { return &x }

// Measures are what is compared when nobody says: what clients see, and how far traffic grows.
func Measures(w *model.World) []string {
	var out []string
	for _, c := range w.Clients {
		for _, m := range []string{"failed_share", "ok_per_s", "latency.p50", "latency.p99"} {
			out = append(out, "clients."+c.Name+"."+m)
		}
	}
	for _, e := range w.Edges {
		out = append(out, "edges."+e.Name+".amplification", "edges."+e.Name+".refused_share")
	}
	return out
}

// WriteJSON writes the result.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// WriteText writes a row for each measure, and one sentence.
func (r *Result) WriteText(w io.Writer, t report.Terminal, wrap func(string) string) error {
	table := report.Table{Title: fmt.Sprintf("%s against %s, %d pairs on the same luck", r.B, r.A,
		r.Pairs), Head: []report.Column{{Name: "measure"}, {Name: "A", Number: true},
		{Name: "B", Number: true}, {Name: "B - A", Number: true},
		{Name: "95 % interval", Number: true}}}
	detected := 0
	for _, row := range r.Rows {
		table.Rows = append(table.Rows, row.cells())
		if row.Detectable {
			detected++
		}
	}
	if err := table.WriteText(w, t); err != nil {
		return err
	}
	text := fmt.Sprintf("%d of %d measures differ detectably", detected, len(r.Rows))
	if detected == 0 {
		text = "no detectable difference"
	}
	_, err := fmt.Fprintf(w, "\n%s\n", wrap(fmt.Sprintf("%s; recovery: A %s, B %s.", text,
		verdicts(r.Verdicts), verdicts(r.Other))))
	return err
}

// cells writes a row; what is missing is a dash.
func (row Row) cells() report.Row {
	u := check.Unit(row.Unit)
	show := func(x *float64) string {
		if x == nil {
			return "-"
		}
		return check.Format(*x, u)
	}
	interval := "-"
	switch {
	case row.Low != nil && !row.Detectable:
		interval = "no detectable difference"
	case row.Low != nil:
		interval = show(row.Low) + " to " + show(row.High)
	}
	return report.Row{Cells: []string{row.Measure, show(row.A), show(row.B), show(row.Difference),
		interval}}
}

// verdicts writes how often which was.
func verdicts(of map[string]int) string {
	text := ""
	for _, v := range []string{"recovered", "degraded", "metastable", "no-fault"} {
		if of[v] == 0 {
			continue
		}
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s %d", v, of[v])
	}
	return text
}
