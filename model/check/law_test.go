package check

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// drawnWorld fills the counters and gauges of a world with anything.
func drawnWorld(t *testing.T, rt *rapid.T) world {
	w := newWorld(t, 12)
	n := rapid.Uint32Range(0, 50)
	for i := range 12 {
		for c := range w.r.Clients {
			all := n.Draw(rt, "requests")
			ok := rapid.Uint32Range(0, all).Draw(rt, "ok")
			w.requests(c, i, [2]uint32{ok, all})
			w.edge(appDB, c, i).Attempts = all + n.Draw(rt, "retries")
		}
		w.r.Replicas[dbA].Gauges[i].InLine = float64(n.Draw(rt, "in line")) * 1e9
	}
	return w
}

// A range is the sum of its parts: counters add up, and averages weigh by time.
func TestRangesAreTheSumOfTheirParts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawnWorld(t, rt)
		a := sim.Time(rapid.IntRange(0, 9).Draw(rt, "from"))
		b := sim.Time(rapid.IntRange(int(a)+1, 10).Draw(rt, "middle"))
		c := sim.Time(rapid.IntRange(int(b)+1, 12).Draw(rt, "to"))
		for _, m := range []string{"clients.*.ok", "edges.app->db.attempts"} {
			parts := w.value(m, between(a, b)) + w.value(m, between(b, c))
			if whole := w.value(m, between(a, c)); whole != parts {
				rt.Fatalf("%s: %v, of its parts %v", m, whole, parts)
			}
		}
		for _, m := range []string{"clients.*.ok_per_s", "tiers.db.in_line"} {
			parts := w.value(m, between(a, b))*float64(b-a) + w.value(m, between(b, c))*float64(c-b)
			whole := w.value(m, between(a, c)) * float64(c-a)
			if math.Abs(whole-parts) > 1e-9*(1+whole) {
				rt.Fatalf("%s: %v, of its parts %v", m, whole, parts)
			}
		}
	})
}

// each holds exactly when every bin that has a value lies in the bounds, and max and min say the
// same from one side.
func TestEachIsEveryBin(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawnWorld(t, rt)
		low := float64(rapid.IntRange(0, 60).Draw(rt, "min")) / 100
		high := float64(rapid.IntRange(60, 100).Draw(rt, "max")) / 100
		width := sim.Time(rapid.IntRange(1, 5).Draw(rt, "bin"))
		want, any := true, false
		for at := sim.Time(0); at+width <= 12; at += width {
			if x := w.value(okShare, between(at, at+width)); exists(x) {
				any = true
				want = want && x >= low && x <= high
			}
		}
		c := model.Check{Measure: okShare, Bin: width * second, Take: take("each"),
			Min: bound(low, Share), Max: bound(high, Share)}
		if got := w.judge(c).OK; got != (want && any) {
			rt.Fatalf("each: %v, bin by bin: %v", got, want)
		}
		c.Take, c.Min = take("max"), nil
		top := w.judge(c).OK
		c.Take, c.Min, c.Max = take("min"), bound(low, Share), nil
		if bottom := w.judge(c).OK; (top && bottom) != (want && any) {
			rt.Fatalf("max: %v, min: %v, bin by bin: %v", top, bottom, want)
		}
	})
}

// The first bin above a value is the mirror image of the last one.
func TestFirstAndLastAreMirrorImages(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := drawnWorld(t, rt)
		x := rapid.Float64Range(0, 1).Draw(rt, "above")
		hold := sim.Time(rapid.IntRange(1, 3).Draw(rt, "hold"))
		read := func(kind string) *float64 {
			return w.judge(model.Check{Measure: okShare, Take: beyondAt(kind, x, hold*second),
				Max: bound(0, Time)}).Value
		}
		first := read("first_above")
		cells := w.r.Clients[web].Cells
		for i := range len(cells) / 2 {
			cells[i], cells[len(cells)-1-i] = cells[len(cells)-1-i], cells[i]
		}
		last := read("last_above")
		if (first == nil) != (last == nil) || first != nil && *first != 12-*last {
			rt.Fatalf("first %v, last %v", first, last)
		}
	})
}

