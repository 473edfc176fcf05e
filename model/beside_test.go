package model_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model/load"
)

// A client of breakwater learns its credits from the callee: where no tier behind its edge has
// breakwater, nothing ever tells it anything, and that is said.
func TestAClientOfASilentCalleeIsDoubted(t *testing.T) {
	for _, c := range []struct {
		admission string
		doubted   bool
	}{{"", true}, {"admission: [{breakwater: {}}], ", false}} {
		files := fstest.MapFS{"world.yaml": {Data: []byte(fmt.Sprintf(`
name: silent
tiers: {db: {slots: 4, %ssteps: [{work: 1ms}]}}
clients: {users: {arrivals: 10/s, call: db}}
edges: [{from: users, to: db, retry: {stack: [{breakwater_client: {}}]}}]
duration: 1s
`, c.admission))}}
		doc, problems := load.Open(load.Source{FS: files, Name: "world.yaml"})
		if doc == nil {
			t.Fatal(problems)
		}
		_, problems = doc.Plan(load.Options{})
		const doubt = "no tier behind edges.users->db has breakwater in its admission"
		if got := strings.Contains(problems.Error(), doubt); got != c.doubted {
			t.Errorf("with %q: doubted is %v, want %v:\n%v", c.admission, got, c.doubted, problems)
		}
	}
}

// A share is never above 100 %, and a gauge that is one hardly ever above 200 %; who asks for it
// waits for ever.
func TestConditionsThatAreNeverMetAreDoubted(t *testing.T) {
	for _, c := range []struct {
		condition string
		doubted   bool
	}{
		{"{measure: clients.users.ok_share, above: 100%}", true},
		{"{measure: clients.users.ok_share, above: 99%}", false},
		{"{measure: tiers.db.utilization, above: 110%}", false},
		{"{measure: tiers.db.utilization, above: 250%}", true},
		{"{measure: edges.users->db.error_share, below: 0%}", true},
		{"{measure: clients.users.ok_per_s, above: 1000/s}", false},
	} {
		files := fstest.MapFS{"world.yaml": {Data: []byte(fmt.Sprintf(`
name: never
tiers: {db: {slots: 4, steps: [{work: 1ms}]}}
clients: {users: {arrivals: 10/s, call: db}}
duration: 1m
timeline: [{name: reopen, at: 10s, control: {observe: 5s, stages: [{pass: [%s]}, {}]}}]
`, c.condition))}}
		doc, problems := load.Open(load.Source{FS: files, Name: "world.yaml"})
		if doc == nil {
			t.Fatal(problems)
		}
		plan, problems := doc.Plan(load.Options{})
		if plan == nil {
			t.Fatal(problems)
		}
		if got := strings.Contains(problems.Error(), "is never met"); got != c.doubted {
			t.Errorf("%s: doubted is %v, want %v:\n%v", c.condition, got, c.doubted, problems)
		}
	}
}
