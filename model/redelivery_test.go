package model_test

import (
	"context"
	"fmt"
	"testing"

	"cascadesim/model"
)

// A queue delivers a message again when it has not been answered for within its visibility timeout,
// and after five receives it is a dead letter. For two minutes a message takes 40 s instead of 4.
// With a visibility of 30 s each of them is worked on by up to five consumers, who are all busy
// with messages that are as good as lost; one of 60 s repeats nothing, although messages wait for
// minutes.
func TestAShortVisibilityTimeoutMakesARedeliveryLoop(t *testing.T) {
	for _, c := range []struct {
		lease string
		loop  bool
	}{{"30s", true}, {"60s", false}} {
		plan := compiled(t, fmt.Sprintf(`
name: queue
tiers: {worker: {slots: 40, steps: [{work: 4s}]}}
clients: {jobs: {arrivals: constant 2/s, call: worker}}
edges:
  - {from: jobs, to: worker, timeout: {lease: %s}, retry: {retry_on: [timed_out, 5xx],
      stack: [{max_attempts: {attempts: 5}}]}}
duration: 10m
drain: 2h
timeline: [{name: slow, at: 60s, for: 2m, fault: {tier: worker, slow: 10x}}]
`, c.lease))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var calls, attempts, dead, late uint32
		for _, e := range r.Edges[0].Cells {
			calls, attempts, late = calls+e.Calls, attempts+e.Attempts, late+e.Late
		}
		for _, cell := range r.Clients[0].Cells {
			dead += cell.Failed
		}
		longest := r.Replicas[0].Wait.Max().Seconds()
		if longest < 60 {
			t.Errorf("lease %s: nobody waits longer than %.0f s", c.lease, longest)
		}
		switch {
		case c.loop && (attempts == calls || late != attempts-calls+dead):
			t.Errorf("lease %s: %d messages are received %d times, %d too late, %d dead", c.lease, calls,
				attempts, late, dead)
		case !c.loop && (attempts != calls || dead != 0):
			t.Errorf("lease %s: %d messages are received %d times, %d dead", c.lease, calls, attempts, dead)
		}
	}
}
