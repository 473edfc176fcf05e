package kernel

import (
	"context"
	"errors"
	"testing"

	"cascadesim/policies"
	"cascadesim/sim"
)

// still runs a plan that must be found to stand still.
func still(t *testing.T, p *Plan) {
	t.Helper()
	_, err := Run(context.Background(), p, 1, Options{})
	var s *Standstill
	if !errors.As(err, &s) {
		t.Fatalf("got %v, want a standstill", err)
	}
}

func TestRetriesWithoutEndAndWaitStandStill(t *testing.T) {
	var b planner
	to := b.tier("db", 1, -1, Step{Verb: Fail, Share: 1, Status: 500})
	e := b.edge(-1, 0, to, 10_000_000, -1)
	b.client(10, e, to)
	still(t, b.plan(10*sim.Second))
}

func TestClientsThatDoNotThinkStandStill(t *testing.T) {
	var b planner
	to := b.tier("db", 1, -1, Step{Verb: Fail, Share: 1, Status: 500})
	e := b.edge(-1, 0, to, 1, -1)
	b.client(10, e, to)
	b.p.Clients[0].Process, b.p.Clients[0].Population = Closed, 3
	for c := range policies.Classes {
		b.p.Clients[0].Think[c] = sim.MustParseDist("0")
	}
	still(t, b.plan(10*sim.Second))
}

// A line of a hundred thousand that drains at once is no standstill as long as it has an end that
// the stack can hold.
func TestManyStepsOfOneInstantAreNoStandstill(t *testing.T) {
	var b planner
	to := b.tier("db", 1, -1, Step{Verb: Fail, Share: 1, Status: 500})
	e := b.edge(-1, 0, to, 20_000, -1)
	b.client(10, e, to)
	res := run(t, b.plan(sim.Second), 1)
	if got := res.Clients[0].Cells[0].Failed; got == 0 {
		t.Error("nobody failed")
	}
}
