package selftest

import (
	"context"
	"fmt"
	"math"
	"slices"

	"cascadesim/experiments"
	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
	"cascadesim/sim/unit"
)

// sends keeps when attempts were sent, by request.
type sends struct {
	overall sim.Time
	started map[sim.Ident]sim.Time
	n, late int // attempts, and those at or after the deadline of their request
	cut     int // requests that ended at their deadline
	last    sim.Time
}

func (s *sends) Trace(r model.TraceRecord) {
	switch r.What {
	case "request":
		s.started[r.Request] = r.At
	case "send":
		since := r.At - s.started[r.Request]
		s.n++
		s.last = max(s.last, since)
		if since >= s.overall {
			s.late++
		}
	case "end":
		if r.Class == policies.TimedOut && r.Wait == s.overall {
			s.cut++
		}
	}
}

// deadlines counts attempts, of any layer, that were sent when the time of their request was up.
// Requests must have run into it, and attempts must have been sent until shortly before.
func deadlines(ctx context.Context, j job) ([]Outcome, error) {
	var out []Outcome
	for i := range j.form.Runs {
		w, err := j.world(&j.form.Runs[i])
		if err != nil {
			return nil, err
		}
		s := &sends{overall: 5 * sim.Second, started: map[sim.Ident]sim.Time{}}
		for _, seed := range experiments.Seeds(w.plan.Scenario.Seed, w.plan.Scenario.Replications) {
			if _, err := w.plan.Run(ctx, seed, model.RunOptions{Tracer: s}); err != nil {
				return nil, err
			}
		}
		w.size = fmt.Sprintf("%d attempts, the last %s before; %d requests ran out of time", s.n,
			unit.FormatDuration(s.overall-s.last), s.cut)
		o := w.exactly("attempts sent after their time", float64(s.late))
		o.OK = o.OK && s.cut > 0 && s.last > s.overall-s.overall/10
		out = append(out, o)
	}
	return out, nil
}

// tenth is the window in which a herd is counted.
const tenth = 100 * sim.Millisecond

// mostAtOnce is the largest number of times within any window that is shorter than a length.
func mostAtOnce(at []sim.Time, length sim.Time) int {
	slices.Sort(at)
	most, first := 0, 0
	for i := range at {
		for at[i]-at[first] >= length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// herd looks at the retries of many agents that failed together. The figures of the report are
// those of a run, so that two of its standard deviations say how far off the mean of many may be;
// without jitter there is no chance.
func herd(ctx context.Context, j job) ([]Outcome, error) {
	const retries = 6
	var out []Outcome
	for i := range j.form.Runs {
		w, err := j.world(&j.form.Runs[i])
		if err != nil {
			return nil, err
		}
		var most [retries][]float64
		for _, seed := range experiments.Seeds(w.plan.Scenario.Seed, w.plan.Scenario.Replications) {
			t := &tracer{what: "send"}
			if _, err := w.plan.Run(ctx, seed, model.RunOptions{Tracer: t}); err != nil {
				return nil, err
			}
			var at [retries + 1][]sim.Time
			for _, r := range t.got {
				at[r.N-1] = append(at[r.N-1], r.At)
			}
			for k := range most {
				most[k] = append(most[k], float64(mostAtOnce(at[k+1], tenth)))
			}
		}
		for k, values := range most {
			mean := stats.MeanInterval(values).Mean
			if k == 0 && w.run.Variant != "c21-none" {
				out = append(out, w.verified("retry 1 confirmed", "", mean, values))
			}
			o := w.verified(fmt.Sprintf("retry %d", k+1), "", mean, values)
			o.Tolerance = fmt.Sprintf("+- %.1f", 2*o.SD)
			o.OK = math.Abs(o.Got-o.Want) <= 2*o.SD
			out = append(out, o)
		}
	}
	return out, nil
}

// probes looks at what reaches a target that is down once all breakers have opened, until the
// first of them would probe again.
func probes(ctx context.Context, j job) ([]Outcome, error) {
	const open = 5 * sim.Second
	var out []Outcome
	for i := range j.form.Runs {
		w, err := j.world(&j.form.Runs[i])
		if err != nil {
			return nil, err
		}
		var most, all []float64
		for _, seed := range experiments.Seeds(w.plan.Scenario.Seed, w.plan.Scenario.Replications) {
			t := &tracer{what: "arrive"}
			if _, err := w.plan.Run(ctx, seed, model.RunOptions{Tracer: t}); err != nil {
				return nil, err
			}
			var at []sim.Time
			for _, r := range t.got {
				if r.At >= open && w.plan.World.Edges[r.Edge].Name == "app->leaf" {
					at = append(at, r.At)
				}
			}
			most, all = append(most, float64(mostAtOnce(at, tenth))), append(all, float64(len(at)))
		}
		out = append(out,
			w.verified("most probes at once", "", stats.MeanInterval(most).Mean, most),
			w.verified("probes", "", stats.MeanInterval(all).Mean, all))
	}
	return out, nil
}
