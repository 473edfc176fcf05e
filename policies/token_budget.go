package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// TokenBudget lets retries spend tokens that traffic earns. Ratio is counted in whole millionths of
// a token. Burst is also the opening balance: a client that has sent nothing may retry a little, or
// every deploy would begin with failures.
type TokenBudget struct {
	Ratio     unit.Ratio `yaml:"ratio" doc:"Tokens that one deposit earns; 0 to 100."`
	Burst     int        `yaml:"burst" scale:"s" doc:"Most tokens held; the opening balance."`
	DepositOn string     `yaml:"deposit_on" enum:"first_try|success" doc:"What earns tokens."`
	Needs     int        `yaml:"needs" doc:"Tokens there must be for a retry; at least 1."`
	Strict    bool       `yaml:"strict" doc:"The balance must exceed needs, not just reach it."`
}

var _ = builtin(Spec{
	Name: "token_budget",
	Doc: "Grants a retry while the bucket holds `needs` tokens, and takes one. Each deposit adds " +
		"`ratio` tokens up to `burst`, with which the bucket opens. So long as everything fails, " +
		"traffic grows by at most `ratio`, plus `burst` retries once for each state: many small " +
		"clients with a bucket each can together spend far more than the ratio before it binds. " +
		"deposit_on: first_try earns as a call is offered; success earns for every attempt " +
		"answered well, so that a dead callee earns nothing. The token is spent when the retry is " +
		"decided, before its backoff. Brooker's client of 2022 is {ratio: 0.1, burst: 5, needs: 1, " +
		"strict: true}.",
	Example:  "{ratio: 10%, burst: 10}",
	Source:   "M. Brooker, Fixing retries with token buckets, 2022",
	Sure:     Definition,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Bounds:   true,
	Spends:   true,
	Stateful: true,
}, TokenBudget{
	// 10 % is the per-client retry budget of the Google SRE book, chapter 21. Ten tokens let a
	// client of any size ride out one bad moment and are gone within a hundred calls.
	Ratio: 0.10, Burst: 10, DepositOn: "first_try", Needs: 1,
}, checkTokenBudget, func(s TokenBudget) func() Policy {
	t := &tokenTerms{
		deposit:  micros(float64(s.Ratio)),
		burst:    int64(s.Burst) * micro,
		least:    int64(s.Needs) * micro,
		firstTry: s.DepositOn == "first_try",
	}
	if s.Strict {
		t.least++
	}
	return func() Policy {
		b := &tokenBudget{terms: t, balance: t.burst}
		p := Policy{Gate: b, Level: b.level, PassesFirst: true}
		if !t.firstTry {
			p.Observer = b
		}
		return p
	}
})

func checkTokenBudget(s TokenBudget) []error {
	errs := checkRatio(float64(s.Ratio))
	if s.Burst < 0 || s.Burst > 1e9 {
		errs = append(errs, fmt.Errorf("burst: %d tokens; 0 to 1e9", s.Burst))
	}
	if s.Needs < 1 || s.Needs > 1e9 {
		errs = append(errs, fmt.Errorf("needs: %d tokens; a retry costs 1, so at least 1",
			s.Needs))
	}
	return errs
}

// tokenTerms are the settings in millionths of a token, shared by all buckets of one place.
type tokenTerms struct {
	deposit, burst, least int64
	firstTry              bool
}

// tokenBudget is 16 bytes: there may be one for each of millions of clients.
type tokenBudget struct {
	terms   *tokenTerms
	balance int64
}

func (b *tokenBudget) Admit(_ sim.Time, a *Attempt) bool {
	if a.N == 1 {
		if b.terms.firstTry {
			b.earn()
		}
		return true
	}
	if b.balance < b.terms.least {
		return false
	}
	b.balance -= micro
	return true
}

func (b *tokenBudget) Observe(_ sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		b.earn()
	}
}

func (b *tokenBudget) earn() {
	b.balance = min(b.terms.burst, b.balance+b.terms.deposit)
}

func (b *tokenBudget) level(sim.Time) float64 {
	if b.terms.burst == 0 {
		return 0
	}
	return float64(b.balance) / float64(b.terms.burst)
}
