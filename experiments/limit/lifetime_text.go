package limit

import (
	"fmt"
	"io"
	"math"
	"strings"

	"cascadesim/experiments/report"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// WriteText writes a row for each value, how those were found that plain runs did not see, and
// where a mean field has its fold.
func (l *Lifetimes) WriteText(w io.Writer, t report.Terminal, wrap func(string) string) error {
	table := report.Table{Title: report.Visible(l.Question), Head: []report.Column{
		{Name: l.Axis, Number: true}, {Name: "collapsed", Number: true},
		{Name: "watched", Number: true}, {Name: "mean time to collapse", Number: true},
		{Name: "95 % interval", Number: true}, {Name: "found by"}}}
	split := false
	for _, r := range l.Rows {
		mean, interval, by := "-", "above "+span(r.Low), "plain runs"
		if r.Mean != nil {
			mean, interval = span(*r.Mean), span(r.Low)+" to "+span(*r.High)
		}
		if r.Splitting != nil {
			by, split = "splitting", true
		}
		table.Rows = append(table.Rows, report.Row{Cells: []string{r.Label,
			fmt.Sprintf("%d of %d", r.Collapses, r.Of), span(r.Watched), mean, interval, by}})
	}
	err := table.WriteText(w, t)
	if err == nil && split {
		if _, err = fmt.Fprintln(w); err == nil {
			err = l.branches().WriteText(w, t)
		}
	}
	if text := l.sentences(split); err == nil {
		_, err = fmt.Fprintf(w, "\n%s\n", wrap(report.Visible(text)))
	}
	return err
}

// branches is how the values were found at which runs were branched.
func (l *Lifetimes) branches() report.Table {
	table := report.Table{Title: "Splitting", Head: []report.Column{
		{Name: l.Axis, Number: true}, {Name: "chance", Number: true},
		{Name: "in", Number: true}, {Name: "runs", Number: true}, {Name: "simulated", Number: true},
		{Name: "plain runs would take", Number: true}, {Name: "in 2nd half", Number: true}}}
	for _, r := range l.Rows {
		b := r.Splitting
		if b == nil {
			continue
		}
		cells := []string{r.Label, fmt.Sprintf("below %.2g", b.High), span(b.Watched),
			fmt.Sprint(b.Runs), span(b.Simulated), "-", "-"}
		if r.Mean != nil {
			cells[1] = fmt.Sprintf("%.2g", b.Chance)
			cells[5] = fmt.Sprintf("%.2gx", b.Plain/b.Simulated)
			cells[6] = fmt.Sprintf("%.0f%%", 100*b.Late)
			if !b.Steady {
				cells[6] += " (!)"
			}
		}
		table.Rows = append(table.Rows, report.Row{Cells: cells})
	}
	return table
}

// sentences say what the numbers rest on.
func (l *Lifetimes) sentences(split bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "A gauge is looked at once in a window, here of %s: what lasts less may go "+
		"unseen, and the time to it be shorter than is said. ", span(l.Window))
	if split {
		b.WriteString("Splitting takes collapses to come from a steady state, at the same rate " +
			"throughout. ")
		tested, unsteady := l.tested()
		switch {
		case unsteady != "":
			fmt.Fprintf(&b, "At %s they do not: the halves of the time that was looked at differ "+
				"detectably, and what is said is no lifetime. A longer --horizon may help. ", unsteady)
		case tested != "":
			fmt.Fprintf(&b, "At %s nothing speaks against it: the halves of the time that was looked "+
				"at do not differ detectably. ", tested)
		}
		if bounded := l.bounded(); bounded != "" {
			fmt.Fprintf(&b, "At %s the runs were used up or alike before one collapsed, so that this "+
				"could not be tested; more --paths and --runs would show more. ", bounded)
		}
	}
	if l.Note != "" {
		b.WriteString(l.Note + ". ")
	}
	if f := l.MeanField; f != nil {
		fmt.Fprintf(&b, "A mean field has a well state up to %.3f/s, where %.3f/s attempts arrive; "+
			"chance tips one server below that, too.", f.Load, f.Attempts)
	}
	return strings.TrimSpace(b.String())
}

// tested are the values at which collapses come at the same rate throughout, as far as can be told,
// and those at which they do not.
func (l *Lifetimes) tested() (steady, unsteady string) {
	var good, bad []string
	for _, r := range l.Rows {
		switch b := r.Splitting; {
		case b == nil || r.Mean == nil:
		case b.Steady:
			good = append(good, r.Label)
		default:
			bad = append(bad, r.Label)
		}
	}
	return strings.Join(good, ", "), strings.Join(bad, ", ")
}

// bounded are the values at which splitting found no more than a bound.
func (l *Lifetimes) bounded() string {
	var out []string
	for _, r := range l.Rows {
		if r.Splitting != nil && r.Mean == nil {
			out = append(out, r.Label)
		}
	}
	return strings.Join(out, ", ")
}

// span writes seconds with three digits, from a second on.
func span(seconds float64) string {
	digits := math.Pow(10, 2-math.Floor(math.Log10(max(seconds, 1))))
	return unit.FormatDuration(sim.Time(math.Round(seconds*digits) / digits * float64(sim.Second)))
}
