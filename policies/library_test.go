package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// libraryCall makes calls under one policy as the kernel does: condition, gate, pacer, shaper.
type libraryCall struct {
	policy Policy
	took   sim.Time              // of each try
	answer func(try int) Outcome // of try 1, 2, ...
	draw   func(try int) sim.Stream
	most   int // tries, after which a test has seen enough; 0 is 100
}

// always answers every try the same.
func always(o Outcome) func(int) Outcome { return func(int) Outcome { return o } }

// evenly draws r each time.
func evenly(r float64) func(int) sim.Stream { return func(int) sim.Stream { return drawn(r) } }

// call is when each try of a call that begins at started was sent, and how it ended.
func (c libraryCall) call(started sim.Time) (sent []sim.Time, last Outcome) {
	var note uint64
	a := &Attempt{N: 1, Started: started, Deadline: sim.Never, Note: &note}
	now := started
	most := c.most
	if most == 0 {
		most = 100
	}
	for {
		for c.policy.Shaper != nil {
			delay := c.policy.Shaper.Delay(now, a)
			if delay == 0 {
				break
			}
			now += delay
		}
		sent = append(sent, now)
		now += c.took
		last = c.answer(a.N)
		if c.policy.Observer != nil {
			c.policy.Observer.Observe(now, a, last)
		}
		if last.Class == OK || len(sent) == most {
			return sent, last
		}
		a.Chance = c.chance(started, a.N+1)
		if c.policy.Condition != nil && !c.policy.Condition.Retryable(now, a, last) {
			return sent, last
		}
		a.N++
		a.Last = last
		a.Chance = c.chance(started, a.N)
		if c.policy.Gate != nil && !c.policy.Gate.Admit(now, a) {
			return sent, last
		}
		if c.policy.Pacer != nil {
			a.Wait = c.policy.Pacer.Wait(now, a, last)
			now += a.Wait
		}
	}
}

// chance is that of one try, the same for all who are asked about it.
func (c libraryCall) chance(started sim.Time, try int) sim.Stream {
	if c.draw != nil {
		return c.draw(try)
	}
	return sim.Seed(7).Ident("library").Child(uint64(started)).Child(uint64(try)).Draw(0)
}

// Failures as a client library meets them.
var (
	refusedConnection = Outcome{Class: Dropped, Unreached: true}
	resetConnection   = Outcome{Class: Dropped}
	connectTimeout    = Outcome{Class: TimedOut, Unreached: true}
	responseTimeout   = Outcome{Class: TimedOut}
	noReplica         = Outcome{Class: Rejected, Status: 503, Unreached: true}
)

// failed is an answer with an error status.
func failed(status int) Outcome { return Outcome{Class: Error, Status: status} }

// hinting is an answer with an error status and a Retry-After.
func hinting(status int, after sim.Time) Outcome {
	return Outcome{Class: Error, Status: status, RetryAfter: after}
}

// gaps are the times between the tries, in seconds.
func gaps(sent []sim.Time) []float64 {
	var out []float64
	for i := 1; i < len(sent); i++ {
		out = append(out, (sent[i] - sent[i-1]).Seconds())
	}
	return out
}

// waitsAre wants gaps in seconds, to half a microsecond: what the tables are written to.
func waitsAre(t *testing.T, what string, got []float64, want ...float64) {
	t.Helper()
	same := len(got) == len(want)
	for i := 0; same && i < len(got); i++ {
		same = math.Abs(got[i]-want[i]) < 6e-7
	}
	if !same {
		t.Errorf("%s: waits %v, want %v", what, got, want)
	}
}
