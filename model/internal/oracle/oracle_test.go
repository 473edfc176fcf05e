package oracle

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// ms is so many milliseconds; all times of these tests are whole ones.
func ms(n int) sim.Time { return sim.Time(n) * sim.Millisecond }

func always(n int) sim.Dist { return must(sim.ConstDist(ms(n))) }

// lab is a world of one client, one edge and one tier, to be changed before it is built: a burst of
// requests at time 0, 1 ms of latency each way, 10 ms of work in one slot.
type lab struct {
	burst       int
	tier        TierSpec
	edge        EdgeSpec
	steps       []kernel.Step
	tries, wait int              // at most so many tries, so many ms apart; 0: no stack
	more        func(b *Builder) // adds to the plan: a timeline, another client
}

func newLab(burst int) *lab {
	return &lab{
		burst: burst, tier: Station(1), edge: EdgeSpec{Latency: always(1)},
		steps: []kernel.Step{Work(always(10))}, more: func(*Builder) {},
	}
}

func (l *lab) plan() *kernel.Plan {
	b := NewBuilder(ms(100))
	db := b.Tier("db", l.tier)
	b.Steps(db, 0, l.steps...)
	if l.tries > 0 {
		l.edge.RetryOn = []policies.Class{
			policies.TimedOut, policies.Rejected, policies.Error, policies.Dropped,
		}
		m := &maker{Builder: b, r: new(sim.Stream)}
		l.edge.Stack = []kernel.Use{
			m.use(-1, policies.MaxAttempts{Attempts: l.tries}),
			m.use(-1, policies.Constant{Wait: always(l.wait)}),
		}
	}
	e := b.Edge("web->db", -1, l.edge)
	b.Client(kernel.Client{
		Name: "web", Edge: e, Target: b.Target(db, 0), Process: kernel.Burst, Burst: l.burst,
	}, 0)
	l.more(b)
	return b.Build()
}

// tape keeps what a tracer is told.
type tape []kernel.TraceRecord

func (t *tape) Trace(r kernel.TraceRecord) { *t = append(*t, r) }

