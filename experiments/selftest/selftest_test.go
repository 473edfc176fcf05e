package selftest

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"cascadesim/sim/stats"
)

func TestEveryWorldCompiles(t *testing.T) {
	for _, f := range table() {
		for i := range f.Runs {
			for _, small := range []bool{true, false} {
				if _, err := (job{form: f, small: small}).world(&f.Runs[i]); err != nil {
					t.Errorf("%s: %v", f.ID, err)
				}
			}
		}
	}
}

// Formulas and printed figures were worked out apart from each other: where they disagree, one of
// them is wrong. Closed forms are printed with four digits or more; the figures of storms are
// rounded to what a second can show, and get half of their tolerance.
func TestFormulasAgreeWithThePrintedFigures(t *testing.T) {
	const rounding = 5e-4
	used := map[string]bool{}
	compare := func(key string, printed, allowed float64) {
		x, ok := formulas()[key]
		_, isStated := stated[key]
		if ok == isStated {
			t.Errorf("%s: formula %v, stated %v; want one of them", key, ok, isStated)
		}
		used[key] = true
		if ok && math.Abs(x-printed) > allowed {
			t.Errorf("%s: the formula says %v, printed is %v", key, x, printed)
		}
	}
	for _, f := range table() {
		for i := range f.Runs {
			w, err := (job{form: f}).world(&f.Runs[i])
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range w.plan.Scenario.Checks {
				if c.Expect == nil {
					continue
				}
				allowed := rounding * math.Abs(c.Expect.Value)
				if f.Requests == "" && c.Within != nil {
					b := bounds{want: c.Expect.Value, within: c.Within.Value, relative: c.WithinRelative}
					allowed = max(allowed, b.tolerance()/2)
				}
				compare(w.key(c.Name), c.Expect.Value, allowed)
			}
			for _, c := range slices.Concat(w.run.Compute, w.run.Verify) {
				if c.Printed != "" {
					compare(w.key(c.Name), value(c.Printed), rounding*value(c.Printed))
				}
			}
		}
	}
	for key := range formulas() {
		if !used[key] {
			t.Errorf("the formula of %s belongs to no value", key)
		}
	}
	for key := range stated {
		if !used[key] {
			t.Errorf("what is stated of %s belongs to no value", key)
		}
	}
}

func TestTheIntervalDecidesOnlyWhenItIsNarrow(t *testing.T) {
	b := noBounds()
	b.want, b.within, b.relative = 100, 0.01, true
	around := func(mean, half float64) stats.Interval {
		return stats.Interval{Mean: mean, Lo: mean - half, Hi: mean + half, N: 20}
	}
	for _, c := range []struct {
		name     string
		got      float64
		interval stats.Interval
		want     bool
	}{
		{"within the tolerance", 100.9, around(100.9, 0.1), true},
		{"outside, and so is its interval", 101.5, around(101.5, 0.4), false},
		{"outside, but the interval holds it and is narrow", 100.99, around(100.99, 0.995), true},
		{"an interval that holds it because it is wide", 105, around(105, 6), false},
		{"no value", math.NaN(), around(100, 0.1), false},
	} {
		if got := b.hold(c.got, c.interval); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	b.within = 0
	if !b.hold(100, stats.Interval{}) || b.hold(100.001, around(100, 1)) {
		t.Error("an exact value must be exact")
	}
}

func TestTheSameTableWhateverTheWorkers(t *testing.T) {
	var texts [2]strings.Builder
	for i, workers := range []int{1, 3} {
		o := Options{Only: []string{"V14", "V20", "C7", "V27"}, Size: SizeSmall, Workers: workers}
		outcomes, err := Run(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(&texts[i], outcomes, Markdown); err != nil {
			t.Fatal(err)
		}
	}
	if texts[0].String() != texts[1].String() {
		t.Errorf("one worker:\n%s\nthree workers:\n%s", texts[0].String(), texts[1].String())
	}
}

func TestUnknownCasesAndSizesAreRefused(t *testing.T) {
	for _, o := range []Options{{Only: []string{"V1", "V999"}}, {Size: "huge"}} {
		if _, err := Run(context.Background(), o); err == nil {
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestCasesAreInTheOrderOfTheirNumbers(t *testing.T) {
	var ids []string
	for _, c := range Cases() {
		ids = append(ids, c.ID)
	}
	got := strings.Join(ids, " ")
	want := "V1 V2 V3 V4 V5 V6 V7 V8 V9 V10 V11 V12 V13 V14 V15 V16 V17 V18 V19 V20 V21 V22 V23 V24 " +
		"V25 V26 V27 V28 V30 V31 V32 V33 V34 V35 V35b V35c V35d V36 V37 V37b V38 V39 V40 V41 V42 " +
		"V43 V44 V46 V47 V48 C1 C7 C8 C10 C12 C16 C17 C18 C19 C21 C25 C26 C28 C30 C32 X1 X2 X3"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
