package report

import (
	"math"
	"testing"

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
