// Package failsafe compares breakers with that of failsafe-go, which is a design of its own, where
// the definitions agree and only there:
//
//   - N failures in a row open it. That is resilience4j's count window of N calls, all of which
//     must have failed, and gobreaker's row of more than N-1.
//   - One probe closes it or opens it again.
//   - It is half-open strictly later than its time. failsafe-go is so at it: it gets 1 ns more.
//   - Answers of calls from before count under whatever state there is by then, as resilience4j has
//     it; gobreaker drops them, so its scripts have one call at a time.
//
// Left out, because they are defined otherwise there: shares of less than all calls (failsafe-go
// opens before its window is full), several probes (it lets a further one go as soon as one ends),
// windows of time (other buckets), and Polly and Hystrix, which count shares of time alone.
package failsafe

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failsafe-go/failsafe-go/circuitbreaker"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // its flags come later and win
}

// script is a breaker's row and time, and what happens.
type script struct {
	row   int
	delay sim.Time
	steps []step
}

// step is a call that begins, one that ends, or a pause.
type step struct {
	does string // begin, ok, fail, sleep
	n    int    // which of the calls under way
	of   sim.Time
}

func scripts(t *rapid.T) script {
	s := script{
		row:   rapid.IntRange(1, 5).Draw(t, "row"),
		delay: sim.Time(rapid.IntRange(1, 60_000).Draw(t, "delay")) * sim.Millisecond,
	}
	s.steps = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		does := []string{"begin", "begin", "begin", "ok", "fail", "fail", "sleep"}
		pauses := []sim.Time{1, s.delay / 2, s.delay - 1, s.delay, s.delay + 1, 3 * s.delay}
		return step{
			does: rapid.SampledFrom(does).Draw(t, "does"),
			n:    rapid.IntRange(0, 20).Draw(t, "n"),
			of:   rapid.SampledFrom(pauses).Draw(t, "of"),
		}
	}), 40, 120).Draw(t, "steps")
	return s
}

// play compares a policy with failsafe-go and says how they differ; most is how many calls may be
// under way. opened counts how often it went half-open.
func (s script) play(p policies.Policy, most int) (difference string, opened int) {
	theirs := circuitbreaker.NewBuilder[any]().
		WithFailureThreshold(uint(s.row)).
		WithSuccessThreshold(1).
		WithDelay(time.Duration(s.delay + 1)).
		OnHalfOpen(func(circuitbreaker.StateChangedEvent) { opened++ }).
		Build()
	var calls []*policies.Attempt
	now := sim.Time(0)
	for i, step := range s.steps {
		switch {
		case step.does == "sleep":
			time.Sleep(time.Duration(step.of))
			now += step.of
		case step.does == "begin" && len(calls) < most:
			a := &policies.Attempt{N: 1, Started: now, Deadline: sim.Never, Note: new(uint64)}
			passes := theirs.TryAcquirePermit()
			if mine := p.Gate.Admit(now, a); mine != passes {
				return fmt.Sprintf("step %d at %d ns: theirs lets through %t, ours %t",
					i, now, passes, mine), opened
			}
			if passes {
				calls = append(calls, a)
			}
		case step.does != "begin" && len(calls) > 0:
			n := step.n % len(calls)
			o := policies.Outcome{Class: policies.OK, Latency: now - calls[n].Started}
			if step.does == "fail" {
				o.Class, o.Status = policies.Error, 500
				theirs.RecordFailure()
			} else {
				theirs.RecordSuccess()
			}
			p.Observer.Observe(now, calls[n], o)
			calls = append(calls[:n], calls[n+1:]...)
		}
	}
	return "", opened
}

func TestRowsAgree(t *testing.T) {
	for _, test := range []struct {
		name string
		most int
		make func(s script) any
	}{
		{"resilience4j_breaker", 20, func(s script) any {
			r := defaults[policies.Resilience4jBreaker](
				"resilience4j_breaker")
			r.Size, r.Minimum, r.Failed, r.Permitted, r.Wait = s.row, s.row, 1, 1, s.delay
			r.SlowAfter = sim.MaxTime
			return r
		}},
		{"gobreaker", 1, func(s script) any {
			g := defaults[policies.Gobreaker]("gobreaker")
			g.Consecutive, g.Timeout = s.row-1, s.delay
			return g
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			halfOpen := 0
			rapid.Check(t, func(rt *rapid.T) {
				s := scripts(rt)
				k, _ := policies.Builtins().Lookup(test.name)
				settings := test.make(s)
				if errs := k.Check(settings); len(errs) > 0 {
					rt.Fatal(errs)
				}
				var difference string
				synctest.Test(t, func(*testing.T) {
					var opened int
					difference, opened = s.play(k.New(settings), test.most)
					halfOpen += opened
				})
				if difference != "" {
					rt.Fatalf("%s\n%+v", difference, s)
				}
			})
			if halfOpen < 1000 {
				t.Errorf("half-open only %d times: the scripts compare too little", halfOpen)
			}
		})
	}
}

// defaults are the default settings of a policy.
func defaults[S any](name string) S {
	k, _ := policies.Builtins().Lookup(name)
	return *k.Settings().(*S)
}
