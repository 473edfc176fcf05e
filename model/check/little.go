package check

import (
	"cascadesim/model"
	"cascadesim/sim/stats"
)

// LittleLine holds both sides of Little's law for the line of a tier: attempts waiting on average,
// and attempts that got a slot per second times their mean wait. They agree but for those that were
// waiting when the range began or ended, or left the line without a slot.
type LittleLine struct {
	Tier     string
	InLine   float64 // simulated attempts, averaged over time
	RateWait float64 // the same by rate and wait
}

// Little measures both sides of Little's law, after the warm-up, for each tier at which somebody
// waited. A run with a drain measures rates over that too.
func Little(plan *model.Plan, r *model.Result) []LittleLine {
	rd := newReader(plan, r)
	s, _, ok := rd.span(DefaultRange(rd.w), true)
	if !ok {
		return nil
	}
	seconds := (r.Ended - rd.w.Warmup).Seconds()
	var out []LittleLine
	for _, t := range rd.w.Tiers {
		var waits stats.Histogram
		area := 0.0
		for i := t.First; i < t.First+t.Count; i++ {
			waits.Merge(&r.Replicas[i].Wait)
			for _, g := range r.Replicas[i].Gauges[s.from:s.to] {
				area += g.InLine
			}
		}
		if waits.Count() == 0 && area == 0 {
			continue
		}
		out = append(out, LittleLine{
			t.Name, area / 1e9 / seconds, waits.Sum() / 1e9 / seconds,
		})
	}
	return out
}
