package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// TowerBudget is the TpsBudget of the Rust library tower. MinPerSec is a whole number there; here
// it may be a fraction, so that a scaled run divides it exactly.
type TowerBudget struct {
	TTL          sim.Time   `yaml:"ttl" doc:"How long deposits and withdrawals are meant to count; 1 s to 60 s."`
	MinPerSec    unit.Rate  `yaml:"min_per_sec" scale:"s" doc:"Retries that need no deposits; 0/s to 1M/s."`
	RetryPercent unit.Ratio `yaml:"retry_percent" doc:"Retries that each deposit is meant to pay for; 0 to 1000."`
	DepositOn    string     `yaml:"deposit_on" enum:"success|request" doc:"What deposits: a try that ends well, or a call's start."`
}

var _ = builtin(Spec{
	Name: "tower_budget",
	Doc: "Grants a retry while tower's TpsBudget has a balance. Up to 100 % a deposit is 1 and a " +
		"withdrawal int(1 / retry_percent), so that 15 % is really 16.7 %, 35 % is 50 %, and all above " +
		"50 % is 100 %; above 100 % they are 1000 and int(1000 / retry_percent). A reserve of " +
		"min_per_sec * ttl withdrawals is added to what the window holds. Withdrawals stand in that " +
		"window too, so the reserve is the most debt there may be. The window is a ring of ten slots " +
		"that moves on two places a roll whenever the roll is even a nanosecond late: real traffic is " +
		"remembered for about 0.55 ttl and not for 1, debts as well as deposits, so a client that " +
		"always wants retries gets 1.67 * min_per_sec of them. Traffic on the exact beat of the slots " +
		"is remembered for 1.1 ttl; use Poisson arrivals. deposit_on: success is what tower's own " +
		"example does; linkerd_profile has the rules of Linkerd's proxy. A state begins at time 0, as " +
		"a client that was made then.",
	Example:  "{ttl: 10s, min_per_sec: 10/s, retry_percent: 20%}",
	Source:   "tower-rs/tower@8358ee71 (0.5) retry/budget/tps_budget.rs",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Bounds:   true,
	Spends:   true,
	Stateful: true,
}, TowerBudget{
	// All are those of TpsBudget's Default.
	TTL: 10 * sim.Second, MinPerSec: 10, RetryPercent: 0.2, DepositOn: "success",
}, checkTowerBudget, func(s TowerBudget) func() Policy {
	t := newTowerTerms(s)
	first := s.DepositOn == "request"
	return func() Policy {
		g := &towerGate{first: first}
		g.budget.terms = t
		p := Policy{Gate: g, Level: g.budget.level, PassesFirst: true}
		if !first {
			p.Observer = g
		}
		return p
	}
})

func checkTowerBudget(s TowerBudget) []error {
	names := [...]string{"ttl", "min_per_sec", "retry_percent"}
	return checkWindowBudget(names, s.TTL, s.MinPerSec, s.RetryPercent)
}

// towerTerms are the settings as the arithmetic wants them, shared by all budgets of one place.
type towerTerms struct {
	deposit, withdraw, reserve int64
	slot                       sim.Time
}

func newTowerTerms(s TowerBudget) *towerTerms {
	t := &towerTerms{withdraw: 1, slot: s.TTL / towerSlots}
	switch p := float32(s.RetryPercent); { // in 32 bits, like the original
	case p == 0:
	case p <= 1:
		t.deposit, t.withdraw = 1, int64(1/p)
	default:
		t.deposit, t.withdraw = 1000, int64(1000/p)
	}
	seconds := float64(s.TTL / sim.Second) // whole ones
	t.reserve = int64(float64(s.MinPerSec) * seconds * float64(t.withdraw))
	return t
}

// towerBudget is one TpsBudget. It is made at time 0.
type towerBudget struct {
	terms *towerTerms
	ring  towerRing
}

func (b *towerBudget) put(now sim.Time) { b.ring.add(now, b.terms.slot, b.terms.deposit) }

func (b *towerBudget) take(now sim.Time) bool {
	if b.held(now) < b.terms.withdraw {
		return false
	}
	b.ring.add(now, b.terms.slot, -b.terms.withdraw)
	return true
}

func (b *towerBudget) held(now sim.Time) int64 {
	return b.ring.sum(now, b.terms.slot) + b.terms.reserve
}

// level looks at a copy: a look rolls the ring, and a chart must change nothing.
func (b *towerBudget) level(now sim.Time) float64 {
	looked := *b
	return reserveLeft(looked.held(now), b.terms.reserve, b.terms.withdraw)
}

// towerGate is a budget alone as a policy of a stack.
type towerGate struct {
	budget towerBudget
	first  bool // first tries deposit
}

func (g *towerGate) Admit(now sim.Time, a *Attempt) bool {
	if a.N > 1 {
		return g.budget.take(now)
	}
	if g.first {
		g.budget.put(now)
	}
	return true
}

func (g *towerGate) Observe(now sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		g.budget.put(now)
	}
}
