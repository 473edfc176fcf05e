package model_test

import (
	"context"
	"fmt"
	"maps"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/policies"
	"cascadesim/sim"
)

// census counts what comes in, by priority and whether it is a first try.
type census struct{}

type censusKey struct {
	priority int
	first    bool
}

func censusInto(seen map[censusKey]int) *policies.Registry {
	return policies.Builtins().With(policies.NewKind(
		policies.Spec{Name: "census", Callee: true}, census{},
		func(census) []error { return nil },
		func(census) func() policies.Policy {
			return func() policies.Policy { return policies.Policy{Admission: counting(seen)} }
		}))
}

type counting map[censusKey]int

func (c counting) Enter(_ sim.Time, a *policies.Attempt) bool {
	c[censusKey{a.Priority, a.N == 1}]++
	return true
}

// The client's priority travels to the third tier. On its way one edge takes two off, and one more
// off its retries, whose own calls are as much less important; another gives all its retries a 0.
func TestPriorityTravelsAndRetriesMayHaveLess(t *testing.T) {
	seen := map[censusKey]int{}
	files := fstest.MapFS{"world.yaml": {Data: []byte(`
name: travels
tiers:
  front: {steps: [{call: web}]}
  web: {steps: [{call: db}, {fail: 100%}]}
  db: {admission: [{census: {}}], steps: [{work: 1ms}, {fail: 100%}]}
clients:
  users: {arrivals: burst 10, call: front, priority: 7}
  batch: {arrivals: burst 100, call: front, priority: 1}
edges:
  - from: front
    to: web
    priority: {call: -2, retry: -1}
    retry: {stack: [{max_attempts: {attempts: 3}}]}
  - {from: web, to: db, priority: {retry: 0}, retry: {stack: [{max_attempts: {attempts: 2}}]}}
duration: 1s
`)}}
	doc, problems := load.Open(load.Source{FS: files, Name: "world.yaml", Policies: censusInto(seen)})
	if doc == nil {
		t.Fatal(problems)
	}
	plan, problems := doc.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	if _, err := plan.Run(context.Background(), 1, model.RunOptions{}); err != nil {
		t.Fatal(err)
	}
	// Each of 110 requests makes three tries at web, and each of those two at db.
	want := map[censusKey]int{
		{5, true}: 10, {4, true}: 20, // users: the first try at web, and its two retries
		{0, true}:  300, // batch: 1 - 2 is 0, and so is less
		{0, false}: 330,
	}
	if !maps.Equal(seen, want) {
		t.Errorf("at db came %v, want %v", seen, want)
	}
}

// A storm in which first tries and retries are served alike never ends: the line holds what nobody
// waits for any more. Where retries are less important first tries have the station for themselves,
// of which they need 70 %, and the storm is over with its cause.
func TestRetriesOfLowerPriorityLeaveFirstTriesAlone(t *testing.T) {
	for _, c := range []struct {
		retry      string
		least, top float64
	}{{"same", 0, 0.05}, {"-1", 0.99, 1}, {"0", 0.99, 1}} {
		t.Run(c.retry, func(t *testing.T) {
			plan := compiled(t, fmt.Sprintf(`
name: storm
tiers:
  web: {steps: [{call: db}]}
  db: {slots: 1, line: {limit: 100, discipline: priority}, steps: [{work: exp 10ms}]}
clients: {users: {arrivals: 70/s, call: web, priority: 1}}
edges:
  - from: web
    to: db
    timeout: {try: 500ms}
    priority: {retry: %s}
    retry: {stack: [{max_attempts: {attempts: 4}}]}
duration: 5m
timeline: [{at: 1m, for: 30s, fault: {tier: db, slow: 10x}}]
`, c.retry))
			for seed := range uint64(3) {
				r, err := plan.Run(context.Background(), seed+1, model.RunOptions{})
				if err != nil {
					t.Fatal(err)
				}
				var ok, all uint32
				for _, cell := range r.Clients[0].Cells[180:] {
					ok, all = ok+cell.OK, all+cell.Requests
				}
				if share := float64(ok) / float64(all); share < c.least || share > c.top {
					t.Errorf("seed %d: %.3f of the requests are ok, want %v to %v", seed+1, share, c.least,
						c.top)
				}
			}
		})
	}
}
