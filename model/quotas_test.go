package model_test

import (
	"context"
	"testing"

	"cascadesim/model"
)

// What enters in 60 s of evenly spaced arrivals is what the buckets held and what flowed into them:
// 5 and 3/s of one tenant, 10 and 20/s of the other, whose numbers alone are others.
func TestEachClientHasItsOwnQuota(t *testing.T) {
	plan := compiled(t, `
name: quotas
tiers:
  api:
    steps: [{work: 1ms}]
    admission:
      - token_bucket: {rate: 3/s, burst: 5, key: client, by_client: {big: {rate: 20/s, burst: 10}}}
clients:
  small: {arrivals: constant 1000/s, call: api}
  big: {arrivals: constant 1000/s, call: api}
duration: 60s
drain: 1s
`)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint32{5 + 3*60, 10 + 20*60} {
		var ok uint32
		for _, c := range r.Clients[i].Cells {
			ok += c.OK
		}
		// The tokens of the last milliseconds flow in after the last arrival, at 59.999 s.
		if ok != want && ok != want-1 {
			t.Errorf("%d requests of %s were let in, want %d", ok, plan.World.Clients[i].Name, want)
		}
	}
}
