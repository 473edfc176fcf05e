// Package gobreaker compares the policy gobreaker with sony/gobreaker v2.
package gobreaker

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
	"testing/synctest"
	"time"

	genuine "github.com/sony/gobreaker/v2"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "3000"); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // its flags come later and win
}

// settings draws breakers small enough that scripts of a hundred steps go through all their states.
func settings(t *rapid.T) policies.Gobreaker {
	lengths := []time.Duration{time.Millisecond, 300 * time.Millisecond, time.Second, time.Minute}
	draw := func(name string, of []time.Duration) sim.Time {
		return sim.Time(rapid.SampledFrom(of).Draw(t, name))
	}
	s := policies.Gobreaker{
		MaxRequests: rapid.IntRange(1, 4).Draw(t, "max_requests"),
		Interval:    draw("interval", append([]time.Duration{0, 0}, lengths...)),
		Timeout:     draw("timeout", append([]time.Duration{1}, lengths...)),
		ReadyToTrip: rapid.SampledFrom([]string{"failures", "ratio"}).Draw(t, "ready_to_trip"),
		Consecutive: rapid.IntRange(0, 4).Draw(t, "consecutive_failures"),
		MinRequests: rapid.IntRange(1, 6).Draw(t, "min_requests"),
		Ratio:       unit.Ratio(rapid.SampledFrom([]float64{0.1, 1. / 3, 0.6, 1}).Draw(t, "ratio")),
		Failures:    "not_ok",
		OnCancel:    rapid.SampledFrom([]string{"failure", "excluded"}).Draw(t, "on_cancel"),
	}
	if s.Interval > 0 {
		// Whole buckets, a rest, and buckets longer than the interval.
		parts := rapid.SampledFrom([]sim.Time{0, 1, 2, 3, 7, 10}).Draw(t, "buckets")
		if parts > 0 {
			s.Bucket = s.Interval/parts + sim.Time(rapid.IntRange(0, 1).Draw(t, "rest"))
		}
	}
	return s
}

// step is one thing that happens: a call begins, the n-th of those under way ends, time passes.
type step struct {
	does string // begin, ok, fail, cancel, sleep
	n    int
	of   sim.Time
}

func (s step) String() string { return fmt.Sprintf("%s %d %d", s.does, s.n, s.of) }

func steps(t *rapid.T, s policies.Gobreaker) []step {
	edges := []sim.Time{1}
	for _, length := range []sim.Time{s.Timeout, s.Interval, s.Bucket} {
		if length > 0 {
			edges = append(edges, length-1, length, length+1, length/2, 3*length)
		}
	}
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		does := rapid.SampledFrom([]string{
			"begin", "begin", "begin", "begin", "ok", "ok", "fail", "fail", "fail", "cancel",
			"sleep", "sleep",
		}).Draw(t, "does")
		return step{
			does: does,
			n:    rapid.IntRange(0, 20).Draw(t, "n"),
			of:   rapid.SampledFrom(edges).Draw(t, "of"),
		}
	}), 40, 120).Draw(t, "steps")
}

// pair is the product's breaker beside the policy, and the calls that both let through.
type pair struct {
	theirs  *genuine.TwoStepCircuitBreaker[any]
	ours    policies.Policy
	now     sim.Time
	timeout sim.Time
	state   genuine.State
	opened  sim.Time
	calls   []call
}

type call struct {
	done  func(error)
	a     *policies.Attempt
	since sim.Time
}

