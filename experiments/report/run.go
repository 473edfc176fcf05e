package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"cascadesim/experiments/explain"
	"cascadesim/model"
	"cascadesim/model/check"
)

// Run is all that there is to say about one scenario: its replications, their summary and the
// judgement of its checks.
type Run struct {
	Plan     *model.Plan
	Results  []*model.Result // at least one
	Summary  check.Summary
	Verdicts []check.Verdict
	Source   string // the scenario with every default written out, as YAML
	Replay   string // the command line that gives this result again
}

// Label says what only the caller knows of a run.
type Label struct {
	Version  string // of the program
	Scenario string
	Variant  string // empty: none
	Source   string
	Replay   string
	// Asked is how many replications were wanted. When it is more than there are, the run was
	// interrupted, and its warnings say so; 0: as many as there are.
	Asked int
}

// Name is topology/scenario, with the variant.
func (l Label) Name(plan *model.Plan) string {
	return named(plan.Topology.Name, l.Scenario, l.Variant)
}

func named(topology, scenario, variant string) string {
	name := topology + "/" + scenario
	if variant != "" {
		name += " (" + variant + ")"
	}
	return name
}

// NewRun summarises and judges replications of a plan, of which there must be at least one.
func NewRun(plan *model.Plan, results []*model.Result, label Label) Run {
	r := Run{
		Plan: plan, Results: results, Source: label.Source, Replay: label.Replay,
		Summary: check.Summarize(plan, results), Verdicts: check.Judge(plan, results),
	}
	r.Summary.Version, r.Summary.Scenario = label.Version, label.Scenario
	r.Summary.Variant = label.Variant
	if n := len(results); n < label.Asked {
		// First, since it bears on every number below.
		said := Interrupted(n, label.Asked)
		r.Summary.Warnings = append([]string{said}, r.Summary.Warnings...)
	}
	return r
}

// Interrupted says how many of the replications that were wanted are in the numbers.
func Interrupted(finished, asked int) string {
	verb := "are"
	if finished == 1 {
		verb = "is"
	}
	return fmt.Sprintf("interrupted: %d of %d replications %s in these numbers", finished, asked, verb)
}

// Name is topology/scenario, with the variant.
func (r Run) Name() string {
	return named(r.Summary.Topology, r.Summary.Scenario, r.Summary.Variant)
}

// WriteJSON writes the summary, with stable keys. Invisible characters are escaped, since JSON is
// read on terminals too.
func (r Run) WriteJSON(w io.Writer) error {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(r.Summary); err != nil {
		return err
	}
	_, err := io.WriteString(w, escaped(out.String()))
	return err
}

// facts are the conditions of the run.
func (r Run) facts() []Fact {
	s := r.Summary
	facts := []Fact{{"scenario", s.Topology + "/" + s.Scenario}}
	if s.Variant != "" {
		facts = append(facts, Fact{"variant", s.Variant})
	}
	facts = append(facts, Fact{r.seedWord(), r.seeds()}, Fact{"scale", scaleText(s.Scale)},
		Fact{"simulated", seconds(s.DurationS)}, Fact{"events", count(float64(r.events()))})
	if e := r.Plan.Scenario.Epoch; !e.IsZero() {
		facts = append(facts, Fact{"starts", e.UTC().Format("2006-01-02 15:04 UTC")})
	}
	if w := r.Plan.World.Warmup; w > 0 {
		facts = append(facts, Fact{"warm-up left out", seconds(w.Seconds())})
	}
	return append(facts, Fact{"version", s.Version})
}

func (r Run) seedWord() string {
	if len(r.Results) > 1 {
		return "seeds"
	}
	return "seed"
}

