package ours

import (
	"slices"

	"cascadesim/policies"
	"cascadesim/sim"
)

// Policy is a fresh state of a built-in policy; nil settings are its defaults.
func Policy(name string, settings any) policies.Policy {
	k, ok := policies.Builtins().Lookup(name)
	if !ok {
		panic("ours: no policy " + name)
	}
	if errs := k.Check(settings); len(errs) > 0 {
		panic(errs)
	}
	return k.New(settings)
}

// Settings are the defaults of a built-in policy, to be changed.
func Settings[S any](name string) *S {
	k, ok := policies.Builtins().Lookup(name)
	if !ok {
		panic("ours: no policy " + name)
	}
	return k.Settings().(*S)
}

// Call is one call to play.
type Call struct {
	Policy policies.Policy
	// Answer is how try n ends, from 1, and how long it takes.
	Answer func(n int) (policies.Outcome, sim.Time)
	// Draw is the chance of a wait after a failure at a moment; nil: none is asked for.
	Draw  func(now sim.Time, last policies.Outcome) sim.Stream
	Limit policies.Shaper // in front of every try; nil: none
	Most  int             // tries, after which it stops in any case; 0: 1000
}

// Play is when each try was sent, from the beginning of the call.
func (c Call) Play() (sent []sim.Time) {
	var note uint64
	a := &policies.Attempt{N: 1, Deadline: sim.Never, Note: &note}
	most := c.Most
	if most == 0 {
		most = 1000
	}
	for now := sim.Time(0); ; now += a.Wait {
		now = c.held(now)
		sent = append(sent, now)
		o, took := c.Answer(a.N)
		now += took
		if o.Class == policies.OK || len(sent) == most {
			return sent
		}
		if c.Draw != nil {
			a.Chance = c.Draw(now, o)
		}
		if !c.Policy.Condition.Retryable(now, a, o) {
			return sent
		}
		a.N++
		a.Last = o
		if c.Policy.Gate != nil && !c.Policy.Gate.Admit(now, a) {
			return sent
		}
		a.Wait = c.Policy.Pacer.Wait(now, a, o)
	}
}

// held is when the limiter lets an attempt go that comes now.
func (c Call) held(now sim.Time) sim.Time {
	if c.Limit == nil {
		return now
	}
	var note uint64
	a := &policies.Attempt{N: 1, Deadline: sim.Never, Note: &note}
	for {
		delay := c.Limit.Delay(now, a)
		if delay == 0 {
			return now
		}
		now += delay
	}
}

// Near tells whether two products tried at the same times, but for the nanoseconds that rounding
// makes of the same dice.
func Near(a, b []sim.Time) bool {
	return slices.EqualFunc(a, b, func(x, y sim.Time) bool { return x-y < 100 && y-x < 100 })
}
