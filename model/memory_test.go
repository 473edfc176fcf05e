package model_test

import (
	"math"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
)

const forgetful = `
name: forgetful
tiers:
  db:
    steps: [{work: 1000s}]
    memory: {limit: LIMIT, base: 100MB, per_request: 4MB, down: 10s}
clients: {users: {arrivals: RATE, call: db}}
edges: [{from: users, to: db}]
duration: 60s
scale: SCALE
`

// crashTimes are the windows in which a replica of the first tier crashed.
func crashTimes(r *model.Result) (out []int) {
	for i, g := range r.Replicas[0].Gauges {
		for range g.Crashes {
			out = append(out, i)
		}
	}
	return out
}

// There is room for 25 attempts, which never end. With one every 0.1 s from 0.1 s on the 26th comes
// at 2.6 s, and after 10 s down, to the arrival at 12.6 s, which finds it up, the 26th again at
// 15.1 s: every 12.5 s. A half of the system has room for half as many, of which half as many come.
func TestOutOfMemoryAReplicaCrashesAndComesBackEmpty(t *testing.T) {
	for _, c := range []struct {
		limit, rate, scale string
		want               []int
	}{
		{"200MB", "constant 10/s", "1", []int{2, 15, 27, 40, 52}},
		{"203999999B", "constant 10/s", "1", []int{2, 15, 27, 40, 52}}, // 25.99 fit
		{"204MB", "constant 10/s", "1", []int{2, 15, 27, 40, 53}},
		{"500MB", "constant 40/s", "1/4", []int{2, 15, 27, 40, 52}},
		{"3GB", "constant 10/s", "1", nil},
	} {
		r := ran(t, compiled(t, strings.NewReplacer("LIMIT", c.limit, "RATE", c.rate,
			"SCALE", c.scale).Replace(forgetful)))
		got := crashTimes(r)
		if len(got) != len(c.want) {
			t.Errorf("%s: crashes in seconds %v, want %v", c.limit, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: crashes in seconds %v, want %v", c.limit, got, c.want)
				break
			}
		}
	}
}

// What waits outside a flow limit, or in line, is in memory too.
func TestWhatWaitsIsInMemory(t *testing.T) {
	for _, extra := range []string{"slots: 2", "in_flight: {limit: 2, over: backlog, backlog: 100}"} {
		file := strings.NewReplacer("LIMIT", "200MB", "RATE", "constant 10/s", "SCALE", "1",
			"    steps:", "    "+extra+"\n    steps:").Replace(forgetful)
		if got := crashTimes(ran(t, compiled(t, file))); len(got) != 5 || got[0] != 2 {
			t.Errorf("%s: crashes in seconds %v", extra, got)
		}
	}
}

// Crashes are those of real replicas, whatever the scale.
func TestCrashesDoNotScale(t *testing.T) {
	plan := compiled(t, strings.NewReplacer("LIMIT", "500MB", "RATE", "constant 40/s",
		"SCALE", "1/4").Replace(forgetful))
	got, err := check.Over(plan, ran(t, plan), "tiers.db.crashes", check.DefaultRange(plan.World))
	if err != nil || got != 5 {
		t.Errorf("got %v, %v; want 5", got, err)
	}
}

const cold = `
name: cold
tiers:
  db:
    replicas: 2
    steps: [{work: 10ms}]
    cold_start: {slow: 5x, for: 100s, at_start: START}
clients: {users: {arrivals: constant 20/s, call: db}}
edges: [{from: users, to: db}]
duration: 400s
timeline: [ENTRY]
`

// The factor falls from 5 to 1 in 100 s, so that work of 10 ms takes 10 + 40 x 0.75 = 40 ms in the
// mean of the first half of it, 20 ms in that of the second, and 10 ms afterwards.
func TestNewReplicasAreSlowAtFirst(t *testing.T) {
	const nothing = "{at: 1s, for: 1s, set: {edges.users->db.loss: 0%}}"
	for _, c := range []struct {
		what, start, entry string
		replica            int
		from               float64 // when that one is new; negative: never
	}{
		{"the start", "true", nothing, 0, 0},
		{"a warm start", "false", nothing, 0, -1},
		{"a restart", "false", "{at: 140s, restart: {tier: db@1, down: 10s}}", 1, 150},
		{"the other one", "false", "{at: 140s, restart: {tier: db@1, down: 10s}}", 0, -1},
		{"a crash", "false", "{at: 100s, for: 50s, fault: {tier: db, crash: 50%}}", 1, 150},
		{"a pause", "false", "{at: 140s, for: 10s, pause: {tier: db@1, flows: reset}}", 1, -1},
		{"a new one", "false", "{at: 150s, set: {tiers.db.replicas: 3}}", 2, 150},
		{"an old one", "false", "{at: 150s, set: {tiers.db.replicas: 3}}", 1, -1},
	} {
		r := ran(t, compiled(t, strings.NewReplacer("START", c.start, "ENTRY", c.entry).Replace(cold)))
		busy := func(from, to float64) float64 { // seconds of work in so many seconds, over attempts
			work, n := 0.0, 0.0
			for i := int(from); i < int(to); i++ {
				work += r.Replicas[c.replica].Gauges[i].Busy / 1e9
				n += float64(r.Replicas[c.replica].Cells[i].Completed)
			}
			return work / n
		}
		first, second := 0.04, 0.02
		if c.from < 0 {
			c.from, first, second = 200, 0.01, 0.01
		}
		for _, x := range []struct{ got, want float64 }{
			{busy(c.from, c.from+50), first}, {busy(c.from+50, c.from+100), second},
			{busy(c.from+100, c.from+150), 0.01},
		} {
			if !(math.Abs(x.got/x.want-1) < 0.005) {
				t.Errorf("%s: work takes %.5f s, want %v", c.what, x.got, x.want)
			}
		}
	}
}
