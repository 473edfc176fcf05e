package limit

import (
	"context"
	"fmt"
	"io"

	"cascadesim/experiments/statistics"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
)

// Lifetime is how long a world lasts at one value, from its steady state on.
type Lifetime struct {
	Label     string    `json:"value"`
	Collapses int       `json:"collapses"` // of the plain runs
	Of        int       `json:"of"`
	Watched   float64   `json:"watched_s"` // time to the collapse or the end, of all replications
	Mean      *float64  `json:"mean_s"`    // nil: nothing collapsed
	Low       float64   `json:"low_s"`
	High      *float64  `json:"high_s"`    // nil: no bound
	Splitting *Branched `json:"splitting"` // that the three are from; nil: plain runs
}

// Lifetimes is what was seen along an axis.
type Lifetimes struct {
	Schema    string     `json:"schema"`
	Question  string     `json:"question"`
	Axis      string     `json:"axis"`
	Rows      []Lifetime `json:"rows"`
	Window    float64    `json:"window_s"`   // how often it is looked
	MeanField *MeanField `json:"mean_field"` // nil: none is known
	Note      string     `json:"note"`       // why there is no splitting; empty: there is, or no need
}

// few are so few collapses that their mean time is known to no better than half or twice.
const few = 8

// Last runs the one case of an experiment at each value of its one axis. Its first objective is the
// time of the collapse, never when there was none until the end. Where that was never or hardly
// seen, runs are branched near it.
func Last(ctx context.Context, e *load.Experiment, o Options) (*Lifetimes, error) {
	if len(e.Axes) != 1 || len(e.Cases) != 1 || len(e.Objectives) == 0 {
		return nil, fmt.Errorf("lifetimes have one axis, one case, and the time of the collapse as " +
			"the first objective, such as {measure: …, take: {first_above: 50%%}}")
	}
	s, err := sweep.New(e, sweep.Options{Version: o.Version, Run: o.Run, Progress: o.Progress})
	if err == nil {
		err = s.Execute(ctx, nil)
	}
	if err != nil {
		return nil, err
	}
	out := &Lifetimes{Schema: "cascadesim.lifetimes/1", Question: e.Question, Axis: e.Axes[0].Name}
	out.Window = s.Cell(0).Plan.World.Window.Seconds()
	plain := 0
	for p := range s.Points {
		times, never, end := s.Times(p, e.Objectives[0].Name)
		l := lifetime(times, never, end)
		l.Label = s.Points[p].Levels[0].Label
		out.Rows = append(out.Rows, l)
		plain += l.Of
		if f := foldOf(s.Cell(p).Plan); p == 0 {
			out.MeanField = f
		} else if f == nil || out.MeanField != nil && *f != *out.MeanField {
			out.MeanField = nil
		}
	}
	if e.Runs > 0 {
		o.Runs = min(o.Runs, e.Runs-plain)
	}
	return out, out.branch(ctx, s, o)
}

// lifetime estimates the mean of an exponential lifetime from collapses and from runs that ended
// before one: the time watched over the collapses. The interval takes collapses as Poisson's.
func lifetime(times []float64, never int, end float64) Lifetime {
	l := Lifetime{Collapses: len(times), Of: len(times) + never}
	for _, t := range times {
		l.Watched += t
	}
	l.Watched += float64(float64(never) * end)
	low, high := statistics.Events(len(times))
	l.Low = l.Watched / high
	if len(times) > 0 {
		mean, most := l.Watched/float64(len(times)), l.Watched/low
		l.Mean, l.High = &mean, &most
	}
	return l
}

// WriteJSON writes the lifetimes.
func (l *Lifetimes) WriteJSON(w io.Writer) error { return writeJSON(w, l) }
