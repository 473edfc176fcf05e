package report

import (
	"io"

	"cascadesim/experiments/explain"
	"cascadesim/policies"
	"cascadesim/sim"
)

// The JSON of an explanation: counts are simulated ones, rates of the real system; null is what
// does not exist.
type explainedJSON struct {
	Schema  string       `json:"schema"`
	Name    string       `json:"name"`
	Seed    uint64       `json:"seed"`
	Scale   float64      `json:"scale"`
	Verdict string       `json:"verdict"`
	Outages []outageJSON `json:"outages"`
	Facts   []factJSON   `json:"facts"`
	Loops   []loopJSON   `json:"loops"`
	Layers  []layerJSON  `json:"layers"`
	Ledger  ledgerJSON   `json:"ledger"`
}

type outageJSON struct {
	Client     string   `json:"client"`
	FromS      float64  `json:"from_s"`
	ToS        float64  `json:"to_s"`
	Lasts      bool     `json:"lasts"`
	AloneFromS *float64 `json:"alone_from_s"`
	WorstShare float64  `json:"worst_share"`
	Causes     []string `json:"causes"`
}

type factJSON struct {
	AtS     float64            `json:"at_s"`
	Kind    string             `json:"kind"`
	Subject string             `json:"subject"`
	Text    string             `json:"text"`
	Values  map[string]float64 `json:"values"`
}

type loopJSON struct {
	Place  string      `json:"place"`
	BinS   float64     `json:"bin_s"`
	Layers []string    `json:"layers"`
	Points []pointJSON `json:"points"`
}

type pointJSON struct {
	FirstPerS    *float64 `json:"first_per_s"`
	ExtraPerS    *float64 `json:"extra_per_s"`
	CapacityPerS *float64 `json:"capacity_per_s"`
	Gain         *float64 `json:"gain"`
}

type layerJSON struct {
	Edge    string    `json:"edge"`
	Retries uint64    `json:"retries"`
	Verdict string    `json:"verdict"`
	LeftS   []float64 `json:"left_s"`
	AloneS  []float64 `json:"left_alone_s"`
}

type ledgerJSON struct {
	Edges   []edgeLedgerJSON `json:"edges"`
	Tiers   []tierLedgerJSON `json:"tiers"`
	WorkS   float64          `json:"work_s"`
	WastedS float64          `json:"wasted_s"`
}

type edgeLedgerJSON struct {
	Edge     string            `json:"edge"`
	Calls    uint64            `json:"calls"`
	Attempts uint64            `json:"attempts"`
	First    uint64            `json:"first_tries"`
	Retries  uint64            `json:"retries"`
	Copies   uint64            `json:"copies"`
	After    map[string]uint64 `json:"retries_after"`
	Outcomes map[string]uint64 `json:"outcomes"`
	Late     uint64            `json:"late"`
	WastedS  float64           `json:"wasted_s"`
}

type tierLedgerJSON struct {
	Tier       string `json:"tier"`
	Arrivals   uint64 `json:"arrivals"`
	Completed  uint64 `json:"completed"`
	Wasted     uint64 `json:"wasted"`
	Effects    uint64 `json:"effects"`
	Duplicates uint64 `json:"duplicate_effects"`
}

// WriteJSON writes everything with stable keys.
func (x Explained) WriteJSON(w io.Writer) error {
	out := explainedJSON{Schema: "cascadesim.explain/1", Name: x.Name, Seed: x.Result.Seed,
		Scale: x.Plan.World.Scale, Verdict: x.Recovery.Verdict, Outages: []outageJSON{},
		Facts: []factJSON{}, Loops: []loopJSON{}, Layers: []layerJSON{}}
	for i, o := range x.Outages {
		j := outageJSON{Client: o.Client, FromS: o.From.Seconds(), ToS: o.To.Seconds(),
			Lasts: o.Lasts, WorstShare: o.Worst, Causes: x.Causes(i)}
		if o.Alone {
			free := o.Free.Seconds()
			j.AloneFromS = &free
		}
		out.Outages = append(out.Outages, j)
	}
	for _, f := range x.Facts {
		out.Facts = append(out.Facts, factJSON{f.At.Seconds(), f.Kind, f.Subject, f.Text, f.Values})
	}
	for _, l := range x.Loops {
		j := loopJSON{Place: l.Place, BinS: l.Bin.Seconds(), Layers: l.Layers}
		for _, p := range l.Points {
			j.Points = append(j.Points, pointJSON{finite(p.First), finite(p.Extra),
				finite(p.Capacity), finite(p.Gain)})
		}
		out.Loops = append(out.Loops, j)
	}
	for _, l := range x.Layers {
		out.Layers = append(out.Layers, layerJSON{l.Edge, l.Retries, l.Verdict, inSeconds(l.Left),
			inSeconds(l.Alone)})
	}
	out.Ledger = ledgerOf(x.Ledger)
	return writeJSON(w, out)
}

func inSeconds(times []sim.Time) []float64 {
	out := make([]float64, len(times))
	for i, t := range times {
		out[i] = t.Seconds()
	}
	return out
}

func ledgerOf(l explain.Ledger) ledgerJSON {
	out := ledgerJSON{WorkS: l.Work.Seconds(), WastedS: l.Wasted.Seconds(),
		Edges: []edgeLedgerJSON{}, Tiers: []tierLedgerJSON{}}
	for _, e := range l.Edges {
		j := edgeLedgerJSON{Edge: e.Edge, Calls: e.Calls, Attempts: e.Attempts, First: e.First,
			Retries: e.Retries, Copies: e.Copies, After: map[string]uint64{},
			Outcomes: map[string]uint64{}, Late: e.Late, WastedS: e.Wasted.Seconds()}
		for class := policies.Pending; class < policies.Classes; class++ {
			if n := e.After[class]; n > 0 {
				j.After[class.String()] = n
			}
			name := class.String()
			if class == policies.Pending {
				name = "in_flight"
			}
			j.Outcomes[name] = e.Outcomes[class]
		}
		j.Outcomes["cancelled"] = e.Cancelled
		out.Edges = append(out.Edges, j)
	}
	for _, t := range l.Tiers {
		out.Tiers = append(out.Tiers, tierLedgerJSON{t.Tier, t.Arrivals, t.Completed, t.Wasted,
			t.Effects, t.Duplicates})
	}
	return out
}
