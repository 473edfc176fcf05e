package model_test

import (
	"fmt"
	"testing"

	"cascadesim/model"
)

// TestATierAnswersAsTheProxyThatItStandsFor: a connection that is refused, one that is never made,
// and an answer that comes too late.
func TestATierAnswersAsTheProxyThatItStandsFor(t *testing.T) {
	const world = `
name: proxy
tiers:
  proxy: {steps: [{call: app}]}
  app: {steps: [{work: 1ms}]}
clients: {users: {arrivals: constant 1/s, call: proxy}}
edges: [{from: proxy, to: app, timeout: {try: 100ms}, retry: %s}]
duration: 10s
timeline: [{name: link, at: 0s, until: end, fault: {%s}}]
`
	for _, c := range []struct {
		retry               string
		refused, lost, late int
	}{
		{"{preset: haproxy}", 503, 503, 504}, {"{preset: envoy}", 503, 503, 504},
		{"{preset: istio}", 503, 503, 504}, {"{stack: [none: {}]}", 502, 504, 504},
	} {
		for _, f := range []struct {
			fault string
			want  int
		}{
			{"edge: proxy->app, link: refused", c.refused}, {"edge: proxy->app, link: lost", c.lost},
			{"tier: app, delay: 1s", c.late},
		} {
			p := compiled(t, fmt.Sprintf(world, c.retry, f.fault))
			seen := map[int]int{}
			_, err := p.Run(t.Context(), 1, model.RunOptions{Tracer: tracer(func(r model.TraceRecord) {
				if r.What == "settle" && p.World.Edges[r.Edge].Name == "users->proxy" {
					seen[r.Status]++
				}
			})})
			if err != nil {
				t.Fatal(err)
			}
			if len(seen) != 1 || seen[f.want] == 0 {
				t.Errorf("%s, %s: answers %v, want %d alone", c.retry, f.fault, seen, f.want)
			}
		}
	}
}
