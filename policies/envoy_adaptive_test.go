package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

func TestEnvoyGradientMovesTheLimit(t *testing.T) {
	s := *kindOf("envoy_adaptive_concurrency").Settings().(*EnvoyAdaptiveConcurrency)
	for _, c := range []struct {
		limit       int
		minRTT, rtt int64
		want        int
	}{
		{3, 5, 5, 5}, {3, 5, 13, 3}, {10, 5, 5, 16}, {100, 5, 4, 168}, {100, 5, 20, 57},
		{1000, 5, 3, 1000},
		{10, 0, 0, 24}, // no time at all compares as less than anything: gradient 2
		{10, 0, 5, 7},  // and a minRTT of nothing as 0.5
		{10, 5, 0, 24},
	} {
		if got := envoyGradientLimit(c.limit, c.minRTT, c.rtt, &s); got != c.want {
			t.Errorf("limit %d, minRTT %d, sample %d: got %d, want %d", c.limit, c.minRTT, c.rtt, got,
				c.want)
		}
	}
}

// gradientStory drives one callee whose attempts take as long as it says.
type gradientStory struct {
	t *testing.T
	c *envoyGradient
}

func newGradientStory(t *testing.T, change func(*EnvoyAdaptiveConcurrency)) *gradientStory {
	s := *kindOf("envoy_adaptive_concurrency").Settings().(*EnvoyAdaptiveConcurrency)
	s.MinJitter = 0
	if change != nil {
		change(&s)
	}
	p := kindOf("envoy_adaptive_concurrency").New(s)
	return &gradientStory{t, p.Admission.(*envoyGradient)}
}

// serve lets n attempts in and out, one after the other, and ends at the last one's end.
func (g *gradientStory) serve(at sim.Time, n int, took sim.Time) sim.Time {
	g.t.Helper()
	for range n {
		if !g.c.Enter(at, &Attempt{N: 1}) {
			g.t.Fatalf("turned away at %d with %d inside of %d", at, g.c.inside, g.c.limit)
		}
		at += took
		g.c.Finish(at, &Attempt{N: 1}, took, Outcome{Class: OK})
	}
	return at
}

func (g *gradientStory) wantLimit(at sim.Time, want int) {
	g.t.Helper()
	g.c.catchUp(at)
	if g.c.limit != want {
		g.t.Errorf("limit %d at %d, want %d", g.c.limit, at, want)
	}
}

func TestEnvoyGradientMeasuresFirst(t *testing.T) {
	const ms = sim.Millisecond
	g := newGradientStory(t, nil)
	for i, want := range []bool{true, true, true, false} {
		if got := g.c.Enter(0, &Attempt{N: 1}); got != want {
			t.Errorf("attempt %d: enters %t, want %t", i+1, got, want)
		}
	}
	for range 3 {
		g.c.Finish(5*ms, &Attempt{N: 1}, 5*ms, Outcome{Class: OK})
	}
	at := g.serve(sim.Minute, 46, 5*ms) // updates are off meanwhile
	if !g.c.measuring {
		t.Fatal("49 times made a measurement of 50")
	}
	at = g.serve(at, 1, 5*ms)
	if g.c.measuring || g.c.minRTT != 5050 {
		t.Fatalf("measuring %t, minRTT %d us", g.c.measuring, g.c.minRTT)
	}
	// The median of times that fill one bin, 5.0 to 5.1 ms, lies in its middle.
	g.serve(at, 1, 5*ms)
	g.wantLimit(at+100*ms-1, 3)
	g.wantLimit(at+100*ms, 5)
	g.wantLimit(at+10*sim.Second, 5) // no times, no change
}

func TestEnvoyGradientMeasuresAgain(t *testing.T) {
	const ms = sim.Millisecond
	g := newGradientStory(t, nil)
	end := g.serve(0, 50, 5*ms)
	at := end
	for range 8 { // up it goes
		at = max(at+100*ms, g.serve(at, 10, 5*ms))
	}
	if g.c.limit < 30 {
		t.Fatalf("limit %d after eight good updates", g.c.limit)
	}
	next := end + sim.Minute
	g.c.Enter(next-1, &Attempt{N: 1}) // before it begins, so it counts in no measurement
	before := g.c.limit
	g.wantLimit(next-1, before)
	g.wantLimit(next, 3)
	g.c.Finish(next+5*ms, &Attempt{N: 1}, 5*ms+1, Outcome{Class: OK})
	if g.c.times.count != 0 {
		t.Error("an attempt from before the measurement counts in it")
	}
	g.c.Enter(next, &Attempt{N: 1})
	g.c.Finish(next+ms, &Attempt{N: 1}, ms, Outcome{Class: Dropped})
	if g.c.times.count != 0 || g.c.inside != 0 {
		t.Error("an attempt that was given up has a time, or is still inside")
	}
	at = g.serve(next, 50, 20*ms)
	if g.c.measuring || g.c.limit != before || g.c.minRTT != 20_500 {
		t.Errorf("measuring %t, limit %d, minRTT %d us; want %d and 20500", g.c.measuring, g.c.limit,
			g.c.minRTT, before)
	}
	if g.c.nextMin != at+sim.Minute {
		t.Errorf("the next one at %d, want %d", g.c.nextMin, at+sim.Minute)
	}
}

