package model_test

import (
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/policies"
	"cascadesim/sim"
)

// outcomes adds up how the attempts of the first edge ended.
func outcomes(r *model.Result) model.EdgeCell {
	var sum model.EdgeCell
	for _, c := range r.Edges[0].Cells {
		sum.Attempts += c.Attempts
		sum.Retries += c.Retries
		for i, n := range c.Outcomes {
			sum.Outcomes[i] += n
		}
	}
	return sum
}

const restarted = `
name: restart
tiers: {db: {slots: 1, steps: [{work: 100ms}]}}
clients: {users: {arrivals: burst 10, call: db}}
edges: [{from: users, to: db, timeout: {try: 10s}}]
duration: 20s
timeline: [{at: 250ms, restart: {tier: db, down: 1s, flows: FLOWS}}]
`

// Ten requests come at 0 and take 0.1 s each, one after the other: when the replica goes down at
// 0.25 s two are done. What becomes of the other eight is up to flows; finish serves until 1.25 s.
func TestARestartEndsWhatTheReplicaHolds(t *testing.T) {
	for flows, want := range map[string]struct{ ok, dropped, timedOut uint32 }{
		"drop": {2, 0, 8}, "reset": {2, 8, 0}, "finish": {10, 0, 0},
	} {
		o := outcomes(ran(t, compiled(t, strings.ReplaceAll(restarted, "FLOWS", flows)))).Outcomes
		if o[policies.OK] != want.ok || o[policies.TimedOut] != want.timedOut ||
			o[policies.Dropped] != want.dropped {
			t.Errorf("%s: outcomes %v, want %+v", flows, o, want)
		}
	}
	short := strings.NewReplacer("FLOWS", "finish", "1s", "400ms").Replace(restarted)
	o := outcomes(ran(t, compiled(t, short))).Outcomes
	if o[policies.OK] != 6 || o[policies.Dropped] != 4 {
		t.Errorf("what is left at the end of a finish is reset: %v", o)
	}
}

// A replica's own bucket is full again after its restart: all calls fail, and each token is one
// retry. Without the restart there are ten of them.
func TestARestartFillsBucketsAgain(t *testing.T) {
	const file = `
name: renewed
tiers:
  web: {steps: [{call: db}]}
  db: {steps: [{fail: 100%}]}
clients: {users: {arrivals: constant 10/s, call: web}}
edges:
  - {from: users, to: web}
  - from: web
    to: db
    retry:
      scope: SCOPE
      stack:
        - {max_attempts: {attempts: 2}}
        - {token_budget: {ratio: 0, burst: 10}}
        - {constant: {wait: 1ms}}
duration: 20s
timeline: [{at: 10.05s, restart: {tier: web, down: 1s}}]
`
	for scope, want := range map[string]uint32{"instance": 20, "tier": 10} {
		r := ran(t, compiled(t, strings.ReplaceAll(file, "SCOPE", scope)))
		retries := uint32(0)
		for _, c := range r.Edges[1].Cells {
			retries += c.Retries
		}
		if retries != want {
			t.Errorf("scope %s: %d retries, want %d", scope, retries, want)
		}
	}
}

const tenReplicas = `
name: ten
tiers: {db: {replicas: 10, steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 100/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 1s}}]
duration: 20s
timeline: [ENTRY]
`

// arrivalsAt counts what came to each replica in a second of the run.
func arrivalsAt(r *model.Result, second int) (out []uint32) {
	for i := range r.Replicas {
		out = append(out, r.Replicas[i].Cells[second].Arrivals)
	}
	return out
}

// The last three of ten replicas are down while the fault lasts, and the rest share the load.
func TestACrashFaultTakesTheLastReplicas(t *testing.T) {
	r := ran(t, compiled(t, strings.ReplaceAll(tenReplicas, "ENTRY",
		"{at: 5s, for: 5s, fault: {tier: db, crash: 30%}}")))
	for i, n := range arrivalsAt(r, 7) {
		if up := i < 7; up != (n > 0) {
			t.Errorf("replica %d had %d arrivals while three were down", i, n)
		}
	}
	for i, n := range arrivalsAt(r, 15) {
		if n == 0 {
			t.Errorf("replica %d had no arrivals after the fault", i)
		}
	}
}

// A rolling deployment of 30 % has batches of 3, 3, 3 and 1, each down for 2 s and 1 s apart.
func TestADeploymentRestartsBatchAfterBatch(t *testing.T) {
	r := ran(t, compiled(t, strings.ReplaceAll(tenReplicas, "ENTRY",
		"{at: 2s, deploy: {tier: db, batch: 30%, down: 2s, gap: 1s}}")))
	down := map[int][]int{2: {0, 1, 2}, 5: {3, 4, 5}, 8: {6, 7, 8}, 11: {9}, 4: nil, 7: nil, 13: nil}
	for second, want := range down {
		var got []int
		for i, n := range arrivalsAt(r, second) {
			if n == 0 {
				got = append(got, i)
			}
		}
		if len(got) != len(want) || len(got) > 0 && got[0] != want[0] {
			t.Errorf("in second %d replicas %v were down, want %v", second, got, want)
		}
	}
	if end := r.Marks[0].End; end != 13*sim.Second {
		t.Errorf("the deployment ends at %v, want 13 s", end)
	}
}

