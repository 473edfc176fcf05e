package selftest

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// Format is how a table is written.
type Format string

// The formats.
const (
	Text     Format = "text"
	Markdown Format = "markdown"
)

var columns = []string{
	"case", "value", "expected", "measured", "sd", "95 % interval", "tolerance", "", "of",
}

// Write writes outcomes as a table, what is disputed and why, and a line that counts them.
func Write(w io.Writer, outcomes []Outcome, format Format) error {
	rows := [][]string{columns}
	for _, o := range outcomes {
		rows = append(rows, row(o))
	}
	var err error
	switch format {
	case Text:
		err = writeText(w, rows)
	case Markdown:
		err = writeMarkdown(w, rows)
	default:
		return fmt.Errorf("there is no format %q", format)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n%s\n", reasons(outcomes), count(outcomes))
	return err
}

// reasons says what is disputed, once for values that share a reason.
func reasons(outcomes []Outcome) string {
	var b strings.Builder
	last := ""
	for _, o := range outcomes {
		if o.Disputed && o.Reason != last {
			fmt.Fprintf(&b, "\nDisputed, %s %s: %s.\n", o.ID, o.What, o.Reason)
			last = o.Reason
		}
	}
	return b.String()
}

// count says in a line how many values hold.
func count(outcomes []Outcome) string {
	failed, disputed := 0, 0
	for _, o := range outcomes {
		switch {
		case o.Disputed:
			disputed++
		case !o.OK:
			failed++
		}
	}
	text := fmt.Sprintf("%d values: %d hold, %d fail", len(outcomes),
		len(outcomes)-failed-disputed, failed)
	if disputed > 0 {
		text += fmt.Sprintf(", %d are disputed", disputed)
	}
	return text
}

// row is an outcome as people read it.
func row(o Outcome) []string {
	interval, sd := "-", "-"
	if !math.IsInf(o.Lo, 0) {
		interval = figure(o.Lo, o.Unit) + " .. " + figure(o.Hi, o.Unit)
		sd = figure(o.SD, o.Unit)
	}
	verdict := "ok"
	switch {
	case o.Disputed:
		verdict = "disputed"
	case !o.OK:
		verdict = "FAILS"
	}
	return []string{o.ID, o.What, figure(o.Want, o.Unit), figure(o.Got, o.Unit), sd, interval,
		o.Tolerance, verdict, o.Detail}
}

func writeText(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	for _, r := range rows {
		if _, err := fmt.Fprintln(t, strings.Join(r, "\t")); err != nil {
			return err
		}
	}
	return t.Flush()
}

func writeMarkdown(w io.Writer, rows [][]string) error {
	for i, r := range rows {
		cells := make([]string, len(r))
		for k, c := range r {
			cells[k] = strings.ReplaceAll(c, "|", `\|`)
		}
		if _, err := fmt.Fprintf(w, "| %s |\n", strings.Join(cells, " | ")); err != nil {
			return err
		}
		if i > 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "|%s\n", strings.Repeat(" --- |", len(r))); err != nil {
			return err
		}
	}
	return nil
}

// figure writes a value with its unit and about five digits.
func figure(x float64, unit string) string {
	digits := func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }
	switch {
	case math.IsNaN(x):
		return "-"
	case unit == "s" && x != 0 && math.Abs(x) < 1e-3:
		return digits(x*1e6) + "us"
	case unit == "s" && x != 0 && math.Abs(x) < 1:
		return digits(x*1e3) + "ms"
	case math.Abs(x) >= 1e5:
		return strconv.FormatFloat(x, 'f', 0, 64) + unit
	case strings.HasPrefix(unit, "of "):
		return digits(x) + " " + unit
	}
	return digits(x) + unit
}