// Five updates in a row that leave the limit at its lower bound doubt the minRTT.
func TestEnvoyGradientDoubtsItsMinRTT(t *testing.T) {
	const ms = sim.Millisecond
	for fixed, want := range map[sim.Time]bool{0: true, ms: false} {
		g := newGradientStory(t, func(s *EnvoyAdaptiveConcurrency) { s.MinFixed = fixed })
		at := sim.Time(0)
		if fixed == 0 {
			at = g.serve(0, 50, ms)
		}
		for update := range 5 {
			if g.c.measuring {
				t.Fatalf("measures after %d updates", update)
			}
			g.serve(at, 1, 50*ms)
			at += 100 * ms
			g.wantLimit(at, 3)
		}
		if g.c.measuring != want {
			t.Errorf("fixed %d: measures %t after five updates, want %t", fixed, g.c.measuring, want)
		}
	}
}

func TestEnvoyMeasurementsAreJittered(t *testing.T) {
	for _, c := range []struct {
		draw uint64
		want sim.Time
	}{{0, 60_000}, {8999, 68_999}, {9000, 60_000}, {9001, 60_001}} {
		if got := envoyJittered(sim.Minute, 0.15, c.draw); got != c.want*sim.Millisecond {
			t.Errorf("draw %d: %d ns, want %d ms", c.draw, got, c.want)
		}
	}
	if got := envoyJittered(sim.Millisecond, 0.01, 7); got != sim.Millisecond {
		t.Errorf("a range of 1 ms adds %d ns", got-sim.Millisecond)
	}
}

// Catching up in one step or in many is the same.
func TestEnvoyGradientCatchesUp(t *testing.T) {
	lazy, busy := newGradientStory(t, nil), newGradientStory(t, nil)
	chance := sim.Seed(1).Stream("times")
	var now sim.Time
	for range 5000 {
		gap := sim.Time(chance.Exp() * 3e7)
		for at := now; at < now+gap; at += 7 * sim.Millisecond {
			busy.c.catchUp(at)
		}
		now += gap
		took := sim.Time(chance.Exp() * 1e7)
		lazy.c.catchUp(now)
		busy.c.catchUp(now)
		if lazy.c.limit != busy.c.limit || lazy.c.measuring != busy.c.measuring {
			t.Fatalf("at %d: limit %d, measuring %t; want %d, %t", now, lazy.c.limit,
				lazy.c.measuring, busy.c.limit, busy.c.measuring)
		}
		lazy.serve(now, 1, took)
		now = busy.serve(now, 1, took)
	}
}

// A callee of c slots that takes 10 ms each: the limit settles above c, where the line begins to
// show, and does not run away.
func TestEnvoyGradientFindsACapacity(t *testing.T) {
	const slots, service = 20, 10 * sim.Millisecond
	g := newGradientStory(t, func(s *EnvoyAdaptiveConcurrency) { s.MinInterval = sim.Hour })
	free := make([]sim.Time, slots)
	type flight struct{ in, out sim.Time }
	var inside []flight
	var sum, n int
	for now := sim.Time(0); now < 20*sim.Second; now += 200 * sim.Microsecond { // 2.5 times too much
		for len(inside) > 0 && inside[0].out <= now {
			f := inside[0]
			inside = inside[1:]
			g.c.Finish(f.out, &Attempt{N: 1}, f.out-f.in, Outcome{Class: OK})
		}
		if !g.c.Enter(now, &Attempt{N: 1}) {
			continue
		}
		first := 0
		for i := range free {
			if free[i] < free[first] {
				first = i
			}
		}
		free[first] = max(now, free[first]) + service
		inside = append(inside, flight{now, free[first]})
		if now > 10*sim.Second {
			sum += g.c.limit
			n++
		}
	}
	// At the fixed point limit = limit g + sqrt(limit g), with g = 1.25 minRTT / RTT and RTT =
	// limit / (slots / service): limit g = 1.25 slots, and limit = 25 + 5.
	if got := float64(sum) / float64(n); math.Abs(got-30) > 2 {
		t.Errorf("the limit settles at %.1f, want about 30", got)
	}
}
