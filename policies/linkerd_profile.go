package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// LinkerdProfile is how a Linkerd proxy tries again what a ServiceProfile calls retryable.
type LinkerdProfile struct {
	RetryRatio unit.Ratio `yaml:"retry_ratio" doc:"Of the budget: retries for each deposit; 0 to 1000."`
	MinRetries unit.Rate  `yaml:"min_retries_per_second" scale:"s" doc:"Of the budget; 0/s to 1M/s."`
	TTL        sim.Time   `yaml:"ttl" doc:"Of the budget; 1 s to 60 s."`
	StatusMin  int        `yaml:"status_min" doc:"First status of the response class that is a failure."`
	StatusMax  int        `yaml:"status_max" doc:"Last one."`
}

var _ = builtin(Spec{
	Name: "linkerd_profile",
	Doc: "Tries again as a Linkerd proxy does on a retryable route of a ServiceProfile, in place of " +
		"retry_on: an answer of a failing status withdraws from a budget and is sent again at once, " +
		"without a wait and without a limit of tries, for as long as the budget lasts. A fresh budget " +
		"of the defaults lets one request that fails at once be tried 101 times at the same instant; " +
		"give the edge an overall timeout, as a route has one, or max_attempts to bound it. Every " +
		"answer that is not tried again on purpose deposits: good ones, 4xx, and an error of the " +
		"connection, which is never tried again, but not what is given up; a failure that the budget " +
		"refuses does not, so a callee that only fails earns no retries beyond the reserve. A timeout " +
		"is the route's, around the retries: it neither deposits nor tries again. The budget is " +
		"tower_budget, which forgets after about 0.55 ttl and gives 1.67 times the minimum. There is " +
		"one for each destination of a proxy: scope: instance. Not modelled: a request of more than 64 " +
		"KiB is not tried again, and deposits.",
	Example:  "{retry_ratio: 20%, min_retries_per_second: 10/s, ttl: 10s}",
	Source:   "linkerd/linkerd2-proxy@29637b64f outbound/http/retry.rs; linkerd2@b24cd4059",
	Sure:     FromSource,
	Judges:   true,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
}, LinkerdProfile{
	// All are what a profile gets when it says nothing of them.
	RetryRatio: 0.2, MinRetries: 10, TTL: 10 * sim.Second, StatusMin: 500, StatusMax: 599,
}, checkLinkerdProfile, func(s LinkerdProfile) func() Policy {
	t := &linkerdTerms{budget: newTowerTerms(s.budget()), low: s.StatusMin, high: s.StatusMax}
	return func() Policy {
		p := &linkerdProfile{terms: t}
		p.budget.terms = t.budget
		return Policy{Condition: p, Gate: p, Observer: p, Level: p.budget.level}
	}
})

func (s LinkerdProfile) budget() TowerBudget {
	return TowerBudget{TTL: s.TTL, MinPerSec: s.MinRetries, RetryPercent: s.RetryRatio}
}

func checkLinkerdProfile(s LinkerdProfile) []error {
	names := [...]string{"ttl", "min_retries_per_second", "retry_ratio"}
	errs := checkWindowBudget(names, s.TTL, s.MinRetries, s.RetryRatio)
	if s.StatusMin < 100 || s.StatusMin > 599 {
		errs = append(errs, fmt.Errorf("status_min: %d; 100 to 599", s.StatusMin))
	}
	if s.StatusMax < max(100, s.StatusMin) || s.StatusMax > 599 {
		errs = append(errs, fmt.Errorf("status_max: %d; status_min to 599", s.StatusMax))
	}
	return errs
}

// linkerdTerms are what all states of one place share.
type linkerdTerms struct {
	budget    *towerTerms
	low, high int
}

// failed tells whether the answer is of the response class that fails.
func (t *linkerdTerms) failed(o Outcome) bool {
	return o.answered() && o.Class != OK && o.Status >= t.low && o.Status <= t.high
}

type linkerdProfile struct {
	terms  *linkerdTerms
	budget towerBudget
}

// Observe deposits for what will not be tried again on purpose. It is told before Retryable is
// asked, and each outcome goes one of the two ways.
func (p *linkerdProfile) Observe(now sim.Time, _ *Attempt, o Outcome) {
	if p.terms.failed(o) || o.Class == TimedOut || o.letGo() {
		return
	}
	p.budget.put(now)
}

func (p *linkerdProfile) Retryable(_ sim.Time, _ *Attempt, o Outcome) bool {
	return p.terms.failed(o)
}

func (p *linkerdProfile) Admit(now sim.Time, a *Attempt) bool {
	return a.N == 1 || p.budget.take(now)
}
