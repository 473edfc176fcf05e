package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// FinagleBudget is Finagle's RetryBudget. MinRetriesPerSec is a whole number there; here it may be
// a fraction, so that a scaled run divides it exactly.
type FinagleBudget struct {
	TTL              sim.Time   `yaml:"ttl" doc:"How long deposits and withdrawals count; 1 s to 60 s, whole ms."`
	MinRetriesPerSec unit.Rate  `yaml:"min_retries_per_sec" scale:"s" doc:"Retries that need no deposits; 0/s to 1M/s."`
	PercentCanRetry  unit.Ratio `yaml:"percent_can_retry" doc:"Retries that each deposit pays for; 0 to 1000."`
	DepositOn        string     `yaml:"deposit_on" enum:"request|success" doc:"What deposits: a call's start, or its good end."`
}

var _ = builtin(Spec{
	Name: "finagle_budget",
	Doc: "Grants a retry while Finagle's RetryBudget has a balance. A deposit is 1000, a withdrawal " +
		"int(1000 / percent_can_retry), and a reserve of min_retries_per_sec * ttl withdrawals is " +
		"added to what the window holds. Withdrawals stand in that window too, so the reserve is the " +
		"most debt there may be and not a refill: an idle client has it back after about a ttl, and a " +
		"busy one gets min_retries_per_sec on average. The window is ten slices that begin when they " +
		"are touched: dense traffic is remembered for 0.95 ttl, a call now and then for up to twice " +
		"the ttl, exactly as Finagle's clock of milliseconds has it. deposit_on: request is what a " +
		"RetryFilter does, at the start of each call and whatever becomes of it; success is what a " +
		"RequeueFilter does, at the end of each call that ended well. finagle_retry has the filters " +
		"themselves. A state begins at time 0, as a client that was made then.",
	Example:  "{ttl: 10s, min_retries_per_sec: 10/s, percent_can_retry: 20%}",
	Source:   "twitter/finagle@4feb34cb9 RetryBudget; twitter/util@17c8187d9 WindowedAdder",
	Sure:     FromSource,
	Gates:    true,
	Refuses:  true,
	Bounds:   true,
	Spends:   true,
	Stateful: true,
}, FinagleBudget{
	// All are those of RetryBudget.apply(); a RetryFilter is what asks for retries of one's own.
	TTL: 10 * sim.Second, MinRetriesPerSec: 10, PercentCanRetry: 0.2, DepositOn: "request",
}, checkFinagleBudget, func(s FinagleBudget) func() Policy {
	t := newFinagleTerms(s)
	first := s.DepositOn == "request"
	return func() Policy {
		g := &finagleGate{first: first}
		g.budget.terms = t
		p := Policy{Gate: g, Level: g.budget.level, PassesFirst: true}
		if !first {
			p.Closer = g
		}
		return p
	}
})

func checkFinagleBudget(s FinagleBudget) []error {
	names := [...]string{"ttl", "min_retries_per_sec", "percent_can_retry"}
	errs := checkWindowBudget(names, s.TTL, s.MinRetriesPerSec, s.PercentCanRetry)
	if s.TTL%sim.Millisecond != 0 {
		errs = append(errs, fmt.Errorf("ttl: %s; whole milliseconds", unit.FormatDuration(s.TTL)))
	}
	return errs
}

// checkWindowBudget bounds what the budgets of Finagle and of tower, which follows it, are made of;
// the names are those of the settings.
func checkWindowBudget(
	names [3]string, ttl sim.Time, perSec unit.Rate, percent unit.Ratio,
) []error {
	var errs []error
	if ttl < sim.Second || ttl > sim.Minute {
		errs = append(errs, fmt.Errorf("%s: %s; 1s to 60s", names[0], unit.FormatDuration(ttl)))
	}
	if m := float64(perSec); !(m >= 0 && m <= 1e6) {
		errs = append(errs, fmt.Errorf("%s: %s; 0/s to 1M/s", names[1], perSec))
	}
	if p := float64(percent); !(p == 0 || p >= 1e-6 && p <= 1000) {
		errs = append(errs, fmt.Errorf("%s: %v; 0, or 0.000001 to 1000", names[2], p))
	}
	return errs
}

// finagleScale is what a deposit adds, so that whole numbers carry shares above and below 1.
const finagleScale = 1000

// finagleTerms are the settings as the arithmetic wants them, shared by all budgets of one place.
type finagleTerms struct {
	deposit, withdraw, reserve int64
	slice                      int64 // ms
}

func newFinagleTerms(s FinagleBudget) *finagleTerms {
	t := &finagleTerms{withdraw: 1, slice: milliseconds(s.TTL) / finagleSlices}
	if p := float64(s.PercentCanRetry); p != 0 {
		t.deposit, t.withdraw = finagleScale, int64(finagleScale/p)
	}
	seconds := float64(s.TTL / sim.Second) // whole ones, as Finagle counts them
	t.reserve = int64(float64(s.MinRetriesPerSec) * seconds * float64(t.withdraw))
	return t
}

// finagleBudget is one RetryBudget. It is made at time 0.
type finagleBudget struct {
	terms  *finagleTerms
	window finagleWindow
}

func (b *finagleBudget) put(now sim.Time) {
	b.window.add(milliseconds(now), b.terms.slice, b.terms.deposit)
}

func (b *finagleBudget) take(now sim.Time) bool {
	if b.held(now) < b.terms.withdraw {
		return false
	}
	b.window.add(milliseconds(now), b.terms.slice, -b.terms.withdraw)
	return true
}

// balance is how many retries could be made now.
func (b *finagleBudget) balance(now sim.Time) int64 { return b.held(now) / b.terms.withdraw }

func (b *finagleBudget) held(now sim.Time) int64 {
	return b.window.sum(milliseconds(now), b.terms.slice) + b.terms.reserve
}

// level looks at a copy: a look rolls the window, and a chart must change nothing.
func (b *finagleBudget) level(now sim.Time) float64 {
	looked := *b
	return reserveLeft(looked.held(now), b.terms.reserve, b.terms.withdraw)
}

// reserveLeft is the share that is left of a budget's reserve, or without one whether a retry could
// be made.
func reserveLeft(held, reserve, withdraw int64) float64 {
	return min(1, max(0, float64(held)/float64(max(reserve, withdraw))))
}

// finagleGate is a budget alone as a policy of a stack.
type finagleGate struct {
	budget finagleBudget
	first  bool // first tries deposit
}

func (g *finagleGate) Admit(now sim.Time, a *Attempt) bool {
	if a.N > 1 {
		return g.budget.take(now)
	}
	if g.first {
		g.budget.put(now)
	}
	return true
}

func (g *finagleGate) Close(now sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		g.budget.put(now)
	}
}
