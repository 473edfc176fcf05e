package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"

	"pgregory.net/rapid"
)

// TestRatioBudgetBoundHoldsAtEveryGrant counts with all events kept, over the exact window
// (t-w, t], and in floats, with the slack that floats need and no more.
func TestRatioBudgetBoundHoldsAtEveryGrant(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := RatioBudget{
			Ratio:  unit.Ratio(rapid.SampledFrom([]float64{0, 0.05, 0.2, 1, 3}).Draw(t, "ratio")),
			Window: rapid.SampledFrom([]sim.Time{sim.Millisecond, sim.Second}).Draw(t, "window"),
			Of:     rapid.SampledFrom([]string{"originals", "successes"}).Draw(t, "of"),
			Min:    unit.Rate(rapid.SampledFrom([]float64{0, 4000}).Draw(t, "min")),
		}
		p := kindOf("ratio_budget").New(s)
		var earned, granted []sim.Time
		now := sim.Time(0)
		for range rapid.IntRange(1, 300).Draw(t, "events") {
			now += sim.Time(rapid.Int64Range(0, int64(s.Window/20)).Draw(t, "gap"))
			switch rapid.IntRange(0, 3).Draw(t, "event") {
			case 0:
				if s.Of == "originals" {
					earned = append(earned, now)
				}
				p.Gate.Admit(now, &Attempt{N: 1})
			case 1:
				if p.Observer != nil {
					p.Observer.Observe(now, &Attempt{N: 1}, Outcome{Class: OK})
					earned = append(earned, now)
				}
			default:
				if p.Gate.Admit(now, &Attempt{N: 2}) {
					granted = append(granted, now)
				}
			}
			most := float64(s.Ratio)*float64(within(earned, now, s.Window)) +
				float64(s.Min)*s.Window.Seconds()
			last := len(granted) > 0 && granted[len(granted)-1] == now
			if got := within(granted, now, s.Window); last && float64(got) > most+1e-9 {
				t.Fatalf("at %d: %d retries in the window, at most %v were earned", now, got, most)
			}
		}
	})
}

func within(times []sim.Time, now, window sim.Time) (n int) {
	for _, at := range times {
		if at > now-window {
			n++
		}
	}
	return n
}

func kindOf(name string) *Kind {
	k, ok := Builtins().Lookup(name)
	if !ok {
		panic(name)
	}
	return k
}

// TestRatioBudgetAmplification is theory: when everything fails and five retries are wanted at
// once, A = 1 + b + m/λ. The budget grants about 1 % of its retries less (100 of 101 slots), which
// for these A is 0.2 %, so 0.5 % leaves as much again for chance.
func TestRatioBudgetAmplification(t *testing.T) {
	onOneMachine(t)
	for _, c := range []struct {
		ratio     unit.Ratio
		min       unit.Rate
		perSecond float64
		want      float64
	}{
		{0.2, 0, 200, 1.2}, {0.1, 0, 200, 1.1}, // all-fail, no reserve
		{0.2, 10, 100, 1.3}, {0.2, 10, 1000, 1.21}, // Finagle's settings
	} {
		s := RatioBudget{Ratio: c.ratio, Window: 10 * sim.Second, Of: "originals", Min: c.min}
		p := kindOf("ratio_budget").New(s)
		luck := sim.Seed(21).Stream("arrivals")
		var calls, attempts int
		for now := sim.Time(0); now < 10*sim.Minute; {
			now += sim.Time(luck.Exp() * 1e9 / c.perSecond)
			tries := 1
			p.Gate.Admit(now, &Attempt{N: 1})
			for tries < 6 && p.Gate.Admit(now, &Attempt{N: tries + 1}) {
				tries++
			}
			if now > sim.Minute {
				calls, attempts = calls+1, attempts+tries
			}
		}
		got := float64(attempts) / float64(calls)
		if math.Abs(got-c.want) > 0.005*c.want {
			t.Errorf("%+v at %v/s: amplification %.4f, want %.3f", s, c.perSecond, got, c.want)
		}
		if c.min == 0 && got > c.want {
			t.Errorf("%+v: amplification %.4f is above the bound %.3f", s, got, c.want)
		}
		t.Logf("%v + %v at %v/s: %.4f (theory %.3f)", s.Ratio, s.Min, c.perSecond, got, c.want)
	}
}
