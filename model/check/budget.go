package check

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// budgets are the entries of an edge's stack that hold tokens; nil when there are none.
func (p pool) budgets(edge int) map[string]BudgetSummary {
	var out map[string]BudgetSummary
	e := &p.plan.World.Edges[edge]
	for k, use := range e.Stack {
		if !p.holds(use) {
			continue
		}
		b := BudgetSummary{
			Level: p.mean("edges."+e.Name+".level."+use.Name, 1), Lowest: p.lowest(edge, k),
			Low: use.Low, LowAtS: p.lowAt(edge, k),
		}
		if out == nil {
			out = make(map[string]BudgetSummary)
		}
		out[use.Name] = b
	}
	return out
}

// holds tells whether a policy has a level.
func (p pool) holds(use kernel.Use) bool {
	if use.State >= len(p.plan.World.States) || p.plan.World.States[use.State].New == nil {
		return false
	}
	return p.plan.World.States[use.State].New().Level != nil
}

// lowest is the lowest recorded level of an entry, the warm-up included: an alert would go off then
// too. Nil when none was recorded.
func (p pool) lowest(edge, place int) *float64 {
	low := none
	for _, rd := range p.readers {
		for _, level := range rd.level(entry{edge: edge, index: place}, "level") {
			if x := float64(level); !exists(low) || x < low {
				low = x
			}
		}
	}
	return number(low)
}

// lowAt is when an entry's alert was first due in any replication, in seconds.
func (p pool) lowAt(edge, place int) *float64 {
	first := sim.Never
	for _, rd := range p.readers {
		if at := rd.r.Edges[edge].LowAt; place < len(at) {
			first = min(first, at[place])
		}
	}
	if first == sim.Never {
		return nil
	}
	seconds := first.Seconds()
	return &seconds
}