// queue is an M/M/1 run by the kernel: load 0.5 at one slot of exp 10 ms, 2000 s.
func queue(t *testing.T) (*model.Plan, *model.Result) {
	t.Helper()
	dist := func(text string) sim.Dist {
		d, err := sim.ParseDist(text)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	topology := &model.Topology{Name: "mm1",
		Tiers: model.Map[model.Tier]{{Name: "server", Value: model.Tier{
			Replicas: model.Replicas{Count: 1}, Slots: 1, Reject: model.Reject{Status: 503},
			Line:     model.Line{Limit: model.Unlimited, Discipline: "fifo", Full: "reject"},
			InFlight: model.InFlight{Limit: model.Unlimited, Over: "reject"},
			Deadline: "ignore",
			Steps:    []model.Step{{Work: &model.Work{Time: dist("exp 10ms")}}},
		}}},
		Clients: model.Map[model.Client]{{Name: "users", Value: model.Client{
			Call: "server", SlowAfter: second, Start: "spread",
			Arrivals: &model.Arrivals{Process: "poisson", Rate: 50}}}},
		Edges: []model.Edge{{From: "users", To: "server", Cancel: "none",
			Timeout: model.Timeout{Try: sim.Never, Overall: sim.Never},
			Block:   model.Block{Status: 403, By: "attempt"},
			Balance: model.Balance{Policy: "round_robin", Key: "request", Choices: 2,
				OnRetry: "any"}}},
	}
	scenario := &model.Scenario{Duration: 2000 * second, Window: 10 * second, Warmup: 10 * second,
		Drain: 10 * second, Scale: 1, Seed: 1, Replications: 1}
	plan, problems := model.Compile(topology, scenario, policies.Builtins())
	if plan == nil {
		t.Fatal(problems.Error())
	}
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return plan, r
}

// What the kernel records reads as queueing theory says: M/M/1 at load 0.5 has one attempt in the
// system, half of one in line, and both sides of Little's law. In 2000 s about 10^5 attempts pass;
// L has an autocorrelation time of about 0.1 s here and variance 2, so its mean over 2000 s has a
// standard deviation of about 0.014: 6 % are more than four of them.
func TestTheoryOfAQueueReadFromTheKernel(t *testing.T) {
	plan, r := queue(t)
	within := func(what string, got, want, part float64) {
		if !(math.Abs(got-want) <= part*want) {
			t.Errorf("%s = %v, want %v within %v", what, got, want, part)
		}
	}
	for measure, want := range map[string]float64{
		"tiers.server.in_system": 1, "tiers.server.in_line": 0.5,
		"tiers.server.utilization": 0.5, "clients.users.ok_per_s": 50,
		"clients.users.latency.mean": 0.020, "edges.users->server.attempt_latency.mean": 0.020,
		"tiers.server.service.mean": 0.010, "tiers.server.up_share": 1,
		"edges.users->server.amplification": 1,
	} {
		got, err := Over(plan, r, measure, DefaultRange(plan.World))
		if err != nil {
			t.Fatal(err)
		}
		within(measure, got, want, 0.06)
	}
	little := Little(plan, r)
	if len(little) != 1 {
		t.Fatalf("got %+v", little)
	}
	// Exact but for who waited when the warm-up ended.
	within("Little", little[0].InLine, little[0].RateWait, 1e-4)
	s := Summarize(plan, []*model.Result{r})
	if s.Totals.Requests == 0 || s.Totals.OK != s.Totals.Requests || s.Totals.InFlight != 0 {
		t.Errorf("a drained run without faults: %+v", s.Totals)
	}
	if s.Recovery.Verdict != NoFault || s.Edges["users->server"].Outcomes.OK != s.Totals.Requests {
		t.Errorf("recovery %+v, edges %+v", s.Recovery, s.Edges)
	}
	if c := Conditions(plan, r, 0, plan.World.End); len(c) != 0 {
		t.Errorf("conditions without retries: %+v", c)
	}
}
