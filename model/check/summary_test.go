package check

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// summarized is a world whose summary has a value everywhere.
func summarized(t *testing.T) world {
	w := counted(t)
	w.plan.World.Scale = 0.5
	w.plan.Scenario.Checks = []model.Check{
		{Name: "amplified", Measure: "edges.app->db.amplification", Min: bound(1, Count)},
		{Name: "verdict", Measure: "recovery.verdict", Is: Recovered},
	}
	w.plan.Warnings = model.Problems{{Path: "tiers.db.slots", Text: "few", Warning: true}}
	w.fill()
	return w
}

// fill adds what counted leaves out.
func (w world) fill() {
	w.r.Warnings = []stats.Warning{{Code: "few-samples", Where: "clients.ide", Text: "10 requests"}}
	w.r.Fingerprint = sim.Fingerprint{Kinds: 1 << 40, Times: 2 << 40, Outcomes: 3 << 40,
		Draws: 4 << 40}
	w.r.Totals = kernel.Totals{Work: 4, Wasted: 1, InFlight: 5}
	for i := range 4 {
		g := &w.r.Replicas[dbA].Gauges[i]
		g.Busy, g.Slots, g.InLine, g.InSystem = 2e9, 4e9, 3e9, 5e9
	}
	w.r.Clients[web].Latency = durations(4)
	w.r.Replicas[dbA].Wait, w.r.Replicas[dbB].Service = durations(2), durations(3)
	w.r.Edges[appDB].Latency = durations(4)
}

func TestSummaryIsTheStableObject(t *testing.T) {
	w := summarized(t)
	s := Summarize(w.plan, []*model.Result{w.r})
	s.Schema, s.Version, s.Scenario = SchemaName, "0.0.0", "storm"
	s.Performance = &Performance{Events: 1, WallS: 2, EventsPerS: 3, SimulatedPerS: 5, PeakRSSBytes: 4}
	got, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "summary.json", string(got)+"\n")
}

func TestSummaryAddsUp(t *testing.T) {
	w := summarized(t)
	e := Summarize(w.plan, []*model.Result{w.r}).Edges["app->db"]
	o := e.Outcomes
	// 1900 attempts, of which 950 ok and 600 timed out; 300 refused were never sent.
	if e.Attempts != 1900 || o.OK != 950 || o.TimedOut != 600 || o.InFlight != 350 ||
		o.Refused != 300 {
		t.Errorf("got %d attempts, %+v", e.Attempts, o)
	}
	if e.RefusedBy["max_attempts"] != 100 || e.RefusedBy["ratio_budget"] != 200 {
		t.Errorf("refused by %v", e.RefusedBy)
	}
}

func TestMoreOutcomesThanAttemptsPanic(t *testing.T) {
	w := summarized(t)
	outcomes(w.edge(appDB, web, 0), policies.OK, 5000)
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "check: ") {
			t.Errorf("got %q", text)
		}
	}()
	Summarize(w.plan, []*model.Result{w.r})
}

// Two replications, of which the second is twice the first.
func TestReplicationsArePooled(t *testing.T) {
	w := summarized(t)
	one := w.r
	w.r = newResult(w.plan.World, 2)
	*w.r = *summarized(t).r
	w.r.Seed = 2
	for i := range w.r.Clients[web].Cells {
		c := &w.r.Clients[web].Cells[i]
		c.Requests, c.OK, c.Failed = 2*c.Requests, 2*c.OK, 2*c.Failed
	}
	w.r.Clients[web].Latency = durations(8)
	s := Summarize(w.plan, []*model.Result{one, w.r})
	if s.Replications != 2 || len(s.Runs) != 2 || s.Runs[1].Seed != 2 || s.Seed != 1 {
		t.Fatalf("got %d replications, %d runs", s.Replications, len(s.Runs))
	}
	if s.Totals.Requests != 1100+2100 || s.Runs[0].Totals.Requests != 1100 {
		t.Errorf("requests %d, of the first %d", s.Totals.Requests, s.Runs[0].Totals.Requests)
	}
	near(t, "amplification of sums", *s.Edges["app->db"].Amplification, 3800.0/3200)
	near(t, "mean latency of all", *s.Clients["web"].LatencyS.Mean, (10+36)/12.0/1000)
	near(t, "goodput", *s.Totals.GoodputPerS, (950+1850)/2.0/4/0.5)
	near(t, "utilization", *s.Tiers["db"].Utilization, 0.5)
	near(t, "in system, simulated", *s.Tiers["db"].MeanInSystem, 5)
	near(t, "wasted", *s.Totals.WastedWorkShare, 0.25)
	if s.Recovery.Verdicts[NoFault] != 2 || s.Runs[0].Recovery.Verdicts != nil {
		t.Errorf("recovery %+v", s.Recovery)
	}
	if s.Fingerprint == s.Runs[0].Fingerprint {
		t.Error("the pooled fingerprint is the first one's")
	}
}

