package report

import (
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/topologies"
)

// ran is a shipped scenario, run until a time with some seeds.
func ran(t *testing.T, name string, o load.Options, seeds ...uint64) Run {
	t.Helper()
	src, err := topologies.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	document, _ := load.Open(src)
	plan, problems := document.Plan(o)
	if plan == nil {
		t.Fatal(problems)
	}
	var results []*model.Result
	for _, seed := range seeds {
		result, err := plan.Run(t.Context(), seed, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, result)
	}
	return NewRun(plan, results, Label{Scenario: "outage", Variant: o.Variant})
}

func decidesText(t *testing.T, r Run) string {
	t.Helper()
	d, err := r.decides()
	if err != nil {
		t.Fatal(err)
	}
	return d.text(Terminal{})
}

func TestWhatDecidesAStuckRunIsAfterTheFault(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Variant: "no-budget", Until: "5m"}, 1)
	if got := r.Summary.Recovery.Verdict; got != "metastable" {
		t.Fatalf("the run is %s; this test is about a metastable one", got)
	}
	// The outage is from 2m to 3m; its own capacity explains nothing of what comes later.
	got := decidesText(t, r)
	if !strings.Contains(got, "db, 03:00 to 05:00: ") || !strings.Contains(got, "it cannot drain") {
		t.Errorf("what decides is not read after the fault:\n%s", got)
	}
}

func TestWhatDecidesARecoveredRunShowsBothMoments(t *testing.T) {
	got := decidesText(t, ran(t, "two-tier", load.Options{Until: "5m"}, 1))
	under, after := strings.Index(got, ", under outage: "), strings.Index(got, "db, 03:00 to ")
	if under < 0 || after < under || !strings.HasSuffix(got, "it can drain\n") {
		t.Errorf("want the database under the outage and then after it:\n%s", got)
	}
}

func TestWhatDecidesOfSeveralSaysWhichSeed(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Until: "200s"}, 4, 5)
	if got := decidesText(t, r); !strings.Contains(got, "seed 4 of 2 replications") {
		t.Errorf("the seed is missing:\n%s", got)
	}
}

func TestRecoverySaysFromWhatItCounts(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Until: "5m"}, 1)
	got := r.Recovery().Text
	for _, want := range []string{
		"recovered: ok share 97% again at 03:0", "s after outage ended",
		"the busiest edge, web->db, surged to ",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
}

func TestTablesOfSeveralSaySo(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Until: "200s"}, 4, 5)
	for _, table := range r.tables() {
		whole := strings.Contains(table.Doc, "means of 2 replications")
		if one := strings.HasSuffix(table.Doc, "; seed 4"); !whole && !one {
			t.Errorf("%s: %q does not say what its counts are", table.Title, table.Doc)
		}
	}
	for _, f := range r.facts() {
		if f.Name == "seed" {
			t.Errorf("several seeds are called a seed")
		}
	}
}

func TestRequestsInFlightAreShown(t *testing.T) {
	r := ran(t, "two-tier", load.Options{Variant: "no-budget", Until: "170s"}, 1)
	if n := r.Summary.Totals.InFlight; n < 2 {
		t.Fatalf("%d requests in flight; this test is about several", n)
	}
	want := r.real(r.Summary.Totals.InFlight) + " requests were still in flight at the end"
	if got := r.clients().Foot; got != want {
		t.Errorf("below the clients stands %q, want %q", got, want)
	}
}

func TestOverloadByChanceIsNone(t *testing.T) {
	d := decider{plan: &model.Plan{World: &model.World{Scale: 1}}}
	minute := stretch{0, 60 * sim.Second}
	// 6000 arrivals in a minute have a standard deviation of 77.
	for capacity, certain := range map[float64]bool{98: false, 94: true} {
		c := check.Condition{FirstPerS: 100, CapacityPerS: capacity}
		if got := d.certain(c, minute); got != certain {
			t.Errorf("100/s on %v/s for a minute: certain is %v, want %v", capacity, got, certain)
		}
	}
	d.plan.World.Scale = 0.01
	if d.certain(check.Condition{FirstPerS: 100, CapacityPerS: 94}, minute) {
		t.Error("60 arrivals of a hundredth of the system cannot show an overload of 6 %")
	}
}

// At 140/s the queue of the outage is served although nothing is done about it.
func TestWhatDecidesShowsHowAnOverloadWent(t *testing.T) {
	r := ran(t, "hotos21", load.Options{Variant: "v33-140"}, 1)
	if got := r.Summary.Recovery.Verdict; got != check.Recovered {
		t.Fatalf("the run is %s; this test is about one that recovers", got)
	}
	got := decidesText(t, r)
	over := strings.Index(got, "db, 00:30 to 00:40: ")
	later := strings.Index(got, "db, 00:40 to 06:40: ")
	if over < 0 || later < over || !strings.HasSuffix(got, "it can drain\n") {
		t.Errorf("want the overload after the outage and what followed:\n%s", got)
	}
}
