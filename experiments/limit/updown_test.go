package limit

import (
	"bytes"
	"context"
	"io/fs"
	"math"
	"strings"
	"testing"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/sim/unit"
)

// Even arrivals of a rate r at a database that serves C = 300/s. On the way up it is well while
// r < C. On the way down it stays stuck while first tries and what retries a budget of b lets pass
// are more than C, so that it recovers at the largest value of the axis below C/(1+b): with one
// retry each b is 1, without any 0.
func TestUpAndDownTurnsWhereTheFormulasSay(t *testing.T) {
	src, err := experiments.Source("up-and-down")
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(src.FS, src.Name)
	if err != nil {
		t.Fatal(err)
	}
	for _, scale := range []string{"1", "0.1"} {
		scaled := strings.Replace(string(text), "world: {", "world: {scale: "+scale+", ", 1)
		turnsAsComputed(t, written(t, scaled))
	}
}

// turnsAsComputed holds the turns of each row to the formulas, at any scale.
func turnsAsComputed(t *testing.T, e *load.Experiment) {
	t.Helper()
	m, err := Survey(t.Context(), e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	const capacity = 300.0
	budgets := map[string]float64{"none": 1, "50%": 0.5, "20%": 0.2, "10%": 0.1, "no retry": 0}
	if len(m.Rows) != len(budgets) {
		t.Fatalf("rows %v", m.Rows)
	}
	for i, row := range m.Rows {
		tips, recovers := "", ""
		var both []string
		for _, label := range m.Columns {
			rate, err := unit.ParseRate(label)
			if err != nil {
				t.Fatal(err)
			}
			r := float64(rate)
			switch {
			case r*(1+budgets[row]) < capacity:
				recovers = label
			case r < capacity:
				both = append(both, label)
			case tips == "":
				tips = label
			}
		}
		got := m.Ways.Turns[i]
		if got.Tips == nil || *got.Tips != tips || got.Recovers == nil || *got.Recovers != recovers ||
			strings.Join(got.Both, " ") != strings.Join(both, " ") {
			t.Errorf("%s: %s, want to tip at %s, to recover at %s, and both at %v", row, m.told(got),
				tips, recovers, both)
		}
	}
}

// With a line that has no end, what came before takes longer to drain than a dwell. Below C/2 it
// does, and that is no second state; from C/2 to C it grows.
func TestDrainingIsNoState(t *testing.T) {
	m, err := Survey(t.Context(), written(t, `question: Where?
cases: {it: {scenario: hotos21/outage, set: {timeline.outage: null}}}
axes: {load: {path: clients.users.arrivals.rate, values: [70/s, 130/s, 170/s, 270/s, 330/s]}}
up_and_down: {axis: load, dwell: 60s}
replications: 1
constraints: [{name: holds, measure: clients.users.ok_share, min: 97%}]
`), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(m.Signs[0], " "); got != "o~ o~ o# o# ##" {
		t.Errorf("signs %s: %s", got, m.told(m.Ways.Turns[0]))
	}
}

// Goodput is the load where the world is well and nothing where it is stuck.
func TestUpAndDownReadsBothBranches(t *testing.T) {
	m, err := Survey(t.Context(), shipped(t, "up-and-down"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Ways.Curves) != 2 || m.Ways.Curves[0].Name != "goodput" {
		t.Fatalf("curves %+v", m.Ways.Curves)
	}
	goodput := m.Ways.Curves[0]
	for i := range m.Rows {
		for k, label := range m.Columns {
			rate, _ := unit.ParseRate(label)
			for way, r := range []Reading{goodput.Up[i][k], goodput.Down[i][k]} {
				want := 0.0
				if m.Held[i][k][way] == 1 {
					want = float64(rate)
				}
				if r.Mean == nil || math.Abs(*r.Mean-want) > 0.03*float64(rate) || r.Low != nil {
					t.Errorf("%s at %s, way %d: goodput %v, want %v", m.Rows[i], label, way, *r.Mean, want)
				}
			}
		}
	}
}

// turning is an experiment of three loads and no other axis.
const turning = `question: Where?
cases: {it: {scenario: two-tier/outage, set: {timeline.outage: null}}}
axes: {load: {path: clients.users.arrivals.rate, values: [100/s, 200/s, 300/s]}}
up_and_down: {axis: load, dwell: 60s}
replications: 4
constraints: [{name: holds, measure: clients.users.ok_share, min: 97%}]
`

// ways stands for a world of which so many of four replications hold, by load, up and then down,
// and to which 100/s come while what waits grows so fast.
func ways(growth float64, held ...int) sweep.Runner {
	arrivals := 100.0
	return func(_ context.Context, tasks []sweep.Task, done func(int, sweep.Sample) error) error {
		for i := range tasks {
			var s sweep.Sample
			for dwell := range held {
				s.Readings = append(s.Readings, sweep.Reading{OK: i < held[dwell]},
					sweep.Reading{Value: &arrivals}, sweep.Reading{Value: &growth})
			}
			if err := done(i, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// Where most replications hold decides where a row tips and recovers. The numbers are in order of
// time: down from the highest load.
func TestTurns(t *testing.T) {
	// In the 30 s that are looked at 3000 come and 3000 go, give or take 77: 2.6/s.
	for _, c := range []struct {
		growth float64
		held   []int
		want   string
	}{
		{0, []int{4, 4, 4, 4, 4, 4},
			"holds at every load on the way up and down; no value has two stable states."},
		{0, []int{4, 4, 0, 0, 4, 4}, "tips at 300/s on the way up, recovers at 200/s on the way down; " +
			"no value has two stable states."},
		{0, []int{4, 3, 0, 0, 2, 4}, "tips at 300/s on the way up, recovers at 100/s on the way down; " +
			"both states are stable at 200/s."},
		{0, []int{4, 4, 0, 0, 1, 0}, "tips at 300/s on the way up, does not recover on the way down; " +
			"both states are stable at 100/s and 200/s."},
		{0, []int{4, 4, 3, 0, 0, 0}, "holds at every load on the way up, does not hold on the way " +
			"down; both states are stable from 100/s to 300/s."},
		{-7, []int{4, 4, 0, 0, 1, 0}, "tips at 300/s on the way up, does not recover on the way " +
			"down; both states are stable at 100/s and 200/s."},
		{-9, []int{4, 4, 0, 0, 1, 0}, "tips at 300/s on the way up, does not recover on the way " +
			"down; no value has two stable states; what came before still drains at 100/s and " +
			"200/s."},
	} {
		m, err := Survey(t.Context(), written(t, turning), Options{Run: ways(c.growth, c.held...)})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = m.WriteText(&out, report.Terminal{}, func(s string) string { return s })
		if err != nil || !strings.Contains(out.String(), "\nit: "+c.want+"\n") {
			t.Errorf("%v: %v, want %s in\n%s", c.held, err, c.want, out.String())
		}
	}
}

// A run of all values has no value of its own, and is neither searched nor swept.
func TestUpAndDownIsNoSweep(t *testing.T) {
	e := written(t, turning)
	_, search := Search(t.Context(), e, Default)
	_, last := Last(t.Context(), withObjective(e), Default)
	_, swept := sweep.New(e, sweep.Options{})
	for _, err := range []error{search, last, swept} {
		if err == nil || !strings.Contains(err.Error(), "--map") {
			t.Errorf("got %v, want how it is shown", err)
		}
	}
}

func withObjective(e *load.Experiment) *load.Experiment {
	c := *e
	c.Objectives = []load.Objective{{Name: "it"}}
	return &c
}
