package policies

import (
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// envoyDefaults are the defaults with something to retry on.
func envoyDefaults(retryOn ...string) EnvoyRetry {
	s := *kindOf("envoy_retry").Settings().(*EnvoyRetry)
	s.RetryOn = retryOn
	return s
}

// envoyCall is one call at a caller whose whole stack is one policy.
type envoyCall struct {
	policy Policy
	a      Attempt
	note   uint64
}

func envoyRoute(p Policy) *envoyCall {
	c := &envoyCall{policy: p}
	c.a = Attempt{N: 1, Note: &c.note, Deadline: sim.Never}
	p.Gate.Admit(0, &c.a)
	return c
}

func (c *envoyCall) send(now sim.Time) {
	if c.policy.Starter != nil {
		c.policy.Starter.Start(now, &c.a)
	}
}

func (c *envoyCall) observe(now sim.Time, o Outcome) {
	if c.policy.Observer != nil {
		c.policy.Observer.Observe(now, &c.a, o)
	}
}

// fail ends the try in flight, and says what follows: stop, overflow, or retry.
func (c *envoyCall) fail(now sim.Time, o Outcome) string {
	c.observe(now, o)
	again := c.policy.Condition.Retryable(now, &c.a, o)
	if c.a.N++; again && c.policy.Gate.Admit(now, &c.a) {
		c.a.Wait = c.policy.Pacer.Wait(now, &c.a, o)
		return "retry"
	}
	c.policy.Closer.Close(now, &c.a, o)
	return word(again, "overflow", "stop")
}

func (c *envoyCall) succeed(now sim.Time) {
	c.observe(now, Outcome{Class: OK})
	c.policy.Closer.Close(now, &c.a, Outcome{Class: OK})
}

var envoy503 = Outcome{Class: Error, Status: 503}

func TestEnvoyBudgetAllows(t *testing.T) {
	for _, c := range []struct {
		percent                 float64
		requests, least, active int64
		want                    int64
		allowed                 bool
	}{
		{20, 25, 3, 4, 5, true}, {20, 25, 3, 5, 5, false},
		{20, 2, 3, 2, 3, true}, {20, 2, 3, 3, 3, false},
		{25, 100, 3, 24, 25, true}, {25, 100, 3, 25, 25, false},
		{20, 0, 3, 3, 3, false}, // all 500 clients are in backoff
		{20, 4, 0, 0, 0, false},
		{33.3, 10, 0, 3, 3, false},
		{20, 30, 3, 5, 6, true}, // the defaults of a mesh: retryBudget: {}
	} {
		got := envoyBudget(c.percent, c.requests, c.least)
		if got != c.want || (c.active < got) != c.allowed {
			t.Errorf("%v %% of %d, at least %d, with %d: limit %d, allowed %t; want %d, %t", c.percent,
				c.requests, c.least, c.active, got, c.active < got, c.want, c.allowed)
		}
	}
}

// The same decisions through the roles: so many requests in flight, so many slots held.
func TestEnvoyBudgetCountsTriesInFlight(t *testing.T) {
	for _, c := range []struct {
		percent          unit.Ratio
		least            int
		inFlight, active int
		want             string
	}{
		{0.2, 3, 25, 4, "retry"}, {0.2, 3, 25, 5, "overflow"},
		{0.2, 3, 2, 2, "retry"}, {0.2, 3, 2, 3, "overflow"},
		{0.25, 3, 100, 24, "retry"}, {0.25, 3, 100, 25, "overflow"},
		{0.2, 3, 0, 3, "overflow"},
		{0.2, 0, 4, 0, "overflow"},
		{0.333, 0, 10, 3, "overflow"}, {0.333, 0, 10, 2, "retry"},
	} {
		s := envoyDefaults("5xx")
		s.Budget, s.Percent, s.Least = true, c.percent, c.least
		p := kindOf("envoy_retry").New(s)
		// The slots were taken in busier times, and are held by calls in backoff.
		busy := envoyRoute(p)
		for range 1000 {
			busy.send(0)
		}
		for range c.active {
			call := envoyRoute(p)
			call.send(0)
			call.fail(0, envoy503)
		}
		for range 1000 - c.inFlight {
			busy.observe(0, envoy503)
		}
		if got := p.Gate.(*envoyRetry).slots; got != int64(c.active) {
			t.Fatalf("%d slots are held, want %d", got, c.active)
		}
		one := envoyRoute(p)
		one.send(0)
		if got := one.fail(0, envoy503); got != c.want {
			t.Errorf("%s, %d, %d in flight, %d active: %s, want %s", c.percent, c.least, c.inFlight,
				c.active, got, c.want)
		}
	}
}

func TestEnvoyBurnsARetryOnOverflow(t *testing.T) {
	s := envoyDefaults("5xx")
	s.NumRetries, s.MaxRetries = 2, 1
	p := kindOf("envoy_retry").New(s)
	a, b := envoyRoute(p), envoyRoute(p)
	say := func(c *envoyCall, want string) {
		t.Helper()
		if got := c.fail(0, envoy503); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	say(a, "retry")
	say(b, "overflow")
	if got := envoyChargedOf(b.note); got != 1 {
		t.Errorf("the call that overflowed has spent %d of its retries, want 1", got)
	}
	say(a, "retry") // its slot was released first, and is free again
	say(a, "stop")  // none are left, which is no overflow
	c := envoyRoute(p)
	say(c, "retry") // nothing is held any more
	c.succeed(0)
	say(envoyRoute(p), "retry")
}

// A slot is held through the backoff and the try that follows, whatever ends them.
func TestEnvoySlotsAreReleasedHoweverACallEnds(t *testing.T) {
	s := envoyDefaults("5xx")
	s.NumRetries, s.MaxRetries, s.Budget, s.Least = 3, 1, true, 1
	p := kindOf("envoy_retry").New(s)
	ends := map[string]func(c *envoyCall){
		"in backoff":  func(c *envoyCall) { c.policy.Closer.Close(0, &c.a, Outcome{Class: TimedOut}) },
		"answered":    func(c *envoyCall) { c.send(0); c.succeed(0) },
		"not retried": func(c *envoyCall) { c.send(0); c.fail(0, Outcome{Class: Error, Status: 404}) },
		"while trying": func(c *envoyCall) {
			c.send(0)
			c.observe(0, Outcome{Class: Dropped})
			c.policy.Closer.Close(0, &c.a, Outcome{Class: Dropped})
		},
	}
	for name, end := range ends {
		c, other := envoyRoute(p), envoyRoute(p)
		c.send(0)
		other.send(0)
		if got := c.fail(0, envoy503); got != "retry" {
			t.Fatalf("%s: %s", name, got)
		}
		if got := p.Level(0); got != 0 {
			t.Errorf("%s: level %v while the only slot is held", name, got)
		}
		if got := other.fail(0, envoy503); got != "overflow" {
			t.Errorf("%s: another got a second slot: %s", name, got)
		}
		end(c)
		e := p.Gate.(*envoyRetry)
		if e.slots != 0 || e.waiting != 0 || e.flying != 0 || p.Level(0) != 1 {
			t.Errorf("%s: left with %d slots, %d waiting, %d in flight", name, e.slots, e.waiting,
				e.flying)
		}
	}
}

// What 1,000 simultaneous failures get of a budget of 20 %, in three ways of counting. Envoy's own
// collapses while the calls that fail leave the count: k failures in, k <= 20 % of 1,000 - k.
func TestEnvoyBudgetOfAThousandFailures(t *testing.T) {
	for way, want := range map[string]int{"as_retry": 166, "in_both": 199, "in_neither": 1000} {
		s := envoyDefaults("5xx")
		s.Budget, s.Least, s.Backoff = true, 1, way
		p := kindOf("envoy_retry").New(s)
		calls := make([]*envoyCall, 1000)
		for i := range calls {
			calls[i] = envoyRoute(p)
			calls[i].send(0)
		}
		retries := 0
		for _, c := range calls {
			if c.fail(0, envoy503) == "retry" {
				retries++
			}
		}
		if retries != want {
			t.Errorf("%s: %d retries of 1,000 failures, want %d", way, retries, want)
		}
	}
}

// One name, two meanings: with the same 20 %, failures that come fast leave next to nothing in
// flight to take a share of, and the same failures are all remembered by an interval.
func TestEnvoyBudgetsInFlightAndByIntervalDiverge(t *testing.T) {
	for _, c := range []struct {
		interval, lasts sim.Time
		want            int64
	}{
		{0, 10 * sim.Millisecond, 3},                 // 1 in flight: the floor
		{0, 5 * sim.Second, 100},                     // 500 in flight
		{10 * sim.Second, 10 * sim.Millisecond, 190}, // 950 in the last 9.5 s
		{10 * sim.Second, 5 * sim.Second, 190},
	} {
		s := envoyDefaults("5xx")
		s.Budget, s.Interval = true, c.interval
		e := kindOf("envoy_retry").New(s)
		state := e.Gate.(*envoyRetry)
		// 100 calls each second, of which none is retried.
		const every = 10 * sim.Millisecond
		end := 19*sim.Second + 500*sim.Millisecond
		for now := sim.Time(0); now < end; now += every {
			if now >= c.lasts && e.Observer != nil {
				e.Observer.Observe(now, &Attempt{N: 1}, envoy503)
			}
			e.Starter.Start(now, &Attempt{N: 1, Note: new(uint64)})
		}
		if got := state.limit(end); got != c.want {
			t.Errorf("interval %d, failures after %d ns: %d retries at once, want %d", c.interval,
				c.lasts, got, c.want)
		}
	}
}

// What would switch a budget on in Envoy, and is written without one, is a mistake and not silence.
func TestEnvoyBudgetFieldsNeedTheBudget(t *testing.T) {
	for name, write := range map[string]func(*EnvoyRetry){
		"budget_percent":        func(s *EnvoyRetry) { s.Percent = 0.25 },
		"min_retry_concurrency": func(s *EnvoyRetry) { s.Least = 10 },
		"budget_interval":       func(s *EnvoyRetry) { s.Interval = 10 * sim.Second },
		"backoff_counts":        func(s *EnvoyRetry) { s.Backoff = "in_both" },
	} {
		s := envoyDefaults("5xx")
		write(&s)
		errs := kindOf("envoy_retry").Check(s)
		if len(errs) != 1 || errs[0].Error() != name+": it needs retry_budget: true" {
			t.Errorf("%s: %v", name, errs)
		}
		if s.Budget = true; len(kindOf("envoy_retry").Check(s)) > 0 {
			t.Errorf("%s with a budget: %v", name, kindOf("envoy_retry").Check(s))
		}
	}
}
