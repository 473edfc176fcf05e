package model_test

import (
	"testing"
)

// A fifth of all requests gets lost on the way, each time: what is lost k times is answered 2^k - 1
// seconds later, and nobody's policy knows of it. After six times it is lost for good.
func TestLossIsLatencyWhereRequestsAreSentAgain(t *testing.T) {
	const world = `
name: lossy
tiers: {db: {steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 1000/s, call: db}}
edges: [{from: users, to: db, loss: 20%, retransmit: {}, timeout: {try: 100s}}]
duration: 200s
drain: 200s
`
	p := compiled(t, world)
	r := ran(t, p)
	answered, late, left := 0.0, 0.0, 1.0
	for k := range 7 {
		here := 0.8 * left
		answered += here
		late += here * float64(int(1)<<k-1)
		left *= 0.2
	}
	got, want := over(t, p, r, "clients.users.latency.mean", 0, 200), 0.001+late/answered
	if got < 0.97*want || got > 1.03*want {
		t.Errorf("mean latency %v s, want %v", got, want)
	}
	again := 0.25 * (1 - left/0.2) * 200_000 // 0.2 + 0.2^2 + … + 0.2^6 of each request
	if n := over(t, p, r, "edges.users->db.retransmits", 0, 200); n < 0.98*again || n > 1.02*again {
		t.Errorf("%v retransmits, want %v within 2 %%", n, again)
	}
	if a := over(t, p, r, "edges.users->db.attempts", 0, 200); a < 199_000 || a > 200_000 {
		t.Errorf("%v attempts, want one for each of 200,000 requests", a)
	}
}
