package limit

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"cascadesim/experiments/report"
)

// none says why there is no limit in the range.
func (s *searcher) none(low, high Trial) string {
	if low.Side == high.Side && low.Side != Doubt {
		verb := "holds"
		if low.Side == Bad {
			verb = "fails"
		}
		return fmt.Sprintf("No limit between %s %s and %s: everything %s at both ends (%s and %s).",
			s.axis.Name, low.Label, high.Label, verb, counted(low), counted(high))
	}
	return fmt.Sprintf("No limit can be told between %s %s (%s, %s) and %s (%s, %s).", s.axis.Name,
		low.Label, low.Side, counted(low), high.Label, high.Side, counted(high))
}

func counted(t Trial) string { return fmt.Sprintf("%d of %d", t.Held, t.Of) }

// sentence says where the limit is and how sure that is.
func (s *searcher) sentence(r *Result) string {
	var b strings.Builder
	verb := "up to"
	if r.Good.Value > r.Bad.Value {
		verb = "down to"
	}
	fmt.Fprintf(&b, "Everything holds %s %s %s (%s replications) and no longer at %s (%s)", verb,
		r.Axis, r.Good.Label, counted(*r.Good), r.Bad.Label, counted(*r.Bad))
	if d := r.Doubtful; d != nil {
		fmt.Fprintf(&b, "; at %s chance decides (%s)", d.Label, counted(*d))
	}
	fmt.Fprintf(&b, "; with at least %.0f %% confidence the value at which it holds in %.0f %% of "+
		"all replications lies between the two, if more never helps and then harms; %d replications.",
		100*r.Confidence, 100*r.Share, r.Runs)
	return b.String()
}

// WriteJSON writes the result.
func (r *Result) WriteJSON(w io.Writer) error { return writeJSON(w, r) }

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(v)
}

// WriteText writes the values that were tried, in their order, and the sentence.
func (r *Result) WriteText(w io.Writer, t report.Terminal, wrap func(string) string) error {
	table := report.Table{Title: report.Visible(r.Question), Head: []report.Column{
		{Name: r.Axis, Number: true}, {Name: "held", Number: true}, {Name: ""}}}
	trials := slices.Clone(r.Trials)
	slices.SortStableFunc(trials, func(a, b Trial) int {
		switch {
		case a.Value < b.Value:
			return -1
		case a.Value > b.Value:
			return 1
		}
		return 0
	})
	for _, one := range trials {
		row := report.Row{Cells: []string{one.Label, counted(one), string(one.Side)}}
		switch one.Side {
		case Good:
			row.Mark = report.Good
		case Bad:
			row.Mark = report.Bad
		default:
			row.Mark = report.Doubt
		}
		table.Rows = append(table.Rows, row)
	}
	if err := table.WriteText(w, t); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%s\n", wrap(report.Visible(r.Sentence)))
	return err
}
