package policies

import (
	"strings"
	"testing"

	"cascadesim/sim"
)

// caller plays calls to a policy as the kernel does: asks, sends at once, tells how they ended.
type caller struct {
	p   Policy
	now sim.Time
}

// newCaller has a fresh state of a policy with settings as files write them, at time 0.
func newCaller(t *testing.T, name, settings string) *caller {
	t.Helper()
	k, ok := Builtins().Lookup(name)
	if !ok {
		t.Fatalf("no policy %q", name)
	}
	s := k.Settings()
	if err := decodeFlow(settings, s); err != nil {
		t.Fatalf("%s: %v", settings, err)
	}
	if errs := k.Check(s); len(errs) > 0 {
		t.Fatalf("%s: %v", settings, errs)
	}
	return &caller{p: k.New(s)}
}

// begin offers a call and sends it; nil when it is refused.
func (c *caller) begin() *Attempt {
	a := &Attempt{N: 1, Started: c.now, Deadline: sim.Never, Note: new(uint64)}
	if !c.p.Gate.Admit(c.now, a) {
		c.close(a)
		return nil
	}
	c.start(a)
	return a
}

// start tells that a call which was let through is sent.
func (c *caller) start(a *Attempt) {
	if c.p.Starter != nil {
		c.p.Starter.Start(c.now, a)
	}
}

// beginsInVain offers a call that another gate refuses after this one, and tells whether it was let
// through here.
func (c *caller) beginsInVain() bool {
	a := &Attempt{N: 1, Started: c.now, Deadline: sim.Never, Note: new(uint64)}
	passed := c.p.Gate.Admit(c.now, a)
	if passed && c.p.Wrapper != nil {
		c.p.Wrapper.Unsent(c.now, a, Outcome{Class: Refused})
	}
	c.close(a)
	return passed
}

// end tells how a call that was let through ends now.
func (c *caller) end(a *Attempt, o Outcome) {
	o.Latency = c.now - a.Started
	c.p.Observer.Observe(c.now, a, o)
	c.close(a)
}

// close ends a call.
func (c *caller) close(a *Attempt) {
	if c.p.Closer != nil {
		c.p.Closer.Close(c.now, a, Outcome{})
	}
}

// passes plays a call that ends at once, and tells whether it was let through.
func (c *caller) passes(o Class) bool {
	a := c.begin()
	if a != nil {
		c.end(a, Outcome{Class: o, Status: 500})
	}
	return a != nil
}

// calls plays n calls at once and counts those let through.
func (c *caller) calls(n int, o Class) (passed int) {
	for range n {
		if c.passes(o) {
			passed++
		}
	}
	return passed
}

// pause lets time pass.
func (c *caller) pause(t sim.Time) { c.now += t }

// opener says how each breaker is opened at a known time with the settings of a test.
type opener struct {
	name, settings string
	open           func(c *caller)
}

// openers open at time 0, except Hystrix, which opens at its first snapshot. None stays open longer
// than 30 s.
var openers = []opener{
	{"hystrix_breaker", "{sleep_window: 30s}", func(c *caller) {
		c.calls(20, Error)
		c.pause(500 * sim.Millisecond)
	}},
	{"resilience4j_breaker", "{minimum_number_of_calls: 10, sliding_window_size: 10, " +
		"permitted_number_of_calls_in_half_open_state: 1, wait_duration_in_open_state: 30s}",
		func(c *caller) { c.calls(10, Error) }},
	{"polly_breaker", "{break_duration: 30s}", func(c *caller) { c.calls(100, Error) }},
	{"gobreaker", "{timeout: 30s}", func(c *caller) { c.calls(6, Error) }},
}

func (o opener) opened(t *testing.T) *caller {
	t.Helper()
	c := newCaller(t, o.name, o.settings)
	o.open(c)
	if c.p.Level(c.now) != 0 && o.name != "hystrix_breaker" { // which has not looked yet
		t.Fatalf("%s is not open", o.name)
	}
	return c
}

func TestBreakersLeaveOpenAtTheirOwnNanosecond(t *testing.T) {
	const ms = sim.Millisecond
	for _, c := range []struct {
		opener
		first sim.Time // after the opening: the first time at which a call passes
	}{
		{openers[0], 30_001 * ms}, // strictly later, on a clock of milliseconds
		{openers[1], 30_000*ms + 1},
		{openers[2], 30_000 * ms},
		{openers[3], 30_000*ms + 1},
		{opener{"hystrix_breaker", "{}", openers[0].open}, 5_001 * ms},
		{opener{"resilience4j_breaker", "{}", func(c *caller) { c.calls(100, Error) }},
			60_000*ms + 1},
		{opener{"polly_breaker", "{}", openers[2].open}, 5_000 * ms},
		{opener{"gobreaker", "{}", openers[3].open}, 60_000*ms + 1},
	} {
		for _, shift := range []sim.Time{-1, 0, 1} {
			caller := c.opened(t)
			caller.pause(c.first + shift)
			if got, want := caller.begin() != nil, shift >= 0; got != want {
				t.Errorf("%s %s at %d ns after its first time: passes %t, want %t",
					c.name, c.settings, shift, got, want)
			}
		}
	}
}

