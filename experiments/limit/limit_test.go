package limit

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/sim/unit"
	"cascadesim/topologies"
)

// shipped opens an experiment that ships.
func shipped(t *testing.T, name string) *load.Experiment {
	t.Helper()
	src, err := experiments.Source(name)
	if err != nil {
		t.Fatal(err)
	}
	e, problems := load.OpenExperiment(src, topologies.Open)
	if e == nil {
		t.Fatal(problems)
	}
	return e
}

// written opens an experiment of a text.
func written(t *testing.T, text string) *load.Experiment {
	t.Helper()
	files := fstest.MapFS{"e.yaml": {Data: []byte(text)}}
	e, problems := load.OpenExperiment(load.Source{FS: files, Name: "e.yaml"}, topologies.Open)
	if e == nil {
		t.Fatal(problems)
	}
	return e
}

const anyRange = `question: Where?
cases: {it: {scenario: two-tier/outage}}
axes: {load: {path: clients.users.arrivals.rate, range: {from: 0/s, to: 100/s}}}
constraints: [{name: holds, measure: recovery.verdict, is: recovered}]
`

// chance stands for a world that recovers with a chance that falls with the load: in half of all
// replications at the limit, the less sharply the larger the width.
func chance(limit, width float64, source *rand.Rand) sweep.Runner {
	return func(_ context.Context, tasks []sweep.Task, done func(int, sweep.Sample) error) error {
		for i, task := range tasks {
			rate, err := unit.ParseRate(task.Labels[0])
			if err != nil {
				return err
			}
			p := 1 / (1 + math.Exp((float64(rate)-limit)/width))
			ok := source.Float64() < p
			if err := done(i, sweep.Sample{Readings: []sweep.Reading{{OK: ok}}}); err != nil {
				return err
			}
		}
		return nil
	}
}

// The limit lies between the two values at least as often as it is said to, sharp or not.
func TestLimitLiesWhereItIsSaidTo(t *testing.T) {
	source := rand.New(rand.NewPCG(11, 12))
	e := written(t, anyRange)
	for _, width := range []float64{0.01, 1, 5} {
		const searches = 100
		missed := 0
		for range searches {
			at := 20 + 60*source.Float64()
			o := Default
			o.Run = chance(at, width, source)
			r, err := Search(t.Context(), e, o)
			if err != nil {
				t.Fatal(err)
			}
			if r.Good == nil || r.Good.Value > at || r.Bad.Value < at {
				missed++
			}
		}
		// 5 % and four standard errors of that.
		if most := 0.05 + 4*math.Sqrt(0.05*0.95/searches); float64(missed)/searches > most {
			t.Errorf("width %g: %d of %d searches missed the limit", width, missed, searches)
		}
	}
}

// A sharp limit is found to the tolerance, with few replications.
func TestSharpLimitIsCheap(t *testing.T) {
	o := Default
	o.Run = chance(37, 0.001, rand.New(rand.NewPCG(1, 1)))
	r, err := Search(t.Context(), written(t, anyRange), o)
	if err != nil {
		t.Fatal(err)
	}
	if gap := r.Bad.Value - r.Good.Value; gap > 0.02*37 || r.Runs > 120 {
		t.Errorf("a gap of %.3f after %d replications", gap, r.Runs)
	}
}

// The number of workers changes no byte of a search.
func TestWorkersChangeNothing(t *testing.T) {
	e := written(t, `question: Where?
cases: {it: {scenario: hotos21/outage, until: 60s}}
axes: {load: {path: clients.users.arrivals.rate, range: {from: 10/s, to: 400/s}}}
constraints: [{name: holds, measure: clients.users.ok_share, from: 5s, to: 20s, min: 90%}]
`)
	var texts []string
	for _, workers := range []int{1, 2} {
		o := Default
		o.Tolerance, o.Run = 0.5, sweep.Local(workers)
		r, err := Search(t.Context(), e, o)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := r.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, out.String())
	}
	if texts[0] != texts[1] {
		t.Errorf("one worker and two give different results:\n%s", strings.Join(texts, "\n"))
	}
}

