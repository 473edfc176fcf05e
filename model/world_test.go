package model

import (
	"strings"
	"testing"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// The makers below write what a loader would have completed: every field that has a default has it.

func tier(slots int, steps ...Step) Tier {
	return Tier{
		Replicas: Replicas{Count: 1}, Slots: slots, Line: Line{Limit: Unlimited},
		InFlight: InFlight{Limit: Unlimited}, Reject: Reject{Status: 503}, Steps: steps,
	}
}

func work(text string) Step { return Step{Work: &Work{Time: sim.MustParseDist(text)}} }

func call(to string) Step { return Step{Call: &Call{To: to, Times: 1, Chance: 1}} }

func fail(share float64) Step { return Step{Fail: &Fail{Share: unit.Share(share), Status: 500}} }

func link(from, to string, try sim.Time, stack ...PolicyUse) Edge {
	e := Edge{From: from, To: to, Timeout: Timeout{Try: try, Overall: sim.Never},
		Block: Block{Status: 403}}
	if len(stack) > 0 {
		e.Retry = &Retry{RetryOn: []string{"timed_out", "dropped", "rejected", "5xx"}, Enabled: 1,
			Stack: stack}
	}
	return e
}

func attempts(n int) PolicyUse {
	return PolicyUse{Policy: "max_attempts", Settings: &policies.MaxAttempts{Attempts: n}}
}

func budget(burst int) PolicyUse {
	return PolicyUse{Policy: "token_budget", Settings: &policies.TokenBudget{Ratio: 0.1,
		Burst: burst, DepositOn: "first_try", Needs: 1}}
}

func arrivals(call string, rate float64) Client {
	return Client{Call: call, Arrivals: &Arrivals{Rate: unit.Rate(rate)}, SlowAfter: sim.Second}
}

// twoTier is a web server in front of a database, with one retry.
func twoTier() *Topology {
	return &Topology{
		Name: "two-tier",
		Tiers: Map[Tier]{
			{"web", tier(Unlimited, call("db"))},
			{"db", tier(30, work("100ms"))},
		},
		Clients: Map[Client]{{"users", arrivals("web", 280)}},
		Edges:   []Edge{link("web", "db", sim.Second, attempts(2))},
	}
}

// chain is n tiers that call each other, each with three tries; the last fails.
func chain(n int) *Topology {
	t := &Topology{Name: "chain", Clients: Map[Client]{{"users", arrivals("l1", 10)}}}
	from := "users"
	for i := range n {
		name := "l" + string(rune('1'+i))
		step := fail(1)
		if i+1 < n {
			step = call("l" + string(rune('2'+i)))
		}
		t.Tiers = append(t.Tiers, Entry[Tier]{name, tier(Unlimited, step)})
		t.Edges = append(t.Edges, link(from, name, sim.Second, attempts(3)))
		from = name
	}
	return t
}

func minute() *Scenario {
	return &Scenario{Duration: sim.Minute, Window: sim.Second, Scale: 1, Replications: 1}
}

// compiled is a plan that must compile.
func compiled(t *testing.T, top *Topology, s *Scenario) *Plan {
	t.Helper()
	p, problems := Compile(top, s, policies.Builtins())
	if p == nil {
		t.Fatalf("Compile: got problems\n%v", problems)
	}
	return p
}

// texts are problems or warnings, one a line.
func texts(ps Problems) string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
