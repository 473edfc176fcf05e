package lint

import (
	"math"

	"cascadesim/model/internal/kernel"
)

// much is by how much retries must multiply to be worth a word.
const much = 1.02

// storm is a tier that cannot do what a storm sends.
type storm struct {
	tier                       int
	capacity, first, all, load float64
}

// findStorms compares what a storm sends with what a tier can do: whether an outage that has begun
// can end by itself. Of the tiers behind one edge the most overloaded one is named.
func (l *linter) findStorms() {
	worst := map[int]storm{}
	for t := range l.w.Tiers {
		s := l.storm(t)
		if e := l.nearest(t); e >= 0 && s.load > 1 && s.all >= s.first*much && s.load > worst[e].load {
			worst[e] = s
		}
	}
	for e := range l.w.Edges {
		s, found := worst[e]
		if !found {
			continue
		}
		begins := "once it fails it stays so after the trigger has gone"
		cure := "let a budget of less than " + percent(s.capacity/s.first-1) +
			" bound the retries of all layers together, or turn away what cannot be done in time"
		if s.first >= s.capacity {
			begins = "at its height the load alone is more than that, and then it stays so"
			cure = "give it room for its height, or turn away what cannot be done in time; a budget of " +
				"ratio b lets it recover once first tries x (1+b) are below what it can do"
		}
		l.say("storm-over-capacity", Danger, l.edgePath(e, "retry"), cure,
			"%s can do %s%s; first tries %s x %s in a storm = %s: %s, until first tries fall below %s",
			l.w.Tiers[s.tier].Name, perSecond(s.capacity), l.each(s.tier), perSecond(s.first),
			figures(s.all/s.first, 3), perSecond(s.all), begins, perSecond(s.capacity*s.first/s.all))
	}
}

// storm measures a tier's busiest replica; load is 0 where nothing limits it or nothing comes.
func (l *linter) storm(t int) storm {
	if l.calm.node == nil {
		l.calm = l.rates(func(int) float64 { return 1 })
		l.stormy = l.rates(func(e int) float64 { return l.hops[e].factor })
	}
	s := storm{tier: t, capacity: l.capacity(t, l.calm), first: l.calm.hot[t], all: l.stormy.hot[t]}
	if !math.IsInf(s.capacity, 1) && s.first > 0 {
		s.load = s.all / s.capacity
	}
	return s
}

// each says that a figure is of one replica.
func (l *linter) each(tier int) string {
	if l.w.Tiers[tier].Count > 1 {
		return " in its busiest replica"
	}
	return ""
}

// percent writes the ratio of a budget, at least 0.
func percent(x float64) string { return figures(max(0, math.Floor(x*1000)/10), 3) + "%" }

// nearest is an edge that tries again and leads to a tier: the nearest one; -1: none.
func (l *linter) nearest(tier int) int {
	best, fewest := -1, math.MaxInt
	for e := range l.w.Edges {
		if l.hops[e].tries == 1 {
			continue
		}
		if n := l.distance(l.g.callOf[e], tier); n >= 0 && n < fewest {
			best, fewest = e, n
		}
	}
	return best
}

// distance is how many further calls lie between a call and a tier; -1: it does not lead there.
func (l *linter) distance(at call, tier int) int {
	best := -1
	for _, n := range l.g.targets(at) {
		if n.tier == tier {
			return 0
		}
		for _, next := range l.g.calls(n) {
			if d := l.distance(next, tier); d >= 0 && (best < 0 || d+1 < best) {
				best = d + 1
			}
		}
	}
	return best
}

// findRooms finds waiting rooms that hold more work than their callers have patience for: all that
// is let in when they are full is in vain. It lasts where a storm fills them as fast as they drain.
func (l *linter) findRooms() {
	told := map[int]bool{}
	for e := range l.w.Edges {
		edge := &l.w.Edges[e]
		try := l.ends(e)
		if math.IsInf(try, 1) || edge.Cancel != kernel.CancelNone {
			continue
		}
		for _, n := range l.g.targets(l.g.callOf[e]) {
			tier, s := &l.w.Tiers[n.tier], l.storm(n.tier)
			looks := edge.Propagate && tier.Deadline != kernel.Ignore
			if looks || told[n.tier] || s.load == 0 || l.calm.edge[e] == 0 {
				continue
			}
			wait := l.room(n.tier) / s.capacity
			if wait <= try {
				continue
			}
			told[n.tier] = true
			level := Warning
			if s.load > 1 {
				level = Danger
			}
			holds := "a full one is " + Seconds(wait) + " of work"
			if math.IsInf(wait, 1) {
				holds = "it has no limit"
			}
			l.say("room-outlives-timeout", level, l.limitPath(n.tier),
				"hold at most "+figures(math.Floor(s.capacity*try), 6)+" attempts, those in work "+
					"included (timeout x capacity), or let the callee drop what its caller has left",
				"the waiting room of %s outlasts the patience of %s: %s, its callers give up after %s; "+
					"what is let in when it is full is done for nobody",
				tier.Name, edge.Name, holds, Seconds(try))
		}
	}
}