// tell says what happened at which millisecond, of the kinds asked for: "12 settle ok".
func (t tape) tell(kinds string) string {
	var lines []string
	for _, r := range t {
		if !slices.Contains(strings.Fields(kinds), r.What) {
			continue
		}
		line := fmt.Sprintf("%v %s", float64(r.At)/1e6, r.What)
		if r.What == kernel.TraceSettle || r.What == kernel.TraceEnd {
			line += " " + r.Class.String()
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// expect holds the oracle and the kernel to a story worked out by hand.
func (l *lab) expect(t *testing.T, kinds, want string) {
	t.Helper()
	p := l.plan()
	var plain, clever tape
	Run(p, 1, &plain)
	if got := plain.tell(kinds); got != want {
		t.Errorf("oracle\ngot  %s\nwant %s", got, want)
	}
	_, err := kernel.Run(context.Background(), p, 1, kernel.Options{Tracer: &clever})
	if err != nil {
		t.Error(err)
	}
	if got := clever.tell(kinds); got != want {
		t.Errorf("kernel\ngot  %s\nwant %s", got, want)
	}
}

func TestOneSlotServesInTurn(t *testing.T) {
	newLab(3).expect(t, "arrive start settle",
		"1 arrive, 1 start, 1 arrive, 1 arrive, 11 start, 12 settle ok, 21 start, 22 settle ok, "+
			"32 settle ok")
}

// A freed slot is given out before the answer of who left it: 11 start, 11 late.
func TestTimeoutRetryAndLateAnswers(t *testing.T) {
	l := newLab(1)
	l.edge.Try, l.tries, l.wait = ms(5), 2, 2
	l.expect(t, "send settle start late end",
		"0 send, 1 start, 5 settle timed_out, 7 send, 11 start, 11 late, 12 settle timed_out, "+
			"12 end timed_out, 21 late")
}

func TestAnswerAtTheTimeoutIsLate(t *testing.T) {
	l := newLab(1)
	l.edge.Try = ms(12) // 1 ms there, 10 ms of work, 1 ms back
	l.expect(t, "settle late", "12 settle timed_out, 12 late")
	l.edge.Try = ms(12) + 1
	l.expect(t, "settle late", "12 settle ok")
}

// Six come at once; one is taken from the line each 10 ms.
func TestTheNewestFirst(t *testing.T) {
	for _, c := range []struct {
		discipline queue.Discipline
		above      int
		want       []int // places in the order of arrival
	}{
		{queue.FIFO, 0, []int{0, 1, 2, 3, 4, 5}},
		{queue.LIFO, 0, []int{0, 5, 4, 3, 2, 1}},
		{queue.Adaptive, 0, []int{0, 5, 4, 3, 2, 1}},
		{queue.Adaptive, 3, []int{0, 5, 4, 1, 2, 3}},
		{queue.Adaptive, 5, []int{0, 1, 2, 3, 4, 5}},
	} {
		l := newLab(6)
		l.tier.Discipline, l.tier.Above = c.discipline, c.above
		p := l.plan()
		var plain, clever tape
		Run(p, 1, &plain)
		if _, err := kernel.Run(t.Context(), p, 1, kernel.Options{Tracer: &clever}); err != nil {
			t.Fatal(err)
		}
		for side, tp := range map[string]tape{"oracle": plain, "kernel": clever} {
			if got := tp.served(); !slices.Equal(got, c.want) {
				t.Errorf("%v above %d, %s: served %v, want %v", c.discipline, c.above, side, got,
					c.want)
			}
		}
	}
}

// served is the order in which attempts were answered, by the order in which they were sent.
func (t tape) served() (order []int) {
	var sent []sim.Ident
	for _, r := range t {
		switch r.What {
		case kernel.TraceSend:
			sent = append(sent, r.Attempt)
		case kernel.TraceSettle:
			order = append(order, slices.Index(sent, r.Attempt))
		}
	}
	return order
}

func TestPriorityGoesFirst(t *testing.T) {
	l := newLab(2)
	l.tier.Discipline = 2
	l.more = func(b *Builder) { // two more, of higher priority, that come later by a fraction
		e := b.Edge("vip->db", -1, EdgeSpec{Latency: always(2)})
		b.Client(kernel.Client{
			Name: "vip", Edge: e, Process: kernel.Burst, Burst: 2, Priority: 1,
		}, 0)
	}
	var order []int
	var tp tape
	Run(l.plan(), 1, &tp)
	for _, r := range tp {
		if r.What == kernel.TraceStart {
			order = append(order, r.Client)
		}
	}
	if want := []int{0, 1, 1, 0}; !slices.Equal(order, want) {
		t.Errorf("served clients %v, want %v", order, want)
	}
}

func TestBacklogWaitsOutside(t *testing.T) {
	l := newLab(3)
	l.tier.InFlight, l.tier.Over, l.tier.Backlog = 1, kernel.OverBacklog, 1
	l.expect(t, "start settle", "1 start, 2 settle rejected, 11 start, 12 settle ok, 22 settle ok")
	r := Run(l.plan(), 1, nil)
	g := r.Replicas[0].Gauges[0] // the first 10 ms: one in system from 1 ms on, nobody in line
	if g.InSystem != 9e6 || g.InLine != 0 || g.Busy != 9e6 {
		t.Errorf("gauges %+v", g)
	}
}

func TestPatienceEndsInARejection(t *testing.T) {
	l := newLab(2)
	d := always(4)
	l.tier.Patience = &d
	l.expect(t, "wait settle", "1 wait, 6 settle rejected, 12 settle ok")
}

func TestRejectionCostsWorkBeforeTheLine(t *testing.T) {
	l := newLab(3)
	l.tier.Line, l.tier.RejectCost, l.tier.RejectDelay = 1, ms(2), ms(3)
	// The third finds the line full. Its rejection takes the slot at 11, before the second.
	l.expect(t, "start settle", "1 start, 12 settle ok, 13 start, 17 settle rejected, 24 settle ok")
}

func TestParallelStepsTakeTheLongest(t *testing.T) {
	l := newLab(1)
	l.steps = []kernel.Step{Parallel(2), Work(always(3)), Work(always(5)), Work(always(1))}
	l.expect(t, "start settle", "1 start, 8 settle ok")
}

func TestTheFirstFailedBranchInOrderDecides(t *testing.T) {
	l := newLab(1)
	l.steps = []kernel.Step{Parallel(3), Work(always(3)), Fail(1, 404), Fail(1, 500), Work(always(9))}
	var tp tape
	Run(l.plan(), 1, &tp)
	last := tp[len(tp)-1]
	if last.At != ms(5) || last.Status != 404 {
		t.Errorf("ended at %d with %d", last.At, last.Status)
	}
}

func TestCancelQueuedLeavesTheLine(t *testing.T) {
	l := newLab(3)
	l.edge.Try, l.edge.Cancel = ms(5), kernel.CancelQueued
	l.expect(t, "start cancel late",
		"1 start, 6 cancel, 6 cancel, 11 late")
	l.edge.Cancel = kernel.CancelAll
	l.expect(t, "start cancel late", "1 start, 6 cancel, 6 start, 6 cancel, 6 start, 6 cancel")
	l.edge.Cancel = kernel.CancelNone
	l.expect(t, "start cancel late", "1 start, 11 start, 11 late, 21 start, 21 late, 31 late")
}

func TestDeadlineRules(t *testing.T) {
	l := newLab(3)
	l.edge.Overall, l.edge.Propagate = ms(21), true
	l.expect(t, "start late", "1 start, 11 start, 21 start, 21 late, 31 late")
	l.tier.Deadline = kernel.DropExpired // at 21 the third is taken from the line just too late
	l.expect(t, "start late", "1 start, 11 start, 21 late")
	l.tier.Deadline, l.tier.Expected = kernel.DropUnlikely, ms(10)
	l.expect(t, "start late", "1 start, 11 start, 21 late")
	l.tier.Expected = ms(10) + 1 // 11 + 10 and a hair is beyond 21
	l.expect(t, "start late", "1 start")
}

func TestABackoffAcrossTheDeadline(t *testing.T) {
	l := newLab(1)
	l.edge.Try, l.edge.Overall, l.tries, l.wait = ms(5), ms(9), 3, 4
	l.expect(t, "send end", "0 send, 9 end timed_out")
	l.edge.AtOnce = true
	l.expect(t, "send end", "0 send, 5 end timed_out")
}

func TestRetriesStopAtTheGate(t *testing.T) {
	l := newLab(1)
	l.steps, l.tries, l.wait = []kernel.Step{Fail(1, 500)}, 3, 1
	l.expect(t, "send refused end", "0 send, 3 send, 6 send, 8 refused, 8 end error")
}

func TestBlockedAtTheDoor(t *testing.T) {
	l := newLab(1)
	l.edge.Block = 1
	l.expect(t, "arrive settle end", "0 settle blocked, 0 end blocked")
}

// TestConservation: each attempt is a first try, a retry or a hedge and has at most one outcome,
// and there are at least as many calls as first tries.
func TestConservation(t *testing.T) {
	for k := range uint64(50) {
		p := planOf(k)
		r := Run(p, k, nil)
		for i, e := range r.Edges {
			var attempts, retries, hedges, outcomes, calls int
			for _, c := range e.Cells {
				attempts += int(c.Attempts)
				retries += int(c.Retries)
				hedges += int(c.Hedges)
				calls += int(c.Calls)
				for class, n := range c.Outcomes {
					if policies.Class(class) != policies.Refused {
						outcomes += int(n)
					}
				}
			}
			if first := attempts - retries - hedges; first > calls || outcomes > attempts {
				t.Errorf("plan %d edge %d: %d calls, %d first tries, %d attempts, %d outcomes",
					k, i, calls, first, attempts, outcomes)
			}
		}
	}
}

// TestAsyncBranchesTakeASlotEach holds the oracle alone to the page: the kernel does the work of
// branches in no slot, and no random plan has work in the branches of an async tier.
func TestAsyncBranchesTakeASlotEach(t *testing.T) {
	l := newLab(1)
	l.tier.Async = true
	l.steps = []kernel.Step{Parallel(2), Work(always(3)), Work(always(5))}
	var tp tape
	Run(l.plan(), 1, &tp)
	if got := tp.tell("start settle"); got != "1 start, 4 start, 10 settle ok" {
		t.Error(got)
	}
}
