package load

import (
	"testing"
	"testing/fstest"

	"cascadesim/sim"
)

const controlled = `
name: controlled
tiers: {db: {slots: 4, steps: [{work: 1ms}]}}
clients: {users: {arrivals: 1/s, call: db}}
duration: 10m
timeline:
  - name: reopen
    at: 1m
    control:
      pass: [{measure: tiers.db.utilization, below: 60%}]
      stages:
        - {name: probe, set: {tiers.db.slots: 1}}
        - {name: half, set: {tiers.db.slots: 2}}
        - {set: {tiers.*.slots: 1.5x}, observe: 1m}
variants:
  quick: {set: {timeline.reopen.control.observe: 10s}}
`

// Paths lead into stages by their names, and by their numbers where they have none; what follows
// the set of a stage is one segment.
func TestPathsLeadIntoStages(t *testing.T) {
	doc, problems := Open(Source{Name: "c.yaml",
		FS: fstest.MapFS{"c.yaml": {Data: []byte(controlled)}}})
	if doc == nil {
		t.Fatal(problems)
	}
	_, s, problems := doc.Build(Options{Variant: "quick", Sets: []string{
		"timeline.reopen.control.stages.probe.set.tiers.db.slots=3",
		"timeline.reopen.control.stages.half=null",
		"timeline.reopen.control.stages.1.observe=2m",
		"timeline.reopen.control.pass.0.below=80%",
		"timeline.reopen.control.back=first",
	}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	c := s.Timeline[0].Control
	if len(c.Stages) != 2 || c.Observe != 10*sim.Second || c.Back != "first" ||
		c.Pass[0].Below.Value != 0.8 {
		t.Fatalf("got %+v", c)
	}
	if set := c.Stages[0].Set; len(set) != 1 || set[0].Value.Number != 3 {
		t.Errorf("the first stage sets %+v, want 3 slots", set)
	}
	if c.Stages[1].Observe != 2*sim.Minute || c.Stages[1].Set[0].Path != "tiers.db.slots" {
		t.Errorf("the stage without a name is %+v", c.Stages[1])
	}
}
