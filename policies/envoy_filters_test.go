package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

func TestEnvoyCircuitBreakerCountsTriesInFlight(t *testing.T) {
	p := kindOf("envoy_circuit_breaker").New(EnvoyCircuitBreaker{MaxRequests: 2})
	var got []bool
	ask := func() { got = append(got, p.Gate.Admit(0, &Attempt{N: 1})) }
	ask()
	ask()
	ask() // full: allowed is below, not at
	if level := p.Level(0); level != 0 {
		t.Errorf("level %v, want 0", level)
	}
	p.Observer.Observe(0, &Attempt{N: 1}, envoy503)
	ask() // it never opened
	p.Wrapper.Unsent(0, &Attempt{N: 1}, Outcome{Class: Refused})
	ask() // a later policy has refused the one before
	ask()
	for i, want := range []bool{true, true, false, true, true, false} {
		if got[i] != want {
			t.Errorf("try %d: let pass %t, want %t", i+1, got[i], want)
		}
	}
	none := kindOf("envoy_circuit_breaker").New(EnvoyCircuitBreaker{})
	if none.Gate.Admit(0, &Attempt{N: 1}) {
		t.Error("a threshold of 0 let a try pass")
	}
}

func TestEnvoyAdmissionProbability(t *testing.T) {
	for _, c := range []struct {
		total, ok          int64
		linear, aggressive float64 // aggression 1 and 2
	}{
		{100, 100, 0, 0}, {100, 95, 0, 0}, {100, 90, 0.052110, 0.228277},
		{100, 50, 0.468994, 0.684832}, {100, 10, 0.8, 0.8}, {1000, 500, 0.473211, 0.687903},
		{0, 0, 0, 0},
	} {
		for aggression, want := range map[float64]float64{
			0.5: c.linear, 1: c.linear, 2: c.aggressive,
		} {
			s := envoyAdmissionDefaults
			s.Aggression = aggression
			if got := envoyRejection(c.total, c.ok, &s); math.Abs(got-want) > 5e-7 {
				t.Errorf("%d of %d, aggression %v: got %.6f, want %.6f", c.ok, c.total, aggression,
					got, want)
			}
		}
	}
}

// envoyHistory is a filter that has seen so many answers at one time.
func envoyHistory(s EnvoyAdmissionControl, at sim.Time, ok, failed int) *envoyAdmission {
	c := &envoyAdmission{terms: &s}
	for i := range ok + failed {
		o := Outcome{Class: OK}
		if i >= ok {
			o = envoy503
		}
		c.Observe(at, &Attempt{N: 1}, o)
	}
	return c
}

// admitted is the share of so many draws that is let in.
func (c *envoyAdmission) admitted(at sim.Time, draws int) float64 {
	in := 0
	for i := range draws {
		a := Attempt{N: 1, Chance: sim.Seed(1).Ident("admitted").Child(uint64(i)).Draw(0)}
		if c.Admit(at, &a) {
			in++
		}
	}
	return float64(in) / float64(draws)
}

func TestEnvoyAdmissionRejectsWithItsProbability(t *testing.T) {
	const draws = 40_000
	for _, c := range []struct {
		ok, failed int
		want       float64 // rejected
	}{{50, 50, 0.468994}, {0, 100, 0.8}, {100, 0, 0}, {95, 5, 0}} {
		got := 1 - envoyHistory(envoyAdmissionDefaults, 0, c.ok, c.failed).admitted(0, draws)
		// Draws have four digits.
		if sd := math.Sqrt(c.want * (1 - c.want) / draws); math.Abs(got-c.want) > 4*sd+1e-4 {
			t.Errorf("%d ok, %d failed: rejects %v, want %v", c.ok, c.failed, got, c.want)
		}
	}
}

// What it rejects is not counted, so that asking changes nothing.
func TestEnvoyAdmissionDoesNotCountWhatItRejects(t *testing.T) {
	c := envoyHistory(envoyAdmissionDefaults, 0, 10, 90)
	before := c.tally.spent
	c.admitted(0, 1000)
	if c.tally.spent != before {
		t.Errorf("%d answers after 1,000 questions, want %d", c.tally.spent, before)
	}
}

