package model_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/topologies"
)

// Two worlds that mean the same must run the same. These laws need no expected number, so they hold
// where no theory does: in the middle of a storm.

// the world that the pairs below change.
const storm = "same/world.yaml"

func file(name string) load.Source { return load.Source{FS: os.DirFS("testdata"), Name: name} }

// Files of the folder say the same in other words; each begins with what is different.
func TestTheSameInOtherWords(t *testing.T) {
	want := planOf(t, file(storm), load.Options{})
	others, err := fs.Glob(os.DirFS("testdata"), "same/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if len(others) < 4 {
		t.Fatalf("found %v; there are more", others)
	}
	for _, name := range others {
		samePlans(t, name, want, planOf(t, file(name), load.Options{}))
	}
}

// Nobody's luck hangs on the place of a tier or edge in the file; only replicas are numbered by it.
func TestThePlaceInTheFileIsNoLuck(t *testing.T) {
	a, b := planOf(t, file(storm), load.Options{}), planOf(t, file("places.yaml"), load.Options{})
	x, y := runOf(t, a, 7, model.RunOptions{}), runOf(t, b, 7, model.RunOptions{})
	y.print.Outcomes = x.print.Outcomes // arrivals name their replica
	keep := func(*check.Summary) {}
	x.summary, y.summary = without(t, x, keep), without(t, y, keep)
	same(t, "tiers and edges in another order", x, y)
}

// samePlans runs both and, when anything differs, says where the runs part.
func samePlans(t *testing.T, what string, a, b *model.Plan) {
	t.Helper()
	x, y := runOf(t, a, 7, model.RunOptions{}), runOf(t, b, 7, model.RunOptions{})
	if x.print != y.print {
		t.Errorf("%s:\n%s", what, divergence(t, a, b, 7))
		return
	}
	same(t, what, x, y)
}

func TestTracingChangesNothing(t *testing.T) {
	p := planOf(t, file(storm), load.Options{})
	seen := 0
	traced := runOf(t, p, 7, model.RunOptions{
		Tracer:   tracer(func(model.TraceRecord) { seen++ }),
		Progress: func(model.Progress) {},
	})
	if seen < 10_000 {
		t.Errorf("the tracer was told of %d things; a storm has more", seen)
	}
	same(t, "with a tracer", runOf(t, p, 7, model.RunOptions{}), traced)
}

// A pair is one world with two sets of settings that should make no difference, or only one that is
// named in but.
type pair struct {
	name string
	a, b []string
	but  func(s *check.Summary) // takes out of both summaries what may differ
}

// A policy that is there and never refuses has a count of its own, 0; otherwise there is none.
func forgetRefusals(s *check.Summary) {
	s.Warnings = nil // a ratio of 100 is doubted
	for name, e := range s.Edges {
		e.RefusedBy, e.Outcomes.Refused = nil, 0
		s.Edges[name] = e
	}
}

