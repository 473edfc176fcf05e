package check

import (
	"fmt"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

// TestMeasuresThatCannotBeRead keeps what is said of each, as people read it.
func TestMeasuresThatCannotBeRead(t *testing.T) {
	w := testWorld(4)
	var b strings.Builder
	for _, c := range [][2]string{
		{"", ""}, {"client.web.ok", ""}, {"clients", ""}, {"clients.web", ""},
		{"clients.wbe.ok", ""}, {"clients.web.okay", ""}, {"clients.web.failed_shar", ""},
		{"clients.web.p99", ""}, {"edges.app:db.p50", ""}, {"tiers.app.p999", ""},
		{"tiers.db/read.mean", ""}, {"tiers.app/x.arrivals", ""},
		{"clients.web.latency", ""}, {"clients.web.latency.p90", ""}, {"clients.web.ok.p99", ""},
		{"clients.mobile-*.ok", ""}, {"edges.app->dc.ok", ""}, {"edges.app->db.amplificatio", ""},
		{"edges.app->db.refused_by.ratio_budge", ""}, {"edges.app->db.refused_by", ""},
		{"edges.app->db.refused_by.POLICY", ""}, {"edges.app->db.level.breaker", ""},
		{"edges.app->db.arrivals", ""}, {"tiers.dbs.busy", ""}, {"tiers.db@c.busy", ""},
		{"tiers.db/reed.arrivals", ""}, {"tiers.db/read.busy", ""}, {"tiers.db/read.wait.p99", ""},
		{"tiers.db.utilisation", ""}, {"tiers.db.attempts", ""}, {"tiers.db.utilization_per_s", ""},
		{"totals.arrivals", ""}, {"recovery.times", ""}, {"controls.reopen.stage", ""},
		{"clients.web.ok", "wob"}, {"clients.web.ok", "ide"}, {"tiers.db.busy", "web"},
		{"recovery.time", "web"}, {"edges.ide->aux.amplification", "web"},
		{"edges.app->db.level.ratio_budget", "web"}, {"tiers.db.wait.p50", "web"},
		{"edges.app->db.attempt_latency.p50", "web"}, {"totals.in_flight", "web"},
	} {
		m, err := Parse(w, c[0], c[1])
		if err == nil {
			t.Errorf("%q of client %q was read as %+v", c[0], c[1], m)
			continue
		}
		who := c[0]
		if c[1] != "" {
			who += " of " + c[1]
		}
		fmt.Fprintf(&b, "%s\n    %v\n", who, err)
	}
	golden(t, "measures.txt", b.String())
}

func TestUnitsAndKinds(t *testing.T) {
	w := testWorld(4)
	for text, want := range map[string]Measure{
		"clients.web.ok":                     {Kind: Counter, Unit: Count},
		"clients.*.timed_out_per_s":          {Kind: PerSecond, Unit: Rate},
		"edges.*.refused_share":              {Kind: Part, Unit: Share},
		"edges.app->db.amplification":        {Kind: Part, Unit: Ratio},
		"edges.app->db.attempts_per_call":    {Kind: Part, Unit: Ratio},
		"edges.app->db.level.ratio_budget":   {Kind: Gauge, Unit: Share},
		"edges.app->db.attempt_latency.p999": {Kind: Lengths, Unit: Duration},
		"tiers.db@a.in_line":                 {Kind: Gauge, Unit: Count},
		"tiers.db.up_share":                  {Kind: Gauge, Unit: Share},
		"tiers.*@a/read.wasted_share":        {Kind: Part, Unit: Share},
		"tiers.db.service.mean":              {Kind: Lengths, Unit: Duration},
		"totals.retries_per_s":               {Kind: PerSecond, Unit: Rate},
		"recovery.verdict":                   {Kind: Whole, Unit: Word},
		"recovery.surge":                     {Kind: Whole, Unit: Ratio},
	} {
		if text == "tiers.*@a/read.wasted_share" {
			continue // app has no replica a, but some tier has: below
		}
		m, err := Parse(w, text, "")
		if err != nil || m.Kind != want.Kind || m.Unit != want.Unit {
			t.Errorf("%s: %v %v %v, want %v %v", text, m.Kind, m.Unit, err, want.Kind, want.Unit)
		}
	}
	m, err := Parse(w, "tiers.*@a/read.wasted_share", "")
	if err != nil || len(m.rows) != 1 || m.rows[0] != (tierRow{dbA, 0}) {
		t.Errorf("a star over tiers: %v, %v", m.rows, err)
	}
}

func TestStarsMatchAnyCharacters(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"*", "app->db", true}, {"*->db", "app->db", true}, {"*->db", "app->db/read", false},
		{"app->*", "app->db/read", true}, {"a*->d*", "app->db", true}, {"ap", "app", false},
		{"*pp", "app", true}, {"*p", "app->db", false}, {"", "app", false}, {"**", "", true},
	} {
		if got := matches(c.pattern, c.name); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.name, got)
		}
	}
}

