package policies

import (
	"testing"

	"cascadesim/sim"
)

// logicalCall makes three tries that all fail, and tells whether any was refused. Inside: the three
// tries are within what the breaker sees as one; outside: the breaker sees each.
func logicalCall(c *caller, inside bool) (refused bool) {
	a := &Attempt{Started: c.now, Deadline: sim.Never, Note: new(uint64)}
	defer c.close(a)
	for a.N = 1; a.N <= 3; a.N++ {
		if a.N == 1 || !inside {
			if !c.p.Gate.Admit(c.now, a) {
				return true
			}
			c.start(a)
		}
		if a.N == 3 || !inside {
			c.p.Observer.Observe(c.now, a, Outcome{Class: Error, Status: 500})
		}
	}
	return false
}

// One logical failure counts three when the retries stand outside the breaker, and one when they
// stand inside: it opens three times later.
func TestLogicalFailuresUntilABreakerOpens(t *testing.T) {
	for _, test := range []struct {
		name, settings  string
		outside, inside int // calls that are let through whole
	}{
		{"gobreaker", "{}", 2, 6},
		{"polly_breaker", "{}", 33, 100}, // of the 34th only the first try
		{"resilience4j_breaker", "{}", 33, 100},
		{"hystrix_breaker", "{}", 8, 20}, // at the snapshot after the 21st try, the 20th call
	} {
		for _, inside := range []bool{false, true} {
			c := newCaller(t, test.name, test.settings)
			whole := 0
			for !logicalCall(c, inside) {
				whole++
				c.pause(500 * sim.Millisecond / 2)
			}
			want := test.outside
			if inside {
				want = test.inside
			}
			if whole != want {
				t.Errorf("%s, inside %t: opens after %d calls, want %d",
					test.name, inside, whole, want)
			}
		}
	}
}

// herd plays as many breakers as there are clients against a callee that answers the first `most`
// calls of each 100 ms well, and is asked by each client once in 100 ms for ten minutes. All opened
// at time 0. It returns the most probes within 100 ms, and how often breakers opened again.
func herd(t *testing.T, o opener, clients, most int) (burst, flaps int) {
	callers := make([]*caller, clients)
	for i := range callers {
		callers[i] = o.opened(t)
	}
	for at := sim.Second; at < 10*sim.Minute; at += 100 * sim.Millisecond {
		probes, served := 0, 0
		for i := range callers {
			c := callers[(i+int(at/(100*sim.Millisecond)))%clients]
			c.now = at
			shut := c.p.Level(at) < 1
			a := c.begin()
			if a == nil {
				continue
			}
			class := OK
			if served++; served > most {
				class = Error
			}
			if shut {
				probes++
			}
			c.end(a, Outcome{Class: class, Status: 503})
			if shut && class == Error {
				flaps++
			}
		}
		burst = max(burst, probes)
	}
	return burst, flaps
}

// No product here has jitter in its open time: breakers that opened together probe together, and a
// callee that could serve some of them sees all. Half of the breakers must open again.
func TestBreakersThatOpenTogetherProbeTogether(t *testing.T) {
	onOneMachine(t)
	for _, o := range openers {
		burst, flaps := herd(t, o, 100, 50)
		if burst != 100 {
			t.Errorf("%s: %d of 100 breakers probe in one instant, want all", o.name, burst)
		}
		if flaps < 50 {
			t.Errorf("%s: opens again %d times, want at least those 50 that were not served",
				o.name, flaps)
		}
	}
}
