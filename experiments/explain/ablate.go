package explain

import (
	"context"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// Layer is an edge whose retries were switched off, everything else and all chance as it was.
type Layer struct {
	Edge    string
	Retries uint64 // that it had made, simulated
	Verdict string
	// Left is for how long, within the time of each of Explanation.Outages, too many requests of
	// its client still failed; Alone is the part of it in the time in which nothing was broken.
	Left, Alone []sim.Time
}

// gone is the part of the time that an outage went on alone which may be left when it is said to
// end without a layer. What piled up while something was broken has to be worked off in any case.
const gone = 0.5

// Ends says whether an outage is over much sooner without the layer's retries: of the time that it
// went on with nothing broken any more, at most half is left.
func (l Layer) Ends(o Outage, i int) bool {
	if !o.Alone {
		return l.Left[i] <= sim.Time(gone*float64(o.Length()))
	}
	return l.Alone[i] <= sim.Time(gone*float64(o.To-o.Free))
}

// Causes are the edges without whose retries an outage would have ended, by its number.
func (x *Explanation) Causes(i int) []string {
	var out []string
	for _, l := range x.Layers {
		if l.Ends(x.Outages[i], i) {
			out = append(out, l.Edge)
		}
	}
	return out
}

// switchOff runs the plan again for each edge that retried.
func (x *Explanation) switchOff(ctx context.Context, seed uint64, o Options) error {
	var edges []int
	for e := range x.Plan.World.Edges {
		if retried(x.Result, e) > 0 {
			edges = append(edges, e)
		}
	}
	x.Layers = make([]Layer, len(edges))
	if len(edges) > 1 {
		// Where no layer alone did it, all of them together may have.
		edges = append(edges, -1)
		x.Layers = append(x.Layers, Layer{})
	}
	return experiments.Each(ctx, len(edges), o.Workers, func(ctx context.Context, i int) error {
		plan, name := x.Plan, AllLayers
		for _, e := range edges {
			if e >= 0 && (edges[i] == e || edges[i] < 0) {
				plan = plan.WithoutRetries(e)
			}
		}
		if edges[i] >= 0 {
			name = x.Plan.World.Edges[edges[i]].Name
		}
		batch, err := experiments.Run(ctx, plan, experiments.Options{Seeds: []uint64{seed}, Workers: 1})
		if err != nil {
			return err
		}
		l := x.without(plan, batch.Runs[0].Result)
		l.Edge = name
		if edges[i] >= 0 {
			l.Retries = retried(x.Result, edges[i])
		}
		x.Layers[i] = l
		return nil
	})
}

// AllLayers stands for all edges in a Layer.
const AllLayers = "all of them"

// retried is how many retries an edge made after the warm-up.
func retried(r *model.Result, e int) uint64 {
	var n uint64
	for _, again := range r.Edges[e].Again {
		n += again
	}
	return n
}

// without measures what is left of the outages.
func (x *Explanation) without(plan *model.Plan, r *model.Result) Layer {
	b := newBook(plan, r)
	l := Layer{Verdict: check.Recover(plan, r).Verdict}
	for _, o := range x.Outages {
		shares := b.failed(o.Client)
		first, end := b.bins(o.From, o.To)
		var left, alone sim.Time
		for i := first; i < end; i++ {
			if !(shares[i] > b.allowed()) {
				continue
			}
			left += b.bin
			if b.time(i) >= o.Free {
				alone += b.bin
			}
		}
		l.Left, l.Alone = append(l.Left, left), append(l.Alone, alone)
	}
	return l
}
