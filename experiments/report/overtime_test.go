package report

import (
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// stuck is the end of the outage without a budget: every request fails until the last second.
func stuck(t *testing.T) (*model.Plan, *model.Result) {
	t.Helper()
	src, err := topologies.Open("two-tier")
	if err != nil {
		t.Fatal(err)
	}
	document, _ := load.Open(src)
	plan, problems := document.Plan(load.Options{Variant: "no-budget", Until: "240s"})
	if plan == nil {
		t.Fatal(problems)
	}
	result, err := plan.Run(t.Context(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return plan, result
}

func TestOpenRequestsAtTheEndDoNotLookLikeARecovery(t *testing.T) {
	plan, result := stuck(t)
	_, charts, err := chartsOf(plan, result)
	if err != nil {
		t.Fatal(err)
	}
	line := charts[0].Lines[0]
	for i, v := range line.Values[130:] {
		if !math.IsNaN(v) && v < 0.99 {
			t.Errorf("at %d s %v failed; the system is stuck until the end", 130+i, v)
		}
	}
	if v := line.Values[len(line.Values)-1]; !math.IsNaN(v) {
		t.Errorf("the last second shows %v, want a gap: its requests are still open", v)
	}
}

// A bin of a long run is the mean of its windows, and its highest one is drawn with it.
func TestPeaksWithinBinsAreKept(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(`
name: a
tiers: {db: {steps: [{work: 1ms}]}}
clients:
  steady: {arrivals: constant 10/s, call: db}
duration: 1h
window: 1s
timeline: [{name: spike, at: 30m, for: 1s, set: {clients.steady.arrivals.rate: 400/s}}]
`)}}
	document, problems := load.Open(load.Source{Name: "a.yaml", FS: files})
	if document == nil {
		t.Fatal(problems)
	}
	plan, problems := document.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	result, err := plan.Run(t.Context(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	axis, charts, err := chartsOf(plan, result)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(charts, func(c Chart) bool { return c.ID == "rates" })
	offered := charts[i].Lines[0]
	// Four windows make a bin: 400 requests and three times 10 in 4 s.
	if axis.Step != 4 || len(offered.Peaks) != axis.Bins {
		t.Fatalf("bins of %v s, %d peaks for %d bins", axis.Step, len(offered.Peaks), axis.Bins)
	}
	mean, highest := peak(offered), peak(Line{Values: offered.Peaks})
	if math.Abs(mean-107.5) > 1 || math.Abs(highest-400) > 2 {
		t.Errorf("highest bin %v/s, highest window %v/s; want 107.5 and 400", mean, highest)
	}
	if want := "thin: the highest 1s in each 4s"; !strings.Contains(charts[i].Doc, want) {
		t.Errorf("the chart says %q, which is not %q", charts[i].Doc, want)
	}
}
