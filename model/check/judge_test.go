package check

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

func take(kind string) model.Take { return model.Take{Kind: kind} }

func beyondAt(kind string, x float64, hold sim.Time) model.Take {
	return model.Take{Kind: kind, Value: bound(x, Share), Hold: hold}
}

// storm is 20 s of web requests at scale 1/100: healthy, failing from 4 s to 10 s with the worst
// at 6 s, healthy again but for one window at 15 s, with a window without requests at 12 s.
func storm(t *testing.T) world {
	w := newWorld(t, 20)
	w.plan.World.Scale = 0.01
	w.steady(web, 0, 20, 100, 100)
	w.steady(web, 4, 10, 80, 100)
	w.requests(web, 6, [2]uint32{60, 100})
	w.requests(web, 12, [2]uint32{0, 0})
	w.requests(web, 15, [2]uint32{90, 100})
	for i := range 20 {
		w.tier(dbA, 0, web, i).Arrivals = uint32(70 + i)
		w.r.Replicas[dbA].Gauges[i].AtInLine = uint32(i * i)
		w.r.Replicas[dbA].Gauges[i].InLine = float64(i) * 1e9
		w.r.Replicas[dbA].Gauges[i].Busy = 1e9
		w.r.Replicas[dbA].Gauges[i].Slots = 4e9
	}
	w.r.Replicas[dbA].AtEnd.AtInLine = 400
	w.r.Clients[web].Latency = func() stats.Histogram { h := durations(1000); return h }()
	w.plan.Scenario.Timeline = []model.TimelineEntry{
		{Name: "outage", At: 4 * second, End: 10 * second, Fault: &model.Fault{Tier: "db"}}}
	w.r.Totals = kernel.Totals{InFlight: 2, Work: 100, Wasted: 25}
	return w
}

const (
	failedShare = "clients.web.failed_share"
	okShare     = "clients.web.ok_share"
	arrivals    = "tiers.db.arrivals_per_s"
	inLine      = "tiers.db.in_line"
)

func r(x float64) *model.Bound  { return bound(x, Rate) }
func s(x float64) *model.Bound  { return bound(x, Share) }
func n(x float64) *model.Bound  { return bound(x, Count) }
func d(x float64) *model.Bound  { return bound(x, Duration) }
func tm(x float64) *model.Bound { return bound(x, Time) }

func at(x sim.Time) *sim.Time { x *= second; return &x }

// verdictChecks are one check for each take, unit and edge of them, judged on storm.
func verdictChecks() []model.Check { return append(binChecks(), timeChecks()...) }

func binChecks() []model.Check {
	return []model.Check{
		{Name: "mean of a share", Measure: failedShare, Max: s(0.07895)},
		{Name: "mean over a range", Measure: failedShare, From: at(4), To: at(6), Max: s(0.2)},
		{Name: "rate", Measure: arrivals, Min: r(7900), Max: r(8000)},
		{Name: "count", Measure: "tiers.db.arrivals", Expect: n(159000)},
		{Name: "expect, exactly", Measure: arrivals, Expect: r(7951)},
		{Name: "expect within a share", Measure: arrivals, Expect: r(7800),
			Within: s(0.02), WithinRelative: true},
		{Name: "expect within a rate", Measure: arrivals, Expect: r(7800), Within: r(149)},
		{Name: "min", Measure: arrivals, Take: take("min"), Min: r(7000)},
		{Name: "max of bins of 5 s", Measure: failedShare, Take: take("max"), Bin: 5 * second,
			Max: s(0.2)},
		{Name: "incomplete bin left out", Measure: arrivals, Take: take("max"), Bin: 6 * second,
			Max: r(8450)},
		{Name: "each", Measure: failedShare, Take: take("each"), Max: s(0.39)},
		{Name: "each, just outside", Measure: failedShare, Take: take("each"), Max: s(0.399999)},
		{Name: "each, the nearer bound", Measure: arrivals, Take: take("each"), Min: r(6900),
			Max: r(9800)},
		{Name: "slope", Measure: inLine, Take: take("slope"), From: at(2), To: at(10),
			Expect: r(1200)},
		{Name: "slope to the end", Measure: inLine, Take: take("slope"), From: at(10),
			Expect: r(3000)},
		{Name: "gauge", Measure: inLine, Expect: n(950)},
		{Name: "gauge at an instant", Measure: inLine, At: at(3), Expect: n(900)},
		{Name: "utilization", Measure: "tiers.db.utilization", Max: s(0.2)},
	}
}

