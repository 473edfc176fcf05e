package selftest

import (
	"context"
	"fmt"
	"strings"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// A run whose length is given in requests is cut into windows, of which the first tenth is warm-up
// and the rest makes batches of nine windows.
const (
	windows       = 200
	warmupWindows = windows / 10
	batches       = 20
	batchWindows  = (windows - warmupWindows) / batches
)

// world is one variant of a case, compiled and then run.
type world struct {
	job
	plan    *model.Plan
	results []*model.Result
	batched bool   // its length is given in requests
	size    string // what was run, as people read it
}

// world goes from the file to a plan.
func (j job) world(run *runForm) (*world, error) {
	w := &world{job: j}
	w.run = run
	o := load.Options{Variant: run.Variant}
	plan, err := w.compile(o)
	if err != nil {
		return nil, err
	}
	seeds := plan.Scenario.Replications
	if j.small && j.form.SmallSeeds > 0 && j.form.SmallSeeds < seeds {
		seeds = j.form.SmallSeeds
		o.Sets = append(o.Sets, fmt.Sprintf("replications=%d", seeds))
	}
	if j.form.Requests != "" {
		sets, err := w.length(plan)
		if err != nil {
			return nil, err
		}
		w.batched = true
		o.Sets = append(o.Sets, sets...)
	}
	if w.plan, err = w.compile(o); err != nil {
		return nil, err
	}
	if w.size == "" {
		w.size = unit.FormatDuration(w.plan.World.End)
	}
	if seeds > 1 {
		w.size += fmt.Sprintf(", %d seeds", seeds)
	}
	return w, nil
}

func (w *world) compile(o load.Options) (*model.Plan, error) {
	plan, problems := w.form.doc.Plan(o)
	if plan == nil {
		return nil, fmt.Errorf("variant %s: %w", o.Variant, problems.Errors())
	}
	// Intervals need durations by window, also where the checks alone do not.
	world := *plan.World
	world.Series = check.Needs(plan)
	for _, c := range w.run.Compute {
		for _, measure := range statistics[c.Statistic].durations {
			wantSeries(&world, measure)
		}
	}
	out := *plan
	out.World = &world
	return &out, nil
}

// wantSeries keeps waits and work of all tiers by window, or latencies of all clients.
func wantSeries(w *model.World, what string) {
	var set []bool
	switch what {
	case "wait":
		set = w.Series.Wait
	case "service":
		set = w.Series.Service
	case "latency":
		set = w.Series.Clients
	case "attempt":
		set = w.Series.Edges
	default:
		panic(fmt.Sprintf("selftest: no durations %q", what))
	}
	for i := range set {
		set[i] = true
	}
}

// length turns a number of requests into a duration, its windows and its warm-up. A warm-up that
// the file asks for comes before all that.
func (w *world) length(plan *model.Plan) ([]string, error) {
	text := w.form.Requests
	if w.small && w.form.Small != "" {
		text = w.form.Small
	}
	requests, err := unit.ParseCount(text)
	if err != nil {
		return nil, fmt.Errorf("requests: %w", err)
	}
	rate := w.form.Rate
	for _, c := range plan.Topology.Clients {
		if c.Value.Arrivals != nil {
			rate += float64(c.Value.Arrivals.Rate)
		}
	}
	if rate == 0 {
		return nil, fmt.Errorf("variant %s: no rate tells how long %s requests take", w.run.Variant, text)
	}
	width := sim.Time(float64(requests) / rate / windows * 1e9)
	warmup := max(warmupWindows, int((plan.Scenario.Warmup+width-1)/width))
	all := warmup + windows - warmupWindows
	w.size = text + " requests"
	set := func(path string, n int) string {
		return fmt.Sprintf("%s=%dns", path, sim.Time(n)*width)
	}
	return []string{set("window", 1), set("warmup", warmup), set("duration", all)}, nil
}

// simulate runs all replications, one after the other: the table itself goes on side by side.
func (w *world) simulate(ctx context.Context) error {
	seeds := experiments.Seeds(w.plan.Scenario.Seed, w.plan.Scenario.Replications)
	batch, err := experiments.Run(ctx, w.plan, experiments.Options{Seeds: seeds, Workers: 1})
	if err != nil {
		return fmt.Errorf("variant %s: %w", w.run.Variant, err)
	}
	for _, r := range batch.Runs {
		w.results = append(w.results, r.Result)
	}
	return nil
}

// key names a value in the table of formulas.
func (w *world) key(value string) string { return w.run.Variant + "/" + value }

// title is how a value is shown.
func (w *world) title(value string) string {
	return strings.TrimPrefix(w.run.What+": "+value, ": ")
}

// batch is the range of batch i of a run that is cut into batches.
func (w *world) batch(i int) check.Range {
	from := w.plan.World.Warmup + sim.Time(i*batchWindows)*w.plan.World.Window
	return check.Range{From: from, To: from + batchWindows*w.plan.World.Window}
}
