package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestPollyOpensAtFailuresAlone(t *testing.T) {
	c := newCaller(t, "polly_breaker", "{}")
	c.calls(99, Error)
	if c.begin() == nil {
		t.Error("open after 99 failures")
	}

	c = newCaller(t, "polly_breaker", "{}")
	c.calls(90, OK)
	if got := c.calls(10, Error); got != 10 || c.begin() != nil {
		t.Errorf("%d of 10 failures pass after 90 good calls, or it is not open after them", got)
	}

	c = newCaller(t, "polly_breaker", "{}")
	c.calls(10, Error)
	c.calls(90, OK)
	if c.begin() == nil {
		t.Error("a success opened it")
	}
	c.calls(1, Error) // 11 of 101
	if c.begin() != nil {
		t.Error("closed with 11 of 101 failed")
	}
}

func TestPollyForgetsBucketsThatBeganThirtySecondsAgo(t *testing.T) {
	for _, test := range []struct {
		second, last sim.Time // of 49 failures, and of the hundredth
		open         bool
	}{
		{0, 30*sim.Second - 100, true},
		{0, 30 * sim.Second, false},
		// Within 3 s of the first they are in its bucket, and leave with it.
		{3*sim.Second - 100, 30 * sim.Second, false},
		// A bucket begins when it is touched: this one lives to 33 s.
		{3 * sim.Second, 33*sim.Second - 100, true},
	} {
		c := newCaller(t, "polly_breaker", "{minimum_throughput: 50}")
		c.calls(1, Error)
		c.pause(test.second)
		c.calls(48, Error)
		if test.last >= 30*sim.Second && test.open {
			c.calls(1, OK) // the first one will have gone by then
		}
		c.now = test.last
		c.calls(1, Error)
		if got := c.begin() == nil; got != test.open {
			t.Errorf("failures to %v s and at %v s: open %t, want %t",
				test.second.Seconds(), test.last.Seconds(), got, test.open)
		}
	}
}

func TestPollyOpeningKeepsItsCountsAndClosingForgetsThem(t *testing.T) {
	c := newCaller(t, "polly_breaker", "{}")
	c.calls(100, Error)
	c.pause(5 * sim.Second)
	c.calls(1, OK) // the probe
	c.calls(99, Error)
	if c.begin() == nil {
		t.Error("open after 99 failures since it closed")
	}
	c.calls(1, Error)
	if c.begin() != nil {
		t.Error("closed after 100 failures")
	}
}

func TestPollyOldAnswersDecideOnceItIsHalfOpen(t *testing.T) {
	for _, class := range []Class{OK, Error} {
		c := newCaller(t, "polly_breaker", "{}")
		early, late := c.begin(), c.begin()
		c.calls(100, Error)
		c.end(early, Outcome{Class: class})
		if c.begin() != nil {
			t.Error("an old answer closed it while it was open")
		}
		c.pause(5 * sim.Second)
		c.begin()
		c.end(late, Outcome{Class: class})
		if got, want := c.p.Level(c.now) == 1, class == OK; got != want {
			t.Errorf("old answer %v while half-open: closed %t, want %t", class, got, want)
		}
	}
}

// The probe is cut off by the deadline of its call, which nothing within Polly answers for.
func TestPollyTakesACancelledProbeForASuccess(t *testing.T) {
	for _, test := range []struct {
		settings string
		closes   bool
	}{{"{}", true}, {"{on_cancel: failure}", false}} {
		c := newCaller(t, "polly_breaker", test.settings)
		c.calls(100, Error)
		c.pause(5 * sim.Second)
		probe := c.begin()
		c.pause(sim.Second)
		c.end(probe, Outcome{Class: TimedOut, Cancelled: true})
		if got := c.p.Level(c.now) == 1; got != test.closes {
			t.Errorf("%s: closed %t, want %t", test.settings, got, test.closes)
		}
	}
}

func TestFailuresAreWhatTheClientRaises(t *testing.T) {
	outcomes := []Outcome{
		{Class: Error, Status: 404}, {Class: Rejected, Status: 429}, {Class: Error, Status: 408},
		{Class: Error, Status: 500}, {Class: Blocked, Status: 403}, {Class: TimedOut},
		{Class: Dropped, Status: 502}, {Class: Rejected, Status: 503, Unreached: true},
	}
	for _, test := range []struct {
		word string
		want string
	}{
		{"not_ok", "11111111"},
		{"5xx", "00010111"},
		{"transient", "01110111"},
		{"unanswered", "00000111"},
	} {
		got := ""
		for _, o := range outcomes {
			got += word(parseFailing(test.word).counts(o), "1", "0")
		}
		if got != test.want {
			t.Errorf("%s: %s, want %s of %v", test.word, got, test.want, outcomes)
		}
	}
}
