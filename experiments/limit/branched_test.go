package limit

import (
	"bytes"
	"fmt"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/sim"
)

// firstAt is the mean time until n are in an M/M/1 system that is empty at first: from k to k+1 it
// takes 1/lambda, and mu/lambda of what it takes from k-1 to k.
func firstAt(lambda, mu float64, n int) float64 {
	sum, step := 0.0, 0.0
	for range n {
		step = 1/lambda + mu/lambda*step
		sum += step
	}
	return sum
}

const crowded = `question: How long until so many are there?
cases:
  server:
    scenario: mm1
    set: {tiers.server.steps.work: exp 100ms, duration: 60s, warmup: 0, window: 50ms}
axes: {load: {path: clients.users.arrivals.rate, values: [6/s]}}
replications: 1
objectives:
  crowd: {measure: tiers.server.in_system, take: {first_above: %d}, maximize: true}
`

// crowd asks how long it is until n are there.
func crowd(t *testing.T, n int, o Options) *Lifetimes {
	t.Helper()
	l, err := Last(t.Context(), written(t, fmt.Sprintf(crowded, n-1)), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// The interval of the mean time until n are in an M/M/1 system holds what theory says, where plain
// runs would take more than a thousand times as long. Who is there as the n-th for less than a
// window of 50 ms is still seen, but for visits so short that the (n-1)-th goes in it, too.
func TestSplittingFindsWhatTheoryKnows(t *testing.T) {
	o := Default
	o.Splitting, o.Paths, o.Horizon = true, 50, 24*sim.Second
	sizes := []int{16}
	if os.Getenv("CASCADESIM_SIZE") == "all" {
		o.Paths, o.Runs, o.Horizon, sizes = 200, 100_000, 36*sim.Second, []int{16, 26, 36}
	}
	for _, n := range sizes {
		r, want := &crowd(t, n, o).Rows[0], firstAt(6, 10, n)
		if r.Mean == nil {
			t.Fatalf("%d: no mean after %d runs", n, r.Splitting.Runs)
		}
		if r.Low > want || want > *r.High || *r.High > 3*r.Low {
			t.Errorf("%d: %.3g s (%.3g to %.3g), want %.3g", n, *r.Mean, r.Low, *r.High, want)
		}
		if s := r.Splitting; n >= 36 && s.Plain < 1000*s.Simulated {
			t.Errorf("%d: %.3g s were simulated, plain runs take %.3g s", n, s.Simulated, s.Plain)
		}
	}
}

// A time that is short against what it takes to get there is told from a steady state.
func TestAShortHorizonIsFoundOut(t *testing.T) {
	o := Default
	o.Splitting, o.Paths, o.Horizon = true, 20, 3*sim.Second
	l := crowd(t, 16, o)
	var out bytes.Buffer
	err := l.WriteText(&out, report.Terminal{}, func(s string) string { return s })
	if b := l.Rows[0].Splitting; b.Steady || b.Late < 0.7 || err != nil ||
		!strings.Contains(out.String(), "At 6/s they do not") ||
		!strings.Contains(out.String(), "in a window, here of "+span(l.Window)) {
		t.Errorf("%+v %v\n%s", b, err, out.String())
	}
}

// The same bytes come out for any number of workers, and no more runs than are allowed.
func TestBranchesAreTheSameForAnyWorkers(t *testing.T) {
	o := Default
	o.Paths, o.Horizon = 10, 6*sim.Second
	var written []string
	for _, workers := range []int{1, 3} {
		o.Workers = workers
		var out bytes.Buffer
		if err := crowd(t, 10, o).WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		written = append(written, out.String())
	}
	if written[0] != written[1] {
		t.Errorf("1 worker\n%s3 workers\n%s", written[0], written[1])
	}
	o.Runs = 150
	bound := crowd(t, 16, o)
	var out bytes.Buffer
	err := bound.WriteText(&out, report.Terminal{}, func(s string) string { return s })
	if err != nil || !strings.Contains(out.String(), "At 6/s the runs were used up") {
		t.Errorf("%v in\n%s", err, out.String())
	}
	r := bound.Rows[0]
	if b := r.Splitting; b == nil || b.Runs > 150 || r.Mean != nil || r.Low > firstAt(6, 10, 16) {
		t.Errorf("got %+v of %+v, want a bound and at most 150 runs", r, b)
	}
	if o.Runs = 99; crowd(t, 16, o).Note == "" {
		t.Error("got no note on 99 runs of 10 times 10 paths")
	}
}

// A level says how near a collapse is: the gauge, then for how long it has been beyond its bound. A
// collapse that began before the state was steady has none.
func TestLevels(t *testing.T) {
	c := &course{bound: 5, sign: 1, hold: 3, warm: 2, windows: 9}
	none := math.Inf(-1)
	for _, x := range []struct{ values, want []float64 }{
		{[]float64{9, 1, 2, 6, 4, 7, 8, 9, 9}, []float64{none, none, 2, 6, 4, 6, 7, 8, 9}},
		{[]float64{0, 9, 9, 9, 4, 5, 6, 0, 0}, []float64{none, none, none, none, 4, 5, 6, 0, 0}},
		{[]float64{0, 0, math.NaN(), 6, 0, 0, 0, 0, 0}, []float64{none, none, none, 6, 0, 0, 0, 0, 0}},
	} {
		if got := c.levels(slices.Clone(x.values)); !slices.Equal(got, x.want) {
			t.Errorf("%v: got %v, want %v", x.values, got, x.want)
		}
	}
	c.sign, c.bound = -1, -5
	got := c.levels([]float64{9, 9, 9, 4, 4, 6, 9, 9, 9})
	if want := []float64{none, none, -9, -4, -3, -6, -9, -9, -9}; !slices.Equal(got, want) {
		t.Errorf("below: got %v, want %v", got, want)
	}
}

// What is no gauge is not known as soon as a window ends, so that runs cannot be branched by it.
func TestOnlyGaugesAreBranched(t *testing.T) {
	text := strings.Replace(fmt.Sprintf(crowded, 100),
		"tiers.server.in_system, take: {first_above: 100}",
		"clients.users.failed_share, take: {first_above: 50%}", 1)
	l, err := Last(t.Context(), written(t, text), Default)
	if err != nil || !strings.Contains(l.Note, "no gauge") {
		t.Errorf("got %+v, %v", l, err)
	}
	o := Default
	o.Splitting = true
	if _, err := Last(t.Context(), written(t, text), o); err == nil {
		t.Error("got no error where splitting was asked for")
	}
}

// A small run of the command that the manual shows: one server of 10/s whose callers try again tips
// at 7.5/s in an hour or two, well below its mean field's fold, and at 9/s before a plain run ends.
func TestTippingIsFoundEitherWay(t *testing.T) {
	source, err := experiments.Source("tipping")
	if err != nil {
		t.Fatal(err)
	}
	data, err := fs.ReadFile(source.FS, source.Name)
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`values: \[.*\]`).ReplaceAllString(string(data), "values: [7.5/s, 9/s]")
	text = strings.NewReplacer("20000s", "1000s", "replications: 10", "replications: 8").Replace(text)
	o := Default
	o.Paths = 10
	l, err := Last(t.Context(), written(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	split, plain := l.Rows[0], l.Rows[1]
	// Of ten plain runs of 20000 s all collapsed, in 3165 s to 12138 s at 95 %.
	if split.Splitting == nil || split.Mean == nil || split.Low > 12138 || *split.High < 3165 {
		t.Errorf("7.5/s: %+v, want what plain runs find", split)
	}
	if plain.Splitting != nil || plain.Collapses < few || *plain.Mean > 600 {
		t.Errorf("9/s: %+v, want plain runs that collapse", plain)
	}
	if l.MeanField == nil || math.Abs(l.MeanField.Load-8.572) > 5e-4 {
		t.Errorf("mean field %+v, want a fold at 8.572/s", l.MeanField)
	}
}
