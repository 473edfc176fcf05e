package load

import (
	"strings"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// openText opens a document that is one text, which must be right.
func openText(t *testing.T, text string) *Document {
	t.Helper()
	d, problems := Open(Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(text)}}, Name: "a.yaml"})
	if d == nil || len(problems) > 0 {
		t.Fatalf("open: %v", problems)
	}
	return d
}

const pair3 = `
name: pair
defaults:
  edge: {timeout: {try: 1s}}
tiers:
  web: {slots: 4, replicas: {a: {weight: 36}, b: {}}, steps: [{work: exp 5ms}, {call: db}]}
  db: {steps: [{work: lognormal p50=20ms p99=120ms}]}
clients:
  users: {arrivals: 200/s, call: web}
edges:
  - from: web
    to: db
    latency: 1ms
    retry: {stack: [{max_attempts: {attempts: 4}}, {ratio_budget: {ratio: 10%}}]}
duration: 10m
load: {users: {rate: 100/s}}
timeline:
  - {name: outage, at: 2m, for: 60s, fault: {tier: db, slow: 10x}}
checks:
  - {name: recovers, measure: recovery.time, max: 2m}
`

// writes are overrides and what they change.
var writes = []struct {
	set  string
	got  func(*model.Topology, *model.Scenario) any
	want any
}{
	{"tiers.web.slots=9", slotsOf("web"), 9},
	{"tiers.web.slots=1.5x", slotsOf("web"), 6},
	{"tiers.web.slots=null", slotsOf("web"), model.Unlimited},
	{"tiers.*.slots=7", slotsOf("db"), 7},
	{"edges.web:db.latency=2x", latencyOf(1), "2ms"},
	{"edges.web->db.latency=exp 3ms", latencyOf(1), "exp 3ms"},
	{"edges.*.latency=3ms", latencyOf(0), "3ms"},
	{"edges.web->db.latency.value=4ms", latencyOf(1), "4ms"},
	{"edges.users->web.timeout.try=2s", tryOf(0), 2 * sim.Second},
	{"edges.users:web.timeout.try=2x", tryOf(0), 2 * sim.Second},
	{"defaults.edge.timeout.try=3s", tryOf(0), 3 * sim.Second},
	{"defaults.edge.timeout.try=1.5x", tryOf(1), 1500 * sim.Millisecond},
	{"edges.web->db.timeout=null", tryOf(1), sim.Never},
	{"edges.web->db.retry=null", stackOf, 0},
	{"edges.*.retry.stack.ratio_budget=null", stackOf, 1},
	{"edges.*.retry.stack.token_budget={ratio: 20%}", stackOf, 3},
	{"edges.web->db.retry.stack.max_attempts={attempts: 5}", attemptsOf, 5},
	{"edges.web->db.retry.stack.max_attempts.attempts=2", attemptsOf, 2},
	{"edges.web->db.retry.stack.0.attempts=6", attemptsOf, 6},
	{"clients.users.arrivals.rate=1.2x", rateOf, 120.0},
	{"load.users.rate=50/s", rateOf, 50.0},
	{"clients.users.arrivals=constant 7/s", rateOf, 7.0},
	{"tiers.db.steps.work.p50=40ms", medianOf, "lognormal p50=40ms p99=120ms"},
	{"tiers.db.steps.work=2x", medianOf, "lognormal p50=40ms p99=240ms"},
	{"tiers.db.steps.work=7ms", medianOf, "7ms"},
	{"timeline.outage.for=30s", outageEnd, 150 * sim.Second},
	{"timeline.outage.at=outage2", outageEnd, nil},
	{"timeline.outage.fault.slow=5x", slowOf, 5.0},
	{"tiers.web.replicas.b.weight=3", weightOf, 3.0},
	{"tiers.web.replicas.*.weight=2x", weightOf, 2.0},
	{"timeline.cut={at: 3m, set: {clients.users.arrivals.rate: 140/s}}", entries, 2},
	{"timeline.outage=null", entries, 0},
	{"edges.users->web={from: users, to: web, loss: 1%}", edgesOf, 2},
	{"checks.recovers.max=3m", maxOf, 180.0},
	{"scale=1/100", scaleOf, 0.01},
	{"load={users: 30/s}", rateOf, 30.0},
	{"load.users=burst 3", rateOf, 0.0},
}

