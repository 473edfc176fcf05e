package oracle

import (
	"context"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// Each test of this file is the smallest plan for a place where kernel and oracle once disagreed.

// TestTheLineComesBeforeTheBacklog: at 11 ms the first in line is dropped for its deadline. The
// slot is for the second in line (client 0), not for who waits outside (client 2).
func TestTheLineComesBeforeTheBacklog(t *testing.T) {
	l := newLab(2)
	l.tier.InFlight, l.tier.Over, l.tier.Backlog = 3, kernel.OverBacklog, 5
	l.tier.Discipline, l.tier.Deadline = 2, kernel.DropExpired
	l.more = func(b *Builder) {
		e := b.Edge("hasty->db", -1, EdgeSpec{
			Latency: must(sim.ConstDist(ms(1) + 1)), Overall: ms(6), Propagate: true,
		})
		b.Client(kernel.Client{
			Name: "hasty", Edge: e, Process: kernel.Burst, Burst: 1, Priority: 1,
		}, 0)
		e = b.Edge("outside->db", -1, EdgeSpec{Latency: always(2)})
		b.Client(kernel.Client{
			Name: "outside", Edge: e, Process: kernel.Burst, Burst: 1, Priority: 2,
		}, 0)
	}
	for name, tp := range both(t, l.plan()) {
		var order []int
		for _, r := range tp {
			if r.What == kernel.TraceStart {
				order = append(order, r.Client)
			}
		}
		if len(order) != 3 || order[1] != 0 || order[2] != 2 {
			t.Errorf("%s served clients %v, want 0, 0, 2", name, order)
		}
	}
}

// both runs a plan on both sides.
func both(t *testing.T, p *kernel.Plan) map[string]tape {
	t.Helper()
	var plain, clever tape
	Run(p, 1, &plain)
	_, err := kernel.Run(context.Background(), p, 1, kernel.Options{Tracer: &clever})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]tape{"oracle": plain, "kernel": clever}
}

// TestAResetAnswersWhoHasGoneToo: the caller left at 3 ms, so the answer at 5 ms is late.
func TestAResetAnswersWhoHasGoneToo(t *testing.T) {
	l := newLab(1)
	l.edge.Try = ms(3)
	l.more = pausing(kernel.Reset)
	l.expect(t, "settle late", "3 settle timed_out, 5 late")
}

// TestAFrozenReplicaStartsNoWork: the answer of the call comes in the pause, at 10 ms; the work
// that follows begins when it ends, at 25 ms.
func TestAFrozenReplicaStartsNoWork(t *testing.T) {
	frozenFor(t, "28 end ok", Work(always(3)))
	frozenFor(t, "30 end ok", Parallel(2), Work(always(3)), Work(always(5)))
}

