package policies

import (
	"testing"

	"cascadesim/sim"
)

// The ways in which a call takes its attempts with it.
var (
	lateWithCall = Outcome{Class: TimedOut, Cancelled: true} // its deadline passed
	lostWithCall = Outcome{Class: Dropped, Cancelled: true}  // a copy was faster, or its caller gone
)

// TestWhatBreakersMakeOfCancelledAttempts plays each breaker a hundred attempts that end with their
// call, and looks whether it is open.
func TestWhatBreakersMakeOfCancelledAttempts(t *testing.T) {
	for _, c := range []struct {
		name, settings string
		late, lost     bool // it opens
	}{
		{"hystrix_breaker", "{}", true, false},
		{"hystrix_breaker", "{on_cancel: cancelled}", false, false},
		{"resilience4j_breaker", "{on_cancel: recorded}", true, true},
		{"resilience4j_breaker", "{on_cancel: released}", false, false},
		{"resilience4j_breaker", "{on_cancel: lost}", false, false},
		{"polly_breaker", "{on_cancel: success}", false, false},
		{"polly_breaker", "{on_cancel: failure}", true, false},
		{"gobreaker", "{on_cancel: failure}", true, true},
		{"gobreaker", "{on_cancel: excluded}", false, false},
	} {
		for _, end := range []struct {
			o    Outcome
			want bool
		}{{lateWithCall, c.late}, {lostWithCall, c.lost}} {
			b := newCaller(t, c.name, c.settings)
			for range 100 {
				if a := b.begin(); a != nil {
					b.end(a, end.o)
				}
			}
			b.pause(500 * ms) // Hystrix looks then
			if got := b.begin() == nil; got != end.want {
				t.Errorf("%s %s, %v with their call: open %t, want %t",
					c.name, c.settings, end.o.Class, got, end.want)
			}
		}
	}
}

// TestWhatThrottlesMakeOfCancelledAttempts: of a hundred successes and three hundred attempts that
// end with their call, who holds back afterwards.
func TestWhatThrottlesMakeOfCancelledAttempts(t *testing.T) {
	for name, want := range map[string]struct{ late, lost bool }{
		"adaptive_throttle":  {true, true},  // neither was accepted
		"failsafe_throttler": {true, true},  // both are errors of the context
		"aegis_sre":          {true, false}, // 504 and 499
		"go_zero_breaker":    {true, false}, // DEADLINE_EXCEEDED and CANCELLED

		"envoy_admission_control_caller": {true, false}, // 504 and no answer
	} {
		for _, end := range []struct {
			o    Outcome
			want bool
		}{{lateWithCall, want.late}, {lostWithCall, want.lost}} {
			c := newCaller(t, name, "{}")
			plays := func(n int, o Outcome) {
				for range n {
					a := &Attempt{N: 1, Deadline: sim.Never, Note: new(uint64)}
					a.Chance = sim.Seed(1).Stream("luck") // its first draw lets nearly all pass
					c.p.Gate.Admit(c.now, a)
					c.end(a, o)
				}
			}
			plays(100, Outcome{Class: OK})
			plays(300, end.o)
			refused := 0
			for i := range 1000 {
				a := &Attempt{N: 1, Deadline: sim.Never, Note: new(uint64)}
				a.Chance = sim.Seed(uint64(i)).Stream("luck")
				if !c.p.Gate.Admit(c.now, a) {
					refused++
				}
			}
			if got := refused > 100; got != end.want {
				t.Errorf("%s, %v with their call: refuses %d of 1000, want some: %t",
					name, end.o.Class, refused, end.want)
			}
		}
	}
}

// TestCancelledAttemptsEjectNobody who is in the choice unless their time was up, which is the
// callee's doing.
func TestCancelledAttemptsEjectNobody(t *testing.T) {
	for name, settings := range map[string]string{
		"envoy_outlier_detection": "{max_ejection_percent: 100, healthy_panic_threshold: 0}",
		"finagle_failure_accrual": "{}",
		"linkerd_failure_accrual": "{}",
	} {
		for _, end := range []struct {
			o    Outcome
			want string
		}{{lostWithCall, "---"}, {lateWithCall, "-1-"}} {
			f := newFleet(t, name, settings, 3)
			f.sends(1, 20, end.o)
			if got := f.out(); got != end.want {
				t.Errorf("%s, %v with their call: out %s, want %s", name, end.o.Class, got, end.want)
			}
		}
	}
}

// TestAProbeThatIsGivenUp is made again by Finagle, and leaves a replica of Linkerd's out for good.
func TestAProbeThatIsGivenUp(t *testing.T) {
	for name, want := range map[string]string{
		"finagle_failure_accrual": "--", "linkerd_failure_accrual": "1-",
	} {
		f := newFleet(t, name, "{}", 2)
		f.sends(0, 10, broken)
		f.now = sim.Minute
		if f.out() != "--" {
			t.Fatalf("%s: no probe after a minute", name)
		}
		f.sends(0, 1, lostWithCall)
		f.now += sim.Hour
		if got := f.out(); got != want {
			t.Errorf("%s: out %s after the probe was given up, want %s", name, got, want)
		}
	}
}

// TestLinkerdDepositsNothingForWhatIsGivenUp: nobody is there when the answer comes.
func TestLinkerdDepositsNothingForWhatIsGivenUp(t *testing.T) {
	retries := func(o Outcome) (granted int) {
		p := built("linkerd_profile", func(s *LinkerdProfile) { s.MinRetries = 0 })
		a := &Attempt{N: 1, Deadline: sim.Never}
		for range 100 {
			p.Observer.Observe(1, a, o)
		}
		for a.N = 2; p.Gate.Admit(1, a); a.N++ {
			granted++
		}
		return granted
	}
	if kept, lost := retries(Outcome{Class: Dropped}), retries(lostWithCall); kept != 20 || lost != 0 {
		t.Errorf("%d retries after a hundred resets, %d after as many given up; want 20 and 0",
			kept, lost)
	}
}
