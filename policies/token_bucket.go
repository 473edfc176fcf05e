package policies

import (
	"fmt"
	"math/bits"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// TokenBucket admits a steady rate and a burst above it. Rate is counted in whole millionths of an
// attempt per second.
type TokenBucket struct {
	Rate  unit.Rate `yaml:"rate" scale:"s" doc:"Attempts that may enter in the long run."`
	Burst int       `yaml:"burst" scale:"s" doc:"Attempts that may enter at once; at least 1."`
}

var _ = builtin(Spec{
	Name: "token_bucket",
	Doc: "Lets an attempt enter while the bucket holds a token, and takes one. Tokens flow in " +
		"evenly at `rate` up to `burst`; the bucket opens full. It is the lazy continuous bucket " +
		"of golang.org/x/time/rate and of Envoy's local rate limit, counted exactly: in any " +
		"stretch of t seconds at most burst + rate*t attempts enter. Turning away costs nothing " +
		"here; the tier's `reject` says what it costs.",
	Example:  "{rate: 1000/s, burst: 50}",
	Source:   "the token bucket of docs/semantics.md",
	Sure:     Definition,
	Callee:   true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
}, TokenBucket{
	// A round rate to be replaced. The burst is what arrives in 50 ms of it, a usual batching
	// of arrivals by the network and the scheduler.
	Rate: 1000, Burst: 50,
}, checkTokenBucket, func(s TokenBucket) func() Policy {
	t := &bucketTerms{rate: uint64(micros(float64(s.Rate))), burst: int64(s.Burst)}
	return func() Policy {
		b := &tokenBucket{terms: t, tokens: t.burst}
		return Policy{Admission: b, Level: b.level}
	}
})

func checkTokenBucket(s TokenBucket) []error {
	var errs []error
	if rate := float64(s.Rate); !(rate >= 1e-6 && rate <= 1e9) {
		errs = append(errs, fmt.Errorf("rate: %s; 0.000001/s to 1e9/s", s.Rate))
	}
	if s.Burst < 1 || s.Burst > 1e9 {
		errs = append(errs, fmt.Errorf("burst: %d attempts; 1 to 1e9, or nothing can enter",
			s.Burst))
	}
	return errs
}

// bucketTerms are the settings as the arithmetic wants them, shared by all buckets of one place.
type bucketTerms struct {
	rate  uint64 // millionths of a token per second
	burst int64
}

// tokenBucket counts in units of 1e-15 token: a nanosecond at the slowest rate earns one of them,
// so nothing is ever rounded away.
type tokenBucket struct {
	terms  *bucketTerms
	at     sim.Time // up to when the flow has been added
	tokens int64
	rest   uint64 // part of the next token
}

const tokenUnits = 1_000_000_000 * micro

func (b *tokenBucket) Enter(now sim.Time, _ *Attempt) bool {
	b.tokens, b.rest = b.held(now)
	b.at = now
	if b.tokens == 0 {
		return false
	}
	b.tokens--
	return true
}

// held is what the bucket holds at now. The product stays below 2^98 for every legal rate and
// time, which is what makes the quotient fit.
func (b *tokenBucket) held(now sim.Time) (tokens int64, rest uint64) {
	hi, lo := bits.Mul64(uint64(now-b.at), b.terms.rate)
	lo, carry := bits.Add64(lo, b.rest, 0)
	flow, rest := bits.Div64(hi+carry, lo, tokenUnits)
	if tokens = b.tokens + int64(flow); tokens >= b.terms.burst {
		return b.terms.burst, 0
	}
	return tokens, rest
}

func (b *tokenBucket) level(now sim.Time) float64 {
	tokens, _ := b.held(now)
	return float64(tokens) / float64(b.terms.burst)
}
