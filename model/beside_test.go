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
