package model_test

import (
	"fmt"
	"testing"
)

// A breaker opens at the sixth failure in a row and is half-open 10 s later, for one probe, which
// fails: 29 probes in five minutes, of which the last is due before the end. Where each of eight
// callers has a breaker of its own the dead callee gets eight times as many of both.
func TestHalfOpenProbesAreSharedWithTheBreaker(t *testing.T) {
	for _, c := range []struct {
		scope string
		want  uint32
	}{{"shared", 6 + 29}, {"tier", 6 + 29}, {"instance", 8 * (6 + 29)}} {
		t.Run(c.scope, func(t *testing.T) {
			r := ran(t, compiled(t, fmt.Sprintf(`
name: probes
tiers:
  web: {replicas: 8, steps: [{call: db}]}
  db: {steps: [{fail: 100%%}]}
clients: {users: {arrivals: constant 800/s, call: web}}
edges: [{from: web, to: db, retry: {scope: %s, stack: [{gobreaker: {timeout: 10s}}]}}]
duration: 5m
`, c.scope)))
			var attempts uint32
			for i := range r.Edges {
				if r.Edges[i].Cells[0].Calls == 0 || len(r.Edges[i].RefusedBy) == 0 {
					continue
				}
				for _, cell := range r.Edges[i].Cells {
					attempts += cell.Attempts
				}
			}
			if attempts != c.want {
				t.Errorf("%d attempts reached the callee, want %d", attempts, c.want)
			}
		})
	}
}
