package model

import (
	"context"
	"math"
	"testing"

	"cascadesim/sim"
)

// counted is a world whose client follows counts of arrivals.
func counted(spans ...Counted) *Topology {
	t := twoTier()
	t.Clients[0].Value.Arrivals = &Arrivals{
		Process: "file", File: "x.csv", Recording: &Recording{Counts: spans},
	}
	return t
}

// starts are the times at which requests started, and who they are.
func starts(t *testing.T, top *Topology, scale float64) map[sim.Ident]sim.Time {
	t.Helper()
	s := minute()
	s.Scale = scale
	plan, problems := Compile(top, s, nil)
	if plan == nil {
		t.Fatal(problems)
	}
	seen := recorder{}
	if _, err := plan.Run(context.Background(), 1, RunOptions{Tracer: seen}); err != nil {
		t.Fatal(err)
	}
	return seen
}

type recorder map[sim.Ident]sim.Time

func (r recorder) Trace(rec TraceRecord) {
	if rec.What == "request" {
		r[rec.Request] = rec.At
	}
}

// At scale 1 the counts of a file are what arrives, each within its stretch and anywhere in it: the
// mean of uniform instants is the middle, within four standard errors.
func TestCountsOfAFileArriveInTheirStretch(t *testing.T) {
	const n = 4000
	all := starts(t, counted(Counted{From: 10 * sim.Second, To: 20 * sim.Second, N: n},
		Counted{From: 20 * sim.Second, To: 21 * sim.Second, N: 7}), 1)
	first, sum := 0, 0.0
	for _, at := range all {
		if at < 10*sim.Second || at >= 21*sim.Second {
			t.Fatalf("an arrival at %d", at)
		}
		if at < 20*sim.Second {
			first++
			sum += at.Seconds() - 10
		}
	}
	if len(all) != n+7 || first != n {
		t.Errorf("%d arrivals of which %d in the first stretch; want %d and %d", len(all), first, n+7, n)
	}
	if mean := sum / n; math.Abs(mean-5) > 4*10/math.Sqrt(12*n) {
		t.Errorf("they come %v s into it in the mean, want 5", mean)
	}
}

// A scale keeps each arrival with that probability, at its own time: who arrives in a smaller world
// arrives in every larger one at the same instant.
func TestAScaleThinsAFile(t *testing.T) {
	top := counted(Counted{From: 0, To: 50 * sim.Second, N: 20_000})
	whole, tenth, hundredth := starts(t, top, 1), starts(t, top, 0.1), starts(t, top, 0.01)
	for small, large := range map[*map[sim.Ident]sim.Time]map[sim.Ident]sim.Time{
		&tenth: whole, &hundredth: tenth,
	} {
		for who, at := range *small {
			if large[who] != at {
				t.Fatalf("%x arrives at %d in the smaller world, at %d in the larger", who, at, large[who])
			}
		}
	}
	if d := math.Abs(float64(len(tenth)) - 2000); d > 4*math.Sqrt(20_000*0.1*0.9) {
		t.Errorf("%d of 20000 arrive at 1/10", len(tenth))
	}
}