var pairs = []pair{
	{
		name: "a budget without a limit, and none",
		a:    []string{"edges.front->store.retry.stack.token_budget={ratio: 100, burst: 1000000000}"},
		b:    []string{"edges.front->store.retry.stack.token_budget=null"},
		but:  forgetRefusals,
	},
	{
		name: "a sliding budget without a limit, and none",
		a: []string{"edges.front->store.retry.stack.token_budget=null",
			"edges.front->store.retry.stack.ratio_budget={ratio: 100, min_per_s: 1M/s}"},
		b:   []string{"edges.front->store.retry.stack.token_budget=null"},
		but: forgetRefusals,
	},
	{
		name: "one attempt, and no retries",
		a:    []string{"edges.users->api.retry.stack.max_attempts.attempts=1"},
		b:    []string{"edges.users->api.retry=null"},
		but:  forgetRefusals,
	},
	{
		name: "no retries allowed, and none",
		a:    []string{"edges.users->api.retry.enabled=0%"},
		b:    []string{"edges.users->api.retry=null"},
		but:  forgetRefusals,
	},
	{
		name: "an unused tier",
		a:    []string{"tiers.unused={slots: 3, steps: [{work: exp 1s}]}"},
		but: func(s *check.Summary) {
			delete(s.Tiers, "unused")
			s.Warnings = nil // that nobody calls it
		},
	},
	{
		name: "a client that sends nothing",
		a:    []string{"clients.silent={arrivals: 0/s, call: front/read}"},
		but: func(s *check.Summary) {
			delete(s.Clients, "silent")
			delete(s.Edges, "silent->front/read")
			s.Warnings = nil
		},
	},
	{
		name: "a share by weight in other units",
		a:    []string{"tiers.store.replicas.a.weight=4", "tiers.store.replicas.b.weight=2"},
	},
	{
		name: "a change to what is so already",
		a:    []string{"timeline.nothing={at: 10s, set: {tiers.store.slots: 10}}"},
		but:  func(s *check.Summary) { s.Recovery = check.RecoverySummary{} }, // before is earlier
	},
	{
		name: "a fault without an effect",
		a:    []string{"timeline.nothing={at: 1s, until: end, fault: {tier: audit, slow: 1x}}"},
		but:  func(s *check.Summary) { s.Recovery = check.RecoverySummary{} }, // it is a fault
	},
	{
		name: "a line that is longer than it gets",
		a:    []string{"tiers.store.line.limit=1M"},
		b:    []string{"tiers.store.line.limit=unlimited"},
	},
	{
		name: "narrow windows, and wide ones",
		a:    []string{"window=500ms"},
		b:    []string{"window=1s"},
		but:  func(s *check.Summary) { s.Recovery = check.RecoverySummary{} }, // found by windows
	},
}

func TestWhatMakesNoDifference(t *testing.T) {
	for _, pair := range pairs {
		t.Run(pair.name, func(t *testing.T) {
			a := planOf(t, file(storm), load.Options{Sets: pair.a})
			b := planOf(t, file(storm), load.Options{Sets: pair.b})
			x, y := runOf(t, a, 7, model.RunOptions{}), runOf(t, b, 7, model.RunOptions{})
			if pair.but == nil {
				pair.but = func(*check.Summary) {}
			}
			x.summary, y.summary = without(t, x, pair.but), without(t, y, pair.but)
			if string(x.summary) != string(y.summary) {
				t.Errorf("summaries differ\n%s\n%s", difference(x.summary, y.summary),
					divergence(t, a, b, 7))
			}
		})
	}
}

// without is the summary without what may differ, without fingerprints, which count refusals, and
// without levels of budgets, which are looked at when a window starts.
func without(t *testing.T, o outcome, but func(*check.Summary)) []byte {
	t.Helper()
	var s check.Summary
	if err := json.Unmarshal(o.summary, &s); err != nil {
		t.Fatal(err)
	}
	s.Fingerprint = ""
	for name, e := range s.Edges {
		e.Budgets = nil
		s.Edges[name] = e
	}
	but(&s)
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The laws above would hold for a simulator that looks at nothing; this one fails for it.
func TestWhatMakesADifference(t *testing.T) {
	base := runOf(t, planOf(t, file(storm), load.Options{}), 7, model.RunOptions{})
	for _, set := range []string{
		"tiers.store.slots=11", "tiers.front.line.timeout=300ms", "edges.front->store.timeout.try=251ms",
		"edges.front->store.cancel=none", "edges.front->store.retry.stack.token_budget.ratio=21%",
		"edges.front->store.balance.on_retry=any", "clients.jobs.think.rejected=exp 2s",
		"timeline.slow.for=16s", "timeline.peak.over=11s", "defaults.edge.latency=2001us",
		"tiers.store.steps.fail.share=2.1%", "routes.api.key=attempt",
	} {
		other := runOf(t, planOf(t, file(storm), load.Options{Sets: []string{set}}), 7,
			model.RunOptions{})
		if other.print == base.print {
			t.Errorf("--set %s changed nothing", set)
		}
	}
}

// What is planned after the end of a run cannot reach it: a run cut short is the long run's start.
func TestARunThatIsCutShortIsTheStartOfTheLongOne(t *testing.T) {
	src, err := topologies.Open("two-tier")
	if err != nil {
		t.Fatal(err)
	}
	long := planOf(t, src, load.Options{Until: "4m"})
	short := planOf(t, src, load.Options{Until: "3m"})
	report := divergence(t, short, long, 1)
	if !strings.HasPrefix(report, "one run ends") {
		t.Errorf("the runs part before the short one ends:\n%s", report)
	}
}
