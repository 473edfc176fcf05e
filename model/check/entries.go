package check

import (
	"cascadesim/model"
	"cascadesim/sim"
)

// Entries are a scenario's timeline entries that began before the run ended, at the times at which
// they did: those that wait for a measure at the time of this replication, if it was met at all.
// Without a result they are left out.
func Entries(plan *model.Plan, r *model.Result) []*model.TimelineEntry {
	fired := map[int]sim.Time{}
	for k, t := range plan.World.Triggers {
		fired[t.Entry] = sim.Never
		if r != nil && k < len(r.Fired) {
			fired[t.Entry] = r.Fired[k]
		}
	}
	var out []*model.TimelineEntry
	for i := range plan.Scenario.Timeline {
		e := &plan.Scenario.Timeline[i]
		at, waits := fired[i]
		if !waits {
			at = e.At
		}
		if at >= plan.World.End {
			continue
		}
		if waits {
			own := *e
			own.At = at
			if e.End != sim.Never {
				own.End = at + e.End - e.At
			}
			e = &own
		}
		out = append(out, e)
	}
	return out
}
