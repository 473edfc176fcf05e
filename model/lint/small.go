package lint

import (
	"math"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// The names in a small world.
const (
	caller = "caller"
	callee = "callee"
	source = "source"
	hole   = "hole" // never answers
)

const (
	smallWindows = 1000          // of a small world; their length matters to nobody
	patience     = 15 * sim.Hour // for the tries of the last call
)

// late is how much too late an answer comes in a small world whose callee answers nobody.
const late = 20 * sim.Hour

// small is the world in which an edge is tried out, and when all begins to fail there.
func (l *linter) small(i int, w way, want lookFor) (*model.Topology, *model.Scenario, sim.Time) {
	t := &model.Topology{Name: "probe"}
	edge := l.bareEdge(i, w, want)
	edge.From, edge.To = source, callee
	client := model.Client{Call: callee, SlowAfter: sim.Second, Population: 1,
		Arrivals: &model.Arrivals{Process: "constant", Rate: unit.Rate(want.rate)}}
	if l.w.Edges[i].From >= 0 {
		calling := l.smallTier(i)
		calling.Steps = []model.Step{{Call: &model.Call{To: callee, Times: 1, Chance: 1}}}
		t.Tiers = append(t.Tiers, model.Entry[model.Tier]{Name: caller, Value: calling})
		client.Call, edge.From = caller, caller
	}
	answering := l.smallTier(i)
	work, _ := sim.ConstDist(sim.Nanosecond)
	answering.Steps = []model.Step{{Work: &model.Work{Time: work}}}
	if w.name == shed {
		// The first that comes stays, as what it calls never answers; the callee is full then.
		answering.InFlight.Limit = 1
		answering.Steps = []model.Step{{Call: &model.Call{To: hole, Times: 1, Chance: 1}}}
		silent := l.smallTier(i)
		silent.Steps = []model.Step{{Work: &model.Work{Time: work}}}
		t.Tiers = append(t.Tiers, model.Entry[model.Tier]{Name: hole, Value: silent})
	}
	t.Tiers = append(t.Tiers, model.Entry[model.Tier]{Name: callee, Value: answering})
	t.Clients = model.Map[model.Client]{{Name: source, Value: client}}
	t.Edges = []model.Edge{edge}
	gap := sim.Time(math.Ceil(1e9 / want.rate))
	warm := min(gap*probeWarm, sim.MaxTime/4)
	length := min(warm+gap*sim.Time(want.calls), sim.MaxTime/2)
	// Nobody calls after that, but tries go on for hours.
	window := (length + patience) / smallWindows
	s := &model.Scenario{Topology: t.Name, Duration: window * smallWindows, Window: window,
		Scale: 1, Seed: 1, Replications: 1}
	s.Timeline = []model.TimelineEntry{
		{Name: "all-fail", At: warm, End: sim.Never, Fault: failing(w, edge.From)},
		{Name: "no-more", At: length, End: sim.Never,
			Set: []model.Setting{{Path: "clients." + source + ".arrivals.rate"}}},
	}
	s.Timeline[0].End = s.Duration
	return t, s, warm
}

// smallTier is a tier without limits that turns attempts away as the edge's callee does.
func (l *linter) smallTier(i int) model.Tier {
	never, _ := sim.ConstDist(sim.Never)
	return model.Tier{
		Slots: model.Unlimited, Replicas: model.Replicas{Count: 1}, Reject: l.reject(i),
		Line:     model.Line{Limit: model.Unlimited, Timeout: never},
		InFlight: model.InFlight{Limit: model.Unlimited},
	}
}

// failing is the fault that makes all fail in one way.
func failing(w way, from string) *model.Fault {
	switch w.name {
	case refused:
		return &model.Fault{Edge: from + "->" + callee, Link: "refused"}
	case errs:
		return &model.Fault{Tier: callee,
			Errors: &model.FaultErrors{Share: 1, Status: w.status}}
	}
	answer, _ := sim.ConstDist(late)
	if w.name == shed {
		return &model.Fault{Tier: hole, Delay: &answer}
	}
	return &model.Fault{Tier: callee, Delay: &answer}
}
