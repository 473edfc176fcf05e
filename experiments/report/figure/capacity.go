package figure

import (
	"fmt"
	"math"

	"cascadesim/experiments/explain"
	"cascadesim/experiments/report"
	"cascadesim/model"
)

// mostPlaces is how many tiers or replicas are shown, the most overloaded ones.
const mostPlaces = 3

// capacity is what comes to a tier against what it can do: first tries, all attempts, capacity.
func capacity(plan *model.Plan, r *model.Result) (Figure, error) {
	rd := newReader(plan, r)
	f := rd.figure("capacity", rd.name()+": what comes, against what can be done")
	x := explain.Of(plan, r)
	if len(x.Loops) == 0 {
		return f, fmt.Errorf("capacity: no retries came to a tier whose capacity is limited")
	}
	var words []string
	for _, l := range loaded(x.Loops) {
		first, all := make([]float64, len(l.Points)), make([]float64, len(l.Points))
		can := make([]float64, len(l.Points))
		gain, when := 0.0, 0
		for i, p := range l.Points {
			first[i], all[i], can[i] = p.First, p.Arrivals, p.Capacity
			if load := p.Arrivals / p.Capacity; load > gain {
				gain, when = load, i
			}
		}
		surge, _ := at(all)
		length := float64(len(all)) * l.Bin.Seconds()
		p := Panel{Title: fmt.Sprintf("%s, surge to %s of first tries before", l.Place,
			report.Factor.Format(surge/before(first, f.Spans, l.Bin.Seconds()))),
			Key: l.Place, Unit: report.Rate,
			Lines: []Line{
				{Name: "all attempts", Values: all, Color: 0, Length: length},
				{Name: "first tries, had no layer retried", Values: first, Color: 2, Length: length},
				{Name: "capacity, as measured", Values: can, Level: true, Length: length},
			}}
		f.Panels = append(f.Panels, p)
		words = append(words, fmt.Sprintf("%s gets up to %s of what it can do, at %s", l.Place,
			report.Factor.Format(gain), report.Clock{Epoch: plan.Scenario.Epoch}.Format(
				float64(when)*l.Bin.Seconds())))
	}
	f.Caption = fmt.Sprintf("Where all attempts lie above the capacity, what has piled up cannot "+
		"drain; where first tries lie below it, it is the retries that keep it so. Surge: the most "+
		"attempts over the mean of first tries before the first entry of the timeline, both as means "+
		"over %s; recovery.surge is of single windows.",
		report.Duration.Format(x.Loops[0].Bin.Seconds()))
	f.Alt = sentences(words, "nothing")
	return f, rd.err
}

// before is the mean of a rate before the first entry of the timeline, or of its first tenth.
func before(values []float64, spans []report.Span, bin float64) float64 {
	n := max(len(values)/10, 1)
	if len(spans) > 0 && int(spans[0].At/bin) > 0 {
		n = min(int(spans[0].At/bin), len(values))
	}
	sum, k := 0.0, 0
	for _, v := range values[:n] {
		if !math.IsNaN(v) && v > 0 {
			sum += v
			k++
		}
	}
	return sum / float64(k)
}

// loaded are the loops with the largest loads, in their order.
func loaded(loops []explain.Loop) []explain.Loop {
	load := func(l explain.Loop) float64 {
		most := 0.0
		for _, p := range l.Points {
			most = max(most, ratio(p.Arrivals, p.Capacity))
		}
		return most
	}
	var out []explain.Loop
	for _, l := range loops {
		larger := 0
		for _, o := range loops {
			if load(o) > load(l) {
				larger++
			}
		}
		if larger < mostPlaces && len(out) < mostPlaces {
			out = append(out, l)
		}
	}
	return out
}

func ratio(a, b float64) float64 {
	if !(b > 0) || math.IsNaN(a) {
		return 0
	}
	return a / b
}
