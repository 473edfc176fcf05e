package figure_test

import (
	"math"
	"testing"

	"cascadesim/experiments/report/figure"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// Full jitter draws from 0 to 50 ms, doubled with each retry: the means are half of that, and of
// 20,000 waits they are within five standard errors, b/√12/√20000 each.
func TestWaitsOfFullJitterHaveTheirMeans(t *testing.T) {
	plan, r := ran(t, "two-tier", load.Options{Until: "2m"})
	edge := -1
	for i := range plan.World.Edges {
		if plan.World.Edges[i].Name == "web->db" {
			edge = i
		}
	}
	means, ok := figure.MeanWaits(plan, edge)
	if !ok || len(means) != 5 {
		t.Fatalf("means %v", means)
	}
	for k, got := range means {
		b := 0.05 * math.Pow(2, float64(k))
		if math.Abs(got-b/2) > 5*b/math.Sqrt(12*20_000) {
			t.Errorf("retry %d waits %v on average, want %v", k+1, got, b/2)
		}
	}
	if f := made(t, "backoff", plan, r); f.Plotted() {
		t.Error("densities have no axis of time")
	}
}

// The pacers of all clients that ship can be asked, and none waits a negative time or for ever.
func TestEveryPresetHasWaits(t *testing.T) {
	src, err := topologies.Open("drill-degraded-dependency")
	if err != nil {
		t.Fatal(err)
	}
	d, problems := load.Open(src)
	if d == nil {
		t.Fatal(problems)
	}
	with := 0
	for _, v := range d.Variants() {
		plan, problems := d.Plan(load.Options{Variant: v.Name})
		if plan == nil {
			t.Fatalf("%s: %v", v.Name, problems)
		}
		for edge := range plan.World.Edges {
			means, ok := figure.MeanWaits(plan, edge)
			for _, m := range means {
				if !(m >= 0) || m > 3600 {
					t.Errorf("%s: waits %v", v.Name, means)
				}
			}
			if ok {
				with++
			}
		}
	}
	if with < 10 {
		t.Errorf("%d edges wait before a retry", with)
	}
}
