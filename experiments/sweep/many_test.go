package sweep

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"cascadesim/experiments/report"
)

// many lays out 50 settings for each of so many steps, without compiling each.
func many(t *testing.T, steps int) *Sweep {
	t.Helper()
	const old = "  ratio: {path: edges.users->web.retry.stack.ratio_budget.ratio, " +
		"values: [0%, 5%, 10%, 50%]}\nbaseline: {ratio: 50%}"
	e := open(t, old, fmt.Sprintf("  ratio: {path: edges.users->web.retry.stack.ratio_budget.ratio, "+
		"range: {from: 1%%, to: 50%%, steps: 50}}\n  load: {path: clients.users.arrivals.rate, "+
		"range: {from: 10/s, to: 60/s, steps: %d}}\nbaseline: {ratio: 50%%}", steps),
		"sensitivity:\n  more load: {clients.users.arrivals.rate: 1.3x}\n", "")
	ps, err := points(e)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Compile(e, "test", 0, ps[0].Levels, "")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sweep{Experiment: e, Points: ps, dropped: map[int]string{}}
	for i := range ps {
		s.Points[i].cells = []int{i}
		s.Cells = append(s.Cells, &Cell{Levels: ps[i].Levels, Plan: one.Plan, key: fmt.Sprint(i)})
	}
	return s
}

// smooth stands for a world whose errors fall and whose storm grows with the ratio.
func smooth(asked map[string]int) Runner {
	return func(_ context.Context, tasks []Task, done func(int, Sample) error) error {
		for i, task := range tasks {
			asked[task.Key]++
			ratio, load := task.cell.Levels[0].Number, task.cell.Levels[1].Number
			luck := rand.New(rand.NewPCG(task.Seed, uint64(load)))
			errors := 0.2 - 0.1*ratio + 0.02*luck.Float64()
			storm := Reading{OK: ratio < 0.3, Value: new(float64)}
			*storm.Value = 1 + ratio
			err := done(i, Sample{Key: task.Key, Readings: []Reading{value(errors), storm}})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// swept executes a sweep, writes everything, and counts what is allocated meanwhile.
func swept(t *testing.T, s *Sweep) (text, csv string, allocations uint64) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := s.Execute(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	r := s.Result(true)
	var plain, rows, rest bytes.Buffer
	for _, err := range []error{
		r.WriteText(&plain, report.Terminal{}, func(s string) string { return s }),
		r.WriteCSV(&rows), r.WriteJSON(&rest), r.WriteManifest(&rest)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	return plain.String(), rows.String(), after.Mallocs - before.Mallocs
}

// Three thousand settings take three times the work of a thousand, each replication is asked for
// once, a text can still be read, and the other files have everything.
func TestThousandsOfPoints(t *testing.T) {
	var each []float64
	for _, steps := range []int{20, 60} {
		s, asked := many(t, steps), map[string]int{}
		s.o.Run = smooth(asked)
		text, csv, allocations := swept(t, s)
		each = append(each, float64(allocations)/float64(len(s.Points)))
		for key, n := range asked {
			if n != 1 {
				t.Errorf("%s was run %d times", key, n)
			}
		}
		if n := strings.Count(text, "\n"); n > mostRows+15 {
			t.Errorf("%d settings: a text of %d lines", len(s.Points), n)
		}
		note := fmt.Sprintf("all %d are in --json", len(s.Points))
		if !strings.Contains(strings.ReplaceAll(text, "\n", " "), note) ||
			!strings.Contains(text, "baseline") || !strings.Contains(text, "*") {
			t.Errorf("want the baseline, the recommended setting and %q:\n%s", note, text)
		}
		if got, want := strings.Count(csv, "\n"), 2*len(s.Points)+1; got != want {
			t.Errorf("%d rows in the CSV, want %d", got, want)
		}
	}
	if math.Abs(each[1]/each[0]-1) > 0.15 {
		t.Errorf("allocations for each setting: %.0f of 1,000, %.0f of 3,000", each[0], each[1])
	}
}
