package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"cascadesim/model"
	"cascadesim/model/lint"
)

// Lint is what was found in a world before it runs.
type Lint struct {
	Plan   *model.Plan
	Name   string
	Report lint.Report
}

// WriteText writes the tables and the findings for a terminal.
func (l Lint) WriteText(w io.Writer, term Terminal) error {
	var out strings.Builder
	out.WriteString(term.bold(Visible(l.Name)) + "\n\n")
	for _, t := range []Table{l.hops(), l.leaves()} {
		if len(t.Rows) == 0 {
			continue
		}
		if err := t.WriteText(&out, term); err != nil {
			return err
		}
		out.WriteString("\n")
	}
	for _, f := range l.Report.Findings {
		out.WriteString(l.finding(f, term))
	}
	out.WriteString(l.counts() + "\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// finding is one finding in three parts: where, what, cure.
func (l Lint) finding(f lint.Finding, term Terminal) string {
	tone := map[lint.Level]Tone{lint.Danger: Bad, lint.Warning: Doubt}[f.Level]
	where := f.Path
	if f.File != "" && f.Line > 0 {
		where = fmt.Sprintf("%s:%d:%d %s", f.File, f.Line, f.Col, f.Path)
	}
	if f.Override != "" {
		where += " (" + f.Override + ")"
	}
	if n := len(f.Also); n > 0 {
		where += ", and the same for " + listed(f.Also)
	}
	text := fmt.Sprintf("%s: %s. Cure: %s.", f.ID, f.Text, f.Hint)
	return term.paint(tone, f.Level.String()) + "  " + Visible(where) + "\n" +
		term.note(strings.Repeat(" ", len(f.Level.String())), Note{Plain, text})
}

// listed names a few paths and counts the rest.
func listed(paths []string) string {
	const few = 3
	if len(paths) <= few {
		return strings.Join(paths, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(paths[:few], ", "), len(paths)-few)
}

// counts is how many findings there are of each level.
func (l Lint) counts() string {
	var parts []string
	for _, level := range []lint.Level{lint.Danger, lint.Warning, lint.Note} {
		n := len(l.Report.Worst(level))
		if level < lint.Danger {
			n -= len(l.Report.Worst(level + 1))
		}
		if n == 1 {
			parts = append(parts, "1 "+level.String())
		} else {
			parts = append(parts, fmt.Sprintf("%d %ss", n, level))
		}
	}
	return strings.Join(parts, ", ")
}

func (l Lint) hops() Table {
	t := Table{Title: "At worst, by edge",
		Foot: "tries: of one call, without budgets; in a storm: attempts for each call while all " +
			"fail, budgets at work; attempts: of one request; blocks: the longest time of one call",
		Head: []Column{text("edge"), number("tries"), number("in a storm"), number("attempts"),
			number("with budgets"), number("blocks")}}
	for _, h := range l.Report.Hops {
		t.Rows = append(t.Rows, Row{Cells: []string{
			h.Edge, lint.Times(triesOf(h.Tries)), times(h.Factor), lint.Times(h.Attempts),
			times(h.Budgeted), lint.Seconds(h.Blocking),
		}})
	}
	return t
}

// times writes a factor; without limit in a word.
func times(x float64) string {
	if math.IsInf(x, 1) {
		return lint.Times(x)
	}
	return Factor.Format(x)
}

func triesOf(n int) float64 {
	if n == 0 {
		return math.Inf(1)
	}
	return float64(n)
}

func (l Lint) leaves() Table {
	t := Table{Title: "One request, at the tiers that call nobody",
		Head: []Column{text("client"), text("tier"), text("by"), number("attempts"),
			number("with budgets")}}
	for _, leaf := range l.Report.Leaves {
		by := lint.Text(leaf.Path)
		if by == "" {
			by = "no retries"
		}
		t.Rows = append(t.Rows, Row{Cells: []string{leaf.Client, leaf.Tier, by,
			lint.Times(leaf.Attempts), times(leaf.Budgeted)}})
	}
	return t
}

// The JSON of a lint: null is what has no limit.
type lintJSON struct {
	Schema   string        `json:"schema"`
	Name     string        `json:"name"`
	Hops     []hopJSON     `json:"hops"`
	Leaves   []leafJSON    `json:"leaves"`
	Findings []findingJSON `json:"findings"`
}

type hopJSON struct {
	Edge        string   `json:"edge"`
	Tries       *float64 `json:"tries"`
	StormFactor *float64 `json:"storm_factor"`
	Attempts    *float64 `json:"attempts_per_request"`
	Budgeted    *float64 `json:"attempts_per_request_with_budgets"`
	BlockingS   *float64 `json:"blocking_s"`
}

type leafJSON struct {
	Client   string    `json:"client"`
	Tier     string    `json:"tier"`
	By       []tryJSON `json:"by"`
	Attempts *float64  `json:"attempts"`
	Budgeted *float64  `json:"attempts_with_budgets"`
}

type tryJSON struct {
	Edge  string   `json:"edge"`
	Tries *float64 `json:"tries"`
}

type findingJSON struct {
	ID       string     `json:"id"`
	Level    lint.Level `json:"level"`
	Path     string     `json:"path"`
	File     string     `json:"file,omitempty"`
	Line     int        `json:"line,omitempty"`
	Column   int        `json:"column,omitempty"`
	Override string     `json:"override,omitempty"`
	Also     []string   `json:"also,omitempty"`
	Text     string     `json:"text"`
	Cure     string     `json:"cure"`
}

// WriteJSON writes everything with stable keys.
func (l Lint) WriteJSON(w io.Writer) error {
	out := lintJSON{Schema: "cascadesim.lint/1", Name: l.Name, Hops: []hopJSON{},
		Leaves: []leafJSON{}, Findings: []findingJSON{}}
	for _, h := range l.Report.Hops {
		out.Hops = append(out.Hops, hopJSON{h.Edge, finite(triesOf(h.Tries)), finite(h.Factor),
			finite(h.Attempts), finite(h.Budgeted), finite(h.Blocking)})
	}
	for _, leaf := range l.Report.Leaves {
		by := []tryJSON{}
		for _, f := range leaf.Path {
			by = append(by, tryJSON{f.Edge, finite(triesOf(f.Tries))})
		}
		out.Leaves = append(out.Leaves, leafJSON{leaf.Client, leaf.Tier, by, finite(leaf.Attempts),
			finite(leaf.Budgeted)})
	}
	for _, f := range l.Report.Findings {
		out.Findings = append(out.Findings, findingJSON{f.ID, f.Level, f.Path, f.File, f.Line, f.Col,
			f.Override, f.Also, f.Text, f.Hint})
	}
	return writeJSON(w, out)
}

// finite is nil for what has no limit.
func finite(x float64) *float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return nil
	}
	return &x
}

// writeJSON writes an object as run --json does: invisible characters are escaped, since JSON is
// read on terminals too.
func writeJSON(w io.Writer, v any) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escaped(out.String()))
	return err
}