func TestEnvoyAdmissionForgetsABucketAfterTheWindow(t *testing.T) {
	s := envoyAdmissionDefaults
	for _, c := range []struct {
		at, asked sim.Time // one answer after one at 0, and when it is asked about
		want      int64    // still counted
	}{
		{sim.Second - 1, 30*sim.Second - 1, 2}, // one bucket, begun at 0
		{sim.Second - 1, 30 * sim.Second, 0},
		{sim.Second, 30 * sim.Second, 1}, // the next bucket
		{sim.Second, 31*sim.Second - 1, 1},
		{sim.Second, 31 * sim.Second, 0},
	} {
		h := envoyHistory(s, 0, 1, 0)
		h.Observe(c.at, &Attempt{N: 1}, envoy503)
		h.bucket(c.asked)
		if h.tally.spent != c.want {
			t.Errorf("answers at 0 and %d: %d count at %d, want %d", c.at, h.tally.spent, c.asked,
				c.want)
		}
	}
}

func TestEnvoyAdmissionRestsBelowItsRate(t *testing.T) {
	s := envoyAdmissionDefaults
	s.Rate = 10
	for failed, want := range map[int]float64{299: 1, 300: 0.2, 329: 0.2} {
		got := envoyHistory(s, 0, 0, failed).admitted(0, 10_000)
		if math.Abs(got-want) > 0.02 {
			t.Errorf("%d answers in 30 s: admits %v, want about %v", failed, got, want)
		}
	}
}

func TestEnvoyAdmissionSuccesses(t *testing.T) {
	for _, c := range []struct {
		o          Outcome
		http, grpc bool
	}{
		{Outcome{Class: OK}, true, true},
		{Outcome{Class: Error, Status: 404}, true, true},
		{Outcome{Class: Error, Status: 403}, true, false},
		{Outcome{Class: Rejected, Status: 429}, true, false},
		{Outcome{Class: Error, Status: 499}, true, true},
		{Outcome{Class: Error, Status: 500}, false, false},
		{Outcome{Class: Error, Status: 501}, false, true},
		{envoy503, false, false},
		{Outcome{Class: TimedOut}, false, false},
		{Outcome{Class: Dropped}, false, false},
		{Outcome{Class: Rejected, Unreached: true}, false, false},
		{Outcome{Class: Rejected}, false, false}, // a full line, with no status yet
	} {
		for grpc, want := range map[bool]bool{false: c.http, true: c.grpc} {
			s := EnvoyAdmissionControl{GRPC: grpc}
			if got := (&envoyAdmission{terms: &s}).success(c.o); got != want {
				t.Errorf("%v %d, grpc %t: success %t, want %t", c.o.Class, c.o.Status, grpc, got, want)
			}
		}
	}
}

func TestEnvoyAdmissionAtTheCalleeCountsAnswersAlone(t *testing.T) {
	c := envoyHistory(envoyAdmissionDefaults, 0, 0, 0)
	c.Finish(0, &Attempt{N: 1}, 0, Outcome{Class: Dropped})
	c.Finish(0, &Attempt{N: 1}, 0, Outcome{Class: Rejected, Status: 503})
	c.Finish(0, &Attempt{N: 1}, 0, Outcome{Class: OK})
	if c.tally.spent != 2 || c.tally.earned != 1 {
		t.Errorf("%d of %d succeeded, want 1 of 2", c.tally.earned, c.tally.spent)
	}
}

