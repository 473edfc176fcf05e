package policies

import (
	"math/bits"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// K8sClientRateLimit is the limiter in front of the REST client of client-go.
type K8sClientRateLimit struct {
	QPS   unit.Rate `yaml:"qps" scale:"s" doc:"Attempts per second in the long run."`
	Burst int       `yaml:"burst" scale:"s" doc:"Attempts that may go at once; at least 1."`
}

var _ = builtin(Spec{
	Name: "k8s_client_rate_limit",
	Doc: "Holds every attempt back, first tries too, until a bucket of `burst` tokens that refills " +
		"at `qps` has one for it, as client-go does in front of its REST client. An attempt that " +
		"finds no token takes one in advance and waits for it, so attempts go in the order they " +
		"came and the line has no end; one whose call ends before its token is there takes none. " +
		"The wait counts before the request's own timeout starts but within the caller's. A " +
		"client is one process: many of them are not limited together. A token whose call is " +
		"given up for another reason is not given back.",
	Example:  "{qps: 5/s, burst: 10}",
	Source:   "k8s.io/client-go v0.37.2, rest/config.go, flowcontrol/throttle.go; x/time v0.16.0",
	Sure:     FromSource,
	Stateful: true,
	Notes:    true,
}, K8sClientRateLimit{
	QPS: 5, Burst: 10, // rest.DefaultQPS and rest.DefaultBurst
}, func(s K8sClientRateLimit) (errs []error) {
	b := (*bounds)(&errs)
	if rate := float64(s.QPS); !(rate >= 1e-6 && rate <= 1e9) {
		b.say("qps", "%s; 0.000001/s to 1e9/s", s.QPS)
	}
	b.count("burst", s.Burst, 1)
	return errs
}, func(s K8sClientRateLimit) func() Policy {
	t := &bucketTerms{rate: uint64(micros(float64(s.QPS))), burst: int64(s.Burst)}
	return func() Policy {
		l := &k8sLimiter{tokenBucket{terms: t, tokens: t.burst}}
		return Policy{Shaper: l, Level: l.level}
	}
})

// k8sLimiter is a bucket whose tokens may be owed: negative ones have been taken in advance. The
// note of a call is the time until which its next attempt waits, 0 when it waits for nothing.
type k8sLimiter struct{ tokenBucket }

func (l *k8sLimiter) Delay(now sim.Time, a *Attempt) sim.Time {
	if until := sim.Time(*a.Note); until > 0 {
		if now < until {
			return until - now
		}
		*a.Note = 0
		return 0
	}
	tokens, rest := l.held(now)
	wait := l.until(1-tokens, rest)
	if wait > 0 && (wait > sim.MaxTime-now || now+wait > a.Deadline) {
		return wait
	}
	l.at, l.tokens, l.rest = now, tokens-1, rest
	if wait > 0 {
		*a.Note = uint64(now + wait)
	}
	return wait
}

// until is the time until so many more tokens are there, rest being part of the next, rounded up:
// a wait of nothing would never end.
func (l *k8sLimiter) until(tokens int64, rest uint64) sim.Time {
	if tokens <= 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(tokens), tokenUnits)
	lo, borrow := bits.Sub64(lo, rest, 0)
	hi -= borrow
	lo, carry := bits.Add64(lo, l.terms.rate-1, 0)
	hi += carry
	if hi >= l.terms.rate {
		return sim.MaxTime
	}
	wait, _ := bits.Div64(hi, lo, l.terms.rate)
	return sim.Time(min(wait, uint64(sim.MaxTime)))
}

func (l *k8sLimiter) level(now sim.Time) float64 {
	tokens, _ := l.held(now)
	return float64(max(tokens, 0)) / float64(l.terms.burst)
}
