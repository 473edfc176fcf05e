package check

import (
	"math"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

// ms is a time in milliseconds.
func ms(x int) sim.Time { return sim.Time(x) * sim.Millisecond }

func fault(from, to sim.Time) model.TimelineEntry {
	return model.TimelineEntry{Name: "fault", At: from, End: to, Fault: &model.Fault{Tier: "db"}}
}

func setting(at sim.Time, path string) model.TimelineEntry {
	return model.TimelineEntry{Name: path, At: at, End: sim.Never,
		Set: []model.Setting{{Path: path}}}
}

// shape writes a run of 20 windows of 100 requests, one character each: + all ok, - none ok,
// o 96 ok, . no requests, ? nothing has ended, 2 twice the requests and none ok.
func shape(t *testing.T, windows string) world {
	w := newWorld(t, len(windows))
	for i, c := range windows {
		cell := &w.r.Clients[web].Cells[i]
		cell.Requests = 100
		switch c {
		case '+':
			cell.OK = 100
		case '-':
			cell.Failed = 100
		case 'o':
			cell.OK, cell.Failed = 96, 4
		case '.':
			cell.Requests = 0
		case '2':
			cell.Requests, cell.Failed = 200, 200
		}
	}
	return w
}

// recoveryCase is a shape and a timeline, and what they should be found to be.
type recoveryCase struct {
	name, windows string
	rec           model.Recovery
	timeline      []model.TimelineEntry
	verdict       string
	time          float64 // NaN: none, -1: never
}

var (
	hold3  = model.Recovery{Watch: "clients.*", AtLeast: 0.97, Hold: 3 * second}
	outage = []model.TimelineEntry{fault(4*second, 8*second)}
)

// shareCases are about the ok share after one outage.
func shareCases() []recoveryCase {
	return []recoveryCase{
		{"no entries", "+++++---------------", hold3, nil, NoFault, none},
		{"entry after the end", "++++++++++++++++++++", hold3,
			[]model.TimelineEntry{fault(30*second, 40*second)}, NoFault, none},
		{"at once", "++++----++++++++++++", hold3, outage, Recovered, 0},
		{"after 3 s", "++++-------+++++++++", hold3, outage, Recovered, 3},
		{"a good window is no hold", "++++----+--+++++++++", hold3, outage, Recovered, 3},
		// The hold is one bin: 292 of 300 ok are 97.3 %, though one window is at 92 %.
		{"one bin", "++++----oo++++++++++", hold3, outage, Recovered, 0},
		{"96 % is not 97 %", "++++----oooooooooooo", hold3, outage, Degraded, -1},
		{"relapse", "++++----+++++++++---", hold3, outage, Metastable, 0},
		{"stuck", "++++----------------", hold3, outage, Metastable, -1},
		{"nothing ends, stuck", "++++????????????????", hold3, outage, Metastable, -1},
		{"stuck under more load", "++++----222222222222", hold3, outage, Degraded, -1},
		{"no requests show nothing", "++++----............", hold3, outage, Degraded, -1},
		{"no requests, then well", "++++----....++++++++", hold3, outage, Recovered, 2},
		{"the last request is in flight", "++++----+++++++++++?", hold3, outage, Recovered, 0},
		{"the last two holds are", "++++----++++++??????", hold3, outage, Metastable, 0},
	}
}

// entryCases are about timelines and settings.
func entryCases() []recoveryCase {
	return []recoveryCase{
		{"fault lasts to the end", "++++----------------", hold3,
			[]model.TimelineEntry{fault(4*second, 20*second)}, Degraded, -1},
		{"fault lasts to the end, harmless", "++++++++++++++++++++", hold3,
			[]model.TimelineEntry{fault(4*second, 20*second)}, Recovered, 0},
		{"one of two lasts", "++++----------------", hold3, []model.TimelineEntry{
			fault(4*second, 8*second), fault(5*second, 20*second)}, Degraded, -1},
		{"no time left to hold", "++++--------------++", hold3,
			[]model.TimelineEntry{fault(4*second, 18*second)}, Degraded, -1},
		{"stuck for less than a hold", "++++----------------", hold3,
			[]model.TimelineEntry{fault(4*second, 18*second)}, Degraded, -1},
		{"end between boundaries", "++++----+++++++++++-", hold3,
			[]model.TimelineEntry{fault(4*second, ms(8500))}, Degraded, 0.5},
		{"hold shorter than a window", "++++----+-----------", model.Recovery{
			Watch: "clients.web", AtLeast: 0.97, Hold: ms(100)}, outage, Metastable, 0},
		{"hold of two and a half windows", "++++----++-+++++++++", model.Recovery{
			Watch: "clients.web", AtLeast: 0.97, Hold: ms(2500)}, outage, Recovered, 3},
		{"after an entry", "++++----++++++++++++", model.Recovery{Watch: "clients.*",
			AtLeast: 0.97, Hold: 3 * second, After: "fault"}, outage, Recovered, 4},
		{"low bar", "++++----oooooooooooo", model.Recovery{Watch: "clients.*", AtLeast: 0.9,
			Hold: 3 * second}, outage, Recovered, 0},
		{"another client", "++++----------------", model.Recovery{Watch: "clients.ide",
			AtLeast: 0.97, Hold: 3 * second}, outage, Degraded, -1},
		{"no before", "--------------------", hold3,
			[]model.TimelineEntry{fault(0, 8*second)}, Degraded, -1},
		{"less to carry since before", "++++----------------", hold3, []model.TimelineEntry{
			setting(3*second, "tiers.db.slots"), fault(4*second, 8*second)}, Degraded, -1},
		{"a mitigation in vain", "++++----------------", hold3, []model.TimelineEntry{
			fault(4*second, 8*second), setting(12*second, "tiers.db.slots")}, Metastable, -1},
		{"traffic moved", "++++----------------", hold3, []model.TimelineEntry{
			setting(3*second, "routes.token.to"), fault(4*second, 8*second)}, Metastable, -1},
		{"nothing ends", "++++----++++++++++++", hold3,
			[]model.TimelineEntry{setting(4*second, "tiers.db.slots")}, Recovered, 4},
	}
}

func TestRecovery(t *testing.T) {
	for _, c := range append(shareCases(), entryCases()...) {
		w := shape(t, c.windows)
		w.plan.Scenario.Recovery, w.plan.Scenario.Timeline = c.rec, c.timeline
		got := Recover(w.plan, w.r)
		never := c.time == -1
		if never {
			c.time = none
		}
		if got.Verdict != c.verdict || got.Never != never || exists(got.Time) != exists(c.time) ||
			exists(c.time) && math.Abs(got.Time-c.time) > 1e-9 {
			t.Errorf("%s: %s, time %v, never %v; want %s, %v, %v", c.name, got.Verdict, got.Time,
				got.Never, c.verdict, c.time, never)
		}
	}
}

// A closed loop asks more often because it fails; nobody sent it more.
func TestClosedLoopThatFailsOftenIsStuckAndNotOverloaded(t *testing.T) {
	w := shape(t, "++++----222222222222")
	w.plan.Scenario.Recovery, w.plan.Scenario.Timeline = hold3, outage
	w.plan.World.Clients[web].Process = model.Closed
	w.plan.World.Clients[ide].Process = model.Closed
	if got := Recover(w.plan, w.r); got.Verdict != Metastable {
		t.Errorf("%s, want %s", got.Verdict, Metastable)
	}
}

func TestRecoveryDefaults(t *testing.T) {
	got := recoveryOf(&model.Scenario{})
	want := model.Recovery{Watch: "clients.*", AtLeast: 0.97, Hold: 5 * second}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestRecoveryTimeThatNeverCameFailsMax(t *testing.T) {
	w := shape(t, "++++----------------")
	w.plan.Scenario.Timeline = []model.TimelineEntry{fault(4*second, 8*second)}
	limit := func(min, max *model.Bound) bool {
		return w.judge(model.Check{Measure: "recovery.time", Min: min, Max: max}).OK
	}
	if limit(nil, bound(1000, Duration)) {
		t.Error("never is at most 1000 s")
	}
	if !limit(bound(12, Duration), nil) || limit(bound(13, Duration), nil) {
		t.Error("12 s were watched: that it took at least 12 s is known, 13 s are not")
	}
	w.plan.Scenario.Timeline = nil
	if limit(bound(0, Duration), nil) {
		t.Error("a recovery from nothing has a time")
	}
}

// Two edges: app->db rises from 100 to 340 attempts a second, web->app from 10 to 50.
func TestSurgeIsTheLargestRiseOfAnyEdge(t *testing.T) {
	w := shape(t, "++++----++++++++++++")
	w.plan.Scenario.Timeline = []model.TimelineEntry{fault(4*second, 8*second)}
	for i := range 20 {
		w.edge(appDB, web, i).Attempts = 90
		w.edge(appDB, ide, i).Attempts = 10
		w.edge(webApp, web, i).Attempts = 10
	}
	w.edge(appDB, web, 6).Attempts = 330
	w.edge(ideAux, ide, 7).Attempts = 500 // nothing before: no rise to speak of
	near(t, "surge", Recover(w.plan, w.r).Surge, 3.4)
	if got := Recover(w.plan, w.r).Edge; got == "" {
		t.Error("a surge of no edge")
	}
	w.edge(webApp, web, 9).Attempts = 50
	near(t, "surge of another edge", Recover(w.plan, w.r).Surge, 5)
	w.edge(webApp, web, 0).Attempts = 1000
	w.plan.World.Warmup, w.r.Warmup = second, 1
	near(t, "surge over a mean without warm-up", Recover(w.plan, w.r).Surge, 5)
	w.plan.World.Warmup, w.r.Warmup = 10*second, 10
	w.edge(webApp, web, 9).Attempts = 515 // over the mean of 1000, 10, 10, 10
	near(t, "surge with nothing before but warm-up", Recover(w.plan, w.r).Surge, 3.4)
	w.edge(webApp, web, 9).Attempts = 1030
	near(t, "surge over a mean of warm-up", Recover(w.plan, w.r).Surge, 4)
	w.plan.Scenario.Timeline[0].At = 0
	near(t, "surge without a before", Recover(w.plan, w.r).Surge, none)
}

func TestRecoverySaysFromWhatItCounts(t *testing.T) {
	w := shape(t, "++++----++++++++++++")
	w.plan.Scenario.Recovery = hold3
	w.plan.Scenario.Timeline = []model.TimelineEntry{fault(4*second, 8*second)}
	got := Recover(w.plan, w.r)
	if got.From != 8*second || got.Entry != "fault" || !got.EntryEnds {
		t.Errorf("counts from %v, of %q, its end %v; want the end of fault at 8 s", got.From,
			got.Entry, got.EntryEnds)
	}
	w.plan.Scenario.Recovery.After = "fault"
	got = Recover(w.plan, w.r)
	if got.From != 4*second || got.Entry != "fault" || got.EntryEnds {
		t.Errorf("counts from %v, of %q, its end %v; want the start of fault at 4 s", got.From,
			got.Entry, got.EntryEnds)
	}
}
