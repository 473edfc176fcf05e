package figure_test

import (
	"strings"
	"testing"

	"cascadesim/experiments/report/figure"
	"cascadesim/model/load"
)

// Three runs lie over each other: a panel for each line that differs, and a line for each run, one
// of which is shorter than the others.
func TestThreeRunsLieOverEachOther(t *testing.T) {
	var all []figure.Figure
	for _, o := range []load.Options{{}, {Variant: "no-budget"}, {Until: "5m"}} {
		plan, r := ran(t, "two-tier", o)
		f := made(t, "timeline", plan, r)
		f.Name = "run " + o.Variant + o.Until
		all = append(all, f)
	}
	f := figure.Over(all)
	var titles []string
	for _, p := range f.Panels {
		titles = append(titles, p.Title)
		if len(p.Lines) != 3 {
			t.Errorf("%s has %d lines", p.Title, len(p.Lines))
		}
		for _, l := range p.Lines {
			if want := map[bool]float64{true: 300, false: 600}[l.Name == "run 5m"]; l.Length != want {
				t.Errorf("%s of %s covers %v s", p.Title, l.Name, l.Length)
			}
		}
	}
	want := "Requests that failed: users|Attempts over each edge: users->web|" +
		"Attempts over each edge: web->db|Attempts for each request: web->db"
	if got := strings.Join(titles, "|"); got != want {
		t.Errorf("panels %s, want %s", got, want)
	}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	got := words(t, svg)
	for _, w := range []string{"3 runs: what failed and what was sent", "run no-budget", "run 5m"} {
		if !strings.Contains(got, w) {
			t.Errorf("it lacks %q: %s", w, got)
		}
	}
}

// What happens in some of the runs alone is not marked over the others.
func TestRunsOverEachOtherMarkWhatAllHave(t *testing.T) {
	for world, marks := range map[string]int{"two-tier": 1, "hotos21": 0} {
		plan, r := ran(t, world, load.Options{})
		own := made(t, "timeline", plan, r)
		plan, r = ran(t, "two-tier", load.Options{})
		f := made(t, "timeline", plan, r)
		if len(f.Spans) != 1 || len(own.Spans) != 1 {
			t.Fatalf("%d and %d spans, want one each", len(f.Spans), len(own.Spans))
		}
		if got := figure.Over([]figure.Figure{f, f, own}).Spans; len(got) != marks {
			t.Errorf("beside %s %d spans are marked, want %d: %v", world, len(got), marks, got)
		}
	}
}
