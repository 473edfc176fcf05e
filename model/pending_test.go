package model_test

import (
	"fmt"
	"testing"

	"cascadesim/sim"
)

// Six requests at once over HTTP/1, each a second of work.
const connections = `
name: connections
tiers:
  proxy: {async: true, steps: [{call: server}]}
  server: {steps: [{work: 1s}]}
clients: {users: {arrivals: {process: burst, count: 6}, call: proxy}}
edges:
  - from: proxy
    to: server
    timeout: {try: %s, overall: 15s}
    retry: {preset: envoy, protocol: http1, max_connections: 2, max_pending_requests: %d}
duration: 10s
window: 100ms
`

// Two have a connection, so many wait for one and are served after a second, two at a time, and the
// rest is refused at once. The timeout of a try does not begin before it has a connection.
func TestRequestsWaitForAConnectionOfEnvoy(t *testing.T) {
	for _, c := range []struct {
		pending                       int
		refused, first, second, third float64
	}{{3, 1, 2, 2, 1}, {4, 0, 2, 2, 2}, {1, 3, 2, 1, 0}} {
		p := compiled(t, fmt.Sprintf(connections, "1.5s", c.pending))
		r := ran(t, p)
		for _, m := range []struct {
			measure  string
			from, to int
			want     float64
		}{
			{"edges.proxy->server.refused", 0, 1, c.refused},
			{"clients.users.failed", 0, 10, c.refused},
			{"tiers.server.arrivals", 0, 1, c.first},
			{"tiers.server.arrivals", 1, 2, c.second},
			{"tiers.server.arrivals", 2, 3, c.third},
		} {
			if got := over(t, p, r, m.measure, sim.Time(m.from), sim.Time(m.to)); got != m.want {
				t.Errorf("%d may wait: %s in seconds %d to %d: %v, want %v", c.pending, m.measure,
					m.from, m.to, got, m.want)
			}
		}
	}
}

// A try that times out closes its connection, and the next one has another at once. Its retry waits
// behind those who came before it, with the slot of max_retries that it holds: of the second pair
// one has the third slot, and the last pair finds none while those wait and are tried.
func TestATimeoutLetsTheNextOneHaveAConnection(t *testing.T) {
	p := compiled(t, fmt.Sprintf(connections, "500ms", 4))
	r := ran(t, p)
	for _, m := range []struct {
		measure  string
		from, to int
		want     float64
	}{
		{"edges.proxy->server.timed_out", 0, 10, 9},
		{"edges.proxy->server.retries", 0, 10, 3},
		{"tiers.server.arrivals", 0, 1, 4},
		{"tiers.server.arrivals", 1, 2, 4},
		{"tiers.server.arrivals", 2, 3, 1},
		{"clients.users.failed", 0, 10, 6},
	} {
		if got := over(t, p, r, m.measure, sim.Time(m.from), sim.Time(m.to)); got != m.want {
			t.Errorf("%s in seconds %d to %d: %v, want %v", m.measure, m.from, m.to, got, m.want)
		}
	}
}
