package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestHystrixOpensByCountsOfWholeIntervals(t *testing.T) {
	for _, test := range []struct {
		name         string
		good, errors int
		open         bool
	}{
		{"19 failures in 10 s", 0, 19, false},
		{"20 calls, 10 errors", 10, 10, true},
		{"20 calls, 9 errors", 11, 9, false},
		{"200 calls, 99 errors: int(49.5)", 101, 99, false},
		{"200 calls, 100 errors", 100, 100, true},
	} {
		c := newCaller(t, "hystrix_breaker", "{}")
		c.calls(test.good, OK)
		c.calls(test.errors, Error)
		c.pause(500*sim.Millisecond - 1)
		if c.begin() == nil {
			t.Errorf("%s: open before the snapshot", test.name)
		}
		c.pause(1)
		if got := c.begin() == nil; got != test.open {
			t.Errorf("%s: open %t at the snapshot, want %t", test.name, got, test.open)
		}
	}
}

func TestHystrixForgetsAfterTenSeconds(t *testing.T) {
	for _, test := range []struct {
		after sim.Time // between 19 errors and the 20th
		open  bool
	}{
		{9_499 * sim.Millisecond, true}, // both in the twenty intervals that end at 10 s
		{9_500 * sim.Millisecond, true}, // in the one that ends at 10 s
		{10 * sim.Second, false},        // the first interval is gone as this one ends
	} {
		c := newCaller(t, "hystrix_breaker", "{}")
		c.calls(19, Error)
		c.pause(test.after)
		c.calls(1, Error)
		c.pause(500 * sim.Millisecond)
		if got := c.begin() == nil; got != test.open {
			t.Errorf("an error %v s later: open %t, want %t", test.after.Seconds(), got, test.open)
		}
	}
}

func TestHystrixJudgesWhatTheWindowHeldWhileNobodyAsked(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{sleep_window: 1h}")
	c.calls(25, OK)
	c.pause(sim.Second)
	c.calls(20, Error) // 20 of 45 are 44 %
	c.pause(sim.Minute)
	// At 10.5 s the good ones leave the window, and 20 of 20 are left.
	if c.begin() != nil {
		t.Error("closed, although the errors alone were in the window for a second")
	}
}

// 1.5.13 and the last source, which was never released, cannot close while calls keep coming.
func TestHystrixIsReopenedByTheCallsItShortCircuits(t *testing.T) {
	for _, reopens := range []bool{true, false} {
		c := newCaller(t, "hystrix_breaker", "{unsubscribe_reopens: "+
			word(reopens, "true", "false")+"}")
		c.calls(20, Error)
		c.pause(6 * sim.Second)
		probe := c.begin()
		c.pause(10 * sim.Millisecond)
		if probe == nil || c.begin() != nil {
			t.Fatal("not one probe")
		}
		c.pause(10 * sim.Millisecond)
		c.end(probe, Outcome{Class: OK})
		if got, want := c.begin() != nil, !reopens; got != want {
			t.Errorf("reopens %t: passes after a good probe %t, want %t", reopens, got, want)
		}
		c.pause(5*sim.Second - 11*sim.Millisecond)
		if reopens && c.begin() != nil {
			t.Error("the sleep window did not begin at the short-circuited call")
		}
		c.pause(2 * sim.Millisecond)
		if c.begin() == nil {
			t.Error("nothing passes after the sleep window")
		}
	}
}

func TestHystrixCountsRefusalsOfItsPoolAsErrors(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{}")
	for range 10 {
		c.begin()
	}
	if got := c.calls(20, OK); got != 0 {
		t.Errorf("%d more than ten pass at once", got)
	}
	c.pause(500 * sim.Millisecond)
	c.p.Gate.Admit(c.now, &Attempt{N: 1, Note: new(uint64)})
	if c.p.Level(c.now) != 0 {
		t.Error("twenty refusals did not open it")
	}
}

func TestHystrixGivesPlacesBack(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{max_concurrent_requests: 1}")
	a := c.begin()
	c.end(a, Outcome{Class: OK})
	if a == nil || !c.beginsInVain() || c.begin() == nil {
		t.Error("a place was lost")
	}
}

