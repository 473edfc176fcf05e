package sweep

import (
	"math"
	"slices"

	"cascadesim/experiments/statistics"
	"cascadesim/model"
	"cascadesim/model/check"
)

// State is what is known of a constraint.
type State string

// The states. Unsure ones are judged by what was seen, and said to be so.
const (
	Met         State = "met"
	MetUnsure   State = "met, not certain"
	Violated    State = "violated"
	ViolatedMay State = "violated, not certain"
)

// holds says whether a constraint counts as met.
func (s State) holds() bool { return s == Met || s == MetUnsure }

// sure says whether more replications would hardly change it.
func (s State) sure() bool { return s == Met || s == Violated }

// Quantity is one objective or constraint of a cell, over its replications.
type Quantity struct {
	Name     string
	check    *model.Check
	plan     *model.Plan
	Unit     check.Unit
	Values   []float64 // of the replications that have one, in their order
	N, Never int       // replications, and those in which a time never came
	Missing  int       // those without a value
	Estimate statistics.Estimate
	Groups   *statistics.Groups
	Share    statistics.Proportion // of the replications that meet it
	State    State
}

// objective says whether the quantity is read and not judged.
func (q *Quantity) objective() bool { return q.check.Measured }

// quantities reads a cell, once for each number of replications that it has.
func (s *Sweep) quantities(c *Cell) []Quantity {
	if c.read != nil && c.readOf == len(c.samples) {
		return c.read
	}
	c.read, c.readOf = nil, len(c.samples)
	for k := range c.Plan.Scenario.Checks {
		c.read = append(c.read, s.quantity(c, k))
	}
	return c.read
}

func (s *Sweep) quantity(c *Cell, k int) Quantity {
	ch := &c.Plan.Scenario.Checks[k]
	q := Quantity{Name: ch.Name, check: ch, plan: c.Plan, Unit: check.UnitOf(c.Plan.World, ch),
		N: len(c.samples)}
	good := 0
	for _, sample := range c.samples {
		r := sample.Readings[k]
		switch {
		case r.Value != nil:
			q.Values = append(q.Values, *r.Value)
		case r.Never:
			q.Never++
		case r.Word == "":
			q.Missing++
		}
		if r.OK {
			good++
		}
	}
	confidence := s.confidence(c)
	q.Estimate = statistics.At(q.Values, confidence)
	if g, two := statistics.Modes(q.Values); two && !q.trifling(g) {
		q.Groups = &g
	}
	if !q.objective() {
		q.Share = statistics.ShareAt(good, q.N, confidence)
		q.State = q.state()
	}
	return q
}

// trifling says whether two groups are only a share of few requests, of which one failed or two.
func (q *Quantity) trifling(g statistics.Groups) bool {
	const least = 0.01
	return q.Unit == check.Share && g.High[len(g.High)-1]-g.Low[0] < least
}

// state judges a constraint as its pass says.
func (q *Quantity) state() State {
	switch q.check.Pass.Kind {
	case "mean":
		return q.meanState()
	case "share":
		need := q.check.Pass.Share
		switch {
		case q.Share.Low >= need:
			return Met
		case q.Share.High < need:
			return Violated
		case q.Share.Value() >= need:
			return MetUnsure
		}
		return ViolatedMay
	}
	// One replication that fails settles it; that none will is never certain, and not asked for.
	if q.N > 0 && q.Share.Successes == q.N {
		return Met
	}
	return Violated
}

func (q *Quantity) meanState() State {
	if q.Never > 0 || q.Missing > 0 || len(q.Values) == 0 {
		return Violated
	}
	meets := check.Meets(q.check, q.Estimate.Mean)
	sure := len(q.Values) > 1 && check.Meets(q.check, q.Estimate.Low()) == meets &&
		check.Meets(q.check, q.Estimate.High()) == meets
	switch {
	case meets && sure:
		return Met
	case meets:
		return MetUnsure
	case sure:
		return Violated
	}
	return ViolatedMay
}

// worth is the value by which an objective is compared: the mean; of results in two groups the
// mean of the worse, since the mean of all is what never happens; infinite when a time never came.
func (q *Quantity) worth(maximize bool) float64 {
	sign := 1.0
	if maximize {
		sign = -1
	}
	switch {
	case q.Never > 0 || len(q.Values) == 0:
		return math.Inf(1)
	case q.Groups != nil && maximize:
		return -statistics.Of(q.Groups.Low).Mean
	case q.Groups != nil:
		return statistics.Of(q.Groups.High).Mean
	}
	return float64(sign * q.Estimate.Mean)
}

// find is a quantity of a cell by its name.
func (s *Sweep) find(c *Cell, name string) *Quantity {
	k := slices.IndexFunc(c.Plan.Scenario.Checks, func(ch model.Check) bool { return ch.Name == name })
	return &s.quantities(c)[k]
}

// cellOf is the cell of a point in a case.
func (s *Sweep) cellOf(p int, name string) *Cell {
	c := slices.IndexFunc(s.Cases, func(c caseT) bool { return c.Name == name })
	return s.Cells[s.Points[p].cells[c]]
}

// known says whether a cell needs no more replications: each objective's interval is narrow, by its
// own mean or by how far points lie apart, and no constraint is in doubt.
func (s *Sweep) known(c *Cell, spread map[string]float64) bool {
	for _, q := range s.quantities(c) {
		if !q.objective() {
			if !q.State.sure() {
				return false
			}
			continue
		}
		scale := max(math.Abs(q.Estimate.Mean), spread[q.Name])
		wide := q.Estimate.Half > s.Cases[c.Case].Replications.Interval*scale
		if q.Groups == nil && len(q.Values) > 1 && wide {
			return false
		}
	}
	return true
}

// spreads are how far the objectives of the points still in the race lie apart.
func (s *Sweep) spreads() map[string]float64 {
	out := map[string]float64{}
	for _, o := range s.Objectives {
		low, high := math.Inf(1), math.Inf(-1)
		for p := range s.Points {
			if s.dropped[p] != "" {
				continue
			}
			if x := s.find(s.cellOf(p, o.Case), o.Name).worth(false); !math.IsInf(x, 0) {
				low, high = min(low, x), max(high, x)
			}
		}
		if high > low {
			out[o.Name] = high - low
		}
	}
	return out
}

// violated are the constraints that a point does not meet.
func (s *Sweep) violated(p int, sure bool) []string {
	var out []string
	for _, c := range s.Constraints {
		st := s.find(s.cellOf(p, c.Case), c.Name).State
		if !st.holds() && (!sure || st.sure()) {
			out = append(out, c.Name)
		}
	}
	return out
}
