package policies

import (
	"fmt"
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

// Each whole rate is met by just so many of a hundred calls, and not by one less.
func TestResilience4jOpensAtItsRateExactly(t *testing.T) {
	for rate := 1; rate <= 100; rate++ {
		for failed := rate - 1; failed <= rate; failed++ {
			c := newCaller(t, "resilience4j_breaker", fmt.Sprintf(
				"{failure_rate_threshold: %d%%, minimum_number_of_calls: 100}", rate))
			c.calls(100-failed, OK)
			c.calls(failed, Error)
			if got := c.p.Level(c.now) == 0; got != (failed == rate) {
				t.Errorf("at %d %%, %d of 100 failed: open %t", rate, failed, got)
			}
		}
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
		{"{on_cancel: recorded}", Outcome{Class: TimedOut, Cancelled: true}, 9},
		{"{on_cancel: released}", Outcome{Class: TimedOut, Cancelled: true}, 10},
		{"{on_cancel: lost}", Outcome{Class: TimedOut, Cancelled: true}, 9},
		{"{client_errors: ignored}", Outcome{Class: Error, Status: 400}, 10},
	} {
		c := newCaller(t, "resilience4j_breaker", test.settings)
		c.calls(100, Error)
		c.pause(61 * sim.Second)
		c.end(c.begin(), test.o)
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
	for range 2 {
		if !c.beginsInVain() {
			t.Error("the place of a call that was not sent did not come back")
		}
	}
	if a, b := c.begin(), c.begin(); a == nil || b != nil {
		t.Error("one place came back, and not one call passes")
	}
}

// TestBulkheadHoldsNoPlaceForBackoffs: a call whose try another gate refused has no place while it
// waits to ask again, while one that the bulkhead stands around keeps it until it has ended.
func TestBulkheadHoldsNoPlaceForBackoffs(t *testing.T) {
	c := newCaller(t, "resilience4j_bulkhead", "{max_concurrent_calls: 1}")
	for range 20 {
		if !c.beginsInVain() {
			t.Fatal("a try is refused by the place of one before")
		}
	}
	a := c.begin()
	if c.begin() != nil {
		t.Error("a second call passes beside one under way")
	}
	c.end(a, Outcome{Class: OK})

	outside := c.begin()
	if c.begin() != nil {
		t.Error("a call passes beside another's backoff that the bulkhead stands around")
	}
	c.p.Wrapper.Unsent(c.now, outside, lateWithCall)
	if c.begin() == nil {
		t.Error("the place of a call that has ended did not come back")
	}
}

// asks plays a limiter's part in a try that is about to be sent now: how long it is held back, and
// whether it may go then.
func (c *caller) asks(deadline sim.Time) (waits sim.Time, goes bool) {
	a := &Attempt{N: 1, Started: c.now, Deadline: deadline, Note: new(uint64)}
	for delay := c.p.Shaper.Delay(c.now, a); delay > 0; delay = c.p.Shaper.Delay(c.now+waits, a) {
		waits += delay
	}
	return waits, c.p.Gate.Admit(c.now+waits, a)
}

// TestRateLimiterAsksAnewForEachTry: the second try of a call reserves as another call does.
func TestRateLimiterAsksAnewForEachTry(t *testing.T) {
	c := newCaller(t, "resilience4j_rate_limiter",
		"{limit_for_period: 1, limit_refresh_period: 1s, timeout_duration: 0s}")
	a := &Attempt{Deadline: sim.Never, Note: new(uint64)}
	for n, want := range []bool{true, false, false, true} {
		a.N = n + 1
		if a.N == 4 {
			c.pause(sim.Second)
		}
		if delay := c.p.Shaper.Delay(c.now, a); delay != 0 {
			t.Errorf("try %d is held for %d ns with a timeout of 0", a.N, delay)
		}
		if got := c.p.Gate.Admit(c.now, a); got != want {
			t.Errorf("try %d goes: %t, want %t", a.N, got, want)
		}
	}
}

// TestRateLimiterReservesCyclesToCome asks six times at 1.4 s and four times later. What would wait
// longer than the timeout reserves nothing and waits that long in vain.
func TestRateLimiterReservesCyclesToCome(t *testing.T) {
	c := newCaller(t, "resilience4j_rate_limiter",
		"{limit_for_period: 2, limit_refresh_period: 1s, timeout_duration: 2s}")
	for i, want := range []struct {
		at, waits sim.Time
		goes      bool
	}{
		{1400 * ms, 0, true}, {1400 * ms, 0, true},
		{1400 * ms, 600 * ms, true}, {1400 * ms, 600 * ms, true},
		{1400 * ms, 1600 * ms, true}, {1400 * ms, 1600 * ms, true},
		{1400 * ms, 2000 * ms, false}, // 2.6 s
		{2000*ms - 1, 2000 * ms, false},
		{2000 * ms, 2000 * ms, true},
		{2000 * ms, 2000 * ms, true},
		{2000 * ms, 2000 * ms, false},
	} {
		c.now = want.at
		if waits, goes := c.asks(sim.Never); waits != want.waits || goes != want.goes {
			t.Errorf("call %d waits %d ns and goes: %t, want %d and %t",
				i+1, waits, goes, want.waits, want.goes)
		}
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
		if waits, goes := c.asks(sim.Never); waits > 0 || !goes {
			t.Fatal("refused or held")
		}
	}
}