func timeChecks() []model.Check {
	one := &model.Relative{From: at(0), To: at(1)}
	return []model.Check{
		{Name: "first above", Measure: failedShare, Take: beyondAt("first_above", 0.05, 0),
			Max: tm(4)},
		{Name: "first above, held", Measure: failedShare, Max: d(6),
			Take: beyondAt("first_above", 0.3, 2*second)},
		{Name: "first below", Measure: failedShare, Take: beyondAt("first_below", 0.01, 0),
			From: at(10), Since: &model.Since{Time: 10 * second}, Max: d(2)},
		{Name: "last above", Measure: failedShare, Take: beyondAt("last_above", 0.05, 0),
			Max: tm(16)},
		{Name: "last above, held", Measure: failedShare, Max: tm(10),
			Take: beyondAt("last_above", 0.05, 2*second)},
		{Name: "last below", Measure: okShare, Take: beyondAt("last_below", 0.95, 0), Max: tm(10)},
		{Name: "since a check", Measure: failedShare, Take: beyondAt("last_above", 0.05, 0),
			Since: &model.Since{Check: "first above"}, Max: d(12)},
		{Name: "since what never was", Measure: failedShare,
			Take:  beyondAt("last_above", 0.05, 0),
			Since: &model.Since{Check: "first above, held"}, Max: d(100)},
		{Name: "relative to a number", Measure: arrivals, Take: take("each"),
			Relative: &model.Relative{Number: r(7000)}, Max: n(1.2)},
		{Name: "relative to a range", Measure: arrivals, Relative: one, Max: s(1.1)},
		{Name: "relative to a measure", Measure: arrivals, Take: take("max"), Max: n(1),
			Relative: &model.Relative{Measure: "clients.web.requests_per_s"}},
		{Name: "relative to nothing", Measure: arrivals, Min: n(0),
			Relative: &model.Relative{Measure: "clients.ide.requests_per_s"}},
		{Name: "duration", Measure: "clients.web.latency.p99", Max: d(1)},
		{Name: "duration not kept", Measure: "clients.web.latency.p99", From: at(1), Max: d(1)},
		{Name: "no requests", Measure: "clients.ide.failed_share", Max: s(1)},
		{Name: "one client, 0", Measure: arrivals, Client: "ide", Max: n(0)},
		{Name: "verdict", Measure: "recovery.verdict", Is: Recovered},
		{Name: "recovery time", Measure: "recovery.time", Max: d(5)},
		{Name: "in flight", Measure: "totals.in_flight", Max: n(200)},
		{Name: "wasted", Measure: "totals.wasted_work_share", Expect: s(0.2)},
	}
}

