package model_test

import (
	"fmt"
	"math"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

// Twelve clients that never think, at two replicas of which one has three times the weight: whoever
// counts what each holds for its weight keeps them at nine and three.
func TestLeastConnectionsHoldByWeight(t *testing.T) {
	const world = `
name: weights
tiers: {db: {replicas: {a: {weight: 3}, b: {weight: 1}}, steps: [{work: exp 10ms}]}}
clients: {users: {population: 12, think: 0s, call: db}}
edges: [{from: users, to: db, balance: %s}]
duration: 1m
warmup: 1s
`
	p := compiled(t, fmt.Sprintf(world, "least_connections"))
	r := ran(t, p)
	for measure, want := range map[string]float64{
		"tiers.db@a.in_system": 9, "tiers.db@b.in_system": 3,
	} {
		if got := over(t, p, r, measure, 1, 60); got < want-0.001 || got > want+0.001 {
			t.Errorf("%s: got %v, want %v", measure, got, want)
		}
	}
	// Two draws by weight, the fewer of them for its weight: about the same, and not an even share.
	p = compiled(t, fmt.Sprintf(world, "{policy: least_request}"))
	r = ran(t, p)
	if got := over(t, p, r, "tiers.db@a.in_system", 1, 60); got < 8 || got > 10 {
		t.Errorf("least_request: a holds %v, want about 9", got)
	}
}

// A key whose replica is out is rejected, or goes elsewhere; keys of others stay where they are.
func TestARehashMovesOnlyTheKeysOfWhoIsOut(t *testing.T) {
	const world = `
name: keys
tiers: {db: {replicas: [a, b, c, d], steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 1000/s, population: 1000, call: db}}
edges: [{from: users, to: db, balance: {policy: hash, key: client, rehash: %t}}]
duration: 1m
timeline: [{name: out, at: 20s, for: 20s, pause: {tier: db@b, flows: finish}}]
`
	at := func(rehash bool, replica string, from, to int) float64 {
		p := compiled(t, fmt.Sprintf(world, rehash))
		r := ran(t, p)
		return over(t, p, r, "tiers.db@"+replica+".arrivals_per_s", sim.Time(from), sim.Time(to))
	}
	for _, rehash := range []bool{false, true} {
		gone := at(rehash, "b", 0, 20)
		more := 0.0
		for _, other := range []string{"a", "c", "d"} {
			before, during := at(rehash, other, 0, 20), at(rehash, other, 20, 40)
			more += during - before
		}
		want := 0.0
		if rehash {
			want = gone
		}
		if more < want-0.1*gone || more > want+0.1*gone {
			t.Errorf("rehash %t: the others have %v/s more, b had %v/s", rehash, more, gone)
		}
	}
}

// TestRetriesAvoidWhereTheirCallHasFailed: of three hosts that all fail, three tries see three
// unless a pick and all that may follow it name hosts that were tried: (1/3)^(1+a) for the second
// try, (2/3)^(1+a) for the third, with a picks more. In turns nothing is ever picked twice.
func TestRetriesAvoidWhereTheirCallHasFailed(t *testing.T) {
	const istio = "{preset: istio, retry_on_codes: [500]}"
	const envoy = "{stack: [envoy_retry: {retry_on: [5xx], num_retries: 2, max_retries: 9%s}]}"
	const world = `
name: mesh
tiers: {app: {replicas: 3, steps: [{fail: 100%%}]}}
clients: {users: {arrivals: constant 100/s, call: app}}
edges:
  - {from: users, to: app, balance: %s, retry: %s}
duration: 100s
`
	previous := func(more string) string {
		return fmt.Sprintf(envoy, ", retry_host_predicate: previous_hosts"+more)
	}
	for _, c := range []struct {
		balance, retry string
		picks          float64 // in all
	}{
		{"random", istio, 6}, {"least_request", istio, 6}, {"round_robin", istio, math.Inf(1)},
		{"random", previous(""), 2},
		{"random", previous(", host_selection_retry_max_attempts: 0"), 1},
		{"random", fmt.Sprintf(envoy, ""), 1},
	} {
		p := compiled(t, fmt.Sprintf(world, c.balance, c.retry))
		tried := map[sim.Ident]map[int]bool{}
		tries := 0
		_, err := p.Run(t.Context(), 1, model.RunOptions{Tracer: tracer(func(r model.TraceRecord) {
			if r.What == "arrive" {
				if tried[r.Request] == nil {
					tried[r.Request] = map[int]bool{}
				}
				tried[r.Request][r.Replica] = true
				tries++
			}
		})})
		if err != nil {
			t.Fatal(err)
		}
		n, distinct := float64(len(tried)), 0.0
		for _, hosts := range tried {
			if len(hosts) == 3 {
				distinct++
			}
		}
		if float64(tries) < 3*n-9 || n < 9000 {
			t.Fatalf("%v tries of %v requests", tries, n)
		}
		want := (1 - math.Pow(1./3, c.picks)) * (1 - math.Pow(2./3, c.picks))
		if sd := math.Sqrt(want * (1 - want) / n); math.Abs(distinct/n-want) > 4*sd+0.001 {
			t.Errorf("%s, %s: %.4f of calls see three hosts, want %.4f", c.balance, c.retry,
				distinct/n, want)
		}
	}
}
