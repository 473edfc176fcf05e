package check

import (
	"fmt"

	"cascadesim/model"
	"cascadesim/sim"
)

// Series is one measure of a replication by bins of the given width (0: the window), from time 0
// to the end of the run, without warm-up left out: charts show it. Values read as the real system;
// NaN is a bin without a value. Gauges are averages over the bin.
func Series(plan *model.Plan, r *model.Result, measure string, bin sim.Time) ([]float64, error) {
	m, err := Parse(plan.World, measure, "")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", measure, err)
	}
	if bin == 0 {
		bin = r.Window
	}
	switch {
	case m.Kind == Whole:
		return nil, fmt.Errorf("%s: a figure of the whole run has no series", measure)
	case bin < 0 || bin%r.Window != 0:
		return nil, fmt.Errorf("%s: bins of %s are no multiple of the %s windows", measure,
			seconds(bin), seconds(r.Window))
	}
	return newReader(plan, r).bins(m, Range{To: plan.World.End}, bin), nil
}

// Over is one measure of a replication over a range, as a check with take mean reads it; NaN when
// it does not exist.
func Over(plan *model.Plan, r *model.Result, measure string, rg Range) (float64, error) {
	m, err := Parse(plan.World, measure, "")
	if err != nil {
		return none, fmt.Errorf("%s: %w", measure, err)
	}
	return newReader(plan, r).over(m, rg), nil
}
