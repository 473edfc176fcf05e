package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestGobreakerOpensAtTheSixthFailureInARow(t *testing.T) {
	c := newCaller(t, "gobreaker", "{}")
	c.calls(5, Error)
	c.calls(1, OK)
	c.calls(5, Error)
	if c.begin() == nil {
		t.Error("open after five in a row")
	}
	c.calls(1, Error)
	if c.begin() != nil {
		t.Error("closed after six in a row")
	}
	c.pause(60 * sim.Second)
	if c.begin() != nil {
		t.Error("half-open at its timeout")
	}
	c.pause(1)
	if c.begin() == nil {
		t.Error("open later than its timeout")
	}
}

func TestGobreakerDropsWhatOlderGenerationsCameTo(t *testing.T) {
	c := newCaller(t, "gobreaker", "{}")
	early, late := c.begin(), c.begin()
	c.calls(6, Error)
	c.end(early, Outcome{Class: OK})
	c.pause(60*sim.Second + 1)
	probe := c.begin()
	c.end(late, Outcome{Class: Error})
	if c.p.Level(c.now) != 0.5 {
		t.Error("an old failure decided for the probe")
	}
	c.end(probe, Outcome{Class: OK})
	if c.p.Level(c.now) != 1 {
		t.Error("its probe did not close it")
	}
}

func TestGobreakerForgetsAtTheEndOfAnInterval(t *testing.T) {
	for _, test := range []struct {
		at   sim.Time
		open bool
	}{{10 * sim.Second, true}, {10*sim.Second + 1, false}} {
		c := newCaller(t, "gobreaker", "{interval: 10s}")
		c.calls(5, Error)
		c.pause(test.at)
		c.calls(1, Error)
		if got := c.begin() == nil; got != test.open {
			t.Errorf("sixth failure at %d ns: open %t, want %t", test.at, got, test.open)
		}
	}
}

func TestGobreakerTripsAtARatio(t *testing.T) {
	c := newCaller(t, "gobreaker", "{ready_to_trip: ratio}")
	c.calls(2, Error)
	if c.begin() == nil { // the third request
		t.Error("open with two requests")
	}
	c.calls(1, Error) // 3 of 4
	if c.begin() != nil {
		t.Error("closed with 3 of 4 failed")
	}
}

func TestGobreakerExcludesCancelledCallsWhenTold(t *testing.T) {
	for _, test := range []struct {
		settings string
		open     bool
	}{{"{}", true}, {"{on_cancel: excluded}", false}} {
		c := newCaller(t, "gobreaker", test.settings)
		for range 6 {
			c.end(c.begin(), Outcome{Class: TimedOut, Cancelled: true})
		}
		if got := c.begin() == nil; got != test.open {
			t.Errorf("%s: open %t, want %t", test.settings, got, test.open)
		}
	}
}

func TestTicketsOfCopiesAreKeptApart(t *testing.T) {
	var note uint64
	for n := 1; n <= 5; n++ {
		lend(&note, n, uint64(2040+3*n)) // beyond the 11 bits that a ticket holds
	}
	for _, n := range []int{3, 1, 5, 2, 4} {
		if got, ok := redeem(&note, n); !ok || !sameGeneration(got, uint64(2040+3*n)) {
			t.Errorf("ticket of try %d: %d, %t", n, got, ok)
		}
	}
	if _, ok := redeem(&note, 1); ok || note != 0 {
		t.Error("a ticket is left")
	}
	lend(&note, 1, 7)
	if got, ok := redeem(&note, 3); !ok || got != 7 {
		t.Error("the only ticket of a call is not found at its third try")
	}
}
