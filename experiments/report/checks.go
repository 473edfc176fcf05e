package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"cascadesim/model/check"
)

// ChecksTable shows what a scenario was judged by. Checks that know the figure of the real world
// are shown beside it, and of values taken from one bin of many, which bin that is.
func ChecksTable(verdicts []check.Verdict) Table { return checksTable(verdicts, true) }

// checksFor leaves the bins out where they would make the table wider than the terminal.
func checksFor(verdicts []check.Verdict, term Terminal) Table {
	t := ChecksTable(verdicts)
	if t.visible().length() > term.width() {
		return checksTable(verdicts, false)
	}
	return t
}

// binOf is the bin that a verdict's value is from; empty: from none.
func binOf(v check.Verdict) string {
	note, _, _ := strings.Cut(v.Note, ";")
	bin, _ := strings.CutPrefix(note, "bin at ")
	if bin == note {
		return ""
	}
	return bin
}

func checksTable(verdicts []check.Verdict, bins bool) Table {
	t := Table{Title: "Checks"}
	reported, binned := false, false
	for _, v := range verdicts {
		reported = reported || v.Reported != ""
		binned = binned || bins && binOf(v) != ""
	}
	t.Head = []Column{text("check"), text("what")}
	if reported {
		t.Title = "Incident against simulation"
		t.Head = append(t.Head, text("reported"))
	}
	t.Head = append(t.Head, number("simulated"))
	if binned {
		t.Head = append(t.Head, text("in bin"))
	}
	t.Head = append(t.Head, text("wanted"), text("ok"))
	for _, v := range verdicts {
		what := v.Doc
		if what == "" {
			what = v.Measure
		}
		cells := []string{v.Name, what}
		if reported {
			cells = append(cells, v.Reported)
		}
		cells = append(cells, v.Text)
		if binned {
			cells = append(cells, binOf(v))
		}
		row := Row{Cells: append(cells, v.Want, passed(v)), Mark: Good}
		if !v.OK {
			row.Mark = Bad
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// passed says whether a check held, and by how many of several replications.
func passed(v check.Verdict) string {
	word := "yes"
	if !v.OK {
		word = "NO"
	}
	held := 0
	for _, r := range v.PerRun {
		if r.OK {
			held++
		}
	}
	n := len(v.PerRun)
	if n > 1 && v.Pass == "mean" {
		return fmt.Sprintf("%s (mean of %d)", word, n)
	}
	if n > 1 {
		return fmt.Sprintf("%s (%d of %d)", word, held, n)
	}
	return word
}

// FailureNotes say where the values of failed checks come from.
func FailureNotes(verdicts []check.Verdict) []Note {
	var out []Note
	for _, v := range verdicts {
		if v.OK {
			continue
		}
		text := fmt.Sprintf("%s: %s is %s, wanted %s", v.Name, v.Measure, v.Text, v.Want)
		if v.Note != "" {
			text += " (" + v.Note + ")"
		}
		for _, r := range v.PerRun {
			if len(v.PerRun) > 1 && !r.OK {
				text += fmt.Sprintf("; seed %d: %s", r.Seed, r.Text)
			}
		}
		out = append(out, Note{Bad, text})
	}
	return out
}

// Suite is the checks of one scenario, for JUnit.
type Suite struct {
	Name     string // topology/scenario, with the variant
	Verdicts []check.Verdict
	// Failure is what kept the scenario from being judged; empty: nothing did.
	Failure string
}

type junitFailure struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Failure *junitFailure `xml:"failure,omitempty"`
	Error   *junitFailure `xml:"error,omitempty"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
}

// WriteJUnit writes suites as the XML that build servers show. It holds no times, so that the same
// results give the same file.
func WriteJUnit(w io.Writer, suites []Suite) error {
	var all struct {
		XMLName xml.Name     `xml:"testsuites"`
		Suites  []junitSuite `xml:"testsuite"`
	}
	for _, s := range suites {
		all.Suites = append(all.Suites, s.junit())
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return fmt.Errorf("write JUnit: %w", err)
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (s Suite) junit() junitSuite {
	out := junitSuite{Name: s.Name}
	if s.Failure != "" {
		out.Errors = 1
		out.Cases = []junitCase{{
			Name: "run", Class: s.Name, Error: &junitFailure{Message: s.Failure},
		}}
	}
	for _, v := range s.Verdicts {
		c := junitCase{Name: v.Name, Class: s.Name}
		if !v.OK {
			out.Failures++
			note := FailureNotes([]check.Verdict{v})[0]
			c.Failure = &junitFailure{Message: fmt.Sprintf("%s, wanted %s", v.Text, v.Want), Text: note.Text}
		}
		out.Cases = append(out.Cases, c)
	}
	out.Tests = len(out.Cases)
	return out
}
