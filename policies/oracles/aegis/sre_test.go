// Package aegis compares the policy aegis_sre with the breaker sre of go-kratos/aegis.
package aegis

import (
	"math/rand"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-kratos/aegis/circuitbreaker"
	"github.com/go-kratos/aegis/circuitbreaker/sre"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

// step is a pause, and then calls that are offered and that, as far as they are let through, end.
type step struct {
	pause      time.Duration
	offered    int
	good, fail int
}

// TestTheSameCallsAreRefused: at random times, with the product's own dice, which it seeds with the
// time at which it is made. What it refuses is told to it as a failure, as its middleware does.
func TestTheSameCallsAreRefused(t *testing.T) {
	refused, passed := 0, 0
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.AegisSRE]("aegis_sre")
		s.Success = rapid.Float64Range(0.05, 1).Draw(r, "success")
		s.Request = rapid.SampledFrom([]int{0, 1, 5, 20, 100}).Draw(r, "request")
		s.Bucket = rapid.SampledFrom([]int{1, 2, 3, 10}).Draw(r, "bucket")
		s.Window = rapid.SampledFrom([]sim.Time{sim.Second, 3 * sim.Second, 10*sim.Second + 7}).
			Draw(r, "window")
		width := int64(s.Window) / int64(s.Bucket)
		steps := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) step {
			pause := rapid.Int64Range(0, 2*width).Draw(r, "pause")
			if rapid.Bool().Draw(r, "on the beat") {
				pause = width * rapid.Int64Range(0, 3).Draw(r, "buckets")
			}
			return step{time.Duration(pause), rapid.IntRange(0, 10).Draw(r, "offered"),
				rapid.IntRange(0, 20).Draw(r, "good"), rapid.IntRange(0, 20).Draw(r, "fail")}
		}), 1, 40).Draw(r, "steps")
		difference := -1
		synctest.Test(t, func(*testing.T) {
			p := newPair(s)
			for i, step := range steps {
				time.Sleep(step.pause)
				if !p.play(step) {
					difference = i
					return
				}
			}
			refused += p.refused
			passed += p.passed
		})
		if difference >= 0 { // told here, since a bubble must end by itself
			r.Fatalf("step %d of %+v with %+v", difference, steps, *s)
		}
	})
	t.Logf("%d refused, %d let through", refused, passed)
	if refused < passed/20 || passed < refused/20 {
		t.Error("the scripts are too tame to compare anything")
	}
}

// pair is the product's breaker and the policy. next is what the product's dice show next; it
// throws them only where there is something to decide, which ended tells.
type pair struct {
	*policies.AegisSRE
	began           time.Time
	theirs          circuitbreaker.CircuitBreaker
	policy          policies.Policy
	dice            *rand.Rand
	next            float64
	ended           []call
	refused, passed int
}

// call is one that has ended, or was refused.
type call struct {
	at   sim.Time
	good bool
}

func newPair(s *policies.AegisSRE) *pair {
	p := &pair{AegisSRE: s, began: time.Now(), policy: ours.Policy("aegis_sre", s)}
	p.theirs = sre.NewBreaker(sre.WithSuccess(s.Success), sre.WithRequest(int64(s.Request)),
		sre.WithWindow(time.Duration(s.Window)), sre.WithBucket(s.Bucket))
	p.dice = rand.New(rand.NewSource(p.began.UnixNano()))
	p.next = p.dice.Float64()
	return p
}

func (p *pair) now() sim.Time { return sim.Time(time.Since(p.began)) }

// throws tells whether the product throws its dice about a call that is offered now.
func (p *pair) throws() bool {
	width := p.Window / sim.Time(p.Bucket)
	total, good := 0, 0
	for _, c := range p.ended {
		if p.now()/width-c.at/width < sim.Time(p.Bucket) {
			total++
			if c.good {
				good++
			}
		}
	}
	return total >= p.Request && float64(total) >= 1/p.Success*float64(good)
}

// play is false when the two decide otherwise.
func (p *pair) play(s step) bool {
	for range s.offered {
		thrown := p.throws()
		passes := p.policy.Gate.Admit(p.now(), &policies.Attempt{N: 1, Chance: ours.Drawn(p.next)})
		if (p.theirs.Allow() == nil) != passes {
			return false
		}
		if thrown {
			p.next = p.dice.Float64()
		}
		if passes {
			p.passed++
			continue
		}
		p.refused++
		p.theirs.MarkFailed()
		p.ended = append(p.ended, call{p.now(), false})
	}
	for range s.good {
		p.theirs.MarkSuccess()
		p.policy.Observer.Observe(p.now(), nil, policies.Outcome{Class: policies.OK})
		p.ended = append(p.ended, call{p.now(), true})
	}
	for range s.fail {
		p.theirs.MarkFailed()
		p.policy.Observer.Observe(p.now(), nil, policies.Outcome{Class: policies.TimedOut})
		p.ended = append(p.ended, call{p.now(), false})
	}
	return true
}
