package sweep

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/model/check"
)

// length writes a difference of values; of times it is a length.
func (q *Quantity) length(x float64) string {
	if q.Unit == check.Time {
		return check.Format(x, check.Duration)
	}
	if q.Unit == check.Ratio {
		return check.Format(x, q.Unit) + "x"
	}
	return check.Format(x, q.Unit)
}

// Tables are the result for people: the points, and the recommended one under changes.
func (r *Result) Tables() []report.Table {
	out := []report.Table{r.pointsTable()}
	if len(r.sweep.changes) > 0 {
		out = append(out, r.changesTable())
	}
	return out
}

// mostRows is how many settings a text shows.
const mostRows = 60

// abridged is the table of points without those that matter least: those that violate constraints,
// and of the others those of high scores.
func (r *Result) abridged() report.Table {
	t := r.pointsTable()
	if len(t.Rows) <= mostRows {
		return t
	}
	rank := func(p int) int {
		switch {
		case p == r.choice.point || r.sweep.Points[p].Baseline:
			return 0
		case r.Points[p].Meets:
			return 1
		}
		return 2
	}
	order := make([]int, len(t.Rows))
	for p := range order {
		order[p] = p
	}
	slices.SortStableFunc(order, func(p, q int) int {
		return cmp.Or(cmp.Compare(rank(p), rank(q)), cmp.Compare(r.choice.scores[p], r.choice.scores[q]))
	})
	shown := slices.Sorted(slices.Values(order[:mostRows]))
	var rows []report.Row
	for _, p := range shown {
		rows = append(rows, t.Rows[p])
	}
	t.Rows = rows
	t.Foot += fmt.Sprintf("\nShown are the %d settings whose trade is best, those that meet every "+
		"constraint before others; all %d are in --json, and in sweep.csv and report.html of -o DIR.",
		mostRows, len(r.Points))
	return t
}

