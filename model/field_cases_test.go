package model_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"cascadesim/model"
)

// C5: a thousand nodes list everything again after a restart of their server, which has room for 60
// and turns the others away with a Retry-After. When all of them obey it to the second, each wave
// fills the room once and the server is idle until the next: it takes R for every 60 of them.
// Spread over R/2 to 3R/2, by the answers or by the nodes, they keep the server busy, and it is
// done about as soon as its capacity allows: after 45, 53 and 89 s in place of 45, 162 and 482 s.
func TestAConstantRetryAfterMakesWaves(t *testing.T) {
	const nodes, slots, room, work = 1000.0, 20.0, 60.0, 0.9
	done := func(asks, pacer string) float64 {
		plan := compiled(t, fmt.Sprintf(`
name: relist
tiers:
  apiserver:
    slots: 20
    line: {limit: 40}
    reject: {status: 429}
    steps: [{work: 900ms}]
    admission: [%s]
clients: {nodes: {arrivals: burst 1000, call: apiserver}}
edges:
  - {from: nodes, to: apiserver, retry: {retry_on: [429],
      stack: [{max_attempts: {attempts: 10k}}, {constant: %s}]}}
duration: 10m
`, asks, pacer))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n := r.Clients[0].Latency.Count(); n != nodes {
			t.Errorf("%s: %d nodes are served", asks, n)
		}
		return r.Clients[0].Latency.Max().Seconds()
	}
	ideal := nodes / slots * work
	for seconds, want := range map[float64]float64{
		1:  ideal,
		10: 10*math.Ceil((nodes-room)/room) + 2*work, // the last wave is 40
		30: 30*math.Ceil((nodes-room)/room) + 2*work,
	} {
		const obey = "{wait: 0s, respect_retry_after: true}"
		fixed := done(fmt.Sprintf("{retry_after: {base: %vs}}", seconds), obey)
		if math.Abs(fixed-want) > 2 {
			t.Errorf("Retry-After %vs: done after %.1f s, want %.1f", seconds, fixed, want)
		}
		for who, spread := range map[string]float64{
			"answers": done(fmt.Sprintf("{retry_after: {base: %vms, jitter: %vms, "+
				"whole_seconds: false}}", 500*seconds, 1000*seconds), obey),
			"nodes": done("", fmt.Sprintf("{wait: uniform min=%vms max=%vms}",
				500*seconds, 1500*seconds)),
		} {
			if spread < ideal-1e-6 || spread > ideal+2*1.5*seconds {
				t.Errorf("spread by the %s around %vs: done after %.1f s, want %.1f to %.1f", who,
					seconds, spread, ideal, ideal+2*1.5*seconds)
			}
		}
	}
}

// C3: thousands of connections of a pool are idle most of the time, and nobody counts them as load.
// A blip makes all of them wait for the database at once. With a tries of timeout T in between a
// mean idle time Z, N of them then send N·a/(Z + a·T) attempts a second for as long as every one of
// those times out: above the capacity they stay where they are, below it they get out. A cap on
// open work lets the database answer in time what it takes on, and there is nothing to keep the
// others waiting.
func TestAPoolOfIdleConnectionsIsHiddenAmplification(t *testing.T) {
	const pool, idle, capacity, timeout = 5000.0, 10.0, 600.0, 1.0
	for _, c := range []struct {
		name     string
		tries    int
		cap      string
		recovers bool
	}{
		{"one try", 1, "unlimited", pool*1/(idle+1*timeout) < capacity},
		{"three tries", 3, "unlimited", pool*3/(idle+3*timeout) < capacity},
		{"three tries, open work capped", 3, "300", true},
	} {
		plan := compiled(t, fmt.Sprintf(`
name: pool
tiers: {db: {slots: 30, in_flight: {limit: %s}, steps: [{work: 50ms}]}}
clients: {app: {population: 5000, think: exp 10s, call: db}}
edges:
  - {from: app, to: db, timeout: {try: 1s}, retry: {stack: [{max_attempts: {attempts: %d}}]}}
duration: 5m
window: 5s
timeline: [{name: blip, at: 60s, for: 10s, fault: {tier: db, slow: 10x}}]
`, c.cap, c.tries))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		before, after := r.Clients[0].Cells[11], r.Clients[0].Cells[r.Windows-2]
		share := func(c model.ClientCell) float64 { return float64(c.OK) / float64(c.Requests) }
		if share(before) < 0.999 {
			t.Errorf("%s: only %.3f are ok before the blip", c.name, share(before))
		}
		if got := share(after) > 0.99; got != c.recovers {
			t.Errorf("%s: %.3f are ok minutes after the blip", c.name, share(after))
		}
		most := uint32(0)
		for _, g := range r.Replicas[0].Gauges {
			most = max(most, g.AtInSystem)
		}
		if c.cap != "unlimited" && most > 300 || c.cap == "unlimited" && most < 2000 {
			t.Errorf("%s: at most %d are open at the database", c.name, most)
		}
	}
}

// C11: a client of three tries over a client of three tries, neither of which has a deadline, and a
// server from which nothing is heard. The inner one blocks for 3·0.5 + 2·0.25 = 2 s, the outer one
// for three of those and two waits of 1.5 s, 9 s, with 9 attempts; lint says the same beforehand.
// A deadline over all bounds the wait; the second round of the inner one, which is not told of it,
// makes all its attempts, and one that is told makes none at the deadline.
func TestNestedLoopsWithoutADeadlineBlockForNineSeconds(t *testing.T) {
	for _, c := range []struct {
		deadline          string
		blocked, attempts float64
	}{
		{"timeout: {overall: none}", 9, 9},
		{"timeout: {overall: 5s}", 5, 6},
		{"timeout: {overall: 5s}, propagate_deadline: true", 5, 5},
	} {
		plan := compiled(t, fmt.Sprintf(`
name: nested
x-outer: &outer {stack: [{max_attempts: {attempts: 3}}, {constant: {wait: 1500ms}}]}
tiers:
  front: {steps: [{call: {to: client, on_fail: ignore}}]}
  client: {steps: [{call: server}]}
  server: {steps: [{work: 1ms}]}
clients: {users: {arrivals: constant 1/s, call: front}}
edges:
  - {from: front, to: client, retry: *outer, %s}
  - from: client
    to: server
    loss: 100%%
    timeout: {try: 500ms}
    retry: {stack: [{max_attempts: {attempts: 3}}, {constant: {wait: 250ms}}]}
duration: 1m
drain: 20s
`, c.deadline))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		attempts := 0.0
		for i, e := range plan.World.Edges {
			if e.Name != "client->server" {
				continue
			}
			for _, c := range r.Edges[i].Cells {
				attempts += float64(c.Attempts)
			}
		}
		lat := r.Clients[0].Latency
		if got := lat.Max().Seconds(); math.Abs(got-c.blocked) > 0.02 {
			t.Errorf("%s: a call blocks for %.3f s, want %v", c.deadline, got, c.blocked)
		}
		if got := attempts / float64(lat.Count()); got != c.attempts {
			t.Errorf("%s: %v attempts a request, want %v", c.deadline, got, c.attempts)
		}
	}
}
