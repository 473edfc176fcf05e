package policies

import (
	"math"
	"reflect"
	"testing"

	"cascadesim/sim"
)

func TestEnvoyBackoffOfARawDraw(t *testing.T) {
	for _, c := range []struct {
		base, most, draw uint64
		want             []uint64 // ms
	}{
		{25, 250, 190, []uint64{15, 40, 90, 190, 190, 190}},
		{5, 100, 9999, []uint64{4, 9, 19, 39, 79, 99, 99}},
		{25, 30, 27, []uint64{2, 27}},
		{7, 7, 8, []uint64{1, 1, 1}},
	} {
		var got []uint64
		for n := range c.want {
			got = append(got, envoyBackoff(envoyInterval(c.base, c.most, uint32(n)), c.draw))
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("base %d, most %d, draw %d: got %v, want %v", c.base, c.most, c.draw, got, c.want)
		}
	}
	for draw, want := range map[uint64]uint64{22: 522, 9999: 749} {
		if got := envoyResetBackoff(500, draw); got != want {
			t.Errorf("asked for 500 ms, draw %d: got %d, want %d", draw, got, want)
		}
	}
}

// The documentation page gives 25, 75 and 175 ms; the code has not done so since March 2020.
func TestEnvoyBackoffRanges(t *testing.T) {
	for n, want := range []uint64{25, 50, 100, 200, 250, 250} {
		if got := envoyInterval(25, 250, uint32(n)); got != want {
			t.Errorf("backoff %d: below %d ms, want %d", n, got, want)
		}
	}
}

// Five waits of full jitter of base 0.1 s and cap 2 s last 1.55 s on average (half of 0.1 + 0.2 +
// 0.4 + 0.8 + 1.6); whole milliseconds below the interval take half a millisecond off each.
func TestEnvoyWaitsAsLongAsFullJitter(t *testing.T) {
	s := envoyDefaults("5xx")
	s.NumRetries, s.Base, s.Max = 5, 100*sim.Millisecond, 2*sim.Second
	s.MaxRetries = math.MaxUint32
	p := kindOf("envoy_retry").New(s)
	root, total, calls := sim.Seed(1).Ident("waits"), 0.0, 40_000
	for i := range calls {
		c := envoyRoute(p)
		for n := range 5 {
			c.a.Chance = root.Child(uint64(i)).Child(uint64(n)).Draw(0)
			if said := c.fail(0, envoy503); said != "retry" {
				t.Fatalf("failure %d: %s", n+1, said)
			}
			if c.a.Wait%sim.Millisecond != 0 {
				t.Fatalf("a wait of %d ns", c.a.Wait)
			}
			total += c.a.Wait.Seconds()
		}
	}
	const want = 1.55 - 5*0.0005
	sd := math.Sqrt(0.01 * (1 + 4 + 16 + 64 + 256) / 12) // of a call's five waits
	if got := total / float64(calls); math.Abs(got-want) > 4*sd/math.Sqrt(float64(calls)) {
		t.Errorf("five waits last %.4f s, want %.4f", got, want)
	}
}

func TestEnvoyWaitsAsTheAnswerAsks(t *testing.T) {
	s := envoyDefaults("5xx")
	s.NumRetries, s.Reset, s.MaxRetries = 9, true, 9
	const ms, long = sim.Millisecond, 300 * sim.Second
	for _, c := range []struct {
		name        string
		class       Class
		asks        sim.Time
		least, most sim.Time // of the wait
	}{
		{"nothing", Error, 0, 0, 24 * ms},
		{"1 ms is too little", Error, 2*ms - 1, 0, 24 * ms},
		{"2 ms", Error, 2 * ms, 2 * ms, 2 * ms},
		{"10 s", Error, 10 * sim.Second, 10 * sim.Second, 15*sim.Second - 1},
		{"10 s, of a reset, which has no headers", Dropped, 10 * sim.Second, 0, 24 * ms},
		{"the longest", Error, long, long, long + long/2 - 1},
		{"within the longest as a whole ms", Error, long + ms - 1, long, long + long/2 - 1},
		{"too long", Error, long + ms, 0, 24 * ms},
		{"at once: no time", Error, RetryNow, 0, 24 * ms},
		{"never: no time", Error, DontRetry, 0, 24 * ms},
	} {
		seen := map[sim.Time]bool{}
		for i := range 200 {
			call := envoyRoute(kindOf("envoy_retry").New(s))
			call.a.Chance = sim.Seed(3).Ident("asks").Child(uint64(i)).Draw(0)
			call.fail(0, Outcome{Class: c.class, Status: 503, RetryAfter: c.asks})
			if w := call.a.Wait; w < c.least || w > c.most {
				t.Errorf("%s: waits %d ns, want %d to %d", c.name, w, c.least, c.most)
			}
			seen[call.a.Wait] = true
		}
		if len(seen) < 2 && c.least < c.most {
			t.Errorf("%s: always the same wait", c.name)
		}
	}
}

// A wait that an answer asked for is none of the doubling ones: the next is as the first.
func TestEnvoyBackoffDoesNotGrowWhenAnAnswerAsks(t *testing.T) {
	s := envoyDefaults("5xx")
	s.NumRetries, s.Reset = 9, true
	call := envoyRoute(kindOf("envoy_retry").New(s))
	for _, asks := range []sim.Time{0, sim.Second, sim.Second, 0, 0} {
		o := envoy503
		o.RetryAfter = asks
		call.fail(0, o)
	}
	if got := envoyDrawnOf(call.note); got != 3 {
		t.Errorf("%d backoffs drawn, want 3", got)
	}
}
