package lint_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/lint"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// good is a world in which nothing is to be found.
const good = `
name: good
tiers:
  web:
    replicas: 2
    slots: 32
    line: {limit: 16}
    deadline: drop_expired
    steps: [{work: 5ms}, {call: db}]
    autoscale: {metric: tiers.web.utilization, target: 60%, min: 2, max: 6}
  db:
    slots: 16
    line: {limit: 32, timeout: 100ms}
    deadline: drop_expired
    idempotency: {}
    steps: [{work: 20ms}, {effect: write}]
clients:
  users: {arrivals: 200/s, call: web}
edges:
  - {from: users, to: web, latency: 1ms, timeout: {overall: 1s}, propagate_deadline: true}
  - from: web
    to: db
    timeout: {try: 250ms, overall: 900ms}
    propagate_deadline: true
    cancel: queued
    retry:
      retry_on: [timed_out, dropped, 500]
      scope: tier
      stack:
        - max_attempts: {attempts: 3}
        - exponential: {base: 50ms, cap: 100ms, jitter: full}
        - ratio_budget: {ratio: 10%, window: 10s, low: 20%}
duration: 1m
`

// check lints a document with settings in it.
func check(t *testing.T, text string, sets ...string) lint.Report {
	t.Helper()
	fsys := fstest.MapFS{"a.yaml": {Data: []byte(text)}}
	return lintOf(t, load.Source{FS: fsys, Name: "a.yaml"}, load.Options{Sets: sets})
}

