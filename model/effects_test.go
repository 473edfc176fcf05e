package model_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"cascadesim/model"
)

// A caller that makes three tries over an edge that loses the replies of one attempt in ten repeats
// a write once in 1/p, twice in 1/p²: p + p² duplicates an operation. A store of keys lets none
// through, whichever results it replays. Above it all a client that tries twice repeats operations
// too, which are the same ones.
func TestRetriesRepeatSideEffects(t *testing.T) {
	const p, calls = 0.1, 49_999 // the first comes after one gap
	for _, test := range []struct {
		name, store string
		above       int
		want        float64 // duplicates for each operation
	}{
		{"without a store", "", 1, p + p*p},
		{"with one", "idempotency: {replay: all}, ", 1, 0},
		{"with one that replays success", "idempotency: {replay: success}, ", 1, 0},
		{"two layers", "", 2, p + p*p + p*p*p*(1+p+p*p)},
		{"two layers with a store", "idempotency: {replay: all}, ", 2, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan := compiled(t, fmt.Sprintf(`
name: writes
tiers:
  api: {steps: [{call: db}]}
  db: {%ssteps: [{work: 1ms}, {effect: write}]}
clients: {users: {arrivals: constant 1000/s, call: api}}
edges:
  - {from: users, to: api, retry: {stack: [{max_attempts: {attempts: %d}}]}}
  - {from: api, to: db, replies_lost: 10%%, timeout: {try: 5ms},
     retry: {stack: [{max_attempts: {attempts: 3}}]}}
duration: 50s
drain: 1s
`, test.store, test.above))
			r, err := plan.Run(context.Background(), 1, model.RunOptions{})
			if err != nil {
				t.Fatal(err)
			}
			var effects, again uint64
			for _, c := range r.Replicas[1].Cells {
				effects += uint64(c.Effects)
				again += uint64(c.Duplicates)
			}
			if n := effects - again; n != calls {
				t.Errorf("%d operations had their effect, want %d", n, calls)
			}
			// Four standard deviations of a geometric number of repeats.
			within := 4 * math.Sqrt(p/calls)
			if got := float64(again) / calls; math.Abs(got-test.want) > within && test.want > 0 ||
				test.want == 0 && again > 0 {
				t.Errorf("%.5f duplicates an operation, want %.5f +- %.5f", got, test.want, within)
			}
		})
	}
}

// With Stripe's v1 a repeat gets the first result again, also a 500, so that no retry can mend it;
// with v2 what failed is executed again.
func TestAStoredErrorCannotBeRetried(t *testing.T) {
	for _, test := range []struct {
		replay string
		want   uint64 // of 999 requests that fail at first with 50 % and have 20 tries
	}{{"all", 500}, {"success", 999}} {
		plan := compiled(t, fmt.Sprintf(`
name: keys
tiers: {db: {idempotency: {replay: %s}, steps: [{work: 1ms}, {fail: 50%%}]}}
clients: {users: {arrivals: constant 100/s, call: db}}
edges: [{from: users, to: db, retry: {stack: [{max_attempts: {attempts: 20}}]}}]
duration: 10s
drain: 1s
`, test.replay))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var ok uint64
		for _, c := range r.Clients[0].Cells {
			ok += uint64(c.OK)
		}
		if d := math.Abs(float64(ok) - float64(test.want)); d > 64 || test.want == 999 && d > 0 {
			t.Errorf("replay %s: %d of 999 went well, want %d", test.replay, ok, test.want)
		}
	}
}