// wrongChecks are checks with one mistake each, by what is wrong.
func wrongChecks() []model.Check {
	ms := func(x int) *sim.Time { v := sim.Time(x) * sim.Millisecond; return &v }
	max := bound(0.5, Share)
	first := beyondAt("first_above", 0.05, 0)
	share := func(c model.Check) model.Check {
		if c.Measure == "" {
			c.Measure = failedShare
		}
		if c.Max == nil && c.Min == nil && c.Expect == nil && c.Is == "" {
			c.Max = max
			if timed(&c) {
				c.Max = bound(5, Time)
			}
		}
		return c
	}
	return []model.Check{
		{Name: "measure", Measure: "clients.web.failed_shar", Max: max},
		share(model.Check{Name: "take", Take: take("avg")}),
		share(model.Check{Name: "from", From: ms(1500)}),
		share(model.Check{Name: "outside", To: ms(21_000)}),
		share(model.Check{Name: "backwards", From: ms(9000), To: ms(2000)}),
		share(model.Check{Name: "bin", Take: take("max"), Bin: 1500 * sim.Millisecond}),
		share(model.Check{Name: "bin unread", Bin: 2 * second}),
		share(model.Check{Name: "bin too long", Take: take("each"), Bin: 30 * second}),
		share(model.Check{Name: "at", At: ms(1000)}),
		{Name: "at and from", Measure: inLine, At: ms(1000), From: ms(0), Max: bound(1, Count)},
		{Name: "at and take", Measure: inLine, At: ms(1000), Take: take("max"), Max: bound(1, Count)},
		{Name: "at off", Measure: inLine, At: ms(1001), Max: bound(1, Count)},
		{Name: "slope", Measure: failedShare, Take: take("slope"), Max: bound(1, Rate)},
		share(model.Check{Name: "hold", Take: model.Take{Kind: "max", Hold: second}}),
		share(model.Check{Name: "no value", Take: take("first_above")}),
		share(model.Check{Name: "value", Take: model.Take{Kind: "last_above", Value: bound(5, Rate)}}),
		share(model.Check{Name: "held", Bin: 2 * second, Take: beyondAt("first_above", 0.1, 3*second)}),
		share(model.Check{Name: "whole", Measure: "recovery.time", From: ms(0), Max: bound(1, Duration)}),
		{Name: "whole take", Measure: "recovery.surge", Take: take("max"), Max: bound(1, Count)},
		share(model.Check{Name: "since", Since: &model.Since{Time: second}}),
		share(model.Check{Name: "since whom", Take: first, Max: bound(1, Duration),
			Since: &model.Since{Check: "sinc"}}),
		share(model.Check{Name: "since what", Take: first, Max: bound(1, Duration),
			Since: &model.Since{Check: "from"}}),
	}
}

