package sweep

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/model/load"
)

var update = flag.Bool("update", false, "write the golden files")

// open reads an experiment of testdata, with parts of its text replaced: old, new and so on.
func open(t *testing.T, replaced ...string) *load.Experiment {
	t.Helper()
	text, err := os.ReadFile("testdata/ratio.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(replaced); i += 2 {
		if !strings.Contains(string(text), replaced[i]) {
			t.Fatalf("%q is not in the experiment", replaced[i])
		}
		text = []byte(strings.Replace(string(text), replaced[i], replaced[i+1], 1))
	}
	dir := t.TempDir()
	name := filepath.Join(dir, "ratio.yaml")
	if err := os.WriteFile(name, text, 0o644); err != nil {
		t.Fatal(err)
	}
	e, problems := load.OpenExperiment(load.File(name, nil), func(string) (load.Source, error) {
		return load.File("testdata/small.yaml", nil), nil
	})
	if e == nil {
		t.Fatal(problems)
	}
	return e
}

// run executes an experiment and returns all that it writes.
func run(t *testing.T, e *load.Experiment, o Options) (*Result, string) {
	t.Helper()
	s, err := New(e, o)
	if err == nil {
		err = s.Execute(t.Context(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	r := s.Result(true)
	return r, written(t, r)
}

func written(t *testing.T, r *Result) string {
	t.Helper()
	var out bytes.Buffer
	same := func(s string) string { return s }
	for _, err := range []error{r.WriteText(&out, report.Terminal{}, same), r.WriteCSV(&out),
		r.WriteJSON(&out), r.WriteManifest(&out)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.String()
}

func TestResultIsUnchanged(t *testing.T) {
	r, _ := run(t, open(t), Options{Version: "test"})
	var got bytes.Buffer
	if err := r.WriteText(&got, report.Terminal{}, func(s string) string { return s }); err != nil {
		t.Fatal(err)
	}
	const name = "testdata/ratio.txt"
	if *update {
		if err := os.WriteFile(name, got.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil || got.String() != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// A constraint's result says what is asked for, and of how many replications.
func TestResultsSayWhatIsAskedFor(t *testing.T) {
	for pass, want := range map[string]string{
		"pass: mean": `1.3 on average", "min": null, "max": 1.3, "share": null`,
		"pass: 90%":  `1.3 in 90% of replications", "min": null, "max": 1.3, "share": 0.9`,
		"pass: all":  `1.3 in all replications", "min": null, "max": 1.3, "share": 1`,
	} {
		e := open(t, "pass: mean", pass, "{min: 6, max: 20, interval: 10%}", "{min: 2, max: 2}")
		_, text := run(t, e, Options{})
		flat := strings.Join(strings.Fields(text), " ")
		n := strings.Count(flat, `"limit": { "text": "at most `+want+` }`)
		if n != strings.Count(flat, `"constraint"`) {
			t.Errorf("%s: %d constraints ask for %s:\n%s", pass, n, want, text)
		}
	}
}

// The result of a sampled design says where on its axes the points lie; that of a grid need not.
func TestResultsSayWhereSamplesLie(t *testing.T) {
	const axis = "ratio: {path: edges.users->web.retry.stack.ratio_budget.ratio, "
	few := []string{"baseline: {ratio: 50%}\n", "", "{min: 6, max: 20, interval: 10%}",
		"{min: 2, max: 2}"}
	for old, want := range map[string]string{
		"range: {from: 1%, to: 100%, log: true}": `{ratio share true [0.01 0.1] []}`,
		"range: {from: 10%, to: 30%}":            `{ratio share false [0.1 0.2] []}`,
		"values: [10%, 50%]":                     `{ratio  false [] [10% 50%]}`,
	} {
		e := open(t, append(few, axis+"values: [0%, 5%, 10%, 50%]}", axis+old+"}\ndesign: sobol\n"+
			"points: 2")...)
		r, _ := run(t, e, Options{})
		var numbers []float64
		for _, x := range r.Samples[0].Numbers {
			numbers = append(numbers, *x)
		}
		s := r.Samples[0]
		got := fmt.Sprintf("{%s %s %v %v %v}", s.Axis, s.Unit, s.Log, numbers, s.Values)
		if len(r.Samples) != 1 || got != want {
			t.Errorf("%s: samples are %s, want %s", old, got, want)
		}
	}
	if r, _ := run(t, open(t, few...), Options{}); r.Samples != nil {
		t.Errorf("a grid has samples %v", r.Samples)
	}
}

// The number of workers changes no byte.
func TestWorkersChangeNothing(t *testing.T) {
	e := open(t)
	_, one := run(t, e, Options{Run: Local(1)})
	_, many := run(t, e, Options{Run: Local(5)})
	if one != many {
		t.Error("one worker and five give different results")
	}
}

// A sweep that is stopped anywhere and goes on gives the same bytes as one that was never stopped.
func TestResumingChangesNothing(t *testing.T) {
	e := open(t)
	_, whole := run(t, e, Options{Run: Local(1)})
	for _, after := range []int{1, 7, 30} {
		dir := t.TempDir()
		ctx, cancel := context.WithCancel(t.Context())
		count := 0
		o := Options{Run: Local(1), Progress: func(experiments.Progress) {
			if count++; count == after {
				cancel()
			}
		}}
		if err := into(ctx, dir, e, o); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped after %d: %v", after, err)
		}
		tear(t, filepath.Join(dir, StoreFile))
		known := map[string]Sample{}
		if err := ReadStore(dir, known); err != nil {
			t.Fatal(err)
		}
		if len(known) < after {
			t.Errorf("stopped after %d, kept %d", after, len(known))
		}
		if _, rest := run(t, e, Options{Known: known}); rest != whole {
			t.Errorf("stopped after %d and resumed: other results", after)
		}
	}
}

// into executes a sweep and keeps its replications in a directory.
func into(ctx context.Context, dir string, e *load.Experiment, o Options) error {
	s, err := New(e, o)
	if err != nil {
		return err
	}
	store, err := OpenStore(dir)
	if err != nil {
		return err
	}
	defer store.Close()
	return s.Execute(ctx, store.Keep)
}

// tear leaves half a line at the end of a file, as who is killed while writing does.
func tear(t *testing.T, name string) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = f.WriteString(`{"key":"ab`)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// Shards put together give the same bytes as a sweep on one machine, however many there are.
func TestShardsChangeNothing(t *testing.T) {
	e := open(t)
	_, whole := run(t, e, Options{})
	for _, n := range []int{1, 3} {
		known := map[string]Sample{}
		for i := range n {
			dir := t.TempDir()
			if err := into(t.Context(), dir, e, Options{Shard: &Shard{i + 1, n}}); err != nil {
				t.Fatal(err)
			}
			if err := ReadStore(dir, known); err != nil {
				t.Fatal(err)
			}
		}
		if _, merged := run(t, e, Options{Known: known}); merged != whole {
			t.Errorf("%d shards give other results", n)
		}
	}
}

// Two stores that contradict each other are no result.
func TestContradictionsAreRefused(t *testing.T) {
	known := map[string]Sample{}
	x, y := 1.0, 2.0
	if err := Add(known, Sample{Key: "a", Readings: []Reading{{Value: &x}}}); err != nil {
		t.Fatal(err)
	}
	if Add(known, Sample{Key: "a", Readings: []Reading{{Value: &x}}}) != nil {
		t.Error("the same twice is no contradiction")
	}
	if Add(known, Sample{Key: "a", Readings: []Reading{{Value: &y}}}) == nil {
		t.Error("two results of one replication are accepted")
	}
}

// A budget of runs is never exceeded, and the result says that it was used up.
func TestBudgetOfRunsHolds(t *testing.T) {
	r, text := run(t, open(t, "interval: 10%}", "interval: 0.1%}\nruns: 40"), Options{})
	if r.Runs > 40 {
		t.Errorf("%d replications, 40 were allowed", r.Runs)
	}
	if !strings.Contains(text, "the budget of 40 replications was used up") {
		t.Error("the result does not say that the budget is used up")
	}
	if _, err := New(open(t, "interval: 10%}", "interval: 10%}\nruns: 10"), Options{}); err == nil {
		t.Error("a budget below the least of all points is accepted")
	}
}

// Points that are clearly worse get no more replications than the least.
func TestRaceSpendsWhereItDecides(t *testing.T) {
	r, _ := run(t, open(t, "interval: 10%}", "interval: 1%}"), Options{})
	most, least := 0, 1<<30
	for i, p := range r.Points {
		n := r.Cells[p.Cells[0]].Replications
		most, least = max(most, n), min(least, n)
		if p.Dropped != "" && r.Answer.Point != nil && *r.Answer.Point == i {
			t.Error("the recommended point was dropped")
		}
	}
	if least != 6 || most != 20 {
		t.Errorf("replications from %d to %d, want 6 to 20", least, most)
	}
}

// Without a constraint that it violates, the best is recommended; with it the constraint binds.
func TestConstraintBinds(t *testing.T) {
	free, _ := run(t, open(t, "max: 1.3", "max: 3", "min: 6", "min: 20"), Options{})
	bound, _ := run(t, open(t, "max: 1.3", "max: 1.06"), Options{})
	if len(free.Answer.Binding) > 0 || len(free.Answer.AsGood) != 1 {
		t.Errorf("nothing can bind: %+v", free.Answer)
	}
	if len(bound.Answer.Binding) != 1 || bound.Answer.Values["ratio"] == "50%" {
		t.Errorf("the storm must bind: %+v", bound.Answer)
	}
	none, _ := run(t, open(t, "max: 1.3", "max: 0.5"), Options{})
	if none.Answer.Point != nil || !strings.Contains(none.Answer.Sentence, "No setting") {
		t.Errorf("nothing can meet it: %+v", none.Answer)
	}
}

// Values that differ in nothing are a tie, and the tie rule decides.
func TestTiesTakeTheSmallestOrLargest(t *testing.T) {
	same := "values: [50%, 100%, 60%]}\nbaseline: {ratio: 100%}"
	old := "values: [0%, 5%, 10%, 50%]}\nbaseline: {ratio: 50%}"
	for tie, want := range map[string]string{"smallest": "50%", "largest": "100%"} {
		r, _ := run(t, open(t, old, same, "max: 1.3", "max: 9", "among: feasible",
			"among: feasible, tie: "+tie), Options{})
		if r.Answer.Values["ratio"] != want || len(r.Answer.AsGood) != 2 {
			t.Errorf("%s: %+v", tie, r.Answer)
		}
	}
}
