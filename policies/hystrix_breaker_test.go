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

// What everybody runs, 1.5.13 to 1.5.18, cannot close while calls keep coming.
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
		c := newCaller(t, "hystrix_breaker", "{unsubscribe_reopens: false, "+test.settings+"}")
		for range 50 { // those that are not counted never open it
			c.end(c.begin(), test.o)
		}
		c.pause(500 * sim.Millisecond)
		counted := c.begin() == nil
		if want := test.name == "client error as failure"; counted != want {
			t.Errorf("%s: opens %t, want %t", test.name, counted, want)
		}

		c = newCaller(t, "hystrix_breaker", "{unsubscribe_reopens: false, "+test.settings+"}")
		c.calls(20, Error)
		c.pause(6 * sim.Second)
		c.end(c.begin(), test.o)
		if got := c.begin() != nil; got != test.passes {
			t.Errorf("%s as probe: passes %t, want %t", test.name, got, test.passes)
		}
	}
}

func TestHystrixStartsItsWindowAnewWhenItCloses(t *testing.T) {
	c := newCaller(t, "hystrix_breaker", "{sleep_window: 1s, unsubscribe_reopens: false}")
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
