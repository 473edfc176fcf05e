package explain

import (
	"context"
	"sort"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// Options say what is looked into.
type Options struct {
	// Workers is how many runs go side by side; 0: one for each processor. It changes no result.
	Workers int
	// Keep leaves out the runs with the retries of an edge switched off.
	Keep bool
	// Progress is told how far all runs are; nil: nobody is.
	Progress func(experiments.Progress)
}

// Explanation is what there is to say about one replication.
type Explanation struct {
	Plan     *model.Plan
	Result   *model.Result
	Recovery check.Recovery
	Bin      sim.Time // facts are looked for in bins of this width
	Outages  []Outage
	Facts    []Fact
	Loops    []Loop
	Layers   []Layer // empty when nothing was switched off
	Ledger   Ledger
}

// Fact is one thing that was measured, with its time.
type Fact struct {
	At      sim.Time
	Kind    string // stable: entry, control, outage, limit, crash, wait, amplification, loop, end
	Subject string // path of what it is about
	Text    string
	// Values are the numbers of the sentence by name, in SI units.
	Values map[string]float64
}

// Explain runs a plan once, and once more for each edge that retried, all with one seed.
func Explain(
	ctx context.Context, plan *model.Plan, seed uint64, o Options,
) (*Explanation, error) {
	base, err := experiments.Run(ctx, plan, experiments.Options{
		Seeds: []uint64{seed}, Progress: o.Progress,
	})
	if err != nil {
		return nil, err
	}
	x := Of(plan, base.Runs[0].Result)
	if o.Keep || len(x.Outages) == 0 {
		return x, nil
	}
	return x, x.switchOff(ctx, seed, o)
}

// Of explains a replication that has been run already, without switching anything off.
func Of(plan *model.Plan, r *model.Result) *Explanation {
	b := newBook(plan, r)
	x := &Explanation{Plan: plan, Result: r, Recovery: check.Recover(plan, r), Bin: b.bin}
	x.Outages = b.outages()
	x.Loops = b.loops()
	b.told = x.Outages
	for _, facts := range [][]Fact{
		b.entries(), b.controls(), b.failures(), b.limits(), b.crashed(), b.waits(),
		b.multiplied(), b.sustained(x.Loops),
		b.ends(x.Loops),
	} {
		x.Facts = append(x.Facts, facts...)
	}
	sort.SliceStable(x.Facts, func(i, j int) bool { return x.Facts[i].At < x.Facts[j].At })
	x.Ledger = ledgerOf(plan, r)
	return x
}
