package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// moved writes what the controls of a run did: when they entered which stage, < for a step back.
func moved(plan *model.Plan, r *model.Result) string {
	var out []string
	for _, s := range check.Stays(plan, r) {
		back := ""
		if s.Back {
			back = "<"
		}
		out = append(out, fmt.Sprintf("%v %s%s", s.From.Seconds(), back, s.Stage))
	}
	return strings.Join(out, ", ")
}

const staged = `
name: staged
tiers: {db: {slots: 1, line: {limit: 50}, steps: [{work: 10ms}]}}
clients: {users: {arrivals: constant 80/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 1s}}]
duration: 5m
timeline:
  - name: reopen
    at: 10s
    control:
      observe: 20s
      pass: [{measure: edges.users->db.error_share, below: 1%}]
      stages:
        - {name: probe, set: {clients.users.arrivals.rate: 10/s}, observe: 30s}
        - {name: half, set: {clients.users.arrivals.rate: 0.5x}}
        - {name: most, set: {clients.users.arrivals.rate: -20/s}, observe: 45s}
        - {name: open, observe: 1h}
`

// Nothing fails, so a control is through after the sum of its observations: 30, 20 and 45 s.
func TestAControlTakesTheSumOfItsObservations(t *testing.T) {
	plan := compiled(t, staged)
	r := ran(t, plan)
	if got, want := moved(plan, r), "10 probe, 40 half, 60 most, 105 open"; got != want {
		t.Errorf("moved %s, want %s", got, want)
	}
	for second, want := range map[int]uint32{5: 80, 20: 10, 50: 40, 80: 60, 120: 80} {
		if got := r.Clients[0].Cells[second].Requests; got < want-1 || got > want+1 {
			t.Errorf("%d requests in second %d, want %d", got, second, want)
		}
	}
}

// db does 60/s from 50 s on, which is too little for the last two stages. Each time a share of what
// comes is turned away; the control steps back, cools down for 7 s and looks again.
func TestAControlStepsBackFromATooWeakTarget(t *testing.T) {
	weak := strings.NewReplacer("error_share", "rejected_share",
		"observe: 20s", "{BACK}cool_down: 7s\n      observe: 20s",
		"observe: 1h", "observe: 10s", "timeline:", "timeline:\n"+
			"  - {name: weak, at: 50s, until: end, fault: {tier: db, speed: 50%}}").Replace(staged)
	for _, c := range []struct{ back, want string }{
		{"", "10 probe, 40 half, 60 most, 105 <half, 132 most, 177 <half, 204 most, " +
			"249 <half, 276 most"},
		{"back: first\n      ", "10 probe, 40 half, 60 most, 105 <probe, 142 half, 162 most, " +
			"207 <probe, 244 half, 264 most"},
	} {
		plan := compiled(t, strings.ReplaceAll(weak, "{BACK}", c.back))
		r := ran(t, plan)
		if got := moved(plan, r); got != c.want {
			t.Errorf("moved %s, want %s", got, c.want)
		}
		stays := check.Stays(plan, r)
		if s := stays[2]; s.Looks != 1 || s.Misses != 1 || s.Ended != check.SteppedBack ||
			!(s.Value > 0.1 && s.Value < 0.25) || s.Unit != check.Share {
			t.Errorf("the stay that ended by a step back: %+v", s)
		}
		if why := stays[2].Why(); !strings.HasSuffix(why, "%, wanted below 1%") {
			t.Errorf("it says %q", why)
		}
	}
}

// A first stage that closes all is held until what was in line has gone: db is freed 50 s after the
// close and not before, and each observation of 10 s before that misses.
func TestAControlHoldsItsFirstStage(t *testing.T) {
	plan := compiled(t, `
name: hold
tiers: {db: {slots: 1, steps: [{work: 1s}]}}
clients: {users: {arrivals: burst 55, call: db}}
edges: [{from: users, to: db, timeout: {try: 2m}}]
duration: 2m
timeline:
  - name: reopen
    at: 5s
    for: 75s
    control:
      observe: 10s
      stages:
        - {name: shed, set: {edges.users->db.block.share: 100%},
           pass: [{measure: tiers.db.in_system, below: 0.1}]}
        - {name: open, pass: [{measure: clients.users.latency.p50, below: 1s}]}
`)
	r := ran(t, plan)
	if got, want := moved(plan, r), "5 shed, 65 open, 75 <shed"; got != want {
		t.Errorf("moved %s, want %s", got, want)
	}
	shed, open, last := check.Stays(plan, r)[0], check.Stays(plan, r)[1], check.Stays(plan, r)[2]
	if shed.Looks != 6 || shed.Misses != 5 || shed.Unmet.Measure != "tiers.db.in_system" ||
		shed.Value != 5.5 || shed.Unit != check.Count {
		t.Errorf("it was held so: %+v", shed)
	}
	// Nobody asks any more, and of nothing there is no quantile.
	if why := open.Why(); why != "clients.users.latency.p50 had nothing to measure, wanted below 1s" {
		t.Errorf("it stepped back as %s", why)
	}
	if last.To != 80*sim.Second || last.Ended != check.Lifted {
		t.Errorf("its entry ends at 80 s: %+v", last)
	}
}

