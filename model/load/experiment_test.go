package load

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
)

// experiment is one without a mistake, of which the tests break parts.
const experiment = `question: Which ratio?
cases:
  day: {scenario: a}
  night: {scenario: a, until: 5m, axes: [ratio]}
axes:
  ratio: {path: edges.web->db.retry.stack.ratio_budget.ratio, values: [1%, 10%]}
  slots: {path: tiers.db.slots, range: {from: 8, to: 32, steps: 4}, cases: [day]}
baseline: {ratio: 10%, slots: 8}
replications: {min: 2, max: 4, interval: 5%}
objectives:
  errors: {case: day, measure: clients.users.failed_share, minimize: true}
constraints:
  - {name: calm, case: night, measure: edges.web->db.amplification, max: 2}
sensitivity:
  load: {clients.users.arrivals.rate: 1.2x}
recommend: {axis: ratio, weights: {errors: 2}}
`

func openExperiment(text string) (*Experiment, []string) {
	files := fstest.MapFS{"e.yaml": {Data: []byte(text)}, "a.yaml": {Data: []byte(pair3)}}
	src := Source{FS: files, Name: "e.yaml"}
	e, problems := OpenExperiment(src, func(name string) (Source, error) {
		if name != "a" {
			return Source{}, fmt.Errorf("there is no scenario %q", name)
		}
		return Source{FS: files, Name: "a.yaml"}, nil
	})
	var out []string
	for _, p := range problems.Errors() {
		out = append(out, p.String())
	}
	return e, out
}

func TestExperimentIsRead(t *testing.T) {
	e, problems := openExperiment(experiment)
	if e == nil {
		t.Fatal(problems)
	}
	if len(e.Axes[1].Levels) != 4 || e.Axes[1].Levels[1].Label != "16" ||
		len(e.Cases[1].Axes) != 1 || e.Cases[0].Replications.Max != 4 {
		t.Errorf("read as %+v", e)
	}
	plan, _ := e.Cases[0].Plan([]Level{e.Axes[0].Levels[1], e.Axes[1].Levels[3]}, e.Sensitivity)
	if plan == nil || len(plan.Scenario.Checks) != 1 || !plan.Scenario.Checks[0].Measured {
		t.Fatalf("checks of the case: %+v", plan)
	}
	if got := e.Cases[0].Resolved([]Level{e.Axes[0].Levels[1], e.Axes[1].Levels[3]},
		e.Sensitivity); !strings.Contains(got, "slots: 32") {
		t.Errorf("the axis is not in\n%s", got)
	}
}

// Each edit is a mistake of its own, told with its place and what is meant.
func TestExperimentMistakes(t *testing.T) {
	edits := []edit{
		{"question: Which ratio?\n", ""},
		{"question: Which", "questions: Which"},
		{"scenario: a}", "scenario: b}"},
		{"axes: [ratio]", "axes: [ratios]"},
		{"path: tiers.db.slots, range: {from: 8, to: 32, steps: 4}",
			"path: edges.*.retry.stack.ratio_budget.ratio, values: [1%, 2%]"},
		{"values: [1%, 10%]", "values: [1%, 1%]"},
		{"values: [1%, 10%]", "values: [1%, 10 percent]"},
		{"values: [1%, 10%]", "valuez: [1%, 10%]"},
		{"stack.ratio_budget.ratio,", "stack.ratio_budgets.ratio,"},
		{"from: 8, to: 32", "from: 8, to: 4"},
		{"from: 8, to: 32", "from: 8, to: 32s"},
		{"cases: [day]", "cases: [days]"},
		{"ratio: 10%, slots: 8}", "ratios: 10%, slots: 8}"},
		{"min: 2, max: 4", "min: 4, max: 2"},
		{"minimize: true", "minimize: true, max: 3"},
		{", minimize: true", ""},
		{"clients.users.failed_share", "clients.user.failed_share"},
		{"measure: clients.users.failed_share", "measure: recovery.verdict"},
		{"case: night", "case: nights"},
		{"max: 2}", "max: 2s}"},
		{"max: 2}", "from: 6m, max: 2}"},
		{", max: 2}", "}"},
		{"1.2x", "1.2y"},
		{"clients.users.arrivals.rate", "clients.nobody.arrivals.rate"},
		{"axis: ratio, w", "axis: ratioo, w"},
		{"errors: 2}", "error: 2}"},
	}
	toldOf(t, experiment, edits, "testdata/experiment-mistakes.txt")
}

// edit puts something new in the place of something old.
type edit struct{ old, new string }

// toldOf makes each mistake in an experiment by itself, and compares what is said of it.
func toldOf(t *testing.T, experiment string, edits []edit, file string) {
	t.Helper()
	var got strings.Builder
	for _, edit := range edits {
		text := strings.Replace(experiment, edit.old, edit.new, 1)
		if text == experiment {
			t.Fatalf("%q is not in the experiment", edit.old)
		}
		e, problems := openExperiment(text)
		if e != nil || len(problems) == 0 {
			t.Errorf("%q for %q is accepted", edit.new, edit.old)
		}
		fmt.Fprintf(&got, "%s -> %s\n", strings.TrimSpace(edit.old), strings.TrimSpace(edit.new))
		for _, p := range problems {
			fmt.Fprintf(&got, "  %s\n", p)
		}
	}
	golden(t, file, got.String())
}

// Several mistakes are told at once.
func TestExperimentTellsAllAtOnce(t *testing.T) {
	text := strings.NewReplacer("case: night", "case: nights", "axis: ratio", "axis: ration",
		"min: 2, max: 4", "min: 4, max: 2").Replace(experiment)
	if _, problems := openExperiment(text); len(problems) != 3 {
		t.Errorf("three mistakes are told as\n%s", strings.Join(problems, "\n"))
	}
}
