package model_test

import (
	"math"
	"strings"
	"testing"

	"cascadesim/model/check"
	"cascadesim/sim"
)

// Fifty clients that all ask at once want fifty connections, and no more however long they ask. A
// restart closes them, and when the callee is back it takes fifty again. While it is out nobody
// connects.
func TestAsManyConnectionsAreOpenedAsAttemptsAreAtOnce(t *testing.T) {
	p := compiled(t, `
name: pooled
tiers: {db: {steps: [{work: 200ms}]}}
clients: {users: {population: 50, think: 100ms, start: together, call: db}}
edges: [{from: users, to: db, connections: {connect: 5ms}}]
duration: 60s
timeline: [{name: restart, at: 30s, restart: {tier: db, down: 2s, flows: reset}}]
`)
	r := ran(t, p)
	for _, c := range []struct {
		from, to sim.Time
		want     float64
	}{{0, 1, 50}, {1, 30, 0}, {30, 32, 0}, {32, 33, 50}, {33, 60, 0}} {
		if got := over(t, p, r, "edges.users->db.connects", c.from, c.to); got != c.want {
			t.Errorf("from %d s to %d s %v connections are opened, want %v", c.from, c.to, got, c.want)
		}
	}
	if got := over(t, p, r, "clients.users.latency.p50", 1, 30); math.Abs(got-0.2) > 0.001 {
		t.Errorf("a request takes %v s over a connection that is there, want 0.2 s", got)
	}
}

// A caller that leaves closes its connection, so as many are opened as attempts time out: e^-1 of
// them. All are where none may be idle, and one is where all share it.
func TestWhoLeavesClosesTheConnection(t *testing.T) {
	for settings, want := range map[string]float64{
		"{}": math.Exp(-1), "{idle: 0}": 1, "{multiplexed: true}": 1.0 / 60_000,
	} {
		p := compiled(t, strings.Replace(`
name: leaving
tiers: {db: {steps: [{work: exp 100ms}]}}
clients: {users: {arrivals: 1000/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 100ms}, connections: SETTINGS}]
duration: 60s
`, "SETTINGS", settings, 1))
		got := over(t, p, ran(t, p), "edges.users->db.connects_share", 0, 60)
		if math.Abs(got/want-1) > 0.02 {
			t.Errorf("connections %s: %v are opened for each attempt, want %v", settings, got, want)
		}
	}
}

// Ten seconds of slow work make callers leave, which closes their connections. If opening one costs
// twice what a request does, those who come then are more work than can be done in time, leave too,
// and it goes on for good. It ends with its cause where opening costs nothing, or where nobody who
// leaves closes anything.
func TestHandshakesKeepAnOverloadGoing(t *testing.T) {
	for settings, want := range map[string]string{
		"{cost: 20ms}": "metastable", "{cost: 20ms, multiplexed: true}": "recovered", "{}": "recovered",
	} {
		p := compiled(t, strings.Replace(`
name: handshakes
tiers: {db: {slots: 10, line: {limit: 100}, steps: [{work: exp 10ms}]}}
clients: {users: {arrivals: 700/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 200ms}, connections: SETTINGS}]
duration: 3m
timeline: [{name: slow, at: 60s, for: 10s, fault: {tier: db, slow: 10x}}]
`, "SETTINGS", settings, 1))
		if got := check.Recover(p, ran(t, p)).Verdict; got != want {
			t.Errorf("connections %s: the world is %s, want %s", settings, got, want)
		}
	}
}
