package sweep

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/experiments/statistics"
	"cascadesim/model/load"
)

// The tests here replace the world by draws whose truth is known, execute sweeps over and over, and
// count how often what they say is wrong. Few replications and many looks are the hardest.

// laid lays out an experiment over a world of so many settings, whose readings will be drawn. With
// few replications at first and many at last there are nine looks.
func laid(t *testing.T, settings int, sections string) *Sweep {
	t.Helper()
	values := make([]string, settings)
	for i := range values {
		values[i] = fmt.Sprintf("%d/s", i)
	}
	text := "question: Which?\ncases: {it: {scenario: small.yaml}}\n" +
		"axes: {load: {path: clients.users.arrivals.rate, values: [" + strings.Join(values, ", ") +
		"]}}\nreplications: {min: 2, max: 40, interval: 5%}\n" + sections
	e, problems := load.OpenExperiment(
		load.Source{FS: fstest.MapFS{"e.yaml": {Data: []byte(text)}}, Name: "e.yaml"},
		func(string) (load.Source, error) { return load.File("testdata/small.yaml", nil), nil })
	if e == nil {
		t.Fatal(problems)
	}
	s, err := New(e, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const (
	cost  = "objectives: {cost: {measure: clients.users.failed_share, minimize: true}}\n"
	bound = "constraints: [{name: bound, measure: clients.users.failed_share, max: 50%, pass: PASS}]\n"
)

// drawn is what is read of setting i where all settings have had the same luck.
type drawn func(i int, luck, own *rand.Rand) Reading

func value(x float64) Reading { return Reading{Value: &x} }

// runner draws what a world would have shown.
func (d drawn) runner(trial uint64) Runner {
	return func(_ context.Context, tasks []Task, done func(int, Sample) error) error {
		for i, task := range tasks {
			setting := int(task.cell.Levels[0].Number)
			luck := rand.New(rand.NewPCG(trial, task.Seed))
			own := rand.New(rand.NewPCG(trial+1<<32*uint64(setting+1), task.Seed))
			s := Sample{Key: task.Key, Readings: []Reading{d(setting, luck, own)}}
			if err := done(i, s); err != nil {
				return err
			}
		}
		return nil
	}
}

// wrong is in what part of so many sweeps something is wrong.
func (d drawn) wrong(t *testing.T, s *Sweep, trials int, is func(*Sweep) bool) float64 {
	t.Helper()
	n := 0
	for trial := range trials {
		again := &Sweep{Experiment: s.Experiment, Points: s.Points,
			o: Options{Run: d.runner(uint64(trial))}, dropped: map[int]string{}}
		for _, c := range s.Cells {
			again.Cells = append(again.Cells, &Cell{Levels: c.Levels, Plan: c.Plan, key: c.key})
		}
		if err := again.Execute(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if is(again) {
			n++
		}
	}
	return float64(n) / float64(trials)
}

// rarely checks that something happens no more often than it may, within four standard errors.
func rarely(t *testing.T, what string, got, may float64, trials int) {
	t.Helper()
	if most := may + 4*math.Sqrt(may*(1-may)/float64(trials)); got > most {
		t.Errorf("%s: in %.4f of %d sweeps, want at most %.4f", what, got, trials, most)
	}
}

// A mean lies in its interval as often as is said, though replications go on until it is narrow.
func TestMeansLieInTheirIntervalsAtAnyLook(t *testing.T) {
	const trials, truth = 1000, 0.4
	s := laid(t, 1, cost)
	for _, sd := range []float64{0.02, 0.04, 0.08} {
		d := drawn(func(_ int, luck, _ *rand.Rand) Reading {
			return value(truth + sd*luck.NormFloat64())
		})
		got := d.wrong(t, s, trials, func(s *Sweep) bool {
			e := s.quantities(s.Cells[0])[0].Estimate
			return e.Low() > truth || e.High() < truth
		})
		rarely(t, fmt.Sprintf("sd %g: the interval leaves the mean out", sd), got, 0.05, trials)
	}
}

// A setting that lies on the bound is as rarely certain to meet it as it is to violate it.
func TestCertaintyIsRarelyWrong(t *testing.T) {
	const trials = 1000
	state := func(want State) func(*Sweep) bool {
		return func(s *Sweep) bool { return s.quantities(s.Cells[0])[0].State == want }
	}
	half := (1 - statistics.Confidence) / 2
	worlds := map[string]drawn{
		"mean": func(_ int, luck, _ *rand.Rand) Reading { return value(0.5 + 0.1*luck.NormFloat64()) },
	}
	for _, share := range []float64{0.5, 0.8, 0.9} {
		worlds[fmt.Sprintf("%g%%", 100*share)] = func(_ int, luck, _ *rand.Rand) Reading {
			return Reading{OK: luck.Float64() < share}
		}
	}
	for pass, d := range worlds {
		s := laid(t, 1, strings.Replace(bound, "PASS", pass, 1))
		for _, st := range []State{Met, Violated} {
			got := d.wrong(t, s, trials, state(st))
			rarely(t, fmt.Sprintf("pass %s: %s for certain", pass, st), got, half, trials)
		}
	}
}

// Two settings that differ by chance alone rarely differ detectably.
func TestDifferencesAreRarelyMadeUp(t *testing.T) {
	const trials = 1000
	d := drawn(func(i int, luck, own *rand.Rand) Reading {
		return value(0.4 + 0.04*luck.NormFloat64() + 0.02*own.NormFloat64())
	})
	got := d.wrong(t, laid(t, 2, cost+"baseline: {load: 0/s}\n"), trials, func(s *Sweep) bool {
		return s.difference(s.Cells[1], s.Cells[0], 0).Clear()
	})
	rarely(t, "a difference", got, 0.05, trials)
}

// The best of many settings is recommended or among those that are said to be as good: it is rarely
// dropped in any round, and rarely said to be worse in the end.
func TestBestIsRarelyLost(t *testing.T) {
	const trials = 200
	for _, ahead := range []float64{0, 0.002} {
		d := drawn(func(i int, luck, own *rand.Rand) Reading {
			x := 0.4 + 0.08*luck.NormFloat64() + 0.04*own.NormFloat64()
			if i == 0 {
				x -= ahead
			}
			return value(x)
		})
		s := laid(t, 20, cost+"recommend: {axis: load, among: feasible, tie: largest}\n")
		got := d.wrong(t, s, trials, func(s *Sweep) bool {
			for _, p := range s.choose().tied {
				if p == 0 {
					return false
				}
			}
			return true
		})
		rarely(t, fmt.Sprintf("%g ahead: the best is lost", ahead), got, 0.05, trials)
	}
}

// Who was behind a setting that turns out to violate a constraint is back in the race.
func TestWhoWasBehindAViolationIsBack(t *testing.T) {
	s := laid(t, 2, cost+strings.Replace(bound, "PASS", "all", 1)+
		"recommend: {axis: load, among: feasible}\n")
	run := func(_ context.Context, tasks []Task, done func(int, Sample) error) error {
		for i, task := range tasks {
			x := []float64{0.1, 0.2}[int(task.cell.Levels[0].Number)]
			x += 0.03 * float64(task.Seed%2) // wide enough to go on
			ok := x > 0.15 || task.Seed < 4
			err := done(i, Sample{Key: task.Key, Readings: []Reading{value(x), {OK: ok}}})
			if err != nil {
				return err
			}
		}
		return nil
	}
	s.o.Run = run
	if err := s.Execute(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	a := s.Result(true).Answer
	if a.Values["load"] != "1/s" {
		t.Errorf("want the setting that meets the constraint: %s", a.Sentence)
	}
}