// seeds are those of the replications. An interrupted run may lack some in between.
func (r Run) seeds() string {
	var parts []string
	for i := 0; i < len(r.Results); {
		first := r.Results[i].Seed
		last := first
		for i++; i < len(r.Results) && r.Results[i].Seed == last+1; i++ {
			last++
		}
		part := strconv.FormatUint(first, 10)
		if last > first {
			part += " to " + strconv.FormatUint(last, 10)
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

func (r Run) events() uint64 {
	var n uint64
	for _, one := range r.Results {
		n += one.Events
	}
	return n
}

// scaleText writes 0.01 as 1/100.
func scaleText(scale float64) string {
	if scale > 0 && scale < 1 {
		if n := math.Round(1 / scale); math.Abs(n*scale-1) < 1e-9 {
			return fmt.Sprintf("1/%.0f", n)
		}
	}
	return strconv.FormatFloat(scale, 'g', 6, 64)
}

// WriteText writes the run for a terminal.
func (r Run) WriteText(w io.Writer, term Terminal) error {
	var out strings.Builder
	out.WriteString(term.bold(Visible(r.Name())))
	if doc := r.Plan.Scenario.Doc; doc != "" {
		out.WriteString("  " + Visible(doc))
	}
	out.WriteString("\n")
	var facts []string
	for _, f := range r.facts()[1:] {
		facts = append(facts, f.Name+" "+Visible(f.Value))
	}
	out.WriteString(strings.Join(facts, "   ") + "\n\n")
	for _, t := range r.tables() {
		if len(t.Rows) == 0 {
			continue
		}
		if err := t.WriteText(&out, term); err != nil {
			return err
		}
		out.WriteString("\n")
	}
	strip, err := StripOf(r.Plan, r.Results[0])
	if err != nil {
		return err
	}
	if len(r.Results) > 1 {
		strip.Title += fmt.Sprintf(", seed %d", r.Results[0].Seed)
	}
	if err := strip.WriteText(&out, term); err != nil {
		return err
	}
	rec := r.Recovery()
	out.WriteString("\n" + term.note("recovery", rec))
	decides, err := r.decides()
	if err != nil {
		return err
	}
	out.WriteString(decides.text(term))
	if len(r.Verdicts) > 0 {
		out.WriteString("\n")
		if err := checksFor(r.Verdicts, term).WriteText(&out, term); err != nil {
			return err
		}
	}
	for i, n := range r.warnings() {
		if i == 0 {
			out.WriteString("\n")
		}
		out.WriteString(term.note("warning", n))
	}
	_, err = io.WriteString(w, out.String())
	return err
}

// Page is the run for a browser.
func (r Run) Page() (Page, error) {
	axis, charts, err := chartsOf(r.Plan, r.Results[0])
	if err != nil {
		return Page{}, err
	}
	p := Page{
		Title: r.Name(), Doc: r.Plan.Scenario.Doc, Facts: r.facts(), Replay: r.Replay,
		Notes: append([]Note{r.Recovery()}, r.warnings()...),
		Axis:  axis, Spans: WithStages(SpansOf(r.Plan, r.Results[0]), r.Plan, r.Results[0]),
		Charts: charts, More: r.tables(), Source: r.Source,
	}
	if len(r.Results) > 1 {
		p.Notes = append(p.Notes, Note{Plain, fmt.Sprintf(
			"The charts show the replication of seed %d; the tables are of all %d.",
			r.Results[0].Seed, len(r.Results))})
	}
	if len(r.Verdicts) > 0 {
		p.Tables = append(p.Tables, ChecksTable(r.Verdicts))
	}
	decides, err := r.decides()
	if err != nil {
		return Page{}, err
	}
	if t := decides.table(); len(t.Rows) > 0 {
		p.Tables = append(p.Tables, t)
	}
	story := r.story()
	if t := story.happened(); len(t.Rows) > 0 {
		p.Tables = append(p.Tables, t)
	}
	p.More = slices.DeleteFunc(append(p.More, story.gains()), func(t Table) bool {
		return len(t.Rows) == 0
	})
	if t := timelineTable(p.Spans, axis.Clock); len(t.Rows) > 0 {
		p.Tables = append(p.Tables, t)
	}
	return p, nil
}

// story is what explain says of the first replication, without running it again.
func (r Run) story() Explained {
	return Explained{Explanation: explain.Of(r.Plan, r.Results[0]), Name: r.Name()}
}

// timelineTable says what happened when, with the letters that charts may use for it.
func timelineTable(spans []Span, clock Clock) Table {
	t := Table{Title: "Timeline", Doc: clock.Name(), Head: []Column{
		text(""), text("from"), text("to"), text("what"), text("name"), text("doc"),
	}}
	for i, s := range spans {
		end := "stays"
		if !math.IsNaN(s.End) {
			end = clock.Format(s.End)
		}
		t.Rows = append(t.Rows, Row{Cells: []string{
			letter(i), clock.Format(s.At), end, s.Verb, s.Name, s.Doc,
		}})
	}
	return t
}

// WriteChecks writes how the run was judged, and where the values of failed checks come from.
func (r Run) WriteChecks(w io.Writer, term Terminal) error {
	var out strings.Builder
	fmt.Fprintf(&out, "%s  %s %s  scale %s\n", term.bold(Visible(r.Name())), r.seedWord(),
		r.seeds(), scaleText(r.Summary.Scale))
	if len(r.Verdicts) == 0 {
		out.WriteString("no checks\n")
	}
	t := checksFor(r.Verdicts, term)
	t.Title = ""
	if err := t.WriteText(&out, term); err != nil {
		return err
	}
	for _, n := range FailureNotes(r.Verdicts) {
		out.WriteString(term.note("failed", n))
	}
	for _, n := range r.warnings() {
		out.WriteString(term.note("warning", n))
	}
	out.WriteString("\n")
	_, err := io.WriteString(w, out.String())
	return err
}
