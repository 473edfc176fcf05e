package compare

import (
	"bytes"
	"strings"
	"testing"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// side compiles a variant of two-tier's outage.
func side(t *testing.T, variant string, sets ...string) Side {
	t.Helper()
	src, err := topologies.Open("two-tier/outage")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := load.Open(src)
	plan, problems := d.Plan(load.Options{Variant: variant, Sets: sets, Until: "5m"})
	if plan == nil {
		t.Fatal(problems)
	}
	return Side{Name: variant, Plan: plan}
}

func compared(t *testing.T, a, b Side) (*Result, string) {
	t.Helper()
	r, err := Run(t.Context(), a, b, Measures(a.Plan.World),
		experiments.Options{Seeds: experiments.Seeds(1, 3)})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.WriteText(&out, report.Terminal{}, func(s string) string { return s }); err != nil {
		t.Fatal(err)
	}
	return r, out.String()
}

// The same world twice has the same luck, and so no difference at all.
func TestEqualsDoNotDiffer(t *testing.T) {
	r, text := compared(t, side(t, ""), side(t, ""))
	for _, row := range r.Rows {
		if row.Detectable || row.Difference != nil && *row.Difference != 0 {
			t.Errorf("%s differs from itself: %+v", row.Measure, row)
		}
	}
	if !strings.Contains(text, "no detectable difference; recovery") {
		t.Error(text)
	}
}

// Without its budget the outage does not end, and three pairs tell.
func TestMissingBudgetIsDetected(t *testing.T) {
	r, text := compared(t, side(t, ""), side(t, "no-budget"))
	for _, row := range r.Rows {
		if strings.HasSuffix(row.Measure, "web->db.amplification") &&
			!(row.Detectable && *row.Difference > 0.5) {
			t.Errorf("amplification: %+v", row)
		}
	}
	if !strings.Contains(text, "A recovered 3, B metastable 3") {
		t.Error(text)
	}
}

// The number of workers changes no byte.
func TestWorkersChangeNothing(t *testing.T) {
	a, b := side(t, ""), side(t, "no-budget")
	var texts []string
	for _, workers := range []int{1, 2} {
		r, err := Run(t.Context(), a, b, Measures(a.Plan.World),
			experiments.Options{Seeds: experiments.Seeds(1, 3), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := r.WriteJSON(&out); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, out.String())
	}
	if texts[0] != texts[1] {
		t.Error("one worker and two give different results")
	}
}
