package model_test

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/sim"
)

// Requests come at 0.1 s, 0.2 s, ... and all fail 1 ms later, when one token of ten is spent; below
// half means the sixth. The level is compared at that instant, not at a window's start.
func TestAnAlertIsDueWhenTheLevelFallsBelow(t *testing.T) {
	const file = `
name: alert
tiers: {db: {steps: [{work: 1ms}, {fail: 100%}]}}
clients: {users: {arrivals: constant 10/s, call: db}}
edges:
  - from: users
    to: db
    timeout: {try: 1s}
    retry:
      stack: [{max_attempts: {attempts: 2}}, {token_budget: {ratio: 0, burst: 10, low: LOW}}]
duration: 2s
window: 1s
`
	for _, test := range []struct {
		low  string
		want sim.Time
	}{
		{"100%", 101 * sim.Millisecond},
		{"50%", 601 * sim.Millisecond},
		{"5%", 1001 * sim.Millisecond},
	} {
		plan := compiled(t, strings.ReplaceAll(file, "LOW", test.low))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Edges[0].LowAt[1]; got != test.want {
			t.Errorf("below %s at %v, want %v", test.low, got, test.want)
		}
		b := check.Summarize(plan, []*model.Result{r}).Edges["users->db"].Budgets["token_budget"]
		if b.LowAtS == nil || *b.LowAtS != test.want.Seconds() {
			t.Errorf("the summary says %v, want %v s", b.LowAtS, test.want.Seconds())
		}
	}
}

// compiled is the plan of a file with this text.
func compiled(t *testing.T, text string) *model.Plan {
	t.Helper()
	files := fstest.MapFS{"world.yaml": {Data: []byte(text)}}
	doc, problems := load.Open(load.Source{FS: files, Name: "world.yaml"})
	if doc == nil {
		t.Fatal(problems)
	}
	plan, problems := doc.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	return plan
}
