package limit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/experiments"
	"cascadesim/experiments/statistics"
	"cascadesim/experiments/sweep"
	"cascadesim/model/check"
	"cascadesim/model/load"
)

// Ways is what a map says beside its signs when its cases are the two ways of one run.
type Ways struct {
	Dwell  float64 `json:"dwell_s"`
	Settle float64 `json:"settle_s"`
	Turns  []Turn  `json:"turns"` // by row
	Curves []Curve `json:"curves"`
	// Draining is in how many replications a place fails on the way down while what waits there
	// still becomes less, by row and column: that is a past on its way out, and no state.
	Draining [][]int `json:"draining"`
}

// Turn is where most replications of a row tip and recover.
type Turn struct {
	Tips     *string `json:"tips"`     // first value that fails on the way up; nil: none does
	Recovers *string `json:"recovers"` // first that holds on the way down, after one that failed
	// Both are the values that hold on the way up and fail on the way down, and do not drain.
	Both []string `json:"both_stable"`
	// Drains are those that do.
	Drains []string `json:"draining"`
}

// Curve is an objective or a constraint on both ways, by row and column.
type Curve struct {
	Name   string      `json:"name"`
	Judged bool        `json:"constraint"`
	Unit   string      `json:"unit"`
	Up     [][]Reading `json:"up"`
	Down   [][]Reading `json:"down"`
}

// Reading is a mean over replications and its interval; nil: there is none.
type Reading struct {
	Mean *float64 `json:"mean"`
	Low  *float64 `json:"low"`
	High *float64 `json:"high"`
}

// loop is a map of runs up and down on its way.
type loop struct {
	e       *load.Experiment
	swept   *load.Axis
	cells   []*sweep.Cell
	samples [][]sweep.Sample // by row and replication
}

// upAndDown runs each value of the other axis once for each replication, through all values of the
// axis that goes up and down.
func upAndDown(ctx context.Context, e *load.Experiment, o Options) (*Map, error) {
	l := &loop{e: e}
	m := &Map{Schema: "cascadesim.map/1", Experiment: e.Name, Question: e.Question,
		Cases: []string{"up", "down"}, Down: "case", Rows: []string{e.Cases[0].Name}}
	levels := [][]load.Level{nil}
	for i := range e.Axes {
		a := &e.Axes[i]
		if a.Name == e.UpAndDown.Axis {
			l.swept, m.Across = a, a.Name
			continue
		}
		m.Down, m.Rows, levels = a.Name, nil, nil
		for _, level := range a.Levels {
			m.Rows, levels = append(m.Rows, level.Label), append(levels, []load.Level{level})
		}
	}
	for _, level := range l.swept.Levels {
		m.Columns = append(m.Columns, level.Label)
	}
	for _, row := range levels {
		cell, err := sweep.Compile(e, o.Version, 0, row, "")
		if err != nil {
			return nil, err
		}
		l.cells = append(l.cells, cell)
	}
	if err := l.run(ctx, o); err != nil {
		return nil, err
	}
	m.Ways = &Ways{Dwell: e.UpAndDown.Dwell.Seconds(), Settle: e.UpAndDown.Settle.Seconds()}
	l.judge(m)
	for row := range m.Rows {
		m.Ways.Turns = append(m.Ways.Turns, m.turn(row))
	}
	m.Ways.Curves = l.curves()
	m.sign()
	return m, nil
}

// run simulates all replications of all rows.
func (l *loop) run(ctx context.Context, o Options) error {
	if o.Run == nil {
		o.Run = sweep.Local(0)
	}
	n := l.e.Cases[0].Replications.Min
	var tasks []sweep.Task
	for i := range n {
		for _, c := range l.cells {
			tasks = append(tasks, c.Task(l.e, i))
		}
	}
	l.samples = make([][]sweep.Sample, len(l.cells))
	for row := range l.samples {
		l.samples[row] = make([]sweep.Sample, n)
	}
	done := 0
	return o.Run(ctx, tasks, func(k int, s sweep.Sample) error {
		l.samples[k%len(l.cells)][k/len(l.cells)] = s
		done++
		if o.Progress != nil {
			o.Progress(experiments.Progress{Done: done, Total: len(tasks),
				Share: float64(done) / float64(len(tasks))})
		}
		return nil
	})
}

// reading is what check k of the experiment read in a replication at a column, on the way up (0) or
// down (1).
func (l *loop) reading(s *sweep.Sample, column, way, k int) sweep.Reading {
	dwell, n := column, len(l.swept.Levels)
	if way == 1 {
		dwell = 2*n - 1 - column
	}
	return s.Readings[dwell*(len(s.Readings)/(2*n))+k]
}

