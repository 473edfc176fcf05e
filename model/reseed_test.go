package model_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

const oneServer = `
name: server
tiers: {server: {slots: 1, steps: [{work: exp 100ms}]}}
clients: {users: {call: server, arrivals: 8/s}}
duration: 20000s
warmup: 100s
`

func simulated(t *testing.T, p *model.Plan, seed uint64) *model.Result {
	t.Helper()
	r, err := p.Run(context.Background(), seed, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func inSystem(t *testing.T, p *model.Plan, r *model.Result) []float64 {
	t.Helper()
	all, err := check.Series(p, r, "tiers.server.in_system", 0)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// Runs with the same seeds up to a time are the same up to it, and then they part.
func TestBranchesShareTheirPast(t *testing.T) {
	p := compiled(t, oneServer)
	at := func(s sim.Time, seed uint64) model.Reseed {
		return model.Reseed{At: s * sim.Second, Seed: seed}
	}
	a := p.Branched(1000*sim.Second, []model.Reseed{at(300, 7)})
	b := p.Branched(1000*sim.Second, []model.Reseed{at(300, 7), at(600, 8)})
	c := p.Branched(500*sim.Second, nil)
	x := inSystem(t, a, simulated(t, a, 1))
	y := inSystem(t, b, simulated(t, b, 1))
	z := inSystem(t, c, simulated(t, c, 1))
	if len(x) != 1000 || len(z) != 500 {
		t.Fatalf("%d and %d windows, want 1000 and 500", len(x), len(z))
	}
	if !slices.Equal(x[:600], y[:600]) || !slices.Equal(x[:300], z[:300]) {
		t.Error("the past differs")
	}
	if slices.Equal(x[600:610], y[600:610]) || slices.Equal(x[300:310], z[300:310]) {
		t.Error("the future is the same")
	}
}

// However often chance is taken from another seed, arrivals are Poisson's and work exponential:
// rho / (1 - rho) are in the system.
func TestReseedingChangesNoLaw(t *testing.T) {
	p := compiled(t, oneServer)
	var often []model.Reseed
	for k := range 40_000 {
		often = append(often, model.Reseed{At: sim.Time(k) * sim.Second / 2, Seed: uint64(1000 + k)})
	}
	sum, n := 0.0, 0.0
	for seed := range uint64(4) {
		for i := range often {
			often[i].Seed += 1 << 40
		}
		b := p.Branched(p.World.End, often)
		x := 0.0
		for _, v := range inSystem(t, b, simulated(t, b, seed))[100:] {
			x += v / 19_900
		}
		sum, n = sum+x, n+1
	}
	// The standard deviation of one mean: the time average of M/M/1 has the variance
	// 2 rho (1+rho) / (mu (1-rho)^4 T).
	sd := math.Sqrt(2 * 0.8 * 1.8 / (10 * math.Pow(0.2, 4) * 19_900))
	if mean := sum / n; math.Abs(mean-4) > 4*sd/math.Sqrt(n) {
		t.Errorf("%.3f in the system, want 4 and at most %.3f off", mean, 4*sd/math.Sqrt(n))
	}
}
