package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// TestThrottleRefusesAsTheBookSays holds the formula's values for counts of requests and accepts.
func TestThrottleRefusesAsTheBookSays(t *testing.T) {
	for _, c := range []struct {
		k                 float64
		requests, accepts int64
		want              float64
	}{
		{2, 100, 100, 0}, {2, 100, 50, 0}, {2, 100, 40, 0.198020}, {2, 100, 25, 0.495050},
		{2, 100, 0, 0.990099}, {2, 1, 0, 0.5}, {2, 0, 0, 0}, {2, 1000, 400, 0.199800},
		{1.1, 100, 50, 0.445545},
	} {
		th := &adaptiveThrottle{terms: &throttleTerms{k: c.k}}
		th.tally.spent, th.tally.earned = c.requests, c.accepts
		if got := max(0, th.refusal()); math.Abs(got-c.want) > 5e-7 {
			t.Errorf("k %v, %d requests, %d accepts: %.6f, want %.6f",
				c.k, c.requests, c.accepts, got, c.want)
		}
	}
}

// TestThrottleCountsAsTheBookSays looks at the counters behind its decisions.
func TestThrottleCountsAsTheBookSays(t *testing.T) {
	p := kindOf("adaptive_throttle").New(nil)
	th := p.Gate.(*adaptiveThrottle)
	refused := 0
	for i := range 200 {
		a := attemptOf(visit{id: uint64(i), n: 1})
		if !p.Gate.Admit(0, &a) {
			refused++
		}
	}
	if th.tally.spent != 200 || refused == 0 {
		t.Errorf("%d requests counted of 200, %d of them refused", th.tally.spent, refused)
	}
	for _, o := range []Outcome{
		{Class: OK}, {Class: Error, Status: 500}, {Class: Rejected, Status: 503},
		{Class: TimedOut}, {Class: Dropped}, {Class: Rejected, Unreached: true},
	} {
		p.Observer.Observe(500*ms, &Attempt{}, o)
	}
	if th.tally.earned != 2 {
		t.Errorf("%d accepts, want 2: an answer, and an error, which is one too", th.tally.earned)
	}
	for at, want := range map[sim.Time]int64{
		2*sim.Minute - 1: 200, 2 * sim.Minute: 0, // buckets of a second
	} {
		p := kindOf("adaptive_throttle").New(nil)
		th := p.Gate.(*adaptiveThrottle)
		for range 200 {
			p.Gate.Admit(999*ms, &Attempt{})
		}
		th.roll(at)
		if th.tally.spent != want {
			t.Errorf("%d ns later %d requests are remembered, want %d", at, th.tally.spent, want)
		}
	}
}

func TestABackendThatSeesManyRetriesSaysNotToRetry(t *testing.T) {
	overloaded := Outcome{Class: Rejected, Status: 503, RetryAfter: sim.Second}
	for _, c := range []struct {
		name            string
		firsts, retries int
		later           sim.Time
		want            sim.Time
	}{
		{"a tenth is a budget well kept", 18, 2, 0, sim.Second},
		{"more is not", 17, 3, 0, DontRetry},
		{"few arrivals are no sign", 9, 10, 0, sim.Second},
		{"nor is what was long ago", 17, 30, 10 * sim.Second, sim.Second},
		{"it remembers for the window", 17, 30, 10*sim.Second - 1, DontRetry},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := kindOf("sre_retry_histogram").New(nil)
			for i := range c.firsts + c.retries {
				n := 1
				if i < c.retries {
					n = 2 + i%2
				}
				if !p.Admission.Enter(0, &Attempt{N: n}) {
					t.Fatal("it turned somebody away")
				}
			}
			got := p.Answerer.Answer(c.later, &Attempt{}, overloaded)
			if got.RetryAfter != c.want || got.Status != 503 {
				t.Errorf("answered %+v, want a retry after %d", got, c.want)
			}
		})
	}
}