func TestHystrixBadRequestsAndCancelledCallsReopenUncounted(t *testing.T) {
	for _, test := range []struct {
		name, settings string
		o              Outcome
		passes         bool // after the probe
	}{
		{"bad request", "client_errors: bad_request", Outcome{Class: Error, Status: 400}, false},
		{"client error as success", "client_errors: success", Outcome{Class: Error, Status: 404},
			true},
		{"client error as failure", "client_errors: failure", Outcome{Class: Error, Status: 404},
			false},
		{"cancelled", "on_cancel: cancelled", Outcome{Class: TimedOut, Cancelled: true}, false},
	} {
		c := newCaller(t, "hystrix_breaker", "{"+test.settings+"}")
		for range 50 { // those that are not counted never open it
			c.end(c.begin(), test.o)
		}
		c.pause(500 * sim.Millisecond)
		counted := c.begin() == nil
		if want := test.name == "client error as failure"; counted != want {
			t.Errorf("%s: opens %t, want %t", test.name, counted, want)
		}

		c = newCaller(t, "hystrix_breaker", "{"+test.settings+"}")
		c.calls(20, Error)
		c.pause(6 * sim.Second)
		c.end(c.begin(), test.o)
		if got := c.begin() != nil; got != test.passes {
			t.Errorf("%s as probe: passes %t, want %t", test.name, got, test.passes)
		}
	}
}

func TestHystrixStartsItsWindowAnewWhenItCloses(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{sleep_window: 1s}")
	c.calls(20, Error)
	c.pause(1_600 * sim.Millisecond)
	c.calls(1, OK) // the probe, which is the first call of the new window
	c.calls(18, Error)
	c.pause(sim.Second)
	if c.begin() == nil {
		t.Error("open after 19 calls of the new window")
	}
	c.calls(1, Error)
	c.pause(500 * sim.Millisecond)
	if c.begin() != nil {
		t.Error("closed after 20 calls of the new window")
	}
}

// The breaker of the last release opens as a call comes, here at 700 ms, and tests from then on, on
// a clock of milliseconds.
func TestHystrixSingleTestOpensAsACallComes(t *testing.T) {
	const test = "{breaker: single_test}"
	for _, shift := range []sim.Time{-1, 0, 1} {
		c := newCaller(t, "hystrix_breaker", test)
		c.calls(20, Error)
		c.pause(700 * sim.Millisecond)
		if c.p.Level(c.now) != 1 || c.begin() != nil || c.p.Level(c.now) != 0 {
			t.Fatal("it did not open at the first call after the snapshot")
		}
		c.pause(5_001*sim.Millisecond + shift)
		if got, want := c.begin() != nil, shift >= 0; got != want {
			t.Errorf("%d ns after its first time: passes %t, want %t", shift, got, want)
		}
	}
}

// Neither a test that hangs nor one that fails puts the next one off: one goes each sleep window.
func TestHystrixSingleTestsFollowEachOther(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{breaker: single_test}")
	c.calls(20, Error)
	c.pause(500 * sim.Millisecond)
	c.begin() // refused, and opens it
	for range 3 {
		c.pause(5_001 * sim.Millisecond)
		hangs := c.begin()
		if hangs == nil || c.begin() != nil {
			t.Fatal("not one test")
		}
		c.pause(3 * sim.Second)
		c.end(hangs, Outcome{Class: TimedOut})
		c.pause(2 * sim.Second)
		if c.begin() != nil {
			t.Error("a test within the sleep window of the one before")
		}
		c.pause(sim.Millisecond)
		if c.begin() == nil {
			t.Error("the end of a test put off the next one")
		}
	}
	full := newCaller(t, "hystrix_breaker", "{breaker: single_test, max_concurrent_requests: 1}")
	full.begin()
	full.calls(20, Error)
	full.pause(500 * sim.Millisecond)
	full.begin()
	full.pause(5_001 * sim.Millisecond)
	if full.begin() != nil || full.p.Level(full.now) != 0 {
		t.Error("what the full pool refused was no test")
	}
}

// A success closes it whenever it comes: there are no generations.
func TestHystrixSingleTestClosesAtAnySuccess(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{breaker: single_test}")
	old := c.begin()
	c.calls(20, Error)
	c.pause(500 * sim.Millisecond)
	if c.begin() != nil {
		t.Fatal("not open")
	}
	c.pause(sim.Millisecond)
	c.end(old, Outcome{Class: OK})
	if got := c.calls(19, Error); got != 19 {
		t.Errorf("%d of 19 calls pass after the answer of one from before", got)
	}
	c.pause(500 * sim.Millisecond)
	if c.begin() != nil {
		t.Error("closed after 20 calls of the new window, 19 of them bad")
	}
}
