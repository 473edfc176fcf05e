package oracle

import (
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// places is how many attempts arrived at each replica of the lab.
func places(l *lab) (n []int) {
	p := l.plan()
	for _, r := range Run(p, 1, nil).Replicas {
		sum := 0
		for _, c := range r.Cells {
			sum += int(c.Arrivals)
		}
		n = append(n, sum)
	}
	return n
}

func equal(t *testing.T, got []int, want ...int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Errorf("got %v, want %v", got, want)
			return
		}
	}
}

func TestRoundRobin(t *testing.T) {
	l := newLab(8)
	l.tier.Weights = []float64{1, 1, 1}
	equal(t, places(l), 3, 3, 2)
	l.tier.Weights = []float64{5, 2, 1}
	equal(t, places(l), 5, 2, 1)
}

func TestHashSticks(t *testing.T) {
	l := newLab(40)
	l.tier.Weights = []float64{1, 1, 1, 1}
	l.steps, l.tries, l.wait = []kernel.Step{Fail(1, 500)}, 3, 1
	l.edge.Balance, l.edge.Key = kernel.Hash, kernel.ByRequest
	where := map[sim.Ident]map[int]bool{}
	var tp tape
	Run(l.plan(), 1, &tp)
	for _, r := range tp {
		if r.What == kernel.TraceArrive {
			if where[r.Request] == nil {
				where[r.Request] = map[int]bool{}
			}
			where[r.Request][r.Replica] = true
		}
	}
	used := map[int]bool{}
	for _, replicas := range where {
		if len(replicas) != 1 {
			t.Errorf("a request visited %d replicas", len(replicas))
		}
		for r := range replicas {
			used[r] = true
		}
	}
	if len(used) != 4 { // 40 requests miss one of four with probability 4e-5
		t.Errorf("%d of 4 replicas were used", len(used))
	}
}

// TestLeastRequestPrefersTheEmpty: with as many draws as make it sure that both are seen, a burst
// over two replicas alternates between them; which one comes first is a draw.
func TestLeastRequestPrefersTheEmpty(t *testing.T) {
	l := newLab(10)
	l.edge.Latency = sim.Dist{} // in-system must be known when the next one is sent
	l.tier.Weights = []float64{1, 1}
	l.edge.Balance = kernel.LeastRequest
	l.more = func(b *Builder) { b.Plan.Edges[0].Balance.Choices = 64 }
	equal(t, places(l), 5, 5)
}

func TestOnRetry(t *testing.T) {
	l := newLab(1)
	l.tier.Weights = []float64{1, 1}
	l.steps, l.tries, l.wait = []kernel.Step{Fail(1, 500)}, 5, 1
	l.edge.OnRetry = kernel.Same
	equal(t, places(l), 5, 0)
	l.edge.OnRetry = kernel.Other
	equal(t, places(l), 3, 2)
}

func TestFailover(t *testing.T) {
	l := newLab(3)
	l.edge.Failover = 2 // target 1
	l.more = func(b *Builder) {
		spare := b.Tier("spare", Station(1))
		b.Steps(spare, 0, Work(always(1)))
		b.Target(spare, 0)
		b.Plan.Pauses = []kernel.Pause{{From: 0, To: ms(50), Count: 1}}
	}
	equal(t, places(l), 0, 3)
}

// Among a hundred replicas the kernel finds the one it wants without looking at each; the plain
// simulator looks. Some of them are out for a while, and tries that fail go elsewhere.
func TestPicksAmongManyAgree(t *testing.T) {
	for _, weights := range []func(i int) float64{
		func(int) float64 { return 1 }, func(i int) float64 { return float64(i % 4) },
	} {
		l := newLab(900)
		l.tries, l.wait = 3, 2
		l.steps = []kernel.Step{Work(must(sim.ExpDist(ms(10)))), Fail(0.2, 500)}
		l.edge.Try, l.edge.Cancel = ms(60), kernel.CancelQueued
		for i := range 100 {
			l.tier.Weights = append(l.tier.Weights, weights(i))
		}
		l.more = func(b *Builder) {
			one := []bool{true}
			b.Plan.Series = kernel.SeriesWanted{Clients: one, Edges: one, Wait: one, Service: one}
			b.Plan.Edges[0].Balance.Choices = 2
			b.Plan.Pauses = []kernel.Pause{
				{From: ms(15), To: ms(40), First: 3, Count: 20},
				{From: ms(30), To: ms(50), First: 90, Count: 10},
			}
		}
		for _, pick := range []kernel.Pick{
			kernel.LeastConnections, kernel.LeastRequest, kernel.Random, kernel.RoundRobin, kernel.Hash,
		} {
			for _, onRetry := range []kernel.OnRetry{kernel.Any, kernel.Other} {
				l.edge.Balance, l.edge.OnRetry = pick, onRetry
				l.edge.Key = kernel.ByCall
				for seed := range uint64(3) {
					if d := compare(l.plan(), seed); d != "" {
						t.Errorf("policy %d, on retry %d, seed %d: %s", pick, onRetry, seed, d)
					}
				}
			}
		}
	}
}
