package policies

import (
	"math"
	"testing"
)

// chain is the exact Markov chain of a bucket of 0.1-token steps under independent failures: the
// policy itself makes every transition, so nothing of it is assumed.
type chain struct {
	terms *tokenTerms
	p     float64 // probability that an attempt fails
}

// call plays one call from every balance and returns where it leaves the bucket, the expected
// attempts, and the probability that the call ends well.
func (c chain) call(from []float64) (to []float64, attempts, ok float64) {
	to = make([]float64, len(from))
	for tenths, weight := range from {
		b := tokenBudget{terms: c.terms, balance: int64(tenths) * micro / 10}
		b.Admit(0, &Attempt{N: 1})
		for n := 2; weight > 0; n++ {
			attempts += weight
			good := b
			good.Observe(0, &Attempt{}, Outcome{Class: OK})
			if c.terms.firstTry {
				good = b // a gate that earns from first tries is told nothing
			}
			to[good.balance*10/micro] += weight * (1 - c.p)
			ok += weight * (1 - c.p)
			weight *= c.p
			if !b.Admit(0, &Attempt{N: n}) {
				to[b.balance*10/micro] += weight
				break
			}
		}
	}
	return to, attempts, ok
}

// steady iterates to the stationary distribution and averages ten calls of it: a deposit is a
// tenth of what a retry costs, so that the balance has a phase of ten calls, which only a full
// bucket shifts. The rest mixes within thousands of calls; 50,000 leave nothing of the start to ten
// digits.
func (c chain) steady() (attempts, ok float64) {
	at := make([]float64, 51)
	at[50] = 1
	for range 50_000 {
		at, _, _ = c.call(at)
	}
	for range 10 {
		next, a, o := c.call(at)
		at, attempts, ok = next, attempts+a/10, ok+o/10
	}
	return attempts, ok
}

// TestTokenBudgetFollowsTheExactChain: +0.1 for each call, size 5, a retry needs more than 1 and
// costs 1, no limit of attempts. The published figures have four decimals.
func TestTokenBudgetFollowsTheExactChain(t *testing.T) {
	onOneMachine(t)
	for _, c := range []struct{ p, attempts, ok float64 }{
		{0.01, 1.0101, 1.0000}, {0.05, 1.0524, 0.9998}, {0.1, 1.0929, 0.9836},
		{0.2, 1.1000, 0.8800}, {0.5, 1.1000, 0.5500},
	} {
		attempts, ok := chain{brooker("first_try"), c.p}.steady()
		if math.Abs(attempts-c.attempts) > 5.1e-5 || math.Abs(ok-c.ok) > 5.1e-5 {
			t.Errorf("p %v: %.5f attempts and %.5f ok, want %.4f and %.4f",
				c.p, attempts, ok, c.attempts, c.ok)
		}
	}
}

// TestTokenBudgetOfSuccesses: A = 1/(1 - b(1-p)) once the budget binds, which for these p is all
// but always; what is missing is the chance that a full bucket earns nothing.
func TestTokenBudgetOfSuccesses(t *testing.T) {
	onOneMachine(t)
	for _, p := range []float64{0.2, 0.5, 0.75} {
		attempts, _ := chain{brooker("success"), p}.steady()
		if want := 1 / (1 - 0.1*(1-p)); math.Abs(attempts-want) > 1e-4 {
			t.Errorf("p %v: %.5f attempts, want %.5f", p, attempts, want)
		}
	}
}

func brooker(depositOn string) *tokenTerms {
	s := TokenBudget{Ratio: 0.1, Burst: 5, DepositOn: depositOn, Needs: 1, Strict: true}
	return kindOf("token_budget").New(s).Gate.(*tokenBudget).terms
}
