package selftest

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/policies"
	"cascadesim/sim"
)

// summary runs all replications and writes what they say, as a file of results would hold it.
func (w *world) summary(ctx context.Context, workers int) ([]byte, sim.Fingerprint, error) {
	seeds := experiments.Seeds(w.plan.Scenario.Seed, w.plan.Scenario.Replications)
	batch, err := experiments.Run(ctx, w.plan, experiments.Options{Seeds: seeds, Workers: workers})
	if err != nil {
		return nil, sim.Fingerprint{}, err
	}
	var results []*model.Result
	for _, r := range batch.Runs {
		results = append(results, r.Result)
	}
	text, err := json.Marshal(check.Summarize(w.plan, results))
	return text, results[0].Fingerprint, err
}

// determinism runs the same world in ways that must not matter.
func determinism(ctx context.Context, j job) ([]Outcome, error) {
	first, err := j.load(&j.form.Runs[0])
	if err != nil {
		return nil, err
	}
	again, err := j.load(&j.form.Runs[0])
	if err != nil {
		return nil, err
	}
	other, err := j.load(&j.form.Runs[1])
	if err != nil {
		return nil, err
	}
	alone, print, err := first.summary(ctx, 1)
	if err != nil {
		return nil, err
	}
	together, _, err := again.summary(ctx, 4)
	if err != nil {
		return nil, err
	}
	first.size = fmt.Sprintf("summary of %d bytes", len(alone))
	out := []Outcome{first.exactly("bytes that differ: compiled again, 1 and 4 workers",
		differing(alone, together))}

	requests, err := first.trace(ctx, "request")
	if err != nil {
		return nil, err
	}
	changed := 0.0
	if first.results[0].Fingerprint != print {
		changed = 1
	}
	first.size = "print of every event"
	out = append(out, first.exactly("fingerprints that a tracer changes", changed))

	moved, err := other.trace(ctx, "request")
	if err != nil {
		return nil, err
	}
	first.size = fmt.Sprintf("%d arrivals", len(requests))
	o := first.exactly("arrivals moved by other draws for the work",
		unequal(times(requests), times(moved)))
	same := other.results[0].Fingerprint == first.results[0].Fingerprint
	o.OK = o.OK && !same
	return append(out, o), nil
}

// conservation adds up what a run recorded, and holds both sides of Little's law together.
func conservation(ctx context.Context, j job) ([]Outcome, error) {
	var out []Outcome
	for i := range j.form.Runs {
		w, err := j.load(&j.form.Runs[i])
		if err != nil {
			return nil, err
		}
		if err := w.simulate(ctx); err != nil {
			return nil, err
		}
		r := w.results[0]
		w.size = fmt.Sprintf("%d events", r.Events)
		out = append(out, w.exactly("attempts and requests unaccounted for", unaccounted(r)))
		for _, tier := range w.plan.World.Tiers {
			if o, ok := w.little(r, tier.Name); ok {
				out = append(out, o)
			}
		}
	}
	return out, nil
}

// unaccounted is how far the counts of a run that was drained are from adding up: attempts are
// calls and retries and have one outcome each, requests end in one way each.
func unaccounted(r *model.Result) float64 {
	off := 0.0
	for _, e := range r.Edges {
		var calls, attempts, retries, outcomes float64
		for _, c := range e.Cells {
			calls += float64(c.Calls)
			attempts += float64(c.Attempts)
			retries += float64(c.Retries) + float64(c.Hedges)
			for class, n := range c.Outcomes {
				if policies.Class(class) != policies.Refused {
					outcomes += float64(n)
				}
			}
		}
		off += math.Abs(attempts-calls-retries) + math.Abs(attempts-outcomes)
	}
	for _, c := range r.Clients {
		var requests, ended float64
		for _, cell := range c.Cells {
			requests += float64(cell.Requests)
			ended += float64(cell.OK) + float64(cell.Failed)
		}
		off += math.Abs(requests - ended)
	}
	return off
}

// little compares the attempts in a station with their rate times their time there: of those that
// were served, for who is turned away spends no time. Tiers that only call have no time of their
// own.
func (w *world) little(r *model.Result, tier string) (Outcome, bool) {
	rg := check.DefaultRange(w.plan.World)
	name := "tiers." + tier
	inSystem := w.over(r, name+".in_system", rg)
	service := w.over(r, name+".service.mean", rg)
	if math.IsNaN(service) || service == 0 {
		return Outcome{}, false
	}
	rate := w.over(r, name+".completed_per_s", rg)
	b := noBounds()
	b.want, b.within, b.relative = rate*(w.over(r, name+".wait.mean", rg)+service), 0.01, true
	return w.compared(tier+" in system against rate x time", "", b, inSystem, nil), true
}
