package load

import (
	"fmt"
	"strings"
	"testing"

	"cascadesim/sim"
)

// climbing is an experiment of one run up and down without a mistake, of which the test breaks
// parts.
const climbing = `question: Where?
cases:
  day: {scenario: a, set: {timeline: null}}
axes:
  ratio: {path: edges.web->db.retry.stack.ratio_budget.ratio, values: [1%, 10%]}
  load: {path: clients.users.arrivals.rate, values: [100/s, 200/s, 400/s]}
up_and_down: {axis: load, dwell: 60s, settle: 20s}
replications: 2
objectives:
  goodput: {measure: clients.users.ok_per_s, maximize: true}
constraints:
  - {name: it is well, measure: clients.users.ok_share, min: 97%}
`

// A run goes through the values as its timeline says, and each dwell is read.
func TestOneRunGoesUpAndDown(t *testing.T) {
	e, problems := openExperiment(climbing)
	if e == nil {
		t.Fatal(problems)
	}
	plan, _ := e.Cases[0].Plan([]Level{e.Axes[0].Levels[0]}, nil)
	if plan == nil || len(e.Cases[0].Axes) != 1 {
		t.Fatalf("axes %v, plan %v", e.Cases[0].Axes, plan)
	}
	var got strings.Builder
	rate, _ := plan.Topology.Clients.Get("users")
	fmt.Fprintf(&got, "0 %v\n", float64(rate.Arrivals.Rate))
	for _, e := range plan.Scenario.Timeline {
		fmt.Fprintf(&got, "%v %v\n", e.At/sim.Second, e.Set[0].Value.Number)
	}
	for _, c := range plan.Scenario.Checks {
		fmt.Fprintf(&got, "%s: %v-%v %v\n", c.Name, *c.From/sim.Second, *c.To/sim.Second, c.Measured)
	}
	const want = `0 100
60 200
120 400
240 200
300 100
goodput, 100/s up: 20-60 true
it is well, 100/s up: 20-60 false
arrivals of axes.load, 100/s up: 20-60 true
growth of axes.load, 100/s up: 20-60 true
goodput, 200/s up: 80-120 true
it is well, 200/s up: 80-120 false
arrivals of axes.load, 200/s up: 80-120 true
growth of axes.load, 200/s up: 80-120 true
goodput, 400/s up: 140-180 true
it is well, 400/s up: 140-180 false
arrivals of axes.load, 400/s up: 140-180 true
growth of axes.load, 400/s up: 140-180 true
goodput, 400/s down: 200-240 true
it is well, 400/s down: 200-240 false
arrivals of axes.load, 400/s down: 200-240 true
growth of axes.load, 400/s down: 200-240 true
goodput, 200/s down: 260-300 true
it is well, 200/s down: 260-300 false
arrivals of axes.load, 200/s down: 260-300 true
growth of axes.load, 200/s down: 260-300 true
goodput, 100/s down: 320-360 true
it is well, 100/s down: 320-360 false
arrivals of axes.load, 100/s down: 320-360 true
growth of axes.load, 100/s down: 320-360 true
`
	if got.String() != want || plan.World.End != 360*sim.Second {
		t.Errorf("until %v:\n%s", plan.World.End, got.String())
	}
}

// A factor is one of the document's value on each way, not of the value before.
func TestFactorsGoUpAndDown(t *testing.T) {
	e, problems := openExperiment(strings.Replace(climbing, "[100/s, 200/s, 400/s]", "[0.5x, 1x]", 1))
	if e == nil {
		t.Fatal(problems)
	}
	plan, _ := e.Cases[0].Plan([]Level{e.Axes[0].Levels[0]}, nil)
	client, _ := plan.Topology.Clients.Get("users")
	got := []float64{float64(client.Arrivals.Rate)}
	for _, e := range plan.Scenario.Timeline {
		got = append(got, e.Set[0].Value.Number)
	}
	if want := fmt.Sprint([]float64{50, 100, 50}); fmt.Sprint(got) != want {
		t.Errorf("rates %v, want %v", got, want)
	}
}

// Each edit is a mistake of its own, told with its place and what is meant.
func TestUpAndDownMistakes(t *testing.T) {
	edits := []edit{
		{"{axis: load,", "{axis: loads,"},
		{"{axis: load,", "{axes: load,"},
		{"{axis: load,", "{axis: ratio,"},
		{"values: [100/s, 200/s, 400/s]", "values: [100/s]"},
		{"values: [100/s, 200/s, 400/s]", "values: []"},
		{"values: [100/s, 200/s, 400/s]", "range: {from: 400/s, to: 100/s}"},
		{"values: [100/s, 200/s, 400/s]", "range: {from: 100/s, to: 400/s, steps: 300}"},
		{"values: [100/s, 200/s, 400/s]", "values: [100/s, 400/s, 200/s]"},
		{"values: [100/s, 200/s, 400/s]", "values: [100/s, much]"},
		{"path: clients.users.arrivals.rate, values: [100/s, 200/s, 400/s]",
			"points: {few: {tiers.db.slots: 1}, many: {tiers.db.slots: 2}}"},
		{"path: clients.users.arrivals.rate, values: [100/s, 200/s, 400/s]",
			"path: edges.*.retry.stack.ratio_budget.ratio, values: [1%, 2%]"},
		{"path: clients.users.arrivals.rate", "path: clients.user.arrivals.rate"},
		{", dwell: 60s", ""},
		{"dwell: 60s", "dwell: 60"},
		{"dwell: 60s", "dwell: 20s"},
		{"dwell: 60s", "dwell: 60.5s"},
		{"dwell: 60s", "dwell: 1000000h"},
		{"dwell: 60s", "dwell: 20h"},
		{"settle: 20s", "settle: 60s"},
		{"set: {timeline: null}", "until: 5m, set: {timeline: null}"},
		{"set: {timeline: null}", "set: {timeline: null, duration: 1h}"},
		{", set: {timeline: null}", ""},
		{"timeline: null",
			"timeline: null, timeline.cut: {at: 0s, set: {clients.users.arrivals.rate: 9/s}}"},
		{"timeline: null",
			"timeline: null, timeline.cut: {at: 60s, set: {clients.*.arrivals.rate: 9/s}}"},
		{"timeline: null", "timeline: null, clients.users.arrivals.profile: {0s: 50%, 60s: 100%}"},
		{"  day: {", "  night: {scenario: a}\n  day: {"},
		{"replications: 2", "replications: 2\nruns: 100\nbaseline: {load: 100/s}"},
		{"replications: 2", "replications: {min: 2, max: 4}"},
		{"replications: 2", "design: sobol\npoints: 8"},
		{"ok_share, min", "ok_share, from: 10s, min"},
		{"measure: clients.users.ok_share, min: 97%", "measure: recovery.verdict, is: recovered"},
		{"ok_share, min", "ok_shares, min"},
		{"min: 97%", "min: 97"},
	}
	toldOf(t, climbing, edits, "testdata/up-and-down-mistakes.txt")
}
