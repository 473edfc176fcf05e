package check

import (
	"math"
	"testing"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// near fails unless got is want; want NaN means that there is no value.
func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.IsNaN(want) && math.IsNaN(got) {
		return
	}
	if !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

// counted is a world of 4 s with different numbers in every place that a measure could mix up.
func counted(t *testing.T) world {
	w := newWorld(t, 4)
	for i := range 4 {
		n := uint32(i + 1) // 1 2 3 4, sum 10
		w.requests(web, i, [2]uint32{90 * n, 100 * n})
		w.requests(ide, i, [2]uint32{5 * n, 10 * n})
		w.r.Clients[web].Cells[i].Slow = n
		w.r.Clients[web].Cells[i].FailedOrSlow = 11 * n
		e := w.edge(appDB, web, i)
		e.Calls, e.Attempts, e.Retries, e.Late = 100*n, 150*n, 50*n, 7*n
		outcomes(e, policies.OK, 90*n)
		outcomes(e, policies.TimedOut, 60*n)
		outcomes(e, policies.Refused, 30*n)
		e = w.edge(appDB, ide, i)
		e.Calls, e.Attempts, e.Retries = 10*n, 40*n, 30*n
		outcomes(e, policies.OK, 5*n)
		w.edge(ideAux, ide, i).Attempts = 2 * n
		w.edge(webApp, web, i).Attempts = 100 * n
		w.r.Edges[appDB].RefusedBy[0][i] = 10 * n
		w.r.Edges[appDB].RefusedBy[1][i] = 20 * n
		w.tier(dbA, 0, web, i).Arrivals = 60 * n
		w.tier(dbA, 1, web, i).Arrivals = 30 * n
		w.tier(dbB, 0, web, i).Arrivals = 60 * n
		w.tier(dbB, 0, ide, i).Arrivals = 40 * n
		w.tier(dbB, 0, ide, i).Rejected = 19 * n
	}
	return w
}

func TestCountersAreSummedBeforeRatiosAreTaken(t *testing.T) {
	w := counted(t)
	for _, c := range []struct {
		measure, client string
		rg              *Range
		want            float64
	}{
		{"clients.web.requests", "", nil, 1000},
		{"clients.web.requests", "", between(1, 3), 500},
		{"clients.web.failed_share", "", nil, 0.1},
		{"clients.web.failed_or_slow_share", "", nil, 0.11},
		{"clients.*.failed_share", "", nil, 150.0 / 1100}, // not the mean of 10 % and 50 %
		{"clients.*.failed_share", "ide", nil, 0.5},
		{"clients.web.ok_per_s", "", nil, 225},
		{"clients.web.ok_per_s", "", between(3, 4), 360},
		{"edges.app->db.attempts", "", nil, 1900},
		{"edges.app:db.attempts", "", nil, 1900},
		{"edges.app->db.attempts", "ide", nil, 400},
		{"edges.app->db.ok_share", "", nil, 950.0 / 1900},
		{"edges.app->db.late_share", "web", nil, 70.0 / 1500},
		{"edges.app->db.refused_share", "", nil, 300.0 / (1900 + 300)},
		{"edges.app->db.refused_by.max_attempts", "", nil, 100},
		{"edges.app->db.refused_by.ratio_budget_per_s", "", nil, 50},
		{"edges.app->db.refused_by.ratio_budget_share", "", nil, 200.0 / 2200},
		{"edges.*->app.attempts", "", nil, 1000},
		{"edges.app->db.attempts_per_call", "", nil, 1900.0 / 1100},
		{"edges.app->db.amplification", "", nil, 1900.0 / 1100},
		{"edges.app->db.amplification", "ide", nil, 4},
		{"edges.ide->aux.amplification", "", nil, 0.2}, // of ide's requests alone
		{"edges.*.amplification", "", nil, 2920.0 / 1100},
		{"totals.amplification", "", nil, 1900.0 / 1100},
		{"totals.amplification", "", between(0, 1), 1.9 / 1.1},
		{"totals.attempts", "", nil, 2920},
		{"totals.ok_share", "", nil, 950.0 / 1100},
		{"totals.goodput_per_s", "", nil, 950.0 / 4},
		{"tiers.db.arrivals", "", nil, 1900},
		{"tiers.db@a.arrivals", "", nil, 900},
		{"tiers.db/write.arrivals", "", nil, 300},
		{"tiers.db@b/read.arrivals", "", nil, 1000},
		{"tiers.db@b.arrivals_per_s", "ide", nil, 100},
		{"tiers.db.rejected_share", "", nil, 0.1},
		{"tiers.*.arrivals", "", nil, 1900},
	} {
		near(t, c.measure+" "+c.client, w.valueOf(c.measure, c.client, c.rg), c.want)
	}
}

func TestScaleMakesCountsReal(t *testing.T) {
	w := counted(t)
	w.plan.World.Scale = 1.0 / 100
	w.r.Totals = kernel.Totals{InFlight: 3, Work: 10, Wasted: 4}
	w.r.Replicas[dbA].Gauges[0].InLine = 2e9
	w.r.Replicas[dbA].Gauges[1].AtInLine = 5
	for measure, want := range map[string]float64{
		"clients.web.requests": 100_000, "clients.web.ok_per_s": 22_500,
		"clients.web.failed_share": 0.1, "edges.app->db.attempts_per_call": 1900.0 / 1100,
		"tiers.db.in_line": 50, "totals.in_flight": 300, "totals.wasted_work_share": 0.4,
	} {
		near(t, measure, w.value(measure, nil), want)
	}
	m, _ := Parse(w.plan.World, "tiers.db.in_line", "")
	near(t, "in_line at 1 s", newReader(w.plan, w.r).at(m, second), 500)
}

func TestWhatDoesNotExistIsNotZero(t *testing.T) {
	w := newWorld(t, 4)
	for _, measure := range []string{
		"clients.web.ok_share", "edges.app->db.amplification", "edges.app->db.attempts_per_call",
		"totals.amplification", "totals.wasted_work_share", "tiers.db.utilization",
		"tiers.db.rejected_share", "clients.web.latency.p99", "clients.web.latency.mean",
		"edges.app->db.level.ratio_budget", "recovery.time", "recovery.surge",
	} {
		near(t, measure, w.value(measure, nil), math.NaN())
	}
	near(t, "requests", w.value("clients.web.requests", nil), 0)
	near(t, "beyond the windows", w.value("clients.web.requests", between(3, 5)), math.NaN())
}

// The run lasts 3 s, then drains for 1 s, in which late attempts are offered.
func TestDrainCountsForSumsAndNotForRates(t *testing.T) {
	w := counted(t)
	w.plan.World.End, w.r.End = 3*second, 3*second
	w.requests(web, 3, [2]uint32{0, 0})
	w.requests(ide, 3, [2]uint32{0, 0})
	near(t, "attempts", w.value("edges.app->db.attempts", nil), 1900)
	near(t, "amplification", w.value("edges.app->db.amplification", nil), 1900.0/660)
	near(t, "attempts_per_s", w.value("edges.app->db.attempts_per_s", nil), 190*6/3.0)
	near(t, "attempts of a written range", w.value("edges.app->db.attempts", between(0, 3)), 1140)
	w.r.Replicas[dbA].Gauges[3].InLine = 9e9
	near(t, "in_line", w.value("tiers.db.in_line", nil), 0)
}

func TestWarmUpIsLeftOut(t *testing.T) {
	w := counted(t)
	w.plan.World.Warmup, w.r.Warmup = second, 1
	near(t, "requests", w.value("clients.web.requests", nil), 900)
	near(t, "per second", w.value("clients.web.requests_per_s", nil), 300)
}

// A run of 3.5 s: without a drain the last window is half as long; with one it also holds the
// drain's first half, and rates end before it.
func TestRunThatEndsInsideAWindow(t *testing.T) {
	w := counted(t)
	w.plan.World.End, w.r.End, w.r.Ended = ms(3500), ms(3500), ms(3500)
	near(t, "rate", w.value("clients.web.requests_per_s", nil), 1000/3.5)
	w.r.Ended = 4 * second
	near(t, "rate with a drain", w.value("clients.web.requests_per_s", nil), 600/3.0)
	near(t, "count with a drain", w.value("clients.web.requests", nil), 1000)
}

func TestGauges(t *testing.T) {
	w := newWorld(t, 2)
	s := float64(second)
	a, b := w.r.Replicas[dbA].Gauges, w.r.Replicas[dbB].Gauges
	a[0] = model.GaugeCell{Busy: 3 * s, InLine: 8 * s, InSystem: 11 * s, Slots: 4 * s, Up: s,
		Span: second}
	a[1] = model.GaugeCell{Busy: 1 * s, Slots: 4 * s, Up: s / 2, Span: second,
		AtBusy: 2, AtInLine: 6, AtInSystem: 8, AtSlots: 4, AtUp: true}
	b[0] = model.GaugeCell{Busy: 1 * s, Slots: 12 * s, Up: s, Span: second}
	b[1] = model.GaugeCell{Busy: 3 * s, Slots: 12 * s, Span: second, AtBusy: 4, AtSlots: 12}
	w.r.Replicas[dbB].AtEnd = model.GaugeCell{AtBusy: 9, AtSlots: 12, AtUp: true}
	w.r.Edges[appDB].Level[1] = []float32{1, 0.5}
	w.r.Replicas[appReplica].Gauges[0].Busy = 5 * s // unlimited: in no utilization
	w.r.Replicas[appReplica].Gauges[1].AtBusy, w.r.Replicas[appReplica].Gauges[1].AtSlots = 7, -1
	for measure, want := range map[string]float64{
		"tiers.db.utilization": 8.0 / 32, "tiers.db@a.utilization": 0.5,
		"tiers.*.utilization": 8.0 / 32, "tiers.app.busy": 2.5, "tiers.db.in_line": 4,
		"tiers.db.in_system": 5.5, "tiers.db.slots": 16, "tiers.db.up_share": 2.5 / 4,
		"tiers.db.replicas":   1.25,
		"tiers.db@b.up_share": 0.5, "edges.app->db.level.ratio_budget": 0.75,
	} {
		near(t, measure, w.value(measure, nil), want)
	}
	rd := newReader(w.plan, w.r)
	for _, c := range []struct {
		measure string
		at      sim.Time
		want    float64
	}{
		{"tiers.db.utilization", second, 6.0 / 16}, {"tiers.*.utilization", second, 6.0 / 16},
		{"tiers.db.in_line", second, 6}, {"tiers.db@a.in_system", second, 8},
		{"tiers.db.up_share", second, 0.5}, {"tiers.db.replicas", second, 1},
		{"tiers.db.busy", 2 * second, 9},
		{"tiers.db.up_share", 2 * second, 0.5}, {"tiers.db.busy", 3 * second, math.NaN()},
		{"edges.app->db.level.ratio_budget", second, 0.5},
		{"edges.app->db.level.ratio_budget", 2 * second, math.NaN()},
	} {
		m, err := Parse(w.plan.World, c.measure, "")
		if err != nil {
			t.Fatal(err)
		}
		near(t, c.measure+" at "+seconds(c.at), rd.at(m, c.at), c.want)
	}
}

// durations fills a histogram with the times from 1 ms to n ms.
func durations(n int) stats.Histogram {
	var h stats.Histogram
	for i := range n {
		h.Add(sim.Time(i+1) * sim.Millisecond)
	}
	return h
}

func TestDurations(t *testing.T) {
	w := newWorld(t, 4)
	w.r.Clients[web].Latency = durations(1000)
	w.r.Replicas[dbA].Wait, w.r.Replicas[dbB].Wait = durations(10), durations(10)
	near(t, "mean", w.value("clients.web.latency.mean", nil), 0.5005)
	near(t, "wait of both", w.value("tiers.db.wait.mean", nil), 0.0055)
	// The histogram promises its quantiles within 0.4 %.
	for stat, want := range map[string]float64{"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999} {
		got := w.value("clients.web.latency."+stat, nil)
		if math.Abs(got-want) > 0.004*want {
			t.Errorf("%s = %v, want %v", stat, got, want)
		}
	}
	near(t, "a part, not kept", w.value("clients.web.latency.mean", between(1, 2)), math.NaN())
	near(t, "all, written out", w.value("clients.web.latency.mean", between(0, 4)), 0.5005)
	w.r.Clients[web].Series = []stats.Histogram{{}, durations(3), durations(9), {}}
	near(t, "two windows", w.value("clients.web.latency.mean", between(1, 3)), (3*0.002+9*0.005)/12)
	near(t, "nobody", w.value("clients.web.latency.p99", between(0, 1)), math.NaN())
}

func TestNeedsMarksWhatChecksReadByWindow(t *testing.T) {
	w := newWorld(t, 4)
	w.plan.Scenario.Checks = []model.Check{
		{Measure: "clients.ide.latency.p99"}, {Measure: "tiers.db@a.wait.p50"},
		{Measure: "clients.web.ok_share"},
		{Measure: "edges.app->db.attempt_latency.p95", Relative: &model.Relative{
			Measure: "tiers.app.service.mean"}},
	}
	got := Needs(w.plan)
	type marks struct{ clients, edges, wait, service int }
	count := func(of []bool) (n int) {
		for _, b := range of {
			if b {
				n++
			}
		}
		return n
	}
	is := marks{count(got.Clients), count(got.Edges), count(got.Wait), count(got.Service)}
	if is != (marks{1, 1, 1, 1}) || !got.Clients[ide] || !got.Edges[appDB] || !got.Wait[1] ||
		!got.Service[0] {
		t.Errorf("got %+v", got)
	}
}

func TestSeriesStartsAtZeroWhateverTheWarmUp(t *testing.T) {
	w := counted(t)
	w.plan.World.Warmup, w.r.Warmup = 2*second, 2
	got, err := Series(w.plan, w.r, "clients.web.requests_per_s", 2*second)
	if err != nil || len(got) != 2 || got[0] != 150 || got[1] != 350 {
		t.Errorf("got %v, %v, want 150 and 350", got, err)
	}
	for _, bad := range []string{"clients.web.request", "recovery.time"} {
		if _, err := Series(w.plan, w.r, bad, 0); err == nil {
			t.Errorf("%s has a series", bad)
		}
	}
	if _, err := Series(w.plan, w.r, "clients.web.ok", 1500*sim.Millisecond); err == nil {
		t.Error("a bin of one and a half windows was taken")
	}
}
