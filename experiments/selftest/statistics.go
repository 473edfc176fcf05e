package selftest

import (
	"fmt"
	"math"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// statistic reads from one replication what is no measure of checks.
type statistic struct {
	unit      string
	durations []string // which durations must be kept by window: wait, service, latency, attempt
	read      func(w *world, r *model.Result, rg check.Range) float64
}

// statistics by the name that files give them. Each is of a world with one tier, one client and
// one edge between them.
var statistics = map[string]statistic{
	// The share of time in which the server has nothing to do.
	"idle": {read: func(w *world, r *model.Result, rg check.Range) float64 {
		return 1 - w.over(r, "tiers.server.utilization", rg)
	}},
	// The share of attempts that did not get a slot at once.
	"waited": {durations: []string{"wait"}, read: waited},
	// The mean wait of all, those included who gave up: Little's law for the line.
	"line wait": {unit: "duration", read: func(w *world, r *model.Result, rg check.Range) float64 {
		return w.over(r, "tiers.server.in_line", rg) / w.over(r, "tiers.server.arrivals_per_s", rg)
	}},
	// The mean time of a call outside the server, in the orbit.
	"orbit time": {unit: "duration", durations: []string{"latency", "service"}, read: orbitTime},
	// The mean number of calls in the orbit, by Little's law.
	"orbit": {durations: []string{"latency", "service"},
		read: func(w *world, r *model.Result, rg check.Range) float64 {
			return w.over(r, "clients.users.requests_per_s", rg) * orbitTime(w, r, rg)
		}},
	// The attempts beyond one for each call.
	"extra load": {read: func(w *world, r *model.Result, rg check.Range) float64 {
		return w.over(r, "edges.users->leaf.attempts_per_call", rg) - 1
	}},
	// The side effects that an operation had already, for each thousand operations.
	"duplicates": {read: func(w *world, r *model.Result, rg check.Range) float64 {
		again := w.over(r, "tiers.app.duplicate_effects", rg)
		return 1000 * again / (w.over(r, "tiers.app.effects", rg) - again)
	}},
	"winner": {unit: "duration", read: winner},
}

// over is a measure of one replication over a range.
func (w *world) over(r *model.Result, measure string, rg check.Range) float64 {
	x, err := check.Over(w.plan, r, measure, rg)
	if err != nil {
		panic(fmt.Sprintf("selftest: %v", err))
	}
	return x
}

// waited reads the share of waits that are not 0. A histogram gives quantiles only, so the largest
// rank whose quantile is 0 is searched for.
func waited(w *world, r *model.Result, rg check.Range) float64 {
	var waits stats.Histogram
	for i := range r.Replicas {
		if rg.Default {
			waits.Merge(&r.Replicas[i].Wait)
			continue
		}
		for k := rg.From / r.Window; k < rg.To/r.Window; k++ {
			waits.Merge(&r.Replicas[i].WaitSeries[k])
		}
	}
	if waits.Count() == 0 {
		return math.NaN()
	}
	n := float64(waits.Count())
	low, high := 0.0, n // the quantile of rank low is 0, or low is 0
	for high-low > 1 {
		middle := math.Floor((low + high) / 2)
		// A quarter below the rank, so that rounding up finds the rank itself.
		if waits.Quantile((middle-0.25)/n) == 0 {
			low = middle
		} else {
			high = middle
		}
	}
	return 1 - low/n
}

// orbitTime is what of a call's time was not spent in the server. Each try of V16 is served in
// full; those of V17 and V18 are served once, after being turned away.
func orbitTime(w *world, r *model.Result, rg check.Range) float64 {
	inServer := w.over(r, "tiers.server.in_system", rg) / w.over(r, "clients.users.requests_per_s", rg)
	return w.over(r, "clients.users.latency.mean", rg) - inServer
}

// winner is the mean latency of attempts answered well. What is recorded are all attempts: those
// that timed out took exactly the timeout, and those that were rejected took no time.
func winner(_ *world, r *model.Result, _ check.Range) float64 {
	const timeout = 50 * sim.Millisecond
	var cell model.EdgeCell
	for _, c := range r.Edges[0].Cells[r.Warmup:] {
		for i, n := range c.Outcomes {
			cell.Outcomes[i] += n
		}
	}
	all := &r.Edges[0].Latency
	ok := float64(cell.Outcomes[policies.OK])
	return (all.Sum() - float64(cell.Outcomes[policies.TimedOut])*float64(timeout)) / ok / 1e9
}
