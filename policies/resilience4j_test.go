package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestResilience4jJudgesEachCall(t *testing.T) {
	c := newCaller(t, "resilience4j_breaker", "{}")
	c.calls(99, Error)
	if c.p.Level(c.now) != 1 {
		t.Error("open after 99 calls")
	}
	c.calls(1, OK)
	if c.p.Level(c.now) != 0 {
		t.Error("closed with 99 % failed, because the last one was good")
	}
}

func TestResilience4jDecidesHalfOpenAtTheTenthCall(t *testing.T) {
	for _, test := range []struct {
		failed int
		opens  bool
	}{{5, true}, {4, false}} {
		c := newCaller(t, "resilience4j_breaker", "{}")
		c.calls(100, Error)
		c.pause(60*sim.Second + 1)
		c.calls(test.failed, Error)
		c.calls(9-test.failed, OK)
		if got := c.p.Level(c.now); got != 0.5 {
			t.Errorf("%d of 9 failed: level %v, want half-open", test.failed, got)
		}
		c.calls(1, OK)
		if got := c.p.Level(c.now) == 0; got != test.opens {
			t.Errorf("%d of 10 failed: open %t, want %t", test.failed, got, test.opens)
		}
	}
}

func TestResilience4jWaitsForThePendingProbe(t *testing.T) {
	for _, test := range []struct {
		settings string
		wait     sim.Time
		passes   bool
	}{
		{"{}", sim.Hour, false},
		// It opens at 10 s, and is half-open later than 60 s after that.
		{"{max_wait_duration_in_half_open_state: 10s}", 70 * sim.Second, false},
		{"{max_wait_duration_in_half_open_state: 10s}", 70*sim.Second + 1, true},
		{"{max_wait_duration_in_half_open_state: 10s, " +
			"transition_to_state_after_wait_duration: closed}", 10*sim.Second - 1, false},
		{"{max_wait_duration_in_half_open_state: 10s, " +
			"transition_to_state_after_wait_duration: closed}", 10 * sim.Second, true},
	} {
		c := newCaller(t, "resilience4j_breaker", test.settings)
		c.calls(100, Error)
		c.pause(60*sim.Second + 1)
		c.begin()
		c.calls(9, Error)
		if c.p.Level(c.now) != 0.5 || c.begin() != nil {
			t.Fatalf("%s: an eleventh call passes, or nine decided", test.settings)
		}
		c.pause(test.wait)
		if got := c.begin() != nil; got != test.passes {
			t.Errorf("%s: passes after %v s: %t, want %t",
				test.settings, test.wait.Seconds(), got, test.passes)
		}
	}
}

func TestResilience4jNeedsACallToLeaveOpenUnlessAutomatic(t *testing.T) {
	for _, test := range []struct {
		settings string
		at       sim.Time
		passes   bool
	}{
		{"{}", 60 * sim.Second, false},
		{"{}", 60*sim.Second + 1, true},
		{"{automatic_transition_from_open_to_half_open_enabled: true}", 60*sim.Second - 1, false},
		{"{automatic_transition_from_open_to_half_open_enabled: true}", 60 * sim.Second, true},
	} {
		c := newCaller(t, "resilience4j_breaker", test.settings)
		c.calls(100, Error)
		c.pause(test.at)
		if got := c.begin() != nil; got != test.passes {
			t.Errorf("%s at %d ns: passes %t", test.settings, test.at, got)
		}
	}
}

// Open 60 s, half-open 10 s, open 60 s and so on, by timers alone.
func TestResilience4jSwingsByItselfWhileNobodyCalls(t *testing.T) {
	for _, test := range []struct {
		at     sim.Time
		passes bool
	}{
		{60 * sim.Second, true}, {70*sim.Second - 1, true}, {70 * sim.Second, false},
		{130*sim.Second - 1, false}, {130 * sim.Second, true}, {140 * sim.Second, false},
		{1000*70*sim.Second - 1, true}, {1000 * 70 * sim.Second, false},
		{1000*70*sim.Second + 60*sim.Second, true},
	} {
		c := newCaller(t, "resilience4j_breaker", "{max_wait_duration_in_half_open_state: 10s, "+
			"automatic_transition_from_open_to_half_open_enabled: true}")
		c.calls(100, Error)
		c.pause(test.at)
		if got := c.begin() != nil; got != test.passes {
			t.Errorf("at %v s: passes %t, want %t", test.at.Seconds(), got, test.passes)
		}
	}
}

func TestResilience4jSlowCallsOpenIt(t *testing.T) {
	for _, test := range []struct {
		took sim.Time
		open bool
	}{{2 * sim.Second, false}, {2*sim.Second + 1, true}} {
		c := newCaller(t, "resilience4j_breaker", "{minimum_number_of_calls: 1, "+
			"slow_call_duration_threshold: 2s}")
		a := c.begin()
		c.pause(test.took)
		c.end(a, Outcome{Class: OK})
		if got := c.p.Level(c.now) == 0; got != test.open {
			t.Errorf("a call of %d ns: open %t, want %t", test.took, got, test.open)
		}
	}
}