// Routes, wildcards and a start by a measure work in a control as in set. A stage takes nothing
// away that another entry sets later, and what it set is lifted with it.
func TestAControlSharesFieldsWithTheTimeline(t *testing.T) {
	plan := compiled(t, `
name: share
routes: {front: {east: 100%, west: 0%}}
tiers:
  east: {slots: 10, steps: [{work: 1ms}]}
  west: {slots: 10, steps: [{work: 1ms}]}
clients: {users: {arrivals: constant 100/s, call: front}}
edges: [{from: users, to: front, timeout: {try: 1s}}]
duration: 2m
timeline:
  - name: move
    when: {measure: tiers.east.arrivals_per_s, above: 10/s, over: 10s}
    for: 60s
    control:
      observe: 10s
      stages:
        - {name: some, set: {routes.front.to: {east: 80%, west: 20%}, tiers.*.slots: 7}}
        - {name: all, set: {routes.front.to: {east: 0%, west: 100%}}}
  - {name: less, at: 15s, set: {tiers.west.slots: 5}}
`)
	r := ran(t, plan)
	if got, want := moved(plan, r), "10 some, 20 all"; got != want {
		t.Errorf("moved %s, want %s", got, want)
	}
	arrivals := func(replica, second int) uint32 { return r.Replicas[replica].Cells[second].Arrivals }
	if n := arrivals(1, 12) + arrivals(1, 13) + arrivals(1, 14); n < 30 || n > 90 {
		t.Errorf("%d of 300 went west in three seconds, want about 60", n)
	}
	if arrivals(0, 50) != 0 || arrivals(1, 50) < 99 || arrivals(0, 75) < 99 {
		t.Error("all go west in the second stage and east after it")
	}
	var slots []int32
	for _, second := range []int{8, 12, 16, 25, 80} {
		slots = append(slots, r.Replicas[0].Gauges[second].AtSlots, r.Replicas[1].Gauges[second].AtSlots)
	}
	if want := []int32{10, 10, 7, 7, 7, 5, 10, 5, 10, 5}; !slices.Equal(slots, want) {
		t.Errorf("slots of east and west %v, want %v", slots, want)
	}
}

// A database is back at a third of its speed, and warm only after 5 minutes. Users try three times.
const returning = `
name: returning
tiers: {db: {slots: 10, line: {limit: 1000}, steps: [{work: exp 10ms}]}}
clients: {users: {arrivals: 600/s, call: db}}
edges:
  - {from: users, to: db, timeout: {try: 500ms}, block: {share: 0%, status: 503},
     retry: {stack: [{max_attempts: {attempts: 3}}]}}
duration: 10m
timeline:
  - {name: cold, at: 1m, for: 5m, fault: {tier: db, speed: 33%}}
`

// By a fixed ramp the load is back before the database can do it, and retries keep it down when it
// could: less than a tenth is answered. A control waits where there is no headroom.
func TestAControlOpensWhereAFixedRampCollapses(t *testing.T) {
	ramp := returning + `
  - {name: reopen, at: 1m, for: 2m, set: {edges.users->db.block.share: {ramp: {0s: 95%, 2m: 0%}}}}
`
	stages := returning + `
  - name: reopen
    at: 1m
    control:
      observe: 10s
      cool_down: 5s
      stages:
        - {name: probe, set: {edges.users->db.block.share: 95%}}
        - {name: quarter, set: {edges.users->db.block.share: 75%}}
        - {name: half, set: {edges.users->db.block.share: 50%}}
        - {name: open}
      pass:
        - {measure: tiers.db.utilization, below: 70%}
        - {measure: edges.users->db.timed_out_share, below: 1%}
`
	var shares []float64
	for _, file := range []string{ramp, stages} {
		plan := compiled(t, file)
		r := ran(t, plan)
		requests, ok := uint32(0), uint32(0)
		for _, c := range r.Clients[0].Cells[420:590] {
			requests, ok = requests+c.Requests, ok+c.OK
		}
		shares = append(shares, float64(ok)/float64(requests))
	}
	if shares[0] > 0.1 || shares[1] < 0.999 {
		t.Errorf("a minute after the database is warm %.3f are answered after the ramp, and %.3f with "+
			"the control; want below 0.1 and above 0.999", shares[0], shares[1])
	}
}