func frozenFor(t *testing.T, want string, after ...kernel.Step) {
	t.Helper()
	b := NewBuilder(ms(100))
	front, back := b.Tier("front", Station(1)), b.Tier("back", Station(1))
	b.Steps(back, 0, Work(always(10)))
	e := b.Edge("front->back", front, EdgeSpec{})
	b.Steps(front, 0, append([]kernel.Step{Call(e, b.Target(back, 0))}, after...)...)
	door := b.Edge("web->front", -1, EdgeSpec{})
	b.Client(kernel.Client{
		Name: "web", Edge: door, Target: b.Target(front, 0), Process: kernel.Burst, Burst: 1,
	}, 0)
	b.Plan.Pauses = []kernel.Pause{{From: ms(5), To: ms(25), Count: 1, Flows: kernel.Keep}}
	for name, tp := range both(t, b.Build()) {
		if got := tp.tell("end"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestNoRetryAtTheDeadline: the second request (sent at 3 ms, 8 ms in all) gets the slot at 11 ms,
// fails at once, and may not try again in the instant of its deadline although it waits for
// nothing.
func TestNoRetryAtTheDeadline(t *testing.T) {
	b := NewBuilder(ms(14))
	db := b.Tier("db", TierSpec{
		Weights: []float64{1}, Endpoints: []string{"slow", "bad"}, Slots: 1, Line: -1, InFlight: -1,
	})
	b.Steps(db, 0, Work(always(11)))
	b.Steps(db, 1, Fail(1, 500))
	e := b.Edge("slow->db", -1, EdgeSpec{})
	b.Client(kernel.Client{
		Name: "slow", Edge: e, Target: b.Target(db, 0), Process: kernel.Burst, Burst: 1,
	}, 0)
	m := &maker{Builder: b, r: new(sim.Stream)}
	e = b.Edge("bad->db", -1, EdgeSpec{
		Overall: ms(8), RetryOn: []policies.Class{policies.Error},
		Stack: []kernel.Use{m.use(-1, policies.MaxAttempts{Attempts: 2})},
	})
	b.Client(kernel.Client{
		Name: "bad", Edge: e, Target: b.Target(db, 1), Process: kernel.Even,
	}, 1000.0/3)
	b.Plan.Changes = []kernel.Change{
		{At: ms(4), Param: b.Plan.Clients[1].Rate, Op: kernel.Replace, Value: 0},
	}
	want := "0 send, 3 send, 11 settle error, 11 settle ok, 11 end ok, 11 end timed_out"
	for name, tp := range both(t, b.Build()) {
		if got := tp.tell("send settle end"); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestARejectionWhoseCostWasTakenBack: two rejections wait for the slot when their cost ends, at
// 5 ms. Free at 11 ms, the slot still goes to them first, one after the other.
func TestARejectionWhoseCostWasTakenBack(t *testing.T) {
	l := newLab(4)
	l.tier.Line, l.tier.RejectCost = 1, 0
	cost := func(p *kernel.Plan) int { return p.Tiers[0].RejectCost }
	l.more = setting(cost, kernel.Replace, 2e6, 0, 5)
	l.expect(t, "start answer", "1 start, 11 answer, 11 answer, 11 start, 11 answer, 21 answer")
}

// TestWhichFaultFailed: the endpoint's fault fails all with 500, so none is left for the row's 599.
func TestWhichFaultFailed(t *testing.T) {
	l := newLab(1)
	l.more = func(b *Builder) {
		p := b.Plan
		p.Params[p.Tiers[0].Endpoints[0].Errors].Base = 1
		row := &p.Rows[0]
		row.Errors = b.param(kernel.Param{Base: 0.5})
		row.ErrorStatus = b.param(kernel.Param{Base: 599})
	}
	for name, tp := range both(t, l.plan()) {
		if last := tp[len(tp)-1]; last.Status != 500 {
			t.Errorf("%s ended with %d, want 500", name, last.Status)
		}
	}
}

// TestOnlyActiveReplicasAreUp: one of two takes part until 30 ms.
func TestOnlyActiveReplicasAreUp(t *testing.T) {
	l := newLab(1)
	l.tier.Weights = []float64{1, 1}
	active := func(p *kernel.Plan) int { return p.Tiers[0].Active }
	l.more = setting(active, kernel.Replace, 1, 0, 30)
	p := l.plan()
	k, err := kernel.Run(context.Background(), p, 1, kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*kernel.Result{"oracle": Run(p, 1, nil), "kernel": k} {
		up := 0.0
		for _, g := range r.Replicas[1].Gauges {
			up += g.Up
		}
		if up != 70e6 {
			t.Errorf("%s: the second replica was up for %v ms, want 70", name, up/1e6)
		}
	}
}

// TestAPacerSeesAWaitOfNothing: its waits are 4 ms, 0 and 0; what it is told of before each is 0,
// 4 ms and 0.
func TestAPacerSeesAWaitOfNothing(t *testing.T) {
	l := newLab(1)
	l.steps = []kernel.Step{Fail(1, 500)}
	var told []sim.Time
	l.more = func(b *Builder) {
		e := &b.Plan.Edges[0]
		e.HasRetry = true
		e.RetryOn.Class[policies.Error] = true
		e.Stack = []kernel.Use{{Name: "odd", Stride: 1}}
		b.Plan.States = []kernel.State{{Len: 1, New: func() policies.Policy {
			p := &oddPacer{told: &told}
			return policies.Policy{Gate: p, Pacer: p}
		}}}
	}
	for name := range both(t, l.plan()) {
		for i, want := range []sim.Time{0, ms(4), 0} {
			if told[i] != want {
				t.Errorf("one of both (%s): told %v", name, told)
			}
		}
		told = told[3:]
	}
}

// oddPacer waits 4 ms once and then not at all, and allows four tries.
type oddPacer struct{ told *[]sim.Time }

func (*oddPacer) Admit(_ sim.Time, a *policies.Attempt) bool { return a.N <= 4 }

func (p *oddPacer) Wait(_ sim.Time, a *policies.Attempt, _ policies.Outcome) sim.Time {
	*p.told = append(*p.told, a.Wait)
	if a.N == 2 {
		return ms(4)
	}
	return 0
}

// TestTheBacklogWaitsForWhoStarts: at 5 ms the first attempt is cancelled. The one in line takes
// its slot, for work that takes no time, and makes its call before the backlog moves up.
func TestTheBacklogWaitsForWhoStarts(t *testing.T) {
	b := NewBuilder(ms(100))
	s := Station(1)
	s.Async, s.InFlight, s.Over, s.Backlog = true, 2, kernel.OverBacklog, 5
	s.Endpoints = []string{"slow", "quick"}
	front, back := b.Tier("front", s), b.Tier("back", Station(-1))
	b.Steps(back, 0, Work(always(1)))
	e := b.Edge("front->back", front, EdgeSpec{})
	b.Steps(front, 0, Work(always(50)))
	b.Steps(front, 1, Work(always(0)), Call(e, b.Target(back, 0)))
	for i, name := range []string{"slow", "waits", "outside"} {
		door := b.Edge(name+"->front", -1, EdgeSpec{
			Try: ms(5 * (1 + 10*i)), Cancel: kernel.CancelAll,
		})
		b.Client(kernel.Client{
			Name: name, Edge: door, Target: b.Target(front, min(i, 1)), Process: kernel.Burst, Burst: 1,
		}, 0)
	}
	for name, tp := range both(t, b.Build()) {
		var order []int
		for _, r := range tp {
			if r.What == kernel.TraceSend && r.Edge == e {
				order = append(order, r.Client)
			}
		}
		if len(order) != 2 || order[0] != 1 || order[1] != 2 {
			t.Errorf("%s sent calls of clients %v, want 1, 2", name, order)
		}
	}
}

// TestPlansThatOnceDisagreed are those whose smallest form is no smaller: a hedged copy that is
// cancelled while its replica is cut off, which let the next in line in (pods 16214); a cache of a
// tier with more replicas than there can be (plan 17873).
func TestPlansThatOnceDisagreed(t *testing.T) {
	for _, c := range []struct {
		k    uint64
		plan func(uint64) *kernel.Plan
	}{{16214, podsOf}, {17873, planOf}} {
		if diff := compare(c.plan(c.k), c.k); diff != "" {
			t.Errorf("%d: %s", c.k, diff)
		}
	}
}
