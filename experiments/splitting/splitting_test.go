package splitting

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"cascadesim/experiments/statistics"
	"cascadesim/sim"
)

// A walk on the line from 0: up with this chance, else down, but not below 0, for so many steps.
const (
	up    = 0.3
	steps = 40
)

// exactly is how likely the walk is at the top at some time.
func exactly(top int) float64 {
	at := make([]float64, top+1)
	at[0] = 1
	for range steps {
		next := make([]float64, top+1)
		next[top] = at[top]
		for i := range top {
			next[i+1] += up * at[i]
			next[max(i-1, 0)] += (1 - up) * at[i]
		}
		at = next
	}
	return at[top]
}

// walk simulates it. What the level is, is up to the caller.
func walk(level func(at int) float64) Simulate {
	return func(_ context.Context, luck []Luck) ([]float64, error) {
		at := 0
		levels := make([]float64, steps)
		var chance sim.Stream
		for i := range levels {
			if len(luck) > 0 && luck[0].From == i {
				chance = sim.Seed(luck[0].Seed).Stream("walk")
				luck = luck[1:]
			}
			if chance.Float64() < up {
				at++
			} else {
				at = max(at-1, 0)
			}
			levels[i] = level(at)
		}
		return levels, nil
	}
}

// The mean of estimates is the exact probability, for few paths and many, when most of them tie,
// when the level passes over most places and when it says little. The interval of ten holds it as
// often as it says, but for so few paths that one estimate in ten carries all the weight.
func TestEstimatesAreUnbiased(t *testing.T) {
	const top, each = 9, 10
	groups := 150
	if os.Getenv("CASCADESIM_SIZE") == "all" {
		groups = 2000
	}
	want := exactly(top)
	for _, c := range []struct {
		name    string
		paths   int
		skewed  bool
		levelOf func(at int) float64
	}{
		{"place", 20, false, func(at int) float64 { return float64(at) }},
		{"few paths", 4, true, func(at int) float64 { return float64(at) }},
		{"thirds", 20, false, func(at int) float64 { return math.Floor(float64(at) / 3) }},
		{"even and odd", 20, false, func(at int) float64 { return float64(at) + 1.5*float64(at%2) }},
	} {
		var all []float64
		held := 0
		for g := range groups {
			var ten []float64
			for k := range each {
				e := once(t, c.levelOf, Options{Top: c.levelOf(top), Paths: c.paths, Runs: 1e6,
					Seed: uint64(g*each + k)})
				ten = append(ten, e.P)
			}
			all = append(all, ten...)
			if m := statistics.Positive(ten); m.Low <= want && want <= m.High {
				held++
			}
		}
		m := statistics.Of(all)
		if se := m.SD / math.Sqrt(float64(len(all))); math.Abs(m.Mean-want) > 4*se {
			t.Errorf("%s: mean %.4g ± %.2g, want %.4g", c.name, m.Mean, se, want)
		}
		got := float64(held) / float64(groups)
		if !c.skewed && got < 0.95-4*math.Sqrt(0.05*0.95/float64(groups)) {
			t.Errorf("%s: the interval held the probability %.3f of the time", c.name, got)
		}
	}
}

func once(t *testing.T, level func(at int) float64, o Options) *Estimate {
	t.Helper()
	e, err := Once(t.Context(), walk(level), o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// What is said when runs are used up is how likely the levels are that were passed.
func TestUsedUpRunsBoundTheProbability(t *testing.T) {
	place := func(at int) float64 { return float64(at) }
	var passed []float64
	for seed := range uint64(400) {
		o := Options{Top: 9, Paths: 20, Runs: 60, Seed: seed}
		e := once(t, place, o)
		if e.Runs > o.Runs {
			t.Fatalf("%d runs, at most %d", e.Runs, o.Runs)
		}
		if e.Done && (len(e.Hits) != 20 || e.P != e.Passed) && e.P > 0 {
			t.Fatalf("done with %d of 20 at the top, %g and %g", len(e.Hits), e.P, e.Passed)
		}
		passed = append(passed, e.Passed)
	}
	m := statistics.Of(passed)
	if m.High() < exactly(9) || m.Mean > exactly(2) {
		t.Errorf("passed %g, want between %g and %g", m.Mean, exactly(9), exactly(2))
	}
}

// A level that follows from what comes later is found out.
func TestALevelMayNotLookAhead(t *testing.T) {
	ahead := func(ctx context.Context, luck []Luck) ([]float64, error) {
		levels, err := walk(func(at int) float64 { return float64(at) })(ctx, luck)
		for i := range levels[1:] {
			levels[i] += levels[i+1] / 100
		}
		return levels, err
	}
	_, err := Once(t.Context(), ahead, Options{Top: 9, Paths: 20, Runs: 1000, Seed: 1})
	if err == nil || !strings.Contains(err.Error(), "what comes later") {
		t.Errorf("got %v", err)
	}
}
