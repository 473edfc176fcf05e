package policies

import (
	"math"
	"testing"

	"cascadesim/sim"

	"pgregory.net/rapid"
)

func envoyStartsOf(window string, interval sim.Time) envoyStarts {
	s := envoyDefaults("5xx")
	s.Budget, s.Interval, s.Window = true, interval, window
	return newEnvoyStarts(s)
}

// A start alone is remembered until the tick of a tenth: 9 or 10 tenths after the one it is in.
func TestEnvoyWindowsForgetAtTicks(t *testing.T) {
	const tenth = sim.Second
	for _, c := range []struct {
		window   string
		at, ends sim.Time
	}{
		{"deque", 0, 10 * tenth}, {"deque", 1, 10 * tenth}, {"deque", tenth - 1, 10 * tenth},
		{"deque", tenth, 11 * tenth}, {"deque", 7*tenth + tenth/2, 17 * tenth},
		{"timers", 0, 11 * tenth}, {"timers", tenth - 1, 11 * tenth},
		{"timers", tenth, 12 * tenth}, {"timers", 7*tenth + tenth/2, 18 * tenth},
	} {
		for _, dt := range []sim.Time{-1, 0, 1} {
			w := envoyStartsOf(c.window, 10*tenth)
			w.add(c.at)
			want := int64(1)
			if dt >= 0 {
				want = 0
			}
			if got := w.count(c.ends + dt); got != want {
				t.Errorf("%s: a start at %d is counted %d times at %d, want %d", c.window, c.at, got,
					c.ends+dt, want)
			}
		}
	}
}

// The bounds hold for starts at any time, and the mean is that of the middle.
func TestEnvoyWindowsRememberAboutAnInterval(t *testing.T) {
	onOneMachine(t)
	const interval = 10 * sim.Second
	for window, bounds := range map[string][2]float64{"deque": {0.9, 1}, "timers": {1, 1.1}} {
		chance := sim.Seed(1).Stream(window)
		var sum float64
		const n = 2000
		for range n {
			at := sim.Time(chance.Intn(uint64(sim.Hour)))
			kept := envoyMemory(window, interval, at)
			if kept <= bounds[0] || kept > bounds[1] {
				t.Fatalf("%s: a start at %d is remembered for %v intervals", window, at, kept)
			}
			sum += kept
		}
		want := (bounds[0] + bounds[1]) / 2
		if got, sd := sum/n, 0.1/math.Sqrt(12*n); math.Abs(got-want) > 4*sd {
			t.Errorf("%s: remembered for %v intervals on average, want %v", window, got, want)
		}
	}
}

// envoyMemory is how many intervals a start alone is counted for, by bisection.
func envoyMemory(window string, interval, at sim.Time) float64 {
	kept, gone := sim.Time(0), 2*interval
	for gone-kept > 1 {
		w := envoyStartsOf(window, interval)
		w.add(at)
		if half := (kept + gone) / 2; w.count(at+half) == 0 {
			gone = half
		} else {
			kept = half
		}
	}
	return float64(gone) / float64(interval)
}

// envoyMeanMemory is what a window counts of steady traffic, as a share of an interval's starts.
func envoyMeanMemory(w envoyStarts, interval sim.Time, next func() sim.Time) float64 {
	var now sim.Time
	var n, counted int64
	for ; now < 100*interval; now += next() {
		w.add(now)
		if now > 20*interval {
			n++
			counted += w.count(now)
		}
	}
	perInterval := float64(n) / 80
	return float64(counted) / float64(n) / perInterval
}

func TestEnvoyWindowsUnderTraffic(t *testing.T) {
	const interval = 10 * sim.Second
	for _, c := range []struct {
		window string
		slots  bool // one start at each tenth, and nothing in between
		want   float64
	}{
		{"deque", false, 0.95}, {"deque", true, 1},
		{"timers", false, 1.05}, {"timers", true, 1.1},
		{"tower", false, 0.55}, {"tower", true, 1.1},
	} {
		chance := sim.Seed(1).Stream("gaps")
		next := func() sim.Time { return sim.Time(chance.Exp() * 1e7) } // 1,000 each interval
		if c.slots {
			next = func() sim.Time { return interval / 10 }
		}
		got := envoyMeanMemory(envoyStartsOf(c.window, interval), interval, next)
		if math.Abs(got-c.want) > 0.01 {
			t.Errorf("%s, on slots %t: remembers %v intervals, want %v", c.window, c.slots, got, c.want)
		}
	}
}

// tickedDeque is the deque with a timer that ticks, one tenth at a time.
type tickedDeque struct {
	tenth, next sim.Time
	most        int
	now         int64
	done        []int64
}

func (d *tickedDeque) tick(now sim.Time) {
	for ; d.next <= now; d.next += d.tenth {
		d.done, d.now = append(d.done, d.now), 0
		if len(d.done) >= d.most {
			d.done = d.done[1:]
		}
	}
}

func (d *tickedDeque) count() int64 {
	sum := d.now
	for _, n := range d.done {
		sum += n
	}
	return sum
}

// What is rolled when asked counts as what ticks: ten entries pop in the deque; the timers keep
// each tenth for ten more ticks.
func TestEnvoyWindowsCountAsTheirTimers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.SampledFrom([]string{"deque", "timers"}).Draw(t, "window")
		tenth := rapid.SampledFrom([]sim.Time{sim.Millisecond, sim.Second}).Draw(t, "tenth")
		got := envoyStartsOf(window, 10*tenth)
		want := &tickedDeque{tenth: tenth, next: tenth, most: 10}
		if window == "timers" {
			want.most = 11
		}
		gaps := rapid.SampledFrom([]int64{int64(tenth) / 50, int64(tenth), 30 * int64(tenth)})
		now := sim.Time(1)
		for range rapid.IntRange(1, 200).Draw(t, "events") {
			if rapid.Bool().Draw(t, "on a slot") {
				now = ((now-1)/tenth + sim.Time(rapid.IntRange(1, 3).Draw(t, "slots"))) * tenth
			} else {
				now += sim.Time(rapid.Int64Range(0, gaps.Draw(t, "most")).Draw(t, "gap"))
			}
			want.tick(now)
			if rapid.Bool().Draw(t, "start") {
				got.add(now)
				want.now++
			}
			if got, want := got.count(now), want.count(); got != want {
				t.Fatalf("%s at %d: counts %d, want %d", window, now, got, want)
			}
		}
	})
}