func lintOf(t *testing.T, src load.Source, o load.Options) lint.Report {
	t.Helper()
	d, problems := load.Open(src)
	if d == nil {
		t.Fatal(problems)
	}
	plan, problems := d.Plan(o)
	if plan == nil {
		t.Fatal(problems)
	}
	found, err := lint.Check(plan, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range found.Findings {
		f := &found.Findings[i]
		f.Problem = d.Place([]model.Problem{f.Problem}, o)[0]
		if f.Path == "" || f.Text == "" || f.Hint == "" {
			t.Errorf("%s lacks a place, a text or a cure: %+v", f.ID, f)
		}
	}
	return found
}

func ids(r lint.Report) []string {
	var out []string
	for _, f := range r.Findings {
		if !slices.Contains(out, f.ID) {
			out = append(out, f.ID)
		}
	}
	return out
}

func TestNothingIsFoundWhereNothingIs(t *testing.T) {
	found := check(t, good)
	for _, f := range found.Findings {
		t.Errorf("%s %s: %s", f.Level, f.ID, f.Problem)
	}
}

// second is a second tier that retries at its own caller, behind db.
const second = "\n  - from: db\n    to: disk\n    timeout: {try: 20ms, overall: 90ms}\n" +
	"    cancel: all\n    propagate_deadline: true\n" +
	"    retry: {scope: tier, stack: [{max_attempts: {attempts: 3}}, {exponential: {base: 1ms, " +
	"cap: 5ms, jitter: full}}, {ratio_budget: {ratio: 10%, low: 20%}}]}\nduration: 1m\n"

// deeper is good with a disk behind the database that is retried too.
func deeper() string {
	text := strings.Replace(good, "\nduration: 1m\n", second, 1)
	text = strings.Replace(text, "{effect: write}]", "{effect: write}, {call: disk}]\n"+
		"  disk: {slots: 64, line: {limit: 64}, deadline: drop_expired, steps: [{work: 2ms}]}", 1)
	return text
}

// change is what makes a finding.
type change struct {
	id, says string
	level    lint.Level
	text     string // of the world; empty: good
	sets     []string
}

const stack = "edges.web:db.retry.stack."

var changes = []change{
	{id: "storm-over-capacity", level: lint.Danger, says: "db can do 800/s; first tries 500/s x 3",
		sets: []string{"clients.users.arrivals.rate=500/s", stack + "ratio_budget=null"}},
	{id: "retries-unlimited", level: lint.Warning, says: "until 900ms are over",
		sets: []string{stack + "max_attempts=null", stack + "ratio_budget=null"}},
	{id: "storm-over-capacity", level: lint.Danger, says: "x no limit in a storm",
		sets: []string{stack + "max_attempts=null", stack + "ratio_budget=null"}},
	{id: "room-outlives-timeout", level: lint.Warning, says: "a full one is 270ms of work",
		sets: []string{"edges.web:db.cancel=none", "tiers.db.deadline=ignore",
			"tiers.db.line.limit=200"}},
	{id: "effects-repeated", level: lint.Danger, says: "up to 3 times in all, and db remembers",
		sets: []string{"tiers.db.idempotency=null"}},
	{id: "effects-repeated", level: lint.Danger, says: "up to 3 times in all, and db remembers",
		sets: []string{"tiers.db.idempotency=null", "edges.web:db.timeout={lease: 250ms}",
			"edges.web:db.retry.retry_on=[timed_out]"}},
	{id: "autoscaler-blind", level: lint.Danger, says: "utilization of web is 50% and its target 60%",
		sets: []string{"tiers.web.in_flight.limit=16"}},
	{id: "no-budget", level: lint.Warning, says: "3 times the traffic",
		sets: []string{stack + "ratio_budget=null"}},
	{id: "retries-shed", level: lint.Warning, says: "answers 503, which asks for no wait",
		sets: []string{`edges.web:db.retry.retry_on=[timed_out, 503]`}},
	{id: "no-jitter", level: lint.Warning, says: "no wait at all",
		sets: []string{stack + "exponential=null"}},
	{id: "no-jitter", level: lint.Warning, says: "the same waits for every call",
		sets: []string{stack + "exponential.jitter=none"}},
	{id: "dead-tries", level: lint.Warning, says: "overall 400ms leave room for 2",
		sets: []string{"edges.web:db.timeout.overall=400ms"}},
	{id: "child-outlives-parent", level: lint.Warning, says: "may take 900ms",
		sets: []string{"edges.users:web.timeout.overall=800ms",
			"edges.users:web.propagate_deadline=false", "tiers.db.steps.work=exp 20ms"}},
	{id: "deadline-not-carried", level: lint.Warning, says: "leaves after 1s",
		sets: []string{"edges.users:web.propagate_deadline=false"}},
	{id: "deadline-not-carried", level: lint.Note, says: "does not look at it",
		sets: []string{"tiers.web.deadline=ignore"}},
	{id: "low-budget-unseen", level: lint.Warning, says: "when ratio_budget runs low",
		sets: []string{stack + "ratio_budget.low=0%"}},
	{id: "no-timeout", level: lint.Note, says: "nothing bounds",
		sets: []string{"edges.users:web.timeout.overall=none"}},
	{id: "retries-multiply", level: lint.Warning, text: deeper(),
		says: "web->db 3 x db->disk 3; one request of users makes up to 9 attempts at disk"},
	{id: "budget-floor", level: lint.Warning, says: "at its 2/s for each state",
		sets: []string{"clients.users.arrivals.rate=2/s",
			stack + "ratio_budget={ratio: 10%, window: 10s, min_per_s: 3/s, low: 20%}"}},
	{id: "global-budget", level: lint.Warning, text: forked(),
		says: "web->cache, which call different tiers, draw on the same ratio_budget"},
}

// Each kind of finding is made by one change of a world in which it is not found.
func TestEachFindingIsMadeByOneChange(t *testing.T) {
	for _, c := range changes {
		t.Run(c.id, func(t *testing.T) {
			text := c.text
			if text == "" {
				text = good
			}
			r := check(t, text, c.sets...)
			i := slices.IndexFunc(r.Findings, func(f lint.Finding) bool {
				return f.ID == c.id && f.Level == c.level && strings.Contains(f.Text, c.says)
			})
			if i < 0 {
				t.Fatalf("no %s %s that says %q; found:\n%s", c.level, c.id, c.says, told(r))
			}
			if f := r.Findings[i]; f.Override == "" && (f.File != "a.yaml" || f.Line == 0) {
				t.Errorf("its place is %s:%d:%d", f.File, f.Line, f.Col)
			}
		})
	}
}

// A call that nobody waits for multiplies as any does, and cannot outlast who made it.
func TestDetachedCallsMultiplyAndOutliveNobody(t *testing.T) {
	sets := []string{"edges.users:web.timeout.overall=800ms",
		"edges.users:web.propagate_deadline=false", "tiers.db.steps.work=exp 20ms"}
	outlives := func(r lint.Report) bool {
		return slices.ContainsFunc(r.Findings, func(f lint.Finding) bool {
			return f.ID == "child-outlives-parent"
		})
	}
	waits := check(t, good, sets...)
	alone := check(t, strings.Replace(good, "{call: db}", "{call: {to: db, wait: false}}", 1), sets...)
	if !outlives(waits) || outlives(alone) {
		t.Errorf("awaited: %s\ndetached: %s", told(waits), told(alone))
	}
	for i, h := range alone.Hops {
		if h.Attempts != waits.Hops[i].Attempts {
			t.Errorf("%s: %v attempts for a request, want %v", h.Edge, h.Attempts, waits.Hops[i].Attempts)
		}
	}
}

func told(r lint.Report) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s %s: %s\n", f.Level, f.ID, f.Problem)
	}
	return b.String()
}

// forked is good with a cache beside the database, and one budget for both.
func forked() string {
	text := strings.Replace(good, "{call: db}]", "{call: db}, {call: cache}]", 1)
	text = strings.Replace(text, "  db:\n", "  cache: {slots: 64, line: {limit: 64}, "+
		"deadline: drop_expired, steps: [{work: 1ms}]}\n  db:\n", 1)
	text = strings.Replace(text, "to: db\n", "to: [db, cache]\n", 1)
	text = strings.Replace(text, "    to: [db, cache]\n", "    to: db\n", 1)
	text = strings.Replace(text, "low: 20%}", "low: 20%, pool: all}", 1)
	text = strings.Replace(text, "scope: tier", "scope: shared", 1)
	edge := text[strings.Index(text, "  - from: web\n"):strings.Index(text, "duration: 1m")]
	return strings.Replace(text, "duration: 1m", strings.Replace(edge, "to: db", "to: cache", 1)+
		"duration: 1m", 1)
}