func TestVerdicts(t *testing.T) {
	w := storm(t)
	w.plan.Scenario.Checks = verdictChecks()
	if ps := Validate(w.plan, w.plan.Scenario.Checks); len(ps) > 0 {
		t.Fatalf("refused: %v", ps.Error())
	}
	var b strings.Builder
	row := func(name, text, want, ok, note string) {
		line := fmt.Sprintf("%-24s %-10s %-22s %-4s %s", name, text, want, ok, note)
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	row("check", "value", "wanted", "ok", "note")
	for _, v := range Judge(w.plan, []*model.Result{w.r}) {
		row(v.Name, v.Text, v.Want, map[bool]string{true: "yes", false: "NO"}[v.OK], v.Note)
	}
	golden(t, "verdicts.txt", b.String())
}

func TestTimesReadByTheClockWhenThereIsOne(t *testing.T) {
	w := storm(t)
	w.plan.Scenario.Epoch = time.Date(2026, 8, 17, 23, 59, 50, 0, time.UTC)
	v := w.judge(model.Check{Measure: failedShare, Take: beyondAt("last_above", 0.05, 0),
		Min: bound(0, Time), Max: bound(30, Time)})
	if v.Text != "2026-08-18 00:00:06" || v.Want != "23:59:50 to 2026-08-18 00:00:20" {
		t.Errorf("got %q in %q", v.Text, v.Want)
	}
	v = w.judge(model.Check{Measure: failedShare, Take: beyondAt("first_above", 0.05, 0),
		Max: bound(4, Time)})
	if v.Text != "23:59:54" || v.Note != "" || !v.OK {
		t.Errorf("got %q, note %q, %v", v.Text, v.Note, v.OK)
	}
}

// What never happened is later than everything for first_, earlier for last_.
func TestNeverMeetsTheBoundsThatItShould(t *testing.T) {
	never := func(kind string) model.Check {
		x := 0.9 // no window fails or succeeds so
		if strings.HasSuffix(kind, "below") {
			x = -0.1
		}
		return model.Check{Measure: failedShare, Take: beyondAt(kind, x, 0)}
	}
	since := &model.Since{Time: 4 * second}
	for _, c := range []struct {
		kind     string
		min, max *model.Bound
		since    *model.Since
		want     bool
	}{
		{"first_above", nil, bound(19, Time), nil, false},
		{"first_above", bound(19, Time), nil, nil, true},
		{"first_above", bound(20, Time), nil, nil, true},
		{"first_above", bound(21, Time), nil, nil, false}, // nobody looked so far
		{"first_above", bound(1, Time), bound(19, Time), nil, false},
		{"first_below", nil, bound(19, Time), nil, false},
		{"first_below", bound(16, Duration), nil, since, true},
		{"first_below", bound(17, Duration), nil, since, false},
		{"last_above", nil, bound(1, Time), nil, true}, // over by then: it never began
		{"last_above", bound(1, Time), nil, nil, false},
		{"last_above", bound(1, Time), bound(19, Time), nil, false},
		{"last_below", nil, bound(1, Duration), since, true},
	} {
		check := never(c.kind)
		check.Min, check.Max, check.Since = c.min, c.max, c.since
		v := storm(t).judge(check)
		if v.OK != c.want || v.Text != "never" || v.Value != nil || !v.Never {
			t.Errorf("%s in %q: %v %q %v, want %v", c.kind, v.Want, v.OK, v.Text, v.Value, c.want)
		}
	}
	expected := never("last_above")
	expected.Expect = bound(0, Time)
	if storm(t).judge(expected).OK {
		t.Error("never is what was expected")
	}
}

func TestNoBinWithAValueIsNotNever(t *testing.T) {
	w := storm(t)
	v := w.judge(model.Check{Measure: "clients.ide.failed_share", Max: bound(9, Time),
		Take: beyondAt("last_above", 0.05, 0)})
	if v.OK || v.Never || v.Text != "-" {
		t.Errorf("got %v %v %q, want a dash that fails", v.OK, v.Never, v.Text)
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		x    float64
		u    Unit
		want string
	}{
		{0, Count, "0"}, {9999, Count, "9999"}, {9999.6, Count, "10k"}, {10_000, Count, "10k"},
		{79_234, Count, "79.23k"}, {1_234_567, Count, "1.235M"}, {999_960, Rate, "1M/s"},
		{-6.04, Rate, "-6.04/s"}, {0.123456, Share, "12.35%"}, {1e-7, Share, "0.00001%"},
		{9.7041, Ratio, "9.704"}, {31558.5, Duration, "8h45m58.5s"}, {0.0123456, Duration, "12.35ms"},
		{118, Duration, "1m58s"}, {-2, Duration, "-2s"}, {none, Rate, "-"},
	} {
		if got := text(c.x, c.u); got != c.want {
			t.Errorf("%v as %s is %q, want %q", c.x, c.u, got, c.want)
		}
	}
}

func TestMeanOfAllNeedsAll(t *testing.T) {
	near(t, "mean", *meanOfAll([]float64{1, 2, 6}), 3)
	if got := meanOfAll([]float64{1, none}); got != nil {
		t.Errorf("got %v", *got)
	}
	if got := meanOfAll(nil); got != nil {
		t.Errorf("of nothing: %v", *got)
	}
}

// Five replications of which the k-th has k failed requests in a hundred.
func replications(t *testing.T) (world, []*model.Result) {
	w := newWorld(t, 4)
	var rs []*model.Result
	for k := range uint32(5) {
		w.r = newResult(w.plan.World, uint64(k))
		w.steady(web, 0, 4, 99-k, 100)
		rs = append(rs, w.r)
	}
	return w, rs
}

func TestPassCountsReplications(t *testing.T) {
	for _, c := range []struct {
		pass  model.Pass
		max   float64
		want  bool
		value float64
		text  string
	}{
		{model.Pass{}, 0.05, true, 0.05, "all"},
		{model.Pass{Kind: "all"}, 0.04, false, 0.05, "all"},
		{model.Pass{Kind: "share", Share: 0.8}, 0.04, true, 0.05, "80%"},
		{model.Pass{Kind: "share", Share: 0.9}, 0.04, false, 0.05, "90%"},
		{model.Pass{Kind: "mean"}, 0.03, true, 0.03, "mean"},
		{model.Pass{Kind: "mean"}, 0.029, false, 0.03, "mean"},
	} {
		w, rs := replications(t)
		w.plan.Scenario.Checks = []model.Check{{Name: "it", Measure: failedShare,
			Max: bound(c.max, Share), Pass: c.pass}}
		v := Judge(w.plan, rs)[0]
		if v.OK != c.want || v.Pass != c.text || len(v.PerRun) != 5 || v.PerRun[0].Text != "1%" {
			t.Errorf("%+v: got %v, %q, %+v", c.pass, v.OK, v.Pass, v.PerRun)
		}
		near(t, "value", *v.Value, c.value)
	}
}

func TestMeanOfReplicationsNeedsAllOfThem(t *testing.T) {
	w, rs := replications(t)
	w.r = rs[2]
	w.steady(web, 0, 4, 0, 0)
	w.plan.Scenario.Checks = []model.Check{{Name: "it", Measure: failedShare,
		Max: bound(1, Share), Pass: model.Pass{Kind: "mean"}}}
	if v := Judge(w.plan, rs)[0]; v.OK || v.Value != nil {
		t.Errorf("a mean of four replications of five: %v", *v.Value)
	}
}