func TestOneProbeGoesAtATime(t *testing.T) {
	for _, o := range openers {
		c := o.opened(t)
		c.pause(31 * sim.Second)
		probe := c.begin()
		c.pause(3 * sim.Second)
		if second := c.begin(); probe == nil || second != nil {
			t.Errorf("%s: first %v, second %v; want one probe", o.name, probe, second)
		}
		c.end(probe, Outcome{Class: OK})
		if got := c.calls(50, OK); got != 50 {
			t.Errorf("%s: %d of 50 calls pass after a good probe", o.name, got)
		}
	}
}

func TestAFailedProbeOpensForAnotherWholeTime(t *testing.T) {
	for _, o := range openers {
		c := o.opened(t)
		c.pause(31 * sim.Second)
		probe := c.begin()
		c.pause(3 * sim.Second)
		c.end(probe, Outcome{Class: TimedOut})
		c.pause(29 * sim.Second)
		early := c.begin()
		c.pause(2 * sim.Second)
		if late := c.begin(); early != nil || late == nil {
			t.Errorf("%s: after 29 s %v, after 31 s %v; want the second alone", o.name, early, late)
		}
	}
}

// TestAProbeThatIsRefusedWithinHasFailed: a limiter inside the breaker raises an exception as the
// callee would, so that the breaker opens again for its whole time.
func TestAProbeThatIsRefusedWithinHasFailed(t *testing.T) {
	for _, o := range openers {
		c := o.opened(t)
		for range 3 {
			c.pause(31 * sim.Second)
			if !c.beginsInVain() || c.begin() != nil {
				t.Errorf("%s: the probe was not one", o.name)
			}
		}
		c.pause(31 * sim.Second)
		if c.begin() == nil {
			t.Errorf("%s: no further probe", o.name)
		}
	}
}

// TestWhatIsRefusedWithinOpensABreaker as failures of the callee do, but not where only some
// outcomes are failures, and it is none of them; and throttles count it so.
func TestWhatIsRefusedWithinOpensABreaker(t *testing.T) {
	for what, want := range map[string]bool{
		"gobreaker {}":       true,
		"hystrix_breaker {}": true,
		"polly_breaker {}":   true,
		"polly_breaker {should_handle: unanswered}": true,
		"polly_breaker {should_handle: transient}":  false, // is no HttpRequestException
		"resilience4j_breaker {}":                   true,
	} {
		name, settings, _ := strings.Cut(what, " ")
		c := newCaller(t, name, settings)
		for range 200 {
			c.beginsInVain()
			c.pause(ms)
		}
		c.pause(sim.Second) // Hystrix looks then
		if got := !c.beginsInVain(); got != want {
			t.Errorf("%s: open %t after 200 refusals within it, want %t", what, got, want)
		}
	}
}

func TestAHangingProbeBlocksForGood(t *testing.T) {
	for _, o := range openers {
		c := o.opened(t)
		c.pause(31 * sim.Second)
		c.begin()
		for range 100 {
			c.pause(sim.Hour / 2)
			if c.begin() != nil {
				t.Fatalf("%s lets a call through while its probe hangs", o.name)
			}
		}
	}
}

// A target that stays down is asked once in each open time plus what the asking takes.
func TestProbesPerHour(t *testing.T) {
	onOneMachine(t)
	for _, o := range openers {
		for _, took := range []sim.Time{0, 10 * sim.Millisecond, sim.Second, 10 * sim.Second} {
			c := o.opened(t)
			end, probes := c.now+sim.Hour, 0.0
			for c.now < end {
				c.pause(10 * sim.Millisecond)
				probe := c.begin()
				if probe == nil {
					continue
				}
				probes++
				c.pause(took)
				c.end(probe, Outcome{Class: TimedOut})
			}
			if want := 3600 / (30 + took.Seconds()); probes < want-1 || probes > want+1 {
				t.Errorf("%s, calls of %v s: %v probes in an hour, want %v",
					o.name, took.Seconds(), probes, want)
			}
		}
	}
}

func TestItClosesWithinOneOpenTimeAndOneCallOfTheRecovery(t *testing.T) {
	for _, o := range openers {
		c := o.opened(t)
		recovered := c.now + 100*sim.Second
		for c.p.Level(c.now) < 1 {
			c.pause(sim.Millisecond)
			if probe := c.begin(); probe != nil {
				class := Error
				if c.now >= recovered {
					class = OK
				}
				c.pause(200 * sim.Millisecond)
				c.end(probe, Outcome{Class: class, Status: 500})
			}
		}
		if most := recovered + 30*sim.Second + 210*sim.Millisecond; c.now > most {
			t.Errorf("%s closes at %v s, want %v at the latest",
				o.name, c.now.Seconds(), most.Seconds())
		}
	}
}