// Without a limit in the range none is made up.
func TestNoLimitIsSaid(t *testing.T) {
	o := Default
	o.Run = chance(1000, 1, rand.New(rand.NewPCG(1, 1)))
	r, err := Search(t.Context(), written(t, anyRange), o)
	if err != nil || r.Good != nil || !strings.Contains(r.Sentence, "No limit") {
		t.Errorf("got %+v, %v", r, err)
	}
	var out bytes.Buffer
	err = r.WriteText(&out, report.Terminal{}, func(s string) string { return s })
	if err != nil || !strings.Contains(out.String(), "everything holds at both ends") {
		t.Errorf("%s %v", out.String(), err)
	}
}

// hotos21 drains after its outage while 280 (1 + b) < 300.
func TestBudgetLimitIsTheAnalyticOne(t *testing.T) {
	o := Default
	o.Tolerance = 0.1
	r, err := Search(t.Context(), shipped(t, "budget-limit"), o)
	if err != nil {
		t.Fatal(err)
	}
	const analytic = 300.0/280 - 1
	if r.Good == nil || r.Good.Value > analytic || r.Bad.Value < analytic {
		t.Errorf("%s want a limit at %.4f", r.Sentence, analytic)
	}
	if r.Good != nil && r.Bad.Value-r.Good.Value > 0.1*r.Bad.Value {
		t.Errorf("the limit is known to %.4f alone", r.Bad.Value-r.Good.Value)
	}
}

// The mean field of one server of 10/s with three seconds and four retries has its fold at
// 8.572/s, where 8.893/s attempts arrive.
func TestFold(t *testing.T) {
	f := Fold(10, 3, 4)
	if math.Abs(f.Load-8.572) > 5e-4 || math.Abs(f.Attempts-8.893) > 2e-3 {
		t.Errorf("fold at %.4f/s with %.4f attempts/s, want 8.572 and 8.893", f.Load, f.Attempts)
	}
}

// The interval of a mean lifetime holds it, whether runs end before the collapse or not.
func TestLifetimesLieInTheirIntervals(t *testing.T) {
	source := rand.New(rand.NewPCG(9, 9))
	const trials = 2000
	for _, end := range []float64{30, 100, 1e9} {
		held := 0
		for range trials {
			var times []float64
			never := 0
			for range 10 {
				if x := 100 * source.ExpFloat64(); x < end {
					times = append(times, x)
				} else {
					never++
				}
			}
			l := lifetime(times, never, end)
			if l.Low <= 100 && (l.High == nil || 100 <= *l.High) {
				held++
			}
		}
		if got := float64(held) / trials; got < 0.95-4*math.Sqrt(0.05*0.95/trials) {
			t.Errorf("runs of %g: the interval held the mean %.3f of the time", end, got)
		}
	}
}

// Where a world is well alone and stuck when pushed there are two states.
func TestMapShowsBothStates(t *testing.T) {
	text := `question: Which state?
cases:
  alone: {scenario: hotos21/outage, set: {timeline.outage.for: 1ms, duration: 200s}}
  pushed: {scenario: hotos21/outage, set: {duration: 200s}}
axes:
  load: {path: clients.users.arrivals.rate, values: [100/s, 250/s]}
  tries: {path: edges.app->db.retry.stack.max_attempts.attempts, values: [1, 2]}
replications: 1
constraints:
  - {name: a, case: alone, measure: clients.users.ok_share, from: 150s, to: 190s, min: 97%}
  - {name: b, case: pushed, measure: clients.users.ok_share, from: 150s, to: 190s, min: 97%}
`
	m, err := Survey(t.Context(), written(t, text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(m.Signs[0], " ") + " / " + strings.Join(m.Signs[1], " ")
	if got != "oo oo / oo o#" {
		t.Errorf("map %s, want both well but at 250/s with a retry, where it is stuck if pushed", got)
	}
}