// wrongBounds are checks whose bounds, relative_to or pass are wrong.
func wrongBounds() []model.Check {
	ms := func(x int) *sim.Time { v := sim.Time(x) * sim.Millisecond; return &v }
	first := beyondAt("first_above", 0.05, 0)
	return []model.Check{
		{Name: "no bounds", Measure: failedShare},
		{Name: "unit", Measure: arrivals, Max: bound(7000, Count)},
		{Name: "percent", Measure: failedShare, Max: bound(5, Count)},
		{Name: "time", Measure: failedShare, Take: first, Max: bound(5, Share)},
		{Name: "clock for a duration", Measure: failedShare, Take: first,
			Since: &model.Since{Time: 0}, Max: bound(5, Time)},
		{Name: "min above max", Measure: failedShare, Min: bound(0.3, Share), Max: bound(0.2, Share)},
		{Name: "within", Measure: failedShare, Max: s(0.5), Within: bound(0.1, Share)},
		{Name: "within unit", Measure: arrivals, Expect: bound(1, Rate), Within: bound(2, Duration)},
		{Name: "is", Measure: failedShare, Is: Recovered},
		{Name: "word", Measure: "recovery.verdict", Is: "stable"},
		{Name: "no word", Measure: "recovery.verdict", Max: bound(1, Count)},
		{Name: "relative", Measure: arrivals, Max: bound(1, Count),
			Relative: &model.Relative{Measure: "clients.web.ok_share"}},
		{Name: "relative unit", Measure: arrivals, Max: bound(1, Count),
			Relative: &model.Relative{Number: bound(18, Count)}},
		{Name: "relative bound", Measure: arrivals, Max: bound(1, Rate),
			Relative: &model.Relative{Number: bound(18, Rate)}},
		{Name: "relative zero", Measure: arrivals, Max: bound(1, Count),
			Relative: &model.Relative{Number: bound(0, Rate)}},
		{Name: "relative from", Measure: arrivals, Max: bound(1, Count),
			Relative: &model.Relative{From: ms(100), To: ms(3000)}},
		{Name: "relative slope", Measure: inLine, Take: take("slope"), Max: bound(1, Count),
			Relative: &model.Relative{Measure: "tiers.app.in_line"}},
		{Name: "pass", Measure: failedShare, Max: s(0.5), Pass: model.Pass{Kind: "most"}},
		{Name: "pass of none", Measure: failedShare, Max: s(0.5), Pass: model.Pass{Kind: "share"}},
		{Name: "mean word", Measure: "recovery.verdict", Is: Degraded, Pass: model.Pass{Kind: "mean"}},
	}
}

// TestProblems keeps what is said of each, and that exactly one thing is.
func TestProblems(t *testing.T) {
	w := storm(t)
	w.plan.Scenario.Recovery = model.Recovery{Watch: "clients.wbe", After: "outrage"}
	checks := append(wrongChecks(), wrongBounds()...)
	ps := Validate(w.plan, checks)
	var b strings.Builder
	said := map[string]int{}
	for _, p := range ps {
		fmt.Fprintf(&b, "%s\n", p)
		for _, c := range checks {
			if p.Path == "checks."+c.Name || strings.HasPrefix(p.Path, "checks."+c.Name+".") {
				said[c.Name]++
			}
		}
	}
	for _, c := range checks {
		if said[c.Name] != 1 {
			t.Errorf("check %q: %d problems", c.Name, said[c.Name])
		}
	}
	golden(t, "problems.txt", b.String())
}

// TestWarmupThatSwallowsChecks blames the warm-up, once, and not the from that nobody wrote.
func TestWarmupThatSwallowsChecks(t *testing.T) {
	w := storm(t)
	world := *w.plan.World
	world.Warmup = 8 * second
	w.plan.World = &world
	at := func(x sim.Time) *sim.Time { x *= second; return &x }
	max := bound(0.5, Share)
	early := model.Check{Name: "early", Measure: failedShare, To: at(8), Max: max}
	base := model.Check{Name: "base", Measure: failedShare, From: at(9), Max: bound(1, Count),
		Relative: &model.Relative{To: at(5)}}
	whole := model.Check{Name: "whole", Measure: failedShare, Max: max}
	said := model.Check{Name: "said", Measure: failedShare, From: at(2), To: at(8), Max: max}
	for _, c := range []struct {
		checks []model.Check
		want   string
	}{
		{[]model.Check{whole, said}, ""},
		{[]model.Check{early, whole}, "warmup: 8s leaves nothing of the check early, which ends " +
			"before it; give a shorter one, or say from when to look"},
		{[]model.Check{early, base}, "warmup: 8s leaves nothing of the checks early and base, " +
			"which end before it; give a shorter one, or say from when to look"},
	} {
		if got := Validate(w.plan, c.checks).Error(); got != c.want {
			t.Errorf("got %s\nwant %s", got, c.want)
		}
	}
}
