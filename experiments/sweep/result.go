package sweep

import (
	"encoding/json"
	"io"
	"math"
	"slices"
	"strconv"

	"cascadesim/experiments/statistics"
	"cascadesim/model"
	"cascadesim/model/check"
)

// Result is what a sweep found, as JSON has it. Numbers are rounded to ten digits, so that they are
// the same on any machine.
type Result struct {
	Schema      string          `json:"schema"`
	Version     string          `json:"version"`
	Experiment  string          `json:"experiment"`
	Question    string          `json:"question"`
	Complete    bool            `json:"complete"`
	Runs        int             `json:"runs"`
	Axes        []string        `json:"axes"`
	Samples     []SampledAxis   `json:"samples,omitempty"` // of a design that is no grid
	Points      []PointResult   `json:"points"`
	Cells       []CellResult    `json:"cells"`
	Answer      *Answer         `json:"recommendation"`
	Sensitivity []ChangedResult `json:"sensitivity"`
	Warnings    []string        `json:"warnings"`

	sweep  *Sweep
	choice choice
}

// PointResult is one setting.
type PointResult struct {
	Values   map[string]string `json:"values"`
	Cells    []int             `json:"cells"` // by case
	Score    *float64          `json:"score"`
	Meets    bool              `json:"meets_constraints"`
	Front    bool              `json:"pareto"`
	Baseline bool              `json:"baseline"`
	Dropped  string            `json:"dropped,omitempty"`
}

// CellResult is a case at one value of each of its axes.
type CellResult struct {
	Case         string            `json:"case"`
	Values       map[string]string `json:"values"`
	Replications int               `json:"replications"`
	Quantities   []QuantityResult  `json:"quantities"`
}

// QuantityResult is one objective or constraint.
type QuantityResult struct {
	Name       string            `json:"name"`
	Kind       string            `json:"kind"` // objective, constraint
	Unit       string            `json:"unit"`
	Values     int               `json:"values"`
	Never      int               `json:"never"`
	Mean       *float64          `json:"mean"`
	Low        *float64          `json:"low"`
	High       *float64          `json:"high"`
	Groups     []GroupResult     `json:"groups,omitempty"`
	Share      *ShareResult      `json:"share,omitempty"`
	State      State             `json:"state,omitempty"`
	Limit      *LimitResult      `json:"limit,omitempty"`
	Difference *DifferenceResult `json:"difference,omitempty"`
}

// GroupResult is one of two groups into which values fall.
type GroupResult struct {
	Values int      `json:"values"`
	Mean   *float64 `json:"mean"`
}

