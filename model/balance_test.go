package model_test

import (
	"fmt"
	"testing"

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