// Each override writes one value, and only that one.
func TestOverridesWriteWhatPathsSay(t *testing.T) {
	d := openText(t, pair3)
	for _, c := range writes {
		top, s, problems := d.Build(Options{Sets: []string{c.set}})
		if c.want == nil {
			if len(problems) == 0 {
				t.Errorf("%s: no problem", c.set)
			}
			continue
		}
		if len(problems) > 0 {
			t.Errorf("%s: %v", c.set, problems)
			continue
		}
		if got := c.got(top, s); got != c.want {
			t.Errorf("%s: got %v, want %v", c.set, got, c.want)
		}
	}
}

func slotsOf(tier string) func(*model.Topology, *model.Scenario) any {
	return func(t *model.Topology, _ *model.Scenario) any {
		x, _ := t.Tiers.Get(tier)
		return x.Slots
	}
}

func edgeTo(t *model.Topology, to string) *model.Edge {
	for i := range t.Edges {
		if t.Edges[i].To == to {
			return &t.Edges[i]
		}
	}
	return nil
}

var targets = []string{"web", "db"}

func latencyOf(i int) func(*model.Topology, *model.Scenario) any {
	return func(t *model.Topology, _ *model.Scenario) any {
		return edgeTo(t, targets[i]).Latency.String()
	}
}

func tryOf(i int) func(*model.Topology, *model.Scenario) any {
	return func(t *model.Topology, _ *model.Scenario) any {
		return edgeTo(t, targets[i]).Timeout.Try
	}
}

func stackOf(t *model.Topology, _ *model.Scenario) any {
	if r := edgeTo(t, "db").Retry; r != nil {
		return len(r.Stack)
	}
	return 0
}

func attemptsOf(t *model.Topology, _ *model.Scenario) any {
	return edgeTo(t, "db").Retry.Stack[0].Settings.(*policies.MaxAttempts).Attempts
}

func rateOf(t *model.Topology, _ *model.Scenario) any {
	return float64(t.Clients[0].Value.Arrivals.Rate)
}

func medianOf(t *model.Topology, _ *model.Scenario) any {
	db, _ := t.Tiers.Get("db")
	return db.Steps[0].Work.Time.String()
}

func outageEnd(_ *model.Topology, s *model.Scenario) any { return s.Timeline[0].End }

func slowOf(_ *model.Topology, s *model.Scenario) any {
	return float64(s.Timeline[0].Fault.Slow)
}

func weightOf(t *model.Topology, _ *model.Scenario) any {
	return t.Tiers[0].Value.Replicas.Named[1].Value.Weight
}

func entries(_ *model.Topology, s *model.Scenario) any { return len(s.Timeline) }
func edgesOf(t *model.Topology, _ *model.Scenario) any { return len(t.Edges) }
func maxOf(_ *model.Topology, s *model.Scenario) any   { return s.Checks[0].Max.Value }
func scaleOf(_ *model.Topology, s *model.Scenario) any { return s.Scale }

