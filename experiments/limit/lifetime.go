package limit

import (
	"context"
	"fmt"
	"io"
	"math"

	"cascadesim/experiments/report"
	"cascadesim/experiments/statistics"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Lifetime is how long a world lasted at one value.
type Lifetime struct {
	Label      string   `json:"value"`
	Collapses  int      `json:"collapses"`
	Of         int      `json:"of"`
	Watched    float64  `json:"watched_s"` // time to the collapse or the end, of all replications
	Mean       *float64 `json:"mean_s"`    // nil: nothing collapsed
	Low        float64  `json:"low_s"`
	High       *float64 `json:"high_s"` // nil: no bound
	Experiment string   `json:"-"`
}

// Lifetimes is what was seen along an axis.
type Lifetimes struct {
	Schema   string     `json:"schema"`
	Question string     `json:"question"`
	Axis     string     `json:"axis"`
	Rows     []Lifetime `json:"rows"`
}

// Last runs the one case of an experiment at each value of its one axis. Its first objective is the
// time of the collapse, never when there was none until the end.
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
	for p := range s.Points {
		times, never, end := s.Times(p, e.Objectives[0].Name)
		l := lifetime(times, never, end)
		l.Label = s.Points[p].Levels[0].Label
		out.Rows = append(out.Rows, l)
	}
	return out, nil
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

// Fold is the load above which a mean field has no well state: one server of rate mu, callers who
// wait so long and try again so often. Each load is what remains of attempts that arrive at a rate
// between it and mu when a share exp(-(mu-rate)*wait) of them times out; the largest is the fold.
func Fold(mu, wait float64, retries int) (load, attempts float64) {
	const steps = 1_000_000
	for i := 1; i < steps; i++ {
		rate := mu * float64(i) / steps
		late := math.Exp(-(mu - rate) * wait)
		each, power := 1.0, 1.0
		for range retries {
			power *= late
			each += power
		}
		if rate/each > load {
			load, attempts = rate/each, rate
		}
	}
	return load, attempts
}

// WriteJSON writes the lifetimes.
func (l *Lifetimes) WriteJSON(w io.Writer) error { return writeJSON(w, l) }

// WriteText writes a row for each value.
func (l *Lifetimes) WriteText(w io.Writer, t report.Terminal, _ func(string) string) error {
	table := report.Table{Title: report.Visible(l.Question), Head: []report.Column{
		{Name: l.Axis, Number: true}, {Name: "collapsed", Number: true},
		{Name: "watched", Number: true}, {Name: "mean time to collapse", Number: true},
		{Name: "95 % interval", Number: true}}}
	for _, r := range l.Rows {
		mean, interval := "-", "above "+span(r.Low)
		if r.Mean != nil {
			mean, interval = span(*r.Mean), span(r.Low)+" to "+span(*r.High)
		}
		table.Rows = append(table.Rows, report.Row{Cells: []string{r.Label,
			fmt.Sprintf("%d of %d", r.Collapses, r.Of), span(r.Watched), mean, interval}})
	}
	return table.WriteText(w, t)
}

// span writes seconds with two or three digits.
func span(seconds float64) string {
	digits := math.Pow(10, 2-math.Floor(math.Log10(max(seconds, 1))))
	return unit.FormatDuration(sim.Time(math.Round(seconds*digits)/digits) * sim.Second)
}
