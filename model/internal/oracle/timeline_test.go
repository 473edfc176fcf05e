package oracle

import (
	"slices"
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

// setting adds one layer on a param from one ms to another.
func setting(
	param func(p *kernel.Plan) int, op kernel.Op, value float64, from, to int,
) func(*Builder) {
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
		// All eight go to the first replica, whose slot is in use from 1 to 81 ms. The looks see
		//	10 ms: 9 of 10, so 2 replicas from 15 ms on
		//	20 ms: 10 of 10+5, ceil(2 x 1.33) = 3 from 25 ms on
		//	30 ms: 10 of 25, ceil(3 x 0.8) = 3
		//	40 ms: 10 of 30, ceil(3 x 0.67) = 2, but 3 were wanted within 20 ms; 50 ms likewise
		//	60 ms: 2 from 65 ms on
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
	for i, want := range [][]sim.Time{
		1: {0, 5, 10, 10, 10, 10, 10}, 2: {0, 0, 5, 10, 10, 10, 5}, 3: {0, 0, 0, 0, 0, 0, 0},
	} {
		if got := up(i)[:7]; i > 0 && !slices.Equal(got, want) {
			t.Errorf("replica %d was up for %v ms of the windows, want %v", i, got, want)
		}
	}
}