// A mistake in an override names the override and no place in a file.
func TestMistakesInOverridesNameTheOverride(t *testing.T) {
	d := openText(t, pair3)
	for set, want := range map[string]string{
		"edges.web-": "--set edges.web-: the shell took > as a redirection and wrote a file; " +
			"write web:db for web->db, or quote the path",
		"tiers.web": "--set tiers.web: expected PATH=VALUE",
		"=3":        "--set =3: there is no path before the =",
		"tiers.web.slots=": `--set tiers.web.slots=: tiers.web.slots: value "": is empty; null ` +
			`removes a field or entry`,
		"tiers.web.slots=x": `--set tiers.web.slots=x: tiers.web.slots: count "x": expected a whole ` +
			`number such as 3600, 79.2k or 2.55M, or unlimited`,
		"tiers.web.slotz=3": `--set tiers.web.slotz=3: tiers.web.slotz: unknown field "slotz"; ` +
			`did you mean "slots"?`,
		"edges.*.retry.scop=tier": `--set edges.*.retry.scop=tier: edges.*.retry.scop: unknown ` +
			`field "scop"; did you mean "scope"?`,
		"tiers.web.slots=[3": `--set tiers.web.slots=[3: tiers.web.slots: value "[3": not YAML: ` +
			`did not find expected ',' or ']'`,
		"edges.users->web.retry.scope=tier": "--set edges.users->web.retry.scope=tier: " +
			"edges.users->web.retry.scope: there is no edges.users->web.retry",
		"tiers.new.slots=3": `--set tiers.new.slots=3: tiers.new.slots: there is no "new" in tiers; ` +
			`did you mean "web"?`,
		"tiers.db.replicas.a.weight=3": "--set tiers.db.replicas.a.weight=3: " +
			`tiers.db.replicas.a.weight: there is no "a" in tiers.db.replicas`,
		"load={user: 30/s}": `--set load={user: 30/s}: load.user: there is no client "user"; ` +
			`did you mean "users"?`,
		"variants.x.set=3": `--set variants.x.set=3: variants.x.set: there is no "x" in variants`,
	} {
		_, _, problems := d.Build(Options{Sets: []string{set}})
		if got := problems.Error(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", set, got, want)
		}
		for _, p := range problems {
			if p.File != "" || p.Line != 0 {
				t.Errorf("%s: invents the place %s:%d", set, p.File, p.Line)
			}
		}
	}
}

// Of several paths those that match are written; none is an error.
func TestOneOfSeveralPathsMustMatch(t *testing.T) {
	d := openText(t, pair3)
	ratio := func(paths ...string) Options {
		return Options{Overrides: []Override{{Paths: paths, Value: "5%", By: "axis ratio"}}}
	}
	token := "edges.*.retry.stack.token_budget.ratio"
	top, _, problems := d.Build(ratio(token, "edges.*.retry.stack.ratio_budget.ratio"))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	use := edgeTo(top, "db").Retry.Stack[1].Settings.(*policies.RatioBudget)
	if use.Ratio != 0.05 {
		t.Errorf("ratio %v", use.Ratio)
	}
	_, _, problems = d.Build(ratio(token))
	if len(problems) != 1 || !strings.HasPrefix(problems.Error(), "axis ratio: edges.*.retry") {
		t.Errorf("a path that matches nothing: %v", problems)
	}
}

// A number has no parts that could be written to.
func TestNothingIsWrittenBelowAValue(t *testing.T) {
	d := openText(t, strings.Replace(pair3, "db: {", "db: {replicas: 2, ", 1))
	_, _, problems := d.Build(Options{Sets: []string{"tiers.db.replicas.c={weight: 2}"}})
	want := "--set tiers.db.replicas.c={weight: 2}: tiers.db.replicas.c: tiers.db.replicas is a " +
		"single value and has no parts"
	if got := problems.Error(); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
}

// Of several paths, those about the defaults come first although the others match as well.
func TestPathsAboutDefaultsComeFirst(t *testing.T) {
	d := openText(t, pair3)
	paths := []string{"edges.web->db.timeout.overall", "defaults.edge.timeout.try"}
	axis := Override{Paths: paths, Value: "9s", By: "axis"}
	top, _, problems := d.Build(Options{Overrides: []Override{axis}})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := model.Timeout{Try: 9 * sim.Second, Overall: 9 * sim.Second, Lease: sim.Never}
	if got := edgeTo(top, "db").Timeout; got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Later writers win, --set over variants over what they are like, and defaults come first.
func TestOrderOfOverrides(t *testing.T) {
	d := openText(t, pair3+`
variants:
  one: {set: {tiers.web.slots: 5, tiers.db.slots: 5, edges.web->db.timeout.try: 7s}}
  two: {like: one, set: {tiers.web.slots: 2x, defaults.edge.timeout.try: 9s}}
`)
	sets := []string{"tiers.db.slots=3", "tiers.db.slots=2x"}
	top, s, problems := d.Build(Options{Variant: "two", Sets: sets})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for name, got := range map[string][2]any{
		"slots of web: 5 of one, doubled by two": {slotsOf("web")(top, s), 10},
		"slots of db: 3 of --set, doubled":       {slotsOf("db")(top, s), 6},
		"try of web->db: one's, not the default": {tryOf(1)(top, s), 7 * sim.Second},
		"try of users->web: the new default":     {tryOf(0)(top, s), 9 * sim.Second},
		"checks: a variant without any":          {len(s.Checks), 0},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: got %v, want %v", name, got[0], got[1])
		}
	}
}