// ShareResult is how many replications meet a constraint.
type ShareResult struct {
	Met  int      `json:"met"`
	Of   int      `json:"of"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// LimitResult is what a constraint asks for.
type LimitResult struct {
	Text  string   `json:"text"` // at most 5% in all replications
	Min   *float64 `json:"min"`
	Max   *float64 `json:"max"`
	Share *float64 `json:"share"` // of the replications that must meet it; nil: their mean must
}

// limit is what a constraint asks for.
func (q *Quantity) limit() *LimitResult {
	l := LimitResult{Text: check.Wanted(q.plan, q.check)}
	l.Min, l.Max = check.Limits(q.check)
	need := q.check.Pass.Share
	switch q.check.Pass.Kind {
	case "mean":
		l.Text += " on average"
		return &l
	case "share":
		l.Text += " in " + check.Format(need, check.Share) + " of replications"
	default:
		need = 1
		l.Text += " in all replications"
	}
	l.Share = &need
	return &l
}

// DifferenceResult is the mean of the differences to the baseline, on the same luck.
type DifferenceResult struct {
	Mean       *float64 `json:"mean"`
	Low        *float64 `json:"low"`
	High       *float64 `json:"high"`
	Detectable bool     `json:"detectable"`
}

// Answer is the recommended point.
type Answer struct {
	Sentence    string            `json:"sentence"`
	Point       *int              `json:"point"`
	Values      map[string]string `json:"values,omitempty"`
	Binding     []string          `json:"binding"`
	AsGood      []int             `json:"as_good"` // points that do not differ detectably
	WithoutThem *int              `json:"without_constraints"`
}

// ChangedResult is the recommended point, or a neighbour of it, under a change.
type ChangedResult struct {
	Change     string            `json:"change"`
	Values     map[string]string `json:"values"`
	Case       string            `json:"case"`
	Quantities []QuantityResult  `json:"quantities"`
}

// Result reads what is there.
func (s *Sweep) Result(complete bool) *Result {
	r := &Result{Schema: "cascadesim.sweep/1", Version: s.o.Version, Experiment: s.Name,
		Question: s.Question, Complete: complete, Runs: s.runs, Warnings: s.warnings(), sweep: s,
		Axes: []string{}, Sensitivity: []ChangedResult{}, choice: s.choose()}
	for _, a := range s.Axes {
		r.Axes = append(r.Axes, a.Name)
	}
	for p := range s.Points {
		point := &s.Points[p]
		r.Points = append(r.Points, PointResult{Values: s.values(p), Cells: point.cells,
			Score: number(r.choice.scores[p]), Meets: len(s.violated(p, false)) == 0,
			Front: r.choice.front[p], Baseline: point.Baseline, Dropped: s.dropped[p]})
	}
	r.Samples = s.samples()
	base := s.baseline()
	for i, c := range s.Cells {
		r.Cells = append(r.Cells, CellResult{Case: s.Cases[c.Case].Name, Values: s.cellValues(c),
			Replications: len(c.samples), Quantities: s.results(c, s.baseOf(i, base))})
	}
	for _, at := range s.changes {
		for k, c := range at.cells {
			if c != nil {
				r.Sensitivity = append(r.Sensitivity, ChangedResult{Change: at.change,
					Values: s.values(at.point), Case: s.Cases[k].Name,
					Quantities: s.results(c, s.Cells[s.Points[at.point].cells[k]])})
			}
		}
	}
	r.Answer = s.answer(r.choice, complete)
	return r
}

// values are a point's values by axis.
func (s *Sweep) values(p int) map[string]string {
	out := map[string]string{}
	for i, a := range s.Axes {
		out[a.Name] = s.Points[p].Levels[i].Label
	}
	return out
}

func (s *Sweep) cellValues(c *Cell) map[string]string {
	out := map[string]string{}
	for i, name := range s.Cases[c.Case].Axes {
		out[name] = c.Levels[i].Label
	}
	return out
}

// baseline is the point that others are compared with, -1 if there is none.
func (s *Sweep) baseline() int {
	return slices.IndexFunc(s.Points, func(p Point) bool { return p.Baseline })
}

// baseOf is the baseline's cell in the case of cell i; nil: there is no baseline, or i is it.
func (s *Sweep) baseOf(i, base int) *Cell {
	if base < 0 || s.Points[base].cells[s.Cells[i].Case] == i {
		return nil
	}
	return s.Cells[s.Points[base].cells[s.Cells[i].Case]]
}

// results reads a cell for people and programs, with differences to another on the same luck.
func (s *Sweep) results(c, base *Cell) []QuantityResult {
	out := []QuantityResult{}
	for k, q := range s.quantities(c) {
		r := QuantityResult{Name: q.Name, Kind: "objective", Unit: string(q.Unit),
			Values: len(q.Values), Never: q.Never, State: q.State,
			Mean: number(q.Estimate.Mean), Low: number(q.Estimate.Low()), High: number(q.Estimate.High())}
		if q.Groups != nil {
			for _, g := range [][]float64{q.Groups.Low, q.Groups.High} {
				r.Groups = append(r.Groups, GroupResult{len(g), number(statistics.Of(g).Mean)})
			}
		}
		if !q.objective() {
			r.Kind = "constraint"
			r.Share = &ShareResult{q.Share.Successes, q.N, number(q.Share.Low), number(q.Share.High)}
			r.Limit = q.limit()
		}
		if base != nil {
			r.Difference = s.differenceOf(c, base, k)
		}
		out = append(out, r)
	}
	return out
}

// differenceOf is check k's difference of two cells, over the replications in which both have a
// value; nil where that is none.
func (s *Sweep) differenceOf(c, base *Cell, k int) *DifferenceResult {
	d := s.difference(c, base, k)
	if d.N == 0 {
		return nil
	}
	return &DifferenceResult{number(d.Mean), number(d.Low()), number(d.High()), d.Clear()}
}

func (s *Sweep) difference(c, base *Cell, k int) statistics.Estimate {
	var values []float64
	for i := range min(len(c.samples), len(base.samples)) {
		a, b := c.samples[i].Readings[k].Value, base.samples[i].Readings[k].Value
		if a != nil && b != nil {
			values = append(values, *a-*b)
		}
	}
	return statistics.At(values, s.confidence(c))
}

// number is x for JSON, with ten digits; nil when it does not exist.
func number(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 9, 64), 64)
	if err != nil {
		return &x
	}
	if y == 0 {
		y = 0 // no negative zero
	}
	return &y
}

// warnings are the doubts about the plans, each once, and those about the sweep.
func (s *Sweep) warnings() []string {
	out := []string{}
	seen := map[string]bool{}
	for _, c := range s.Cells {
		for _, w := range c.Plan.Warnings {
			text := s.Cases[c.Case].Name + ": " + w.Text
			if w.Path != "" {
				text = s.Cases[c.Case].Name + ": " + w.Path + ": " + w.Text
			}
			if !seen[text] {
				seen[text] = true
				out = append(out, text)
			}
		}
	}
	if s.bounded {
		out = append(out, "runs: the budget of "+strconv.Itoa(s.Runs)+
			" replications was used up before everything was known as well as was asked")
	}
	return out
}

// WriteJSON writes the result.
func (r *Result) WriteJSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(r)
}

// WriteManifest writes what the results were made of: the version and the hash of each cell, which
// says all that was simulated.
func (r *Result) WriteManifest(w io.Writer) error {
	type cell struct {
		Case   string            `json:"case"`
		Values map[string]string `json:"values"`
		Hash   string            `json:"hash"`
		Seed   uint64            `json:"seed"`
		Runs   int               `json:"runs"`
	}
	var all struct {
		Schema     string `json:"schema"`
		Version    string `json:"version"`
		Experiment string `json:"experiment"`
		Cells      []cell `json:"cells"`
	}
	all.Schema, all.Version, all.Experiment = "cascadesim.manifest/1", r.Version, r.Experiment
	for i, c := range r.Cells {
		all.Cells = append(all.Cells, cell{c.Case, c.Values, r.sweep.Cells[i].key, r.sweep.Seed,
			c.Replications})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", " ")
	return e.Encode(all)
}

// shown writes a quantity's value as people read it.
func (q *Quantity) shown(x float64) string {
	if q.Unit == check.Ratio && x >= 0 {
		return check.Format(x, q.Unit) + "x"
	}
	return check.Shown(q.plan, q.check, x)
}

// half writes half an interval; of a time it is a length.
func (q *Quantity) half() string {
	unit := q.Unit
	if unit == check.Time {
		unit = check.Duration
	}
	x := q.Estimate.Half
	if y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 1, 64), 64); err == nil {
		x = y
	}
	return check.Format(x, unit)
}

// checkOf is the check of a name in a plan.
func checkOf(plan *model.Plan, name string) int {
	return slices.IndexFunc(plan.Scenario.Checks, func(c model.Check) bool { return c.Name == name })
}
