package explain

import (
	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// Ledger accounts for every attempt after the warm-up, the drain included. Counts are simulated.
type Ledger struct {
	Edges []EdgeLedger
	Tiers []TierLedger
	// Wasted is the server time for attempts whose caller, or a caller above, had left: that of all
	// edges together.
	Wasted, Work sim.Time
}

// EdgeLedger is one edge:
//
//	attempts = first tries + retries, by what they followed + copies
//	         = ok + error + rejected + timed out + blocked + dropped + cancelled + in flight
type EdgeLedger struct {
	Edge                   string
	Calls                  uint64 // those whose first try was never sent too
	Attempts               uint64
	First, Retries, Copies uint64
	After                  [policies.Classes]uint64 // retries by the class of what they followed
	Outcomes               [policies.Classes]uint64 // Pending: in flight; Refused: never sent
	Cancelled              uint64                   // given up, as their call had ended
	Late                   uint64                   // answers that came when nobody waited
	Wasted                 sim.Time
}

// TierLedger is one tier.
type TierLedger struct {
	Tier                string
	Arrivals, Completed uint64
	Wasted              uint64 // completed for nobody
	Effects, Duplicates uint64
}

// ledgerOf reads the counters.
func ledgerOf(plan *model.Plan, r *model.Result) Ledger {
	l := Ledger{Wasted: r.Totals.Wasted, Work: r.Totals.Work}
	for e := range plan.World.Edges {
		s := &r.Edges[e]
		out := EdgeLedger{Edge: plan.World.Edges[e].Name, After: s.Again, Wasted: s.Wasted}
		for i := range s.Cells {
			if i%r.Windows < r.Warmup {
				continue
			}
			c := &s.Cells[i]
			out.Calls += uint64(c.Calls)
			out.Attempts += uint64(c.Attempts)
			out.Retries += uint64(c.Retries)
			out.Copies += uint64(c.Hedges)
			out.Cancelled += uint64(c.Cancelled)
			out.Late += uint64(c.Late)
			for class, n := range c.Outcomes {
				out.Outcomes[class] += uint64(n)
			}
		}
		out.First = out.Attempts - out.Retries - out.Copies
		ended := uint64(0)
		for class, n := range out.Outcomes {
			if policies.Class(class) != policies.Refused {
				ended += n
			}
		}
		out.Outcomes[policies.Dropped] -= out.Cancelled
		out.Outcomes[policies.Pending] = out.Attempts - ended
		l.Edges = append(l.Edges, out)
	}
	for t := range plan.World.Tiers {
		tier := &plan.World.Tiers[t]
		out := TierLedger{Tier: tier.Name}
		for i := tier.First; i < tier.First+tier.Count; i++ {
			for k := range r.Replicas[i].Cells {
				if k%r.Windows < r.Warmup {
					continue
				}
				c := &r.Replicas[i].Cells[k]
				out.Arrivals += uint64(c.Arrivals)
				out.Completed += uint64(c.Completed)
				out.Wasted += uint64(c.Wasted)
				out.Effects += uint64(c.Effects)
				out.Duplicates += uint64(c.Duplicates)
			}
		}
		l.Tiers = append(l.Tiers, out)
	}
	return l
}
