package report

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// The texts are the model's own, so that this fails when they change.
func TestFewSlotsAreOneNote(t *testing.T) {
	src, err := topologies.Open("github-2026-08-17")
	if err != nil {
		t.Fatal(err)
	}
	document, _ := load.Open(src)
	scale := 1.0 / 200
	plan, problems := document.Plan(load.Options{Scale: &scale})
	if plan == nil {
		t.Fatal(problems)
	}
	var r Run
	r.Summary.Warnings = []string{"something else"}
	for _, w := range plan.Warnings {
		r.Summary.Warnings = append(r.Summary.Warnings, w.String())
	}
	got := r.warnings()
	want := []Note{{Doubt, "something else"}, {Doubt, "FEW SLOTS at 1/200: sidecar 18 of 3600, " +
		"token_service 10 of 2000 (BELOW 20: DO NOT READ waits and percentiles of these); " +
		"auth 36 of 7200 (a p99 can be off by more than about 2 %)"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%v\nwant\n%v", got, want)
	}
	if len(r.Summary.Warnings) != 4 {
		t.Errorf("the summary has %d warnings, want each of 4", len(r.Summary.Warnings))
	}
}

func TestNamesOfMarksDoNotCoverEachOther(t *testing.T) {
	axis := Axis{Step: 1, Bins: 1000}
	at := func(name string, s float64) Span { return Span{At: s, End: math.NaN(), Name: name} }
	spans := []Span{at("one", 100), at("two", 110), at("three", 125), at("four", 500)}
	want := []string{"one, two", "", "three", "four"}
	if got := markNames(spans, axis); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	spans[1].Name = strings.Repeat("long ", 10)
	if got := markNames(spans, axis); !reflect.DeepEqual(got, []string{"a b", "", "c", "d"}) {
		t.Errorf("got %q; a name longer than the chart is high makes letters of all", got)
	}
}

func TestChecksSayByWhatTheyPass(t *testing.T) {
	three := make([]check.RunVerdict, 3)
	mean := check.Verdict{Name: "c", OK: true, Pass: "mean", PerRun: three}
	if got := passed(mean); got != "yes (mean of 3)" {
		t.Errorf("a check of the mean: %q", got)
	}
	mean.Pass = "all"
	if got := passed(mean); got != "yes (0 of 3)" {
		t.Errorf("a check of all: %q", got)
	}
}

func TestChecksNameTheBinWhereThereIsRoom(t *testing.T) {
	verdicts := []check.Verdict{{Name: "c", Measure: "m", Text: "1", Want: "at most 2", OK: true,
		Note: "bin at 14:40; a bin without a value was left out"}}
	for width, named := range map[int]bool{120: true, 40: false} {
		term := Terminal{Width: width}
		got := textOf(t, checksFor(verdicts, term), term)
		if strings.Contains(got, "14:40  ") != named {
			t.Errorf("on %d columns, the bin is named is %v, want %v:\n%s", width, !named, named, got)
		}
	}
}