// WriteText writes the tables, the warnings and the recommendation.
func (r *Result) WriteText(w io.Writer, t report.Terminal, wrap func(string) string) error {
	fmt.Fprintf(w, "%s\n%s\n\n", report.Visible(r.Experiment), wrap(report.Visible(r.Question)))
	tables := r.Tables()
	tables[0] = r.abridged()
	for _, table := range tables {
		if err := table.WriteText(w, t); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	for _, text := range r.Warnings {
		fmt.Fprintln(w, wrap("warning: "+report.Visible(text)))
	}
	_, err := fmt.Fprintf(w, "%s\n", wrap(report.Visible(r.Answer.Sentence)))
	return err
}

func (r *Result) pointsTable() report.Table {
	s := r.sweep
	t := report.Table{Title: fmt.Sprintf("%d settings, %d replications", len(s.Points), s.runs),
		Doc: "means with half of their 95 % interval; constraints: value, replications that meet it"}
	for _, a := range s.Axes {
		t.Head = append(t.Head, report.Column{Name: a.Name, Number: true})
	}
	for _, o := range s.Objectives {
		t.Head = append(t.Head, report.Column{Name: o.Name, Number: true})
	}
	for _, c := range s.Constraints {
		t.Head = append(t.Head, report.Column{Name: c.Name, Number: true})
	}
	t.Head = append(t.Head, report.Column{Name: "runs", Number: true}, report.Column{Name: ""})
	for p := range s.Points {
		t.Rows = append(t.Rows, r.pointRow(p))
	}
	t.Foot = "*: recommended; =: as good as can be told; pareto: none is better in every objective; " +
		"behind: its trade is clearly worse, so that it was run no further"
	return t
}

func (r *Result) pointRow(p int) report.Row {
	s := r.sweep
	var row report.Row
	for _, l := range s.Points[p].Levels {
		row.Cells = append(row.Cells, l.Label)
	}
	runs := 0
	for _, i := range slices.Compact(slices.Sorted(slices.Values(s.Points[p].cells))) {
		runs += len(s.Cells[i].samples)
	}
	for _, o := range s.Objectives {
		row.Cells = append(row.Cells, s.find(s.cellOf(p, o.Case), o.Name).value())
	}
	for _, c := range s.Constraints {
		row.Cells = append(row.Cells, s.find(s.cellOf(p, c.Case), c.Name).brief())
	}
	row.Cells = append(row.Cells, strconv.Itoa(runs), r.remark(p, &row))
	return row
}

// brief writes a constraint in few letters.
func (q *Quantity) brief() string {
	text := "NO "
	if q.State.holds() {
		text = "ok "
	}
	if !q.State.sure() {
		text = "?" + text
	}
	if len(q.Values) > 0 && q.Unit != check.Word {
		text += q.shown(q.Estimate.Mean) + " "
	}
	return text + fmt.Sprintf("%d/%d", q.Share.Successes, q.N)
}

// isIn says whether a point is one of some in their order.
func isIn(points []int, p int) bool {
	_, in := slices.BinarySearch(points, p)
	return in
}

// remark says what a point is, and marks its row.
func (r *Result) remark(p int, row *report.Row) string {
	var words []string
	c := &r.choice
	switch {
	case p == c.point:
		row.Mark = report.Good
		words = append(words, "*")
	case isIn(c.tied, p):
		words = append(words, "=")
	case len(r.sweep.violated(p, false)) > 0:
		row.Mark = report.Bad
	}
	if r.sweep.Points[p].Baseline {
		words = append(words, "baseline")
	}
	if c.front[p] && len(r.sweep.Objectives) > 1 {
		words = append(words, "pareto")
	}
	if d := r.sweep.dropped[p]; strings.HasPrefix(d, "clearly") {
		words = append(words, "behind")
	}
	return strings.Join(words, " ")
}

func (r *Result) changesTable() report.Table {
	s := r.sweep
	t := report.Table{Title: "Sensitivity", Doc: "the recommended setting and its neighbours, changed",
		Head: []report.Column{{Name: "change"}, {Name: "setting"}, {Name: "case"}, {Name: "what"},
			{Name: "value", Number: true}, {Name: "ok"}}}
	for _, at := range s.changes {
		for k, cell := range at.cells {
			if cell == nil {
				continue
			}
			for _, q := range s.quantities(cell) {
				row := report.Row{Cells: []string{at.change, s.Points[at.point].Name(s.Axes),
					s.Cases[k].Name, q.Name, q.value(), ""}}
				if !q.objective() {
					row.Cells[4], row.Cells[5] = q.verdict(), "yes"
					if !q.State.holds() {
						row.Cells[5], row.Mark = "NO", report.Bad
					}
				}
				t.Rows = append(t.Rows, row)
			}
		}
	}
	return t
}

// WriteCSV writes a row for each cell and quantity.
func (r *Result) WriteCSV(w io.Writer) error {
	c := csv.NewWriter(w)
	head := append([]string{"case"}, r.Axes...)
	head = append(head, "name", "kind", "unit", "replications", "mean", "low", "high", "never", "met",
		"share_low", "share_high", "state", "difference", "difference_low", "difference_high")
	if err := c.Write(head); err != nil {
		return err
	}
	for _, cell := range r.Cells {
		for _, q := range cell.Quantities {
			row := []string{cell.Case}
			for _, a := range r.Axes {
				row = append(row, cell.Values[a])
			}
			row = append(row, q.Name, q.Kind, q.Unit, strconv.Itoa(cell.Replications), digits(q.Mean),
				digits(q.Low), digits(q.High), strconv.Itoa(q.Never))
			if q.Share != nil {
				row = append(row, strconv.Itoa(q.Share.Met), digits(q.Share.Low), digits(q.Share.High))
			} else {
				row = append(row, "", "", "")
			}
			row = append(row, string(q.State))
			if d := q.Difference; d != nil {
				row = append(row, digits(d.Mean), digits(d.Low), digits(d.High))
			} else {
				row = append(row, "", "", "")
			}
			if err := c.Write(row); err != nil {
				return err
			}
		}
	}
	c.Flush()
	return c.Error()
}

// digits writes a number in full; nothing when there is none.
func digits(x *float64) string {
	if x == nil {
		return ""
	}
	return strconv.FormatFloat(*x, 'g', -1, 64)
}
