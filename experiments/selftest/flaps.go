package selftest

import (
	"context"
	"fmt"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// openings counts how often a breaker that all calls go through begins to refuse: it closed and
// opened, or its probes failed.
type openings struct {
	from    sim.Time
	refused bool // the last call was
	n       int
}

func (o *openings) Trace(r model.TraceRecord) {
	switch r.What {
	case "send":
		o.refused = false
	case "refused":
		if !o.refused && r.At >= o.from {
			o.n++
		}
		o.refused = true
	}
}

// flaps compares how often a breaker opens in an hour with what renewals say.
func flaps(ctx context.Context, j job) ([]Outcome, error) {
	var out []Outcome
	for i := range j.form.Runs {
		w, err := j.world(&j.form.Runs[i])
		if err != nil {
			return nil, err
		}
		o := &openings{from: w.plan.World.Warmup}
		r, err := w.plan.Run(ctx, w.plan.Scenario.Seed, model.RunOptions{Tracer: o})
		if err != nil {
			return nil, err
		}
		hours := (r.End - o.from).Seconds() / 3600
		w.size += fmt.Sprintf(", %d openings", o.n)
		out = append(out, w.verified("openings in an hour", "", float64(o.n)/hours, nil))
	}
	return out, nil
}

// recoveries ends an outage at times that are spread over the period of a breaker's probes, and
// looks when the first call goes well.
func recoveries(ctx context.Context, j job) ([]Outcome, error) {
	const first, apart, times = 60 * sim.Second, 2600 * sim.Millisecond, 12
	var out []Outcome
	for i := range j.form.Runs {
		var w *world
		worst := sim.Time(0)
		for k := range sim.Time(times) {
			until := first + k*apart
			var err error
			w, err = j.load(&j.form.Runs[i], fmt.Sprintf("timeline.outage.until=%dns", until))
			if err != nil {
				return nil, err
			}
			ends, err := w.trace(ctx, "end")
			if err != nil {
				return nil, err
			}
			for _, e := range ends {
				if e.At >= until && e.Class == policies.OK {
					worst = max(worst, e.At-until)
					break
				}
			}
		}
		w.size = "140s each"
		out = append(out, w.verified("closes, worst of 12", "duration", worst.Seconds(), nil))
	}
	return out, nil
}
