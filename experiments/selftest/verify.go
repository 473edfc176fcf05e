package selftest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/model/load"
	"cascadesim/sim"
)

// verification looks at the runs of a case in a way that neither checks nor statistics can.
type verification func(ctx context.Context, j job) ([]Outcome, error)

// verifications by the name that files give them.
var verifications = map[string]verification{
	"budget bound":     budgetBound,
	"first retries":    firstRetries,
	"second by second": secondBySecond,
	"determinism":      determinism,
	"conservation":     conservation,
	"flaps":            flaps,
	"deadlines":        deadlines,
	"herd":             herd,
	"order":            order,
	"probes":           probes,
	"recoveries":       recoveries,
}

// load compiles a variant with settings of its own and nothing else changed.
func (j job) load(run *runForm, sets ...string) (*world, error) {
	w := &world{job: j}
	w.run = run
	plan, err := w.compile(load.Options{Variant: run.Variant, Sets: sets})
	if err != nil {
		return nil, err
	}
	w.plan = plan
	return w, nil
}

// exactly is the outcome of counting what must not be there.
func (w *world) exactly(what string, got float64) Outcome {
	o := w.outcome(what)
	o.Want, o.Got, o.Tolerance, o.OK = 0, got, "exact", got == 0
	return o
}

// tracer keeps what happened, of the kinds that are wanted.
type tracer struct {
	what string
	got  []model.TraceRecord
}

func (t *tracer) Trace(r model.TraceRecord) {
	if r.What == t.what {
		t.got = append(t.got, r)
	}
}

// trace runs one replication and returns the records of a kind.
func (w *world) trace(ctx context.Context, what string) ([]model.TraceRecord, error) {
	t := &tracer{what: what}
	r, err := w.plan.Run(ctx, w.plan.Scenario.Seed, model.RunOptions{Tracer: t})
	if err != nil {
		return nil, err
	}
	w.results = []*model.Result{r}
	return t.got, nil
}

// budgetBound measures at each granted retry: the retries of the window that ends with it, itself
// included, against what the originals of that window allow. There is no backoff, so a retry is
// sent when it is granted.
func budgetBound(ctx context.Context, j job) ([]Outcome, error) {
	const length = 10 * sim.Second
	percents := map[string]int{"v21-20": 20, "v21-10": 10}
	var out []Outcome
	for i := range j.form.Runs {
		run := &j.form.Runs[i]
		w, err := j.load(run, "duration=100s")
		if err != nil {
			return nil, err
		}
		sends, err := w.trace(ctx, "send")
		if err != nil {
			return nil, err
		}
		percent := percents[run.Variant]
		first, originals, retries, grants, over := 0, 0, 0, 0, 0
		for _, s := range sends {
			for ; sends[first].At <= s.At-length; first++ {
				if sends[first].N == 1 {
					originals--
				} else {
					retries--
				}
			}
			if s.N == 1 {
				originals++
				continue
			}
			retries++
			grants++
			if 100*retries > percent*originals+100 {
				over++
			}
		}
		w.size = fmt.Sprintf("%d retries granted in 100s", grants)
		o := w.exactly("retries beyond the budget of their window", float64(over))
		o.OK = o.OK && grants > 0
		out = append(out, o)
	}
	return out, nil
}

// burst is what must be seen of the first retries of 10,000 clients: so many in each of the
// windows from first to last, of 100 ms each, and none elsewhere.
type burst struct {
	first, last int
	each        float64
}

// firstRetries looks at the retries when each client makes one.
func firstRetries(ctx context.Context, j job) ([]Outcome, error) {
	const clients = 10_000
	wanted := map[string]burst{
		"v27-none":        {0, 0, clients},
		"v27-exponential": {10, 10, clients},
		"v27-full":        {0, 9, clients / 10},
		"v27-equal":       {5, 9, clients / 5},
	}
	var out []Outcome
	for i := range j.form.Runs {
		run := &j.form.Runs[i]
		w, err := j.load(run, "edges.users->leaf.retry.stack.max_attempts.attempts=2",
			"window=100ms", "duration=3s")
		if err != nil {
			return nil, err
		}
		if err := w.simulate(ctx); err != nil {
			return nil, err
		}
		bins, err := check.Series(w.plan, w.results[0], "edges.users->leaf.retries", 0)
		if err != nil {
			return nil, err
		}
		b := wanted[run.Variant]
		p := b.each / clients
		deviation := math.Sqrt(clients * p * (1 - p))
		o := w.outcome("first retries per 100 ms, worst")
		o.Want, o.Got = b.each, bins[b.first]
		elsewhere := 0.0
		for k, n := range bins {
			switch {
			case k < b.first || k > b.last:
				elsewhere += n
			case math.Abs(n-b.each) > math.Abs(o.Got-b.each):
				o.Got = n
			}
		}
		o.Tolerance = fmt.Sprintf("+- %.0f", 4*deviation)
		o.OK = math.Abs(o.Got-b.each) <= 4*deviation && elsewhere == 0
		o.Detail = fmt.Sprintf("windows %d to %d; %.0f elsewhere", b.first, b.last, elsewhere)
		out = append(out, o)
	}
	return out, nil
}

// secondBySecond compares each second with what the gate must see: 100 more than the second before.
func secondBySecond(ctx context.Context, j job) ([]Outcome, error) {
	w, err := j.load(&j.form.Runs[0])
	if err != nil {
		return nil, err
	}
	if err := w.simulate(ctx); err != nil {
		return nil, err
	}
	compare := func(measure, what string, want func(k int) float64) (Outcome, error) {
		bins, err := check.Series(w.plan, w.results[0], measure, 0)
		worst := 0.0
		for k, got := range bins {
			if off := got - want(k); math.Abs(off) > math.Abs(worst) {
				worst = off
			}
		}
		o := w.outcome(what)
		o.Unit, o.Want, o.Got, o.Tolerance, o.OK = "/s", 0, worst, "+- 1/s", math.Abs(worst) <= 1
		o.Detail = fmt.Sprintf("%d seconds", len(bins))
		return o, err
	}
	attempts, err := compare("tiers.gate.arrivals_per_s",
		"attempts less 10,100 + 100 k in second k, worst",
		func(k int) float64 { return 10_100 + 100*float64(k) })
	if err != nil {
		return nil, err
	}
	goodput, err := compare("tiers.gate.admitted_per_s", "admitted less 10,000, worst",
		func(int) float64 { return 10_000 })
	return []Outcome{attempts, goodput}, err
}

// differing counts places at which two byte strings differ, a missing end included.
func differing(a, b []byte) float64 {
	n := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// times are the instants of records.
func times(records []model.TraceRecord) []sim.Time {
	out := make([]sim.Time, len(records))
	for i, r := range records {
		out[i] = r.At
	}
	return out
}

func unequal(a, b []sim.Time) float64 {
	if slices.Equal(a, b) && len(a) > 0 {
		return 0
	}
	n := math.Abs(float64(len(a) - len(b)))
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			n++
		}
	}
	return max(n, 1)
}