// judge counts in how many replications each place held on each way.
func (l *loop) judge(m *Map) {
	first := len(l.e.Objectives) // they come before the constraints
	for _, samples := range l.samples {
		var heldRow, ofRow [][]int
		var draining []int
		for column := range m.Columns {
			held, of, drains := []int{0, 0}, []int{len(samples), len(samples)}, 0
			for i := range samples {
				for way := range held {
					ok := true
					for k := range l.e.Constraints {
						ok = ok && l.reading(&samples[i], column, way, first+k).OK
					}
					switch {
					case ok:
						held[way]++
					case way == 1 && l.drains(&samples[i], column):
						drains++
					}
				}
			}
			heldRow, ofRow = append(heldRow, held), append(ofRow, of)
			draining = append(draining, drains)
		}
		m.Held, m.Of = append(m.Held, heldRow), append(m.Of, ofRow)
		m.Ways.Draining = append(m.Ways.Draining, draining)
	}
}

// drains says whether what waits at a column on the way down becomes less: by more than three
// standard deviations of a count in which as many come as go, both by chance.
func (l *loop) drains(s *sweep.Sample, column int) bool {
	own := len(l.e.Objectives) + len(l.e.Constraints)
	arrivals, growth := l.reading(s, column, 1, own).Value, l.reading(s, column, 1, own+1).Value
	if arrivals == nil || growth == nil {
		return false
	}
	looked := (l.e.UpAndDown.Dwell - l.e.UpAndDown.Settle).Seconds()
	each := 1 / l.cells[0].Plan.Scenario.Scale // what a simulated one stands for
	return *growth < -3*math.Sqrt(2**arrivals*each/looked)
}

// drains says whether most replications that fail at a place on the way down still drain.
func (m *Map) drains(row, column int) bool {
	failed := m.Of[row][column][1] - m.Held[row][column][1]
	return m.Ways != nil && 2*m.Ways.Draining[row][column] > failed
}

// turn is where a row tips and recovers.
func (m *Map) turn(row int) Turn {
	holds := func(column, way int) bool {
		return 2*m.Held[row][column][way] > m.Of[row][column][way]
	}
	t := Turn{Both: []string{}, Drains: []string{}}
	for i := range m.Columns {
		if !holds(i, 0) && t.Tips == nil {
			t.Tips = &m.Columns[i]
		}
		switch {
		case !holds(i, 0) || holds(i, 1):
		case m.drains(row, i):
			t.Drains = append(t.Drains, m.Columns[i])
		default:
			t.Both = append(t.Both, m.Columns[i])
		}
	}
	failed := t.Tips != nil
	for i := len(m.Columns) - 1; i >= 0 && t.Recovers == nil; i-- {
		if failed = failed || !holds(i, 1); failed && holds(i, 1) {
			t.Recovers = &m.Columns[i]
		}
	}
	return t
}

// curves are what was read of each objective and constraint.
func (l *loop) curves() (out []Curve) {
	plan := l.cells[0].Plan
	for k := range len(l.e.Objectives) + len(l.e.Constraints) {
		c := Curve{Unit: string(check.UnitOf(plan.World, &plan.Scenario.Checks[k]))}
		if j := k - len(l.e.Objectives); j >= 0 {
			c.Name, c.Judged = l.e.Constraints[j].Name, true
		} else {
			c.Name = l.e.Objectives[k].Name
		}
		for row := range l.cells {
			c.Up = append(c.Up, l.branch(row, 0, k))
			c.Down = append(c.Down, l.branch(row, 1, k))
		}
		out = append(out, c)
	}
	return out
}

// branch is one way of a row of a curve.
func (l *loop) branch(row, way, k int) (out []Reading) {
	for column := range l.swept.Levels {
		var values []float64
		for i := range l.samples[row] {
			if v := l.reading(&l.samples[row][i], column, way, k).Value; v != nil {
				values = append(values, *v)
			}
		}
		var r Reading
		if e := statistics.Of(values); e.N > 0 {
			r.Mean = &e.Mean
			if low, high := e.Low(), e.High(); !math.IsInf(e.Half, 0) {
				r.Low, r.High = &low, &high
			}
		}
		out = append(out, r)
	}
	return out
}

// told is one row's sentence.
func (m *Map) told(t Turn) string {
	text := "holds at every " + m.Across + " on the way up"
	if t.Tips != nil {
		text = fmt.Sprintf("tips at %s on the way up", *t.Tips)
	}
	switch {
	case t.Recovers != nil:
		text += fmt.Sprintf(", recovers at %s on the way down", *t.Recovers)
	case t.Tips != nil:
		text += ", does not recover on the way down"
	case len(t.Both)+len(t.Drains) > 0:
		text += ", does not hold on the way down"
	default:
		text += " and down"
	}
	if len(t.Both) > 0 {
		text += "; both states are stable " + m.among(t.Both)
	} else {
		text += "; no value has two stable states"
	}
	if len(t.Drains) > 0 {
		text += "; what came before still drains " + m.among(t.Drains)
	}
	return text
}

// among writes columns: a range when none between them is missing.
func (m *Map) among(columns []string) string {
	last := len(columns) - 1
	i, k := slices.Index(m.Columns, columns[0]), slices.Index(m.Columns, columns[last])
	switch {
	case last == 0:
		return "at " + columns[0]
	case k-i == last && last > 1:
		return "from " + columns[0] + " to " + columns[last]
	}
	return "at " + strings.Join(columns[:last], ", ") + " and " + columns[last]
}