// A budget that sees the retries of the layer above ends the multiplying.
func TestCarriedBudgetsSeeAllLayers(t *testing.T) {
	r := check(t, deeper(), "edges.web:db.carry_attempt=true",
		"edges.db:disk.retry.stack.ratio_budget.counts=carried")
	if slices.Contains(ids(r), "retries-multiply") {
		t.Errorf("found all the same:\n%s", told(r))
	}
	leaf := r.Leaves[0]
	if leaf.Attempts != 9 || math.Abs(leaf.Budgeted-1.1) > 0.02 {
		t.Errorf("%v attempts, %v with budgets; want 9 and 1.1", leaf.Attempts, leaf.Budgeted)
	}
}

// The chain of public reports: 3^5, and (1+b)^5 where each hop has a budget of ratio b.
func TestFiveLayersOfThree(t *testing.T) {
	src, err := topologies.Open("chain-3x5")
	if err != nil {
		t.Fatal(err)
	}
	r := lintOf(t, src, load.Options{})
	if l := r.Leaves[0]; l.Attempts != 243 || l.Budgeted != 243 {
		t.Errorf("%v, with budgets %v; want 243", l.Attempts, l.Budgeted)
	}
	if h := r.Hops[len(r.Hops)-1]; h.Attempts != 243 {
		t.Errorf("the last hop has %v attempts, want 243", h.Attempts)
	}
	r = lintOf(t, src, load.Options{Sets: []string{
		"edges.*.retry.stack.token_budget={ratio: 10%, burst: 10}"}})
	want := math.Pow(1.1, 5)
	if l := r.Leaves[0]; l.Attempts != 243 || math.Abs(l.Budgeted-want) > 0.01*want {
		t.Errorf("%v, with budgets %v; want 243 and (1+b)^5 = %.3f", l.Attempts, l.Budgeted, want)
	}
}

// A proxy that tries 250 times, and a service that tried 501 times, are counted to the last try.
func TestManyTriesAreCountedToTheLast(t *testing.T) {
	for _, n := range []int{250, 501, 3000} {
		r := check(t, good, fmt.Sprintf("%smax_attempts.attempts=%d", stack, n),
			stack+"ratio_budget=null", stack+"exponential=null", "edges.web:db.timeout.overall=none",
			"edges.web:db.timeout.try=250ms", "edges.web:db.retry.retry_on=[timed_out, 503]")
		i := slices.IndexFunc(r.Hops, func(h lint.Hop) bool { return h.Edge == "web->db" })
		if h := r.Hops[i]; h.Tries != n || h.Factor != float64(n) {
			t.Errorf("%d tries are counted as %d, in a storm %v", n, h.Tries, h.Factor)
		}
		k := slices.IndexFunc(r.Findings, func(f lint.Finding) bool {
			return f.ID == "retries-shed" && f.Level == lint.Danger &&
				strings.Contains(f.Text, fmt.Sprintf("tried %d times", n))
		})
		if k < 0 || slices.Contains(ids(r), "retries-unlimited") {
			t.Errorf("%d tries of a full callee:\n%s", n, told(r))
		}
	}
}

// Two loops of three tries: the inner one blocks for three timeouts and its waits, the outer one
// for three of those, until an overall deadline ends it; beside it stands how many attempts that
// makes.
func TestNestedLoopsBlockForTheSumOfTheirTimeouts(t *testing.T) {
	const nested = `
name: nested
tiers:
  web: {steps: [{call: db}]}
  db:  {steps: [{work: exp 1ms}]}
clients: {users: {arrivals: 1/s, call: web}}
edges:
  - from: users
    to: web
    retry: {stack: [{max_attempts: {attempts: 3}}, {constant: {wait: 1500ms}}]}
  - from: web
    to: db
    timeout: {try: 500ms}
    retry: {stack: [{max_attempts: {attempts: 3}}, {constant: {wait: 250ms}}]}
duration: 1m
`
	const inner, outer = 3*0.5 + 2*0.25, 3*2.0 + 2*1.5
	for want, sets := range map[float64][]string{
		outer: nil, inner: {"edges.users:web.retry=null"}, 5: {"edges.users:web.timeout.overall=5s"},
	} {
		r := check(t, nested, sets...)
		i := slices.IndexFunc(r.Hops, func(h lint.Hop) bool { return h.Edge == "users->web" })
		attempts := 9.0
		if want == inner {
			attempts = 3
		}
		got, made := r.Hops[i].Blocking, r.Leaves[0].Attempts
		if math.Abs(got-want) > 1e-9 || made != attempts {
			t.Errorf("with %q a call blocks for %v s and makes %v attempts, want %v and %v", sets, got,
				made, want, attempts)
		}
	}
}
