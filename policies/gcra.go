package policies

import (
	"math"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// GCRA admits a steady rate by remembering one instant.
type GCRA struct {
	Rate  unit.Rate `yaml:"rate" scale:"s" doc:"Attempts that may enter in the long run."`
	Burst int       `yaml:"burst" scale:"s" doc:"Attempts that may enter at once; at least 1."`
}

var _ = builtin(Spec{
	Name: "gcra",
	Doc: "The generic cell rate algorithm: an attempt may enter unless it comes more than " +
		"(burst - 1) intervals of 1/rate before its theoretical arrival time, which each one that " +
		"enters moves one interval on. It grants what a token bucket of the same burst does, with " +
		"one number of state. As in Go's throttled the interval is a whole number of nanoseconds, " +
		"rounded down, so that 7/s are 142,857,142 ns; `burst` is its MaxBurst plus one, which is " +
		"what it calls Limit.",
	Example:  "{rate: 1000/s, burst: 50}",
	Source:   "throttled/throttled v2.15.0, rate.go",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
}, GCRA{
	// As those of token_bucket, which it can replace.
	Rate: 1000, Burst: 50,
}, func(s GCRA) []error {
	return checkTokenBucket(TokenBucket(s))
}, func(s GCRA) func() Policy {
	t := gcraTermsOf(s)
	return func() Policy {
		g := &gcra{terms: t}
		return Policy{Admission: g, Level: g.level}
	}
})

type gcraTerms struct{ interval, tolerance sim.Time }

func gcraTermsOf(s GCRA) *gcraTerms {
	// A rate such as 60/m is no exact number, and its interval may fall just short of one.
	exact := 1e9 / float64(s.Rate)
	interval := math.Floor(exact + 0.5)
	if math.Abs(exact-interval) > exact*1e-15 {
		interval = math.Floor(exact)
	}
	tolerance := min(interval*float64(s.Burst), 4e18) // beyond every run, and no overflow
	return &gcraTerms{interval: sim.Time(interval), tolerance: sim.Time(tolerance)}
}

type gcra struct {
	terms  *gcraTerms
	theory sim.Time // when the next attempt would come at exactly the rate
}

func (g *gcra) Enter(now sim.Time, _ *Attempt) bool {
	next := max(now, g.theory) + g.terms.interval
	if next-g.terms.tolerance > now {
		return false
	}
	g.theory = next
	return true
}

func (g *gcra) level(now sim.Time) float64 {
	return 1 - float64(max(0, g.theory-now))/float64(g.terms.tolerance)
}