// Without the retries of an edge a control cannot switch them on either.
func TestAControlSwitchesNoRetriesOnThatAreLeftOut(t *testing.T) {
	plan := compiled(t, `
name: off
tiers: {db: {steps: [{fail: 100%}]}}
clients: {users: {arrivals: constant 10/s, call: db}}
edges:
  - {from: users, to: db, timeout: {try: 1s},
     retry: {enabled: 0%, stack: [{max_attempts: {attempts: 2}}, {constant: {wait: 1ms}}]}}
duration: 20s
timeline:
  - {name: on, at: 10s, control: {stages: [{set: {edges.users->db.retry.enabled: 100%}}]}}
`)
	for _, c := range []struct {
		plan *model.Plan
		want uint32
	}{{plan, 100}, {plan.WithoutRetries(0), 0}, {plan, 100}} {
		if got := outcomes(ran(t, c.plan)).Retries; got < c.want || got > c.want+1 {
			t.Errorf("%d retries, want %d", got, c.want)
		}
	}
}

// Ten lookups a second of one key that is kept for a second: one in eleven misses, as a key that is
// fetched 1 ms after a lookup is there for the tenth after it and gone for the eleventh.
func TestAControlWaitsForACacheToBeWarm(t *testing.T) {
	plan := compiled(t, `
name: warm
tiers:
  web: {steps: [{cache: {keys: {count: 1}, ttl: 1s, miss: [{work: 1ms}]}}]}
clients: {users: {arrivals: constant 10/s, call: web}}
edges: [{from: users, to: web, timeout: {try: 1s}}]
duration: 60s
timeline:
  - name: warm
    at: 5s
    control:
      observe: 11s
      stages:
        - {name: cold, pass: [{measure: tiers.web.hit_ratio, above: 90%}]}
        - {name: warm, pass: [{measure: tiers.web.hit_ratio, above: 92%}]}
`)
	r := ran(t, plan)
	if got, want := moved(plan, r), "5 cold, 16 warm, 27 <cold, 38 warm, 49 <cold"; got != want {
		t.Errorf("moved %s, want %s", got, want)
	}
	if v := check.Stays(plan, r)[1].Value; v < 10.0/11-0.01 || v > 10.0/11+0.01 {
		t.Errorf("hits are %v of the lookups, want 10 of 11", v)
	}
}

// A control that keeps the door half shut until the end explains what fails: nothing is stuck.
func TestAControlThatHoldsIsNothingMetastable(t *testing.T) {
	const file = `
name: held
tiers: {db: {slots: 1, steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 50/s, call: db}}
edges: [{from: users, to: db, timeout: {try: 1s}}]
duration: 2m
timeline:
  - name: reopen
    at: 30s
    control:
      stages:
        - {name: shed, set: {edges.users->db.block.share: 90%},
           pass: [{measure: tiers.db.busy, below: 0}]}
        - {name: open}
  - {name: closed, at: 40s, set: {edges.users->db.block.share: 95%}}
`
	for until, want := range map[string]string{
		"": check.Degraded, "    for: 60s\n": check.Metastable,
	} {
		plan := compiled(t, strings.Replace(file, "    control:\n", until+"    control:\n", 1))
		if got := check.Recover(plan, ran(t, plan)).Verdict; got != want {
			t.Errorf("with %q the verdict is %s, want %s", until, got, want)
		}
	}
}

// Checks can ask a control where it is, when it first entered a stage, and how often it went back:
// here nobody is answered from 150 s on, so that open, observed for 20 s each time, is left at
// 165 s, most 45 s and half 20 s after that; probe does not pass at 260 s and at 290 s.
func TestChecksReadWhatAControlDid(t *testing.T) {
	const judged = `
  - name: later
    at: 10s
    when: {measure: clients.users.ok_per_s, above: 1M/s, over: 1s}
    control: {observe: 1s, stages: [{name: first}]}
  - {name: cut, at: 150s, until: end, fault: {edge: users->db, link: refused}}
checks:
  - {name: where, measure: controls.reopen.stage, is: probe}
  - {name: first there, measure: controls.reopen.entered.open, expect: 105s}
  - {name: back, measure: controls.reopen.steps_back, expect: 3}
  - {name: missed, measure: controls.reopen.missed, expect: 5}
  - {name: never, measure: controls.later.entered.first, min: 5m}
  - {name: not yet, measure: controls.later.stage, is: none}
`
	world := strings.Replace(staged, "below: 1%", "above: 99%", 1)
	world = strings.Replace(world, "error_share", "ok_share", 1)
	world = strings.Replace(world, "observe: 1h", "observe: 20s", 1)
	plan := compiled(t, world+strings.TrimPrefix(judged, "\n"))
	r := ran(t, plan)
	for _, v := range check.Judge(plan, []*model.Result{r}) {
		if !v.OK {
			t.Errorf("%s: %s, want %s; it moved %s", v.Name, v.Text, v.Want, moved(plan, r))
		}
	}
}