// One replication that recovers and one that does not have no mean time and the worse verdict.
func TestPooledRecoveryIsTheWorse(t *testing.T) {
	good, stuck := shape(t, "++++----++++++++++++"), shape(t, "++++----------------")
	good.plan.Scenario.Timeline = []model.TimelineEntry{fault(4*second, 8*second)}
	got := newPool(good.plan, []*model.Result{good.r, stuck.r, good.r}).recovery()
	if got.Verdict != Metastable || got.TimeS != nil || got.Verdicts[Recovered] != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestNothingThatHasNoValueIsWritten(t *testing.T) {
	w := newWorld(t, 4)
	text, err := json.Marshal(Summarize(w.plan, []*model.Result{w.r}))
	if err != nil {
		t.Fatal(err) // a NaN would end here
	}
	for _, want := range []string{
		`"amplification":null`, `"p99":null`, `"utilization":null`, `"warnings":[]`, `"checks":[]`,
		`"time_s":null`, `"goodput_per_s":0`, `"refused_by":{}`, `"verdict":"no-fault"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
}

// A gate is listed with 0, a pacer is not.
func TestRefusedByListsGates(t *testing.T) {
	w := newWorld(t, 4)
	w.plan.World.States[0].New = func() policies.Policy { return policies.Policy{} }
	w.plan.World.States[1].New = func() policies.Policy { return policies.Policy{Gate: open{}} }
	got := Summarize(w.plan, []*model.Result{w.r}).Edges["app->db"].RefusedBy
	if n, ok := got["ratio_budget"]; len(got) != 1 || !ok || n != 0 {
		t.Errorf("got %v", got)
	}
}

type open struct{}

func (open) Admit(sim.Time, *policies.Attempt) bool { return true }

// db@a has 4 slots of 10 ms: 400/s. It gets 300 first tries and 150 retries a second.
func TestConditionsMeasureBothSides(t *testing.T) {
	w := newWorld(t, 2)
	w.plan.World.Scale = 0.5
	for i := range 2 {
		c := w.tier(dbA, 0, web, i)
		c.Arrivals, c.Retries, c.Completed = 300, 150, 200
		c = w.tier(dbA, 1, ide, i)
		c.Arrivals, c.Completed = 150, 100
		g := &w.r.Replicas[dbA].Gauges[i]
		g.Busy, g.Slots = 3e9, 4e9
		e := w.edge(appDB, web, i)
		e.Attempts, e.Retries, e.Hedges = 700, 250, 50
		w.edge(ideApp, ide, i).Attempts, w.edge(ideApp, ide, i).Retries = 90, 60
		w.r.Edges[appDB].RefusedBy[1][i] = 40
	}
	got := Conditions(w.plan, w.r, 0, 2*second)
	if len(got) != 1 {
		t.Fatalf("%d conditions, want that of db@a alone: the others have no slots", len(got))
	}
	c := got[0]
	near(t, "first", c.FirstPerS, 600)
	near(t, "retries", c.RetriesPerS, 300)
	near(t, "capacity", c.CapacityPerS, 800)
	near(t, "load", c.Load(), 9.0/8)
	if c.Holds() || len(c.Layers) != 2 || c.Layers[1].Hops != 1 {
		t.Errorf("got %+v", c)
	}
	golden(t, "conditions.txt", strings.Join(c.Lines(), "\n")+"\n")
}

// What is called by local balancing bounds its caller: app has no slots, db@0's are 4.
func TestCapacityIsThatOfTheReplicaBelow(t *testing.T) {
	w := newWorld(t, 1)
	w.plan.World.Edges[appDB].Balance.Policy = kernel.Local
	w.plan.World.Programs[0].Times = 2
	w.tier(dbA, 0, web, 0).Completed = 50
	w.r.Replicas[dbA].Gauges[0].Busy, w.r.Replicas[dbA].Gauges[0].Slots = 1e9, 4e9
	got := Conditions(w.plan, w.r, 0, second)
	if len(got) != 2 || got[0].Tier != "app" || got[1].Replica != "a" {
		t.Fatalf("got %+v", got)
	}
	near(t, "db@a", got[1].CapacityPerS, 200)
	near(t, "app, which calls it twice", got[0].CapacityPerS, 100)
}

func TestLittle(t *testing.T) {
	w := newWorld(t, 2)
	w.r.Replicas[dbA].Wait = durations(3) // 6 ms in 2 s
	w.r.Replicas[dbA].Gauges[0].InLine = 8e6
	got := Little(w.plan, w.r)
	if len(got) != 1 || got[0].Tier != "db" || math.Abs(got[0].InLine-0.004) > 1e-12 ||
		math.Abs(got[0].RateWait-0.003) > 1e-12 {
		t.Errorf("got %+v", got)
	}
}

// ide's requests go to an endpoint of app that does not call db: its retries do not reach db.
func TestLayersFollowEndpoints(t *testing.T) {
	w := newWorld(t, 1)
	app := &w.plan.World.Tiers[0]
	app.Endpoints = []kernel.Endpoint{{Name: "web", First: 0, Count: 1}, {Name: "ide"}}
	w.plan.World.Targets = append(w.plan.World.Targets, kernel.Target{Route: -1, Endpoint: 1})
	w.plan.World.Clients[ide].Target = 3
	w.r = newResult(w.plan.World, 1)
	w.tier(dbA, 0, web, 0).Completed = 50
	w.r.Replicas[dbA].Gauges[0].Busy, w.r.Replicas[dbA].Gauges[0].Slots = 1e9, 4e9
	got := Conditions(w.plan, w.r, 0, second)
	if len(got) == 0 {
		t.Fatal("no conditions")
	}
	for _, c := range got {
		if c.Tier == "db" && (len(c.Layers) != 1 || c.Layers[0].Edge != "app->db") {
			t.Errorf("layers of %s@%s: %+v", c.Tier, c.Replica, c.Layers)
		}
	}
}