func TestEnvoyLocalRateLimitFills(t *testing.T) {
	const ms = sim.Millisecond
	for _, c := range []struct {
		name     string
		settings EnvoyLocalRateLimit
		at       []sim.Time
		want     string // e enters, r is rejected
	}{
		{"a token flows in evenly", EnvoyLocalRateLimit{2, 4, 200 * ms, "continuous"},
			[]sim.Time{0, 0, 0, 50*ms - 1, 50 * ms, 50 * ms, 100*ms - 1, 100 * ms}, "eerrerre"},
		{"the rest of one is kept", EnvoyLocalRateLimit{2, 4, 200 * ms, "continuous"},
			[]sim.Time{0, 0, 75 * ms, 75 * ms, 100*ms - 1, 100 * ms}, "eeerre"},
		{"never above the most", EnvoyLocalRateLimit{2, 4, 200 * ms, "continuous"},
			[]sim.Time{sim.Hour, sim.Hour, sim.Hour}, "eer"},
		{"all at the tick", EnvoyLocalRateLimit{3, 2, 100 * ms, "timer"},
			[]sim.Time{0, 0, 0, 0, 100*ms - 1, 100 * ms, 100 * ms, 100 * ms, 150 * ms, 200 * ms},
			"eeerreerre"},
		{"ticks have a beat of their own", EnvoyLocalRateLimit{1, 1, 100 * ms, "timer"},
			[]sim.Time{90 * ms, 99 * ms, 100 * ms, 199 * ms, 200 * ms, 450 * ms, 499 * ms},
			"erereer"},
	} {
		p := kindOf("envoy_local_rate_limit").New(c.settings)
		got := ""
		for _, at := range c.at {
			got += word(p.Admission.Enter(at, &Attempt{N: 1}), "e", "r")
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}

// In the long run both fills let in what they bring, and the timer in bursts.
func TestEnvoyLocalRateLimitKeepsItsRate(t *testing.T) {
	for _, fill := range []string{"continuous", "timer"} {
		s := EnvoyLocalRateLimit{10, 5, 100 * sim.Millisecond, fill}
		p := kindOf("envoy_local_rate_limit").New(s)
		in := 0
		for now := sim.Time(0); now < 20*sim.Second; now += 777 * sim.Microsecond {
			if p.Admission.Enter(now, &Attempt{N: 1}) {
				in++
			}
		}
		if want := 10 + 5*199; in < want || in > want+5 {
			t.Errorf("%s: %d entered in 20 s, want %d and at most a fill more", fill, in, want)
		}
	}
}

func TestEnvoyLocalRateLimitOfExtremes(t *testing.T) {
	s := EnvoyLocalRateLimit{1_000_000, 1_000_000_000, sim.Hour, "continuous"}
	if errs := kindOf("envoy_local_rate_limit").Check(s); len(errs) > 0 {
		t.Fatal(errs)
	}
	p := kindOf("envoy_local_rate_limit").New(s)
	for _, at := range []sim.Time{0, 1, sim.MaxTime} {
		if !p.Admission.Enter(at, &Attempt{N: 1}) || !(p.Level(at) > 0.99) {
			t.Errorf("at %d: level %v", at, p.Level(at))
		}
	}
	s.Max = 1_000_000_000
	if errs := kindOf("envoy_local_rate_limit").Check(s); len(errs) != 1 {
		t.Errorf("a bucket that would overflow: %v", errs)
	}
}

func TestEnvoyOverloadStates(t *testing.T) {
	s := *kindOf("envoy_overload").Settings().(*EnvoyOverload)
	scaled := s
	scaled.Trigger = "scaled"
	for _, c := range []struct {
		settings EnvoyOverload
		pressure float64
		want     float64
	}{
		{s, 0.9499, 0}, {s, 0.95, 1}, {s, 2, 1},
		{scaled, 0.5, 0}, {scaled, 0.85, 0}, {scaled, 0.92, 0.7}, {scaled, 0.95, 1}, {scaled, 2, 1},
	} {
		if got := envoyState(c.pressure, &c.settings); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s at %v: state %v, want %v", c.settings.Trigger, c.pressure, got, c.want)
		}
	}
}

func TestEnvoyReducedTimeout(t *testing.T) {
	scaled := EnvoyOverload{Trigger: "scaled", Scaling: 0.85, Saturation: 0.95}
	for pressure, want := range map[float64]sim.Time{
		0.92: 181_400 * sim.Millisecond, 0.85: 600 * sim.Second, 0.95: 2 * sim.Second,
	} {
		got := EnvoyReducedTimeout(2*sim.Second, 600*sim.Second, envoyState(pressure, &scaled))
		if got < want-sim.Microsecond || got > want+sim.Microsecond {
			t.Errorf("at %v: %d ns, want %d", pressure, got, want)
		}
	}
}

// A pressure holds from one look to the next, whatever comes in between.
func TestEnvoyOverloadLooksNowAndThen(t *testing.T) {
	s := *kindOf("envoy_overload").Settings().(*EnvoyOverload)
	s.Most, s.Threshold = 10, unit.Ratio(1)
	p := kindOf("envoy_overload").New(s)
	enter := func(at sim.Time, want bool) {
		t.Helper()
		a := Attempt{N: 1, Chance: sim.Seed(1).Ident("looks").Child(uint64(at)).Draw(0)}
		if got := p.Admission.Enter(at, &a); got != want {
			t.Errorf("at %d: enters %t, want %t", at, got, want)
		}
	}
	for range 20 {
		enter(sim.Second/2, true) // nobody has looked since there were none
	}
	enter(sim.Second-1, true)
	enter(sim.Second, false)
	for range 21 {
		p.Finisher.Finish(sim.Second+1, &Attempt{N: 1}, 0, Outcome{Class: OK})
	}
	enter(2*sim.Second-1, false) // empty, and still rejecting
	enter(2*sim.Second, true)
	if got := p.Gate; got != nil {
		t.Error("it is no gate")
	}
}