// limitPath is where a tier's room is limited, or should be.
func (l *linter) limitPath(tier int) string {
	r := &l.w.Replicas[l.w.Tiers[tier].First]
	path := "tiers." + l.w.Tiers[tier].Name
	if l.w.Params[r.InFlight].Base >= 0 {
		return path + ".in_flight"
	}
	return path + ".line.limit"
}

// findBlindScalers finds autoscalers that look at a gauge which stays low when the tier is full.
func (l *linter) findBlindScalers() {
	for i := range l.w.Scalers {
		s := &l.w.Scalers[i]
		if s.HPA != nil || s.Gauge != kernel.GaugeUtilization && s.Gauge != kernel.GaugeBusy {
			continue
		}
		tier, metric := l.w.Tiers[s.Tier].Name, l.w.Tiers[s.Metric].Name
		path := "tiers." + tier + ".autoscale.metric"
		full, bounded := l.gaugeWhenFull(s)
		if !bounded {
			l.say("autoscaler-blind", Warning, path,
				"watch a gauge of "+tier+", such as tiers."+tier+".utilization",
				"%s is scaled by a gauge of %s, which it does not lead to: a full %s is not seen",
				tier, metric, tier)
			continue
		}
		if full > s.Target*(1+s.Tolerance) {
			continue
		}
		what := figures(full, 3)
		target := figures(s.Target, 3)
		if s.Gauge == kernel.GaugeUtilization {
			what, target = figures(full*100, 3)+"%", figures(s.Target*100, 3)+"%"
		}
		l.say("autoscaler-blind", Danger, path,
			"watch the limit that binds: tiers."+tier+".utilization",
			"when every slot of %s is taken, %s of %s is %s and its target %s: nothing is scaled and "+
				"nobody is told", tier, gaugeWord(s.Gauge), metric, what, target)
	}
}

func gaugeWord(g kernel.Gauge) string {
	if g == kernel.GaugeBusy {
		return "busy"
	}
	return "utilization"
}

// gaugeWhenFull is what a scaler's gauge shows at most when its tier is full; not bounded when the
// tier does not lead to the one that is looked at.
func (l *linter) gaugeWhenFull(s *kernel.Scaler) (float64, bool) {
	held := l.held(s.Tier)
	slots := l.slots(s.Metric)
	if s.Metric != s.Tier && !l.calls(s.Tier, s.Metric) {
		return 0, false
	}
	busy := min(held, slots)
	if s.Gauge == kernel.GaugeBusy {
		if s.PerReplica {
			busy /= float64(l.w.Tiers[s.Metric].Count)
		}
		return busy, true
	}
	if math.IsInf(slots, 1) {
		return 0, true // a tier without a limit is never utilised
	}
	return busy / slots, true
}

// held is how many attempts all replicas of a tier have in work when it is full.
func (l *linter) held(tier int) float64 {
	sum := 0.0
	t := &l.w.Tiers[tier]
	for r := t.First; r < t.First+t.Count; r++ {
		p := &l.w.Replicas[r]
		most := math.Inf(1)
		for _, param := range []int{p.Slots, p.InFlight} {
			if v := l.w.Params[param].Base; v >= 0 {
				most = min(most, v)
			}
		}
		sum += most
	}
	return sum
}

func (l *linter) slots(tier int) float64 {
	sum := 0.0
	t := &l.w.Tiers[tier]
	for r := t.First; r < t.First+t.Count; r++ {
		v := l.w.Params[l.w.Replicas[r].Slots].Base
		if v < 0 {
			return math.Inf(1)
		}
		sum += v
	}
	return sum
}

// calls says whether a tier's steps lead to another tier.
func (l *linter) calls(from, to int) bool {
	for e := range l.w.Tiers[from].Endpoints {
		for _, c := range l.g.calls(node{from, e}) {
			if l.leads(c, to) {
				return true
			}
		}
	}
	return false
}
