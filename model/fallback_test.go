package model_test

import (
	"context"
	"math"
	"testing"

	"cascadesim/model"
)

// A database fails p of its attempts and its caller tries twice: p² of the calls fail for good. A
// fallback answers those from what it has, and the request that two tiers above know nothing of it
// counts as ok and degraded; without the fallback it would have failed.
func TestAFallbackAnswersInPlaceOfACall(t *testing.T) {
	const p, n = 0.4, 29_999
	plan := compiled(t, `
name: fallback
tiers:
  edge: {steps: [{call: api}]}
  api: {slots: 50, steps: [{call: {to: db, fallback: [{work: 2ms}, {fail: 10%}]}}, {work: 1ms}]}
  db: {steps: [{work: 1ms}, {fail: 40%}]}
clients: {users: {arrivals: constant 1000/s, call: edge}}
edges: [{from: api, to: db, retry: {stack: [{max_attempts: {attempts: 2}}]}}]
duration: 30s
drain: 1s
`)
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var ok, failed, degraded, fallbacks uint32
	for _, c := range r.Clients[0].Cells {
		ok, failed, degraded = ok+c.OK, failed+c.Failed, degraded+c.Degraded
	}
	for _, c := range r.Replicas[1].Cells {
		fallbacks += c.Fallbacks
	}
	near := func(what string, got uint32, share float64) {
		within := 4 * math.Sqrt(n*share*(1-share))
		if math.Abs(float64(got)-share*n) > within {
			t.Errorf("%d %s, want %.0f +- %.0f", got, what, share*n, within)
		}
	}
	near("calls fell back", fallbacks, p*p)
	near("requests failed", failed, p*p*0.1)
	near("requests were ok", ok, 1-p*p*0.1)
	if degraded != fallbacks-failed {
		t.Errorf("%d degraded, of %d fallbacks of which %d failed", degraded, fallbacks, failed)
	}
}
