package report

import (
	"bytes"
	"strings"
	"testing"

	"cascadesim/model"
)

func TestAnInterruptedRunSaysSoWhereverItIsRead(t *testing.T) {
	plan, result := stuck(t)
	another, late := *result, *result
	another.Seed, late.Seed = 2, 5 // seeds 3 and 4 were not finished
	results := []*model.Result{result, &another, &late}
	run := NewRun(plan, results, Label{Scenario: "outage", Asked: 10})
	const want = "interrupted: 3 of 10 replications are in these numbers"
	if w := run.Summary.Warnings; len(w) == 0 || w[0] != want {
		t.Errorf("the warnings are %q, want %q first", w, want)
	}
	var text, checks bytes.Buffer
	if err := run.WriteText(&text, Terminal{}); err != nil {
		t.Fatal(err)
	}
	if err := run.WriteChecks(&checks, Terminal{}); err != nil {
		t.Fatal(err)
	}
	page, err := run.Page()
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]string{
		"text": text.String(), "checks": checks.String(), "page": render(t, page),
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the %s does not say %q", name, want)
		}
		if !strings.Contains(got, "1 to 2, 5") {
			t.Errorf("the %s does not say that seeds 1 to 2 and 5 are in it", name)
		}
	}
	whole := NewRun(plan, results, Label{Scenario: "outage", Asked: 3})
	if strings.Contains(strings.Join(whole.Summary.Warnings, " "), "interrupted") {
		t.Errorf("a whole run has the warnings %q", whole.Summary.Warnings)
	}
}

func TestUsedUpAttemptsAreNoRefusalOfABudget(t *testing.T) {
	plan, result := stuck(t)
	run := NewRun(plan, []*model.Result{result}, Label{Scenario: "outage"})
	// Without a budget, all that ends the storm's calls is the number of their attempts.
	if n := run.Summary.Edges["web->db"].RefusedBy["max_attempts"]; n == 0 {
		t.Fatal("nothing used up its attempts: the test needs a storm")
	}
	if got := run.refusals(); len(got.Rows) > 0 {
		t.Errorf("refused by a policy of the caller: %v", got.Rows)
	}
	decides, err := run.decides()
	if err != nil || len(decides.Lines) == 0 {
		t.Fatalf("got %v, %v; want what decides", decides, err)
	}
	if text := decides.text(Terminal{}); strings.Contains(text, "max_attempts") {
		t.Errorf("max_attempts is said to refuse:\n%s", text)
	}
}