// An edge that exists only by a call comes and goes with the call.
func TestEdgesOfCalls(t *testing.T) {
	d := openText(t, pair3)
	names := func(sets ...string) string {
		top, _, problems := d.Build(Options{Sets: sets})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		var out []string
		for _, e := range top.Edges {
			out = append(out, e.From+"->"+e.To)
		}
		return strings.Join(out, " ")
	}
	for want, sets := range map[string][]string{
		"web->db users->web":          nil,
		"web->db users->db":           {"clients.users.call=db"},
		"web->db users->web web->web": {"edges.web->web={from: web, to: web}"},
		"web->db users->web db->other": {"tiers.other={steps: [{work: 1ms}]}",
			"tiers.db.steps=[{call: other}]"},
	} {
		if got := names(sets...); got != want {
			t.Errorf("%v: edges %s, want %s", sets, got, want)
		}
	}
}

// --until ends the run early and leaves out what would come later.
func TestUntilEndsEarly(t *testing.T) {
	d := openText(t, pair3+"  - {name: late, measure: totals.ok, from: 8m, min: 1}\n")
	_, s, problems := d.Build(Options{Until: "90s"})
	if len(problems.Errors()) > 0 || len(problems.Warnings()) != 1 {
		t.Fatal(problems)
	}
	if s.Duration != 90*sim.Second || len(s.Timeline) != 0 || len(s.Checks) != 1 {
		t.Errorf("%v long, %d entries, %d checks; want 90s, 0, 1", s.Duration, len(s.Timeline),
			len(s.Checks))
	}
	want := "--until 90s: left out the check late, which looks further"
	if got := problems.Error(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	_, s, problems = d.Build(Options{Until: "outage.end + 12m"})
	if s.Duration != 15*sim.Minute {
		t.Errorf("a longer run: %v, %v", s.Duration, problems)
	}
}

// A check that begins just where the run ends has nothing to look at, one that ends there has.
func TestUntilLeavesOutWhatBeginsAtTheEnd(t *testing.T) {
	d := openText(t, pair3+`  - {name: B, measure: totals.ok, from: 3m, min: 1}
  - {name: B2, measure: totals.ok, take: {first_above: 1}, since: 3m, min: 1s}
  - {name: C, measure: totals.ok, relative_to: {from: 3m, to: 4m}, min: 1}
  - {name: to, measure: totals.ok, to: 3m, min: 1}
  - {name: instant, measure: tiers.db.busy, at: 3m, min: 0}
`)
	plan, problems := d.Plan(Options{Until: "3m"})
	want := "--until 3m: left out the checks B, B2 and C, which look further"
	if got := problems.Error(); got != want || plan == nil {
		t.Fatalf("got %s, want %s", got, want)
	}
	var kept []string
	for _, c := range plan.Scenario.Checks {
		kept = append(kept, c.Name)
	}
	if got := strings.Join(kept, " "); got != "recovers to instant" {
		t.Errorf("kept %s", got)
	}
}

// openAny opens a document that is one text, right or wrong.
func openAny(text string) (*Document, model.Problems) {
	return Open(Source{FS: fstest.MapFS{"a.yaml": {Data: []byte(text)}}, Name: "a.yaml"})
}
