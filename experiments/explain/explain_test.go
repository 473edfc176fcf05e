package explain_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/experiments/explain"
	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/topologies"
)

// planOf compiles a world that ships.
func planOf(t *testing.T, name string, o load.Options) *model.Plan {
	t.Helper()
	src, err := topologies.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t, src, o)
}

func compiled(t *testing.T, src load.Source, o load.Options) *model.Plan {
	t.Helper()
	d, problems := load.Open(src)
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(o)
	if plan == nil {
		t.Fatal(problems)
	}
	return plan
}

func explained(t *testing.T, plan *model.Plan) *explain.Explanation {
	t.Helper()
	x, err := explain.Explain(context.Background(), plan, 1, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// fact is the first fact of a kind about a subject.
func fact(t *testing.T, x *explain.Explanation, kind, subject string) explain.Fact {
	t.Helper()
	i := slices.IndexFunc(x.Facts, func(f explain.Fact) bool {
		return f.Kind == kind && f.Subject == subject
	})
	if i < 0 {
		t.Fatalf("no fact %s of %s among:\n%s", kind, subject, told(x))
	}
	return x.Facts[i]
}

func told(x *explain.Explanation) string {
	var b strings.Builder
	for _, f := range x.Facts {
		fmt.Fprintf(&b, "%v %s %s: %s\n", f.At.Seconds(), f.Kind, f.Subject, f.Text)
	}
	return b.String()
}

// The database of two tiers, ten times slower for a minute and without a budget, stays down.
func TestTheStoryOfAnOutageThatStays(t *testing.T) {
	x := explained(t, planOf(t, "two-tier", load.Options{Variant: "no-budget"}))
	if len(x.Outages) != 1 || !x.Outages[0].Lasts || x.Outages[0].Free != 180*sim.Second {
		t.Fatalf("outages: %+v", x.Outages)
	}
	if !slices.IsSortedFunc(x.Facts, func(a, b explain.Fact) int { return int(a.At - b.At) }) {
		t.Errorf("not in order of time:\n%s", told(x))
	}
	full := fact(t, x, "limit", "tiers.db")
	if full.Values["slots"] != 16 || full.At > 125*sim.Second {
		t.Errorf("slots: %+v", full)
	}
	if wait := fact(t, x, "wait", "tiers.db"); wait.Values["timeout_s"] != 0.25 ||
		wait.Values["stays_s"] < 10 {
		t.Errorf("wait: %+v", wait)
	}
	loop := fact(t, x, "loop", "tiers.db")
	v := loop.Values
	if got := v["extra_per_s"] / (v["capacity_per_s"] - v["first_per_s"]); got != v["gain"] ||
		v["gain"] < 1.2 {
		t.Errorf("gain %v of %v", got, v)
	}
	if math.Abs(v["first_per_s"]-200) > 2 || math.Abs(v["extra_per_s"]-3*v["first_per_s"]) > 20 {
		t.Errorf("first tries and retries: %v; want 200/s and three times that", v)
	}
	for _, f := range x.Facts {
		if f.Kind != "entry" && !strings.ContainsAny(f.Text, "0123456789") || len(f.Values) == 0 {
			t.Errorf("a sentence without numbers: %q", f.Text)
		}
	}
	if got := x.Causes(0); !slices.Equal(got, []string{"web->db"}) {
		t.Errorf("causes %v", got)
	}
}

// What the replay of 17 August 2026 was kept by: phase A by the gateway's retries of the hot cell,
// phase B by the loop of the IDE clients and by no retries of a gateway.
func TestTheLayersOfTheReplay(t *testing.T) {
	scale := 1.0 / 400
	x := explained(t, planOf(t, "github-2026-08-17/incident",
		load.Options{Scale: &scale, Until: "15:20"}))
	want := map[string]string{
		"web": "gateway_cus->haproxy", "archive": "gateway_cus->haproxy", "ide": "ide->token",
	}
	seen := map[string]bool{}
	for i, o := range x.Outages {
		causes := slices.DeleteFunc(x.Causes(i), func(e string) bool { return e == explain.AllLayers })
		if !slices.Equal(causes, []string{want[o.Client]}) {
			t.Errorf("%s from %v: causes %v, want %s", o.Client, o.From.Seconds(), causes,
				want[o.Client])
		}
		seen[o.Client] = true
	}
	if len(seen) != 3 {
		t.Errorf("outages of %v, want web, archive and ide", seen)
	}
	// Five tries of a client times two of a gateway; three at the hot cell.
	if v := fact(t, x, "loop", "tiers.token_service").Values; v["extra_per_s"]/v["first_per_s"] < 7 ||
		v["gain"] < 4 {
		t.Errorf("the token service's loop: %v", v)
	}
	if v := fact(t, x, "loop", "tiers.haproxy@a").Values; math.Abs(
		v["extra_per_s"]/v["first_per_s"]-2) > 0.1 {
		t.Errorf("the hot cell's loop: %v", v)
	}
}

// A world without retries has no loop, and nothing is switched off.
func TestAWorldWithoutRetriesHasNoLoop(t *testing.T) {
	x := explained(t, planOf(t, "sregym-946", load.Options{Variant: "no-retry"}))
	if len(x.Loops) != 0 || len(x.Layers) != 0 {
		t.Errorf("loops %v, layers %v", x.Loops, x.Layers)
	}
	end := fact(t, x, "end", "clients.caller")
	if !strings.Contains(end.Text, "after burst ended at 01:10") {
		t.Errorf("the end: %s", end.Text)
	}
}

// An entry that nobody named is told by what it does.
func TestAnEntryWithoutANameIsTold(t *testing.T) {
	files := fstest.MapFS{"a.yaml": {Data: []byte(`
name: a
tiers: {db: {slots: 4, steps: [{work: 5ms}]}}
clients: {users: {arrivals: 10/s, call: db}}
duration: 10s
timeline: [{at: 2s, for: 2s, fault: {tier: db, slow: 10x}}]
`)}}
	x := explained(t, compiled(t, load.Source{Name: "a.yaml", FS: files}, load.Options{}))
	if got := fact(t, x, "entry", "timeline"); got.Text != "the timeline: a fault (until 00:04)" {
		t.Errorf("got %q", got.Text)
	}
}

// Switching off is what enabled: 0% does, to the byte.
func TestSwitchingOffIsNotEnabling(t *testing.T) {
	plan := planOf(t, "two-tier", load.Options{Variant: "no-budget"})
	off := planOf(t, "two-tier", load.Options{Variant: "no-budget",
		Sets: []string{"edges.web:db.retry.enabled=0%"}})
	for e := range plan.World.Edges {
		if plan.World.Edges[e].HasRetry {
			plan = plan.WithoutRetries(e)
		}
	}
	a, errA := plan.Run(context.Background(), 1, model.RunOptions{})
	b, errB := off.Run(context.Background(), 1, model.RunOptions{})
	if errA != nil || errB != nil || a.Fingerprint != b.Fingerprint {
		t.Errorf("%v and %v (%v, %v)", a.Fingerprint, b.Fingerprint, errA, errB)
	}
}

// many has every kind of attempt: hedges, side effects, a store of keys, breakers, blocks.
const many = `
name: many
tiers:
  web: {slots: 8, line: {limit: 8}, steps: [{call: db}, {call: cache}]}
  db:
    slots: 4
    line: {limit: 10}
    steps: [{work: exp 20ms}, {fail: 5%}, {effect: write}]
  cache: {slots: 4, steps: [{work: exp 5ms}]}
clients: {users: {arrivals: 150/s, call: web}}
edges:
  - from: users
    to: web
    timeout: {try: 300ms}
    block: {share: 1%, status: 503}
    retry: {stack: [{max_attempts: {attempts: 3}}, {constant: {wait: 10ms}}]}
  - from: web
    to: db
    loss: 2%
    timeout: {try: 60ms, overall: 200ms}
    cancel: queued
    retry: {stack: [{max_attempts: {attempts: 3}}, {token_budget: {ratio: 20%}}]}
  - from: web
    to: cache
    timeout: {try: 100ms}
    retry: {stack: [{grpc_hedging: {max_attempts: 3, hedging_delay: 4ms}}]}
duration: 60s
warmup: 5s
drain: 10s
timeline: [{name: slow, at: 20s, for: 10s, fault: {tier: db, slow: 4x}}]
`

// Every attempt has one reason and one end, and all wasted work belongs to an edge.
func TestTheLedgerAddsUpExactly(t *testing.T) {
	plans := map[string]*model.Plan{
		"many": compiled(t, load.Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(many)}},
			Name: "a.yaml"}, load.Options{}),
		"two-tier":   planOf(t, "two-tier", load.Options{}),
		"hotos21":    planOf(t, "hotos21", load.Options{}),
		"sregym-946": planOf(t, "sregym-946", load.Options{}),
		"chain-3x5":  planOf(t, "chain-3x5", load.Options{}),
	}
	for name, plan := range plans {
		r, err := plan.Run(context.Background(), 3, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		l := explain.Of(plan, r).Ledger
		var wasted sim.Time
		for _, e := range l.Edges {
			var why, how uint64 = e.First + e.Copies, e.Cancelled
			for class := policies.Pending; class < policies.Classes; class++ {
				why += e.After[class]
				if class != policies.Refused {
					how += e.Outcomes[class]
				}
			}
			if why != e.Attempts || how != e.Attempts || e.After[policies.Pending] != 0 ||
				e.After[policies.OK] != 0 {
				t.Errorf("%s, %s: %d attempts, %d by why, %d by how: %+v", name, e.Edge, e.Attempts,
					why, how, e)
			}
			wasted += e.Wasted
		}
		if wasted != l.Wasted || wasted != r.Totals.Wasted || wasted > l.Work {
			t.Errorf("%s: %v wasted by edges, %v in all of %v", name, wasted, l.Wasted, l.Work)
		}
		if name != "many" {
			continue
		}
		if l.Edges[2].Copies == 0 || l.Tiers[1].Effects == 0 || l.Tiers[1].Duplicates == 0 ||
			l.Edges[0].After[policies.Blocked] == 0 {
			t.Errorf("the test needs copies, effects, duplicates and blocks: %+v", l)
		}
	}
}

// The number of workers changes nothing.
func TestWorkersChangeNothing(t *testing.T) {
	plan := planOf(t, "hotos21", load.Options{})
	var got []string
	for _, n := range []int{1, 4} {
		x, err := explain.Explain(context.Background(), plan, 1, explain.Options{Workers: n})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%+v %+v %+v", x.Facts, x.Layers, x.Ledger))
	}
	if got[0] != got[1] {
		t.Errorf("one worker says\n%s\nand four say\n%s", got[0], got[1])
	}
}

// Replicas that crash by themselves are told of once, with how often.
func TestTheStoryOfACrashLoop(t *testing.T) {
	plan := planOf(t, "drill-memory", load.Options{Until: "3m"})
	r, err := plan.Run(t.Context(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i := range r.Replicas {
		for _, g := range r.Replicas[i].Gauges {
			n += int(g.Crashes)
		}
	}
	f := fact(t, explain.Of(plan, r), "crash", "tiers.api")
	if f.Values["crashes"] != float64(n) || n < 20 || !strings.Contains(f.Text, fmt.Sprint(n)) {
		t.Errorf("%d crashes, told as %q with %v", n, f.Text, f.Values)
	}
}