func newPair(s policies.Gobreaker) *pair {
	k, _ := policies.Builtins().Lookup("gobreaker")
	if errs := k.Check(s); len(errs) > 0 {
		panic(errs)
	}
	p := &pair{ours: k.New(s), timeout: s.Timeout}
	st := genuine.Settings{
		MaxRequests:  uint32(s.MaxRequests),
		Interval:     time.Duration(s.Interval),
		BucketPeriod: time.Duration(s.Bucket),
		Timeout:      time.Duration(s.Timeout),
		OnStateChange: func(_ string, _, to genuine.State) {
			p.state, p.opened = to, p.now
		},
		ReadyToTrip: func(c genuine.Counts) bool {
			if s.ReadyToTrip == "failures" {
				return c.ConsecutiveFailures > uint32(s.Consecutive)
			}
			share := float64(c.TotalFailures) / float64(c.Requests)
			return c.Requests >= uint32(s.MinRequests) && share >= float64(s.Ratio)
		},
	}
	if s.OnCancel == "excluded" {
		st.IsExcluded = func(err error) bool { return errors.Is(err, context.Canceled) }
	}
	p.theirs = genuine.NewTwoStepCircuitBreaker[any](st)
	return p
}

// play does one step on both sides and says how they differ.
func (p *pair) play(s step) (difference string) {
	switch s.does {
	case "sleep":
		time.Sleep(time.Duration(s.of))
		p.now += s.of
	case "begin":
		done, err := p.theirs.Allow()
		a := &policies.Attempt{N: 1, Started: p.now, Deadline: sim.Never, Note: new(uint64)}
		if mine := p.ours.Gate.Admit(p.now, a); mine != (err == nil) {
			return fmt.Sprintf("lets through: theirs %t, ours %t", err == nil, mine)
		}
		if err == nil {
			p.calls = append(p.calls, call{done, a, p.now})
		}
	default:
		if len(p.calls) > 0 {
			p.end(s)
		}
	}
	return p.differs()
}

func (p *pair) end(s step) {
	n := s.n % len(p.calls)
	c := p.calls[n]
	p.calls = append(p.calls[:n], p.calls[n+1:]...)
	o := policies.Outcome{Class: policies.OK, Latency: p.now - c.since}
	var err error
	switch s.does {
	case "fail":
		o.Class, o.Status, err = policies.Error, 500, errors.New("500")
	case "cancel":
		o.Class, o.Cancelled, err = policies.TimedOut, true, context.Canceled
	}
	c.done(err)
	p.ours.Observer.Observe(p.now, c.a, o)
}

// differs compares states. Theirs is what it last told of, since asking would change it.
func (p *pair) differs() string {
	want := 1.0
	switch {
	case p.state == genuine.StateOpen && p.now <= p.opened+p.timeout:
		want = 0
	case p.state != genuine.StateClosed:
		want = 0.5
	}
	if got := p.ours.Level(p.now); got != want {
		return fmt.Sprintf("level: theirs %v (%v since %d), ours %v", want, p.state, p.opened, got)
	}
	return ""
}

func TestPolicyIsTheProduct(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := settings(rt)
		script := steps(rt, s)
		var difference string
		synctest.Test(t, func(*testing.T) {
			p := newPair(s)
			for i, step := range script {
				if difference = p.play(step); difference != "" {
					difference = fmt.Sprintf("step %d, %v, at %d ns: %s", i, step, p.now, difference)
					return
				}
			}
		})
		if difference != "" {
			rt.Fatalf("%s\nsettings %+v\nscript %v", difference, s, script)
		}
	})
}

// The scripts must reach what they are to compare.
func TestScriptsReachEveryState(t *testing.T) {
	reached := map[genuine.State]int{}
	full := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := settings(rt)
		script := steps(rt, s)
		synctest.Test(t, func(*testing.T) {
			p := newPair(s)
			for _, step := range script {
				before := len(p.calls)
				p.play(step)
				reached[p.state]++
				half := p.state == genuine.StateHalfOpen
				if half && step.does == "begin" && len(p.calls) == before {
					full++
				}
			}
		})
	})
	for state, least := range map[genuine.State]int{
		genuine.StateClosed: 1000, genuine.StateOpen: 1000, genuine.StateHalfOpen: 1000,
	} {
		if reached[state] < least {
			t.Errorf("%v is reached %d times", state, reached[state])
		}
	}
	if full < 100 {
		t.Errorf("half-open and full only %d times", full)
	}
}
