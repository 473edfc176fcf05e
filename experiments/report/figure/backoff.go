package figure

import (
	"fmt"
	"slices"

	"cascadesim/experiments/report"
	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

const (
	drawnCalls   = 20_000 // whose waits make a density
	drawnRetries = 5
	densityBins  = 160
	densityRow   = 36
)

// waits are how long the retries of an edge wait, sorted, by retry.
type waits struct {
	edge, policy string
	of           [][]float64 // seconds
}

// backoff is how long each retry waits, as the policies of the edges decide it.
func backoff(plan *model.Plan, r *model.Result) (Figure, error) {
	f := newReader(plan, r).figure("backoff", plan.Topology.Name+": how long each retry waits")
	f.Spans = nil
	var all []waits
	var words []string
	for i := range plan.World.Edges {
		w, ok := waitsOf(plan, i, sim.Seed(r.Seed))
		if !ok {
			continue
		}
		all = append(all, w)
		words = append(words, fmt.Sprintf("calls of %s wait %s before a first retry on average, %s "+
			"before a fifth", w.edge, report.Duration.Format(mean(w.of[0])),
			report.Duration.Format(mean(w.of[drawnRetries-1]))))
	}
	if len(all) == 0 {
		return f, fmt.Errorf("backoff: no policy of this world waits before a retry")
	}
	f.Caption = fmt.Sprintf("Density of the waits of %d calls whose tries time out, by retry, had "+
		"nothing else held them back. A mark is the mean. What is narrow comes back all at once.",
		drawnCalls)
	f.Alt = sentences(words, "nothing")
	f.draw = func(f Figure) (map[string]any, int) { return drawWaits(f, all) }
	return f, nil
}

// waitsOf asks the pacer of an edge's stack as the calls of a run would.
func waitsOf(plan *model.Plan, edge int, seed sim.Seed) (w waits, ok bool) {
	e := &plan.World.Edges[edge]
	for _, use := range e.Stack {
		p := plan.World.States[use.State].New()
		if p.Pacer == nil {
			continue
		}
		who := seed.Ident("figure/" + e.Name)
		if p.Seed != nil {
			p.Seed(who.Draw(0))
		}
		w = waits{edge: e.Name, policy: use.Name, of: make([][]float64, drawnRetries)}
		for call := range uint64(drawnCalls) {
			w.add(p.Pacer, who.Child(call))
		}
		for _, values := range w.of {
			slices.Sort(values)
			ok = ok || values[len(values)-1] > 0
		}
		return w, ok
	}
	return w, false
}

// add is the waits of one call.
func (w *waits) add(p policies.Pacer, call sim.Ident) {
	last, note := policies.Outcome{Class: policies.TimedOut}, uint64(0)
	a := policies.Attempt{Deadline: sim.Never, Last: last, Note: &note}
	for k := range w.of {
		a.N = k + 2
		a.Chance = call.Child(uint64(a.N)).Draw(1)
		a.Wait = max(p.Wait(0, &a, last), 0)
		w.of[k] = append(w.of[k], a.Wait.Seconds())
	}
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// most is what nearly all waits are below.
func (w waits) most() float64 {
	most := 0.0
	for _, values := range w.of {
		most = max(most, values[len(values)*999/1000])
	}
	return max(most, 1e-6)
}

// drawWaits lays out a block for each edge and a row for each retry.
func drawWaits(f Figure, all []waits) (map[string]any, int) {
	c := &canvas{theme: f.theme()}
	f.heading(c)
	y := float64(titleRoom)
	const left = 80.0
	for i, w := range all {
		x := scale{0, w.most() * 1.02, measureOf(report.Duration, w.most()), left, rightEdge - 90}
		c.text(16, y+10, shortened(w.edge+", "+w.policy, 13, Width-40),
			map[string]any{"fontSize": 12, "fontWeight": "bold"})
		top := y + 20
		bottom := top + densityRow*float64(len(w.of))
		for _, v := range x.ticks() {
			c.stroke(x.at(v), top, x.at(v), bottom, map[string]any{"stroke": f.theme().grid})
			c.text(x.at(v), bottom+12, report.Level.Format(v/x.m.by), map[string]any{"textAlign": "center"})
		}
		c.text(x.to+8, bottom+12, "wait ("+x.m.sign+")", map[string]any{"fill": f.theme().soft})
		for k, values := range w.of {
			base := top + densityRow*float64(k+1)
			c.text(16, base-densityRow/2, fmt.Sprintf("retry %d", k+1), nil)
			f.density(c, values, x, base, i)
			c.text(x.to+8, base-densityRow/2, "mean "+report.Duration.Format(mean(values)),
				map[string]any{"fill": f.theme().soft})
		}
		y = bottom + 28
	}
	return map[string]any{"graphic": c.elements}, int(y)
}

// density draws one row: the higher, the more waits are that long. The largest bin fills the row.
func (f Figure) density(c *canvas, values []float64, x scale, base float64, ink int) {
	bins, most := make([]int, densityBins), 0
	for _, v := range values {
		if i := int(v / x.high * densityBins); i < densityBins {
			bins[i]++
			most = max(most, bins[i])
		}
	}
	step := (x.to - x.from) / densityBins
	for i, n := range bins {
		if n > 0 {
			h := max((densityRow-6)*float64(n)/float64(most), 0.5)
			c.rect(x.from+step*float64(i), base-h, step, h, c.theme.color(ink), 12)
		}
	}
	c.stroke(x.from, base, x.to, base, map[string]any{"stroke": f.theme().soft, "lineWidth": 0.8})
	at := x.at(mean(values))
	c.stroke(at, base-densityRow+4, at, base, map[string]any{"stroke": f.theme().text,
		"lineWidth": 1.4, "lineDash": []int{3, 2}})
}
