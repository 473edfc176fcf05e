package oracle

import (
	"testing"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// pausing adds a pause of the lab's only replica from 5 ms to 25 ms.
func pausing(flows kernel.Flows) func(b *Builder) {
	return func(b *Builder) {
		b.Plan.Pauses = []kernel.Pause{{From: ms(5), To: ms(25), Count: 1, Flows: flows}}
	}
}

func TestPauses(t *testing.T) {
	// Two requests: one in work, one in line when the pause begins at 5 ms.
	for _, c := range []struct {
		flows kernel.Flows
		want  string
	}{
		{kernel.Finish, "1 start, 11 start, 12 settle ok, 22 settle ok"},
		{kernel.Keep, "1 start, 31 start, 32 settle ok, 42 settle ok"},
		{kernel.Reset, "1 start, 6 settle dropped, 6 settle dropped"},
		{kernel.Drop, "1 start, 50 settle timed_out, 50 settle timed_out"},
	} {
		l := newLab(2)
		l.edge.Try = ms(50)
		l.more = pausing(c.flows)
		l.expect(t, "start settle", c.want)
	}
}

func TestPausedReplicasAreOutOfRotation(t *testing.T) {
	l := newLab(1)
	l.steps, l.tries, l.wait = []kernel.Step{Fail(1, 500)}, 3, 5
	l.more = pausing(kernel.Finish) // the second try, at 7 ms, finds nobody
	l.expect(t, "send settle",
		"0 send, 2 settle error, 7 send, 7 settle rejected, 12 send, 12 settle rejected")
}

// TestAFrozenReplicaStartsNothing has work that follows a call whose answer comes in the pause.
func TestAFrozenReplicaStartsNothing(t *testing.T) {
	b := NewBuilder(ms(100))
	front, back := b.Tier("front", Station(1)), b.Tier("back", Station(1))
	b.Steps(back, 0, Work(always(10)))
	e := b.Edge("front->back", front, EdgeSpec{})
	b.Steps(front, 0, Call(e, b.Target(back, 0)), Work(always(3)))
	door := b.Edge("web->front", -1, EdgeSpec{})
	b.Client(kernel.Client{
		Name: "web", Edge: door, Target: b.Target(front, 0), Process: kernel.Burst, Burst: 1,
	}, 0)
	b.Plan.Pauses = []kernel.Pause{{From: ms(5), To: ms(25), Count: 1, Flows: kernel.Keep}}
	r := Run(b.Build(), 1, nil)
	if got := r.Clients[0].Latency.Max(); got != ms(28) {
		t.Errorf("ended at %v ms, want 28: the 3 ms of work begin when the pause ends", got.Seconds()*1e3)
	}
}

// setting adds one layer on a param from one ms to another.
func setting(param func(p *kernel.Plan) int, op kernel.Op, value float64, from, to int) func(*Builder) {
	return func(b *Builder) {
		c := kernel.Change{At: ms(from), Param: param(b.Plan), Layer: 1, Op: op, Value: value}
		lift := c
		lift.At, lift.Op = ms(to), kernel.Lift
		b.Plan.Changes = []kernel.Change{c, lift}
	}
}

func link(p *kernel.Plan) int { return p.Edges[0].Link }

func TestLinks(t *testing.T) {
	for _, c := range []struct {
		state kernel.LinkState
		from  int
		want  string
	}{
		// At 0 the request meets the link, at 11 the answer; both would take 1 ms.
		{kernel.LinkHeld, 0, "20 arrive, 30 start, 31 settle ok"},
		{kernel.LinkHeld, 5, "1 arrive, 20 settle ok"},
		{kernel.LinkLost, 0, "50 settle timed_out"},
		{kernel.LinkLost, 5, "1 arrive, 50 settle timed_out"},
		{kernel.LinkRefused, 0, "0 settle dropped"},
		{kernel.LinkRefused, 5, "1 arrive, 50 settle timed_out"},
	} {
		l := newLab(1)
		l.edge.Try = ms(50)
		l.more = setting(link, kernel.Replace, float64(c.state), c.from, 20)
		want := c.want
		if c.state == kernel.LinkHeld && c.from == 0 {
			want = "20 arrive, 31 settle ok"
		}
		l.expect(t, "arrive settle", want)
	}
}

func TestSlowActsOnWorkThatStarts(t *testing.T) {
	l := newLab(2)
	slow := func(p *kernel.Plan) int { return p.Tiers[0].Slow }
	l.more = setting(slow, kernel.Multiply, 3, 5, 60)
	l.expect(t, "start settle", "1 start, 11 start, 12 settle ok, 42 settle ok")
}

func TestMoreSlotsLetTheLineMoveUp(t *testing.T) {
	l := newLab(3)
	slots := func(p *kernel.Plan) int { return p.Replicas[0].Slots }
	l.more = setting(slots, kernel.Add, 1, 4, 6)
	l.expect(t, "start", "1 start, 4 start, 14 start")
}

func TestAnOpenLoopKeepsWhatIsMissing(t *testing.T) {
	l := newLab(0)
	l.more = func(b *Builder) {
		// 100/s: an arrival each 10 ms. From 15 ms on 200/s: what is missing of the second gap, half
		// an arrival, takes 2.5 ms.
		e := b.Edge("even->db", -1, EdgeSpec{})
		i := b.Client(kernel.Client{Name: "even", Edge: e, Process: kernel.Even}, 100)
		b.Plan.Changes = []kernel.Change{
			{At: ms(15), Param: b.Plan.Clients[i].Rate, Op: kernel.Multiply, Value: 2},
		}
		b.Plan.End = ms(25)
	}
	l.expect(t, "request", "10 request, 17.5 request, 22.5 request")
}

func TestAutoscaler(t *testing.T) {
	l := newLab(8)
	l.tier.Weights = []float64{1, 1, 1, 1}
	l.more = func(b *Builder) {
		active := b.Plan.Tiers[0].Active
		b.Plan.Params[active].Base = 1
		// All eight go to the first replica, whose slot is in use all the time but the first ms: 0.9
		// in the first look, 1 later. 2 replicas are wanted at 10 ms, then ceil(2 x 0.5/0.5) = 2.
		b.Plan.Scalers = []kernel.Scaler{{
			Gauge: kernel.GaugeUtilization, Target: 0.5, Min: 1, Max: 4, Every: ms(10),
			Tolerance: 0.1, DownWindow: ms(20), Delay: ms(5),
		}}
	}
	r := Run(l.plan(), 1, nil)
	up := func(i int) (up []sim.Time) {
		for _, g := range r.Replicas[i].Gauges {
			up = append(up, sim.Time(g.Up)/sim.Millisecond)
		}
		return up
	}
	if got := up(1)[:3]; got[0] != 0 || got[1] != 5 || got[2] != 10 {
		t.Errorf("the second replica was up for %v ms of the first windows, want 0, 5, 10", got)
	}
	if got := up(2); got[0]+got[1]+got[2]+got[5] != 0 {
		t.Errorf("the third replica was up for %v ms", got)
	}
}