func TestResilience4jTimeWindowIsWholeSecondsOfTheClock(t *testing.T) {
	const window = "{sliding_window_type: time_based, sliding_window_size: 10, " +
		"minimum_number_of_calls: 10}"
	for _, test := range []struct {
		first, last sim.Time
		open        bool
	}{
		{0, 10*sim.Second - 1, true},
		{0, 10 * sim.Second, false},
		{sim.Second - 1, 10 * sim.Second, false}, // 9 s later: its second is the eleventh last
		{900 * sim.Millisecond, 10*sim.Second - 1, true},
		{0, sim.Hour, false},
	} {
		c := newCaller(t, "resilience4j_breaker", window)
		c.pause(test.first)
		c.calls(9, Error)
		c.now = test.last
		c.calls(1, Error)
		if got := c.p.Level(c.now) == 0; got != test.open {
			t.Errorf("failures at %d and %d ns: open %t, want %t",
				test.first, test.last, got, test.open)
		}
	}
}

// One call from before the opening ends while it is half-open: it takes a tenth of the decision.
func TestResilience4jCountsOldCallsAsProbes(t *testing.T) {
	c := newCaller(t, "resilience4j_breaker", "{}")
	old := c.begin()
	c.calls(100, Error)
	c.pause(61 * sim.Second)
	c.calls(5, OK)
	c.calls(4, Error)
	c.end(old, Outcome{Class: TimedOut})
	if c.p.Level(c.now) != 0 {
		t.Error("not open at the tenth end, of which five failed")
	}
}

func TestResilience4jPermitsOfWhatIsNotCounted(t *testing.T) {
	for _, test := range []struct {
		settings string
		o        Outcome
		further  int // probes that pass after one that ended so
	}{
		{"{on_cancel: recorded}", Outcome{Class: TimedOut}, 9},
		{"{on_cancel: released}", Outcome{Class: TimedOut}, 10},
		{"{on_cancel: lost}", Outcome{Class: TimedOut}, 9},
		{"{client_errors: ignored}", Outcome{Class: Error, Status: 400}, 10},
	} {
		c := newCaller(t, "resilience4j_breaker", test.settings)
		c.calls(100, Error)
		c.pause(61 * sim.Second)
		a := c.begin()
		a.Deadline = c.now
		c.end(a, test.o)
		further := 0
		for c.begin() != nil {
			further++
		}
		if further != test.further {
			t.Errorf("%s: %d further probes, want %d", test.settings, further, test.further)
		}
	}
}

// With a lower minimum than probes, the minimum decides.
func TestResilience4jHalfOpenNeedsNoMoreThanTheMinimum(t *testing.T) {
	c := newCaller(t, "resilience4j_breaker", "{minimum_number_of_calls: 3}")
	c.calls(3, Error)
	c.pause(61 * sim.Second)
	c.calls(3, OK)
	if c.p.Level(c.now) != 1 {
		t.Error("not closed after three good probes")
	}
}

func TestBulkheadHoldsTwentyFive(t *testing.T) {
	c := newCaller(t, "resilience4j_bulkhead", "{}")
	var held []*Attempt
	for a := c.begin(); a != nil; a = c.begin() {
		held = append(held, a)
	}
	if len(held) != 25 {
		t.Fatalf("%d pass, want 25", len(held))
	}
	c.end(held[0], Outcome{Class: TimedOut})
	c.close(held[1])
	if a, b, d := c.begin(), c.begin(), c.begin(); a == nil || b == nil || d != nil {
		t.Error("two places came back, and not two calls pass")
	}
}

func TestRateLimiterReservesCyclesToCome(t *testing.T) {
	c := newCaller(t, "resilience4j_rate_limiter",
		"{limit_for_period: 2, limit_refresh_period: 1s, timeout_duration: 2s}")
	c.pause(1_400 * sim.Millisecond)
	wants := []sim.Time{0, 0, 600, 600, 1600, 1600} // ms; then 2.6 s, longer than the timeout
	for i, want := range wants {
		a := c.begin()
		if a == nil {
			t.Fatalf("call %d is refused", i+1)
		}
		got := c.p.Shaper.Delay(c.now, a)
		if got != want*sim.Millisecond {
			t.Errorf("call %d waits %d ns, want %d ms", i+1, got, want)
		}
		if again := c.p.Shaper.Delay(c.now+got, a); again != 0 {
			t.Errorf("call %d waits once more, %d ns", i+1, again)
		}
	}
	if c.begin() != nil {
		t.Error("a wait of 2.6 s passes a timeout of 2 s")
	}
	c.pause(599*sim.Millisecond + 999_999)
	if c.begin() != nil {
		t.Error("a wait of 2 s and 1 ns passes")
	}
	c.pause(1)
	if c.begin() == nil {
		t.Error("a wait of exactly 2 s is refused")
	}
	c.pause(sim.Hour)
	if got := c.p.Level(c.now); got != 1 {
		t.Errorf("level %v after an hour, want 1: permissions do not pile up", got)
	}
}

func TestRateLimiterOfDefaultsLimitsNothing(t *testing.T) {
	c := newCaller(t, "resilience4j_rate_limiter", "{}")
	for range 1000 {
		c.pause(10) // a hundred million a second
		if a := c.begin(); a == nil || c.p.Shaper.Delay(c.now, a) != 0 {
			t.Fatal("refused or held")
		}
	}
}
