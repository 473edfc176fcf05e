package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Orbit lets waiting calls come back one at a time.
type Orbit struct {
	Rate unit.Rate `yaml:"rate" scale:"s" doc:"Retries per second while any call waits."`
}

var _ = builtin(Spec{
	Name: "orbit",
	Doc: "Makes the calls that wait for a retry leave one at a time, in the order they came, with " +
		"exponential gaps of mean 1/rate while any wait. It is the constant retrial rate of " +
		"queueing theory (Fayolle 1986): however many failed, retries arrive no faster than " +
		"`rate`. One state is one orbit, so its scope says who shares the rate.",
	Example:  "{rate: 1/s}",
	Source:   "retrial queues with a constant rate of retrials; docs/semantics.md",
	Sure:     Definition,
	Paces:    true,
	Stateful: true,
}, Orbit{Rate: 1}, func(s Orbit) []error {
	if rate := float64(s.Rate); !(rate >= 1e-6 && rate <= 1e9) {
		return []error{fmt.Errorf("rate: %s; 0.000001/s to 1e9/s", s.Rate)}
	}
	return nil
}, func(s Orbit) func() Policy {
	t := &orbitTerms{gap: 1e9 / float64(s.Rate)}
	return func() Policy { return Policy{Pacer: &orbit{terms: t}} }
})

type orbitTerms struct{ gap float64 } // mean, ns

type orbit struct {
	terms *orbitTerms
	last  sim.Time // when the call that entered last will leave; past when the orbit is empty
}

func (o *orbit) Wait(now sim.Time, a *Attempt, _ Outcome) sim.Time {
	gap := min(float64(a.Chance.Exp()*o.terms.gap), float64(sim.MaxTime))
	o.last = min(max(now, o.last)+sim.Time(gap), now+sim.MaxTime)
	return o.last - now
}