const waiting = `
name: waiting
tiers: {db: {slots: 1, line: {limit: 10}, steps: [{work: 10ms}]}}
clients: {users: {arrivals: constant 50/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 1s}}]
duration: 60s
timeline:
  - {name: storm, at: 10s, set: {clients.users.arrivals.rate: 200/s}}
  - {name: page, when: {measure: clients.users.failed_share, above: 40%, over: 1s, after: 2s},
     for: 5s, set: {clients.users.arrivals.rate: 0.5x}}
  - {name: later, at: page.end + 1s, set: {clients.users.arrivals.rate: 20/s}}
  - {name: calm, at: later, when: {measure: tiers.db.utilization, below: 50%, over: 2s},
     set: {clients.users.arrivals.rate: 40/s}}
  - {name: never, when: {measure: edges.users->db.attempt_latency.p99, above: 10s},
     set: {clients.users.arrivals.rate: 1/s}}
`

// From 10 s on half of what comes fails, once the line is full. Looks are at tenths of a second: at
// 10.9 s or so the last second holds more than 40 % failures, and 2 s later somebody acts.
func TestEntriesWaitForMeasures(t *testing.T) {
	plan := compiled(t, waiting)
	r := ran(t, plan)
	page, later, calm := r.Fired[0], r.Fired[1], r.Fired[2]
	if page < 12500*sim.Millisecond || page > 13500*sim.Millisecond || page%(sim.Second/10) != 0 {
		t.Errorf("the page is answered at %v, want about 13 s, at a tenth of a second", page)
	}
	if later != page+6*sim.Second {
		t.Errorf("what follows the page's end comes at %v, want 6 s after %v", later, page)
	}
	// 20/s of 10 ms is a fifth, after what was in line; a whole 2 s are looked at first.
	if calm < later+2*sim.Second || calm > later+3*sim.Second {
		t.Errorf("calm is seen at %v, want 2 to 3 s after %v", calm, later)
	}
	if r.Fired[3] != sim.Never || len(r.Warnings) != 1 || r.Warnings[0].Where != "timeline.never" {
		t.Errorf("what was never met: fired %v, warnings %v", r.Fired[3], r.Warnings)
	}
	var rates []uint32 // requests in whole seconds after each change
	for _, at := range []sim.Time{page, later, calm} {
		rates = append(rates, r.Clients[0].Cells[at/sim.Second+1].Requests)
	}
	if rates[0] < 99 || rates[0] > 101 || rates[1] < 19 || rates[1] > 21 ||
		rates[2] < 39 || rates[2] > 41 {
		t.Errorf("requests per second after page, later and calm: %v", rates)
	}
	if e := check.Entries(plan, r); len(e) != 4 || e[1].At != page || e[1].End != page+5*sim.Second {
		t.Errorf("entries as they happened: %d, the second at %v", len(e), e[1].At)
	}
}

// One replica of two gets three quarters of 100/s by weight. The first second that is looked at
// whole ends at 1.1 s; from then on the other has all of it, and is over 60/s in a second at 1.6 s,
// as 25 and 100 a second for half a second each are 62.5. The first is back at 6.1 s and lasts a
// second alone.
func TestReplicasCrashByThemselves(t *testing.T) {
	r := ran(t, compiled(t, `
name: crash
tiers:
  db:
    replicas: {a: {weight: 3}, b: {weight: 1}}
    steps: [{work: 1ms}]
    crash: {when: {measure: arrivals_per_s, above: 60/s, over: 1s}, down: 5s}
clients: {users: {arrivals: constant 100/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 1s}}]
duration: 20s
`))
	up := func(replica, second int) float64 { return r.Replicas[replica].Gauges[second].Up / 1e9 }
	for _, want := range []struct {
		replica, second int
		up              float64
	}{{0, 0, 1}, {0, 1, 0.1}, {1, 1, 0.6}, {1, 2, 0}, {0, 5, 0}, {0, 6, 0.9}, {0, 7, 0.1}} {
		if got := up(want.replica, want.second); got < want.up-1e-6 || got > want.up+1e-6 {
			t.Errorf("replica %d is up for %v of second %d, want %v", want.replica, got, want.second,
				want.up)
		}
	}
}

// Ten requests come at once and are done one after the other: from the second second on there are
// completions and no arrivals, of which they would be a share.
func TestAShareOfNothingMeetsNoBound(t *testing.T) {
	r := ran(t, compiled(t, `
name: nothing
tiers: {db: {slots: 1, steps: [{work: 1s}]}}
clients: {users: {arrivals: burst 10, call: db}}
edges: [{from: users, to: db, timeout: {try: 20s}}]
duration: 20s
timeline:
  - {name: odd, at: 3s, when: {measure: tiers.db.completed_share, above: 50%, over: 1s},
     set: {tiers.db.slots: 2}}
`))
	if r.Fired[0] != sim.Never {
		t.Errorf("a share of no arrivals was above 50%% at %v", r.Fired[0])
	}
}
