package lint

import (
	"math"
	"slices"
	"strings"

	"cascadesim/model/internal/kernel"
)

// ends is when the caller of an edge stops waiting for a try, in seconds.
func (l *linter) ends(e int) float64 {
	edge := &l.w.Edges[e]
	return min(l.clock(edge.Try), l.clock(edge.Overall))
}

// findOutliving finds calls that go on after whoever made them has been given up.
func (l *linter) findOutliving() {
	told := map[int]bool{}
	for e := range l.w.Edges {
		edge := &l.w.Edges[e]
		patience := l.ends(e)
		if math.IsInf(patience, 1) || edge.Cancel != kernel.CancelNone || edge.Propagate {
			continue
		}
		for _, n := range l.g.targets(l.g.callOf[e]) {
			for _, c := range l.g.calls(n) {
				takes := l.blocking(c.edge)
				if c.detached || takes <= patience || told[c.edge] {
					continue
				}
				told[c.edge] = true
				how := "may take " + Seconds(takes)
				if math.IsInf(takes, 1) {
					how = "has no end of its own"
				}
				l.say("child-outlives-parent", Warning, l.edgePath(c.edge, "timeout"),
					"give it an overall timeout below "+Seconds(patience)+", or cancel what is abandoned",
					"a call %s, while the caller of %s leaves after %s: what follows is work for nobody",
					how, l.w.Tiers[n.tier].Name, Seconds(patience))
			}
		}
	}
}

// findDeadlines finds callees that cannot know when their caller stops waiting, and those that know
// and do not look.
func (l *linter) findDeadlines() {
	for e := range l.w.Edges {
		edge := &l.w.Edges[e]
		if math.IsInf(l.ends(e), 1) || edge.Cancel != kernel.CancelNone {
			continue
		}
		for _, n := range l.g.targets(l.g.callOf[e]) {
			t := &l.w.Tiers[n.tier]
			waits := l.w.Params[l.w.Replicas[t.First].Slots].Base >= 0
			switch {
			case !waits && len(l.g.calls(n)) == 0:
				continue
			case !edge.Propagate:
				l.say("deadline-not-carried", Warning, l.edgePath(e, "propagate_deadline"),
					"set propagate_deadline: true here and deadline: drop_expired at "+t.Name,
					"%s is not told that its caller leaves after %s, and works on", t.Name,
					Seconds(l.ends(e)))
			case t.Deadline == kernel.Ignore && waits:
				l.say("deadline-not-carried", Note, "tiers."+t.Name+".deadline",
					"set deadline: drop_expired",
					"the deadline is carried over %s and %s does not look at it", edge.Name, t.Name)
			default:
				continue
			}
			break
		}
	}
}

// findTimeless finds calls that may keep their caller for ever.
func (l *linter) findTimeless() {
	for e := range l.w.Edges {
		if l.g.callOf[e].detached || !math.IsInf(l.blocking(e), 1) {
			continue
		}
		level := Note
		if l.hops[e].tries != 1 {
			level = Warning
		}
		l.say("no-timeout", level, l.edgePath(e, "timeout"),
			"give it a timeout, try and overall",
			"nothing bounds how long a call keeps its caller")
	}
}

// findEffects finds side effects that retries repeat.
func (l *linter) findEffects() {
	for e, h := range l.hops {
		if h.tries == 1 || !h.repeats {
			continue
		}
		var names []string
		l.effects(l.g.callOf[e], &names)
		if len(names) == 0 {
			continue
		}
		l.say("effects-repeated", Danger, l.edgePath(e, "retry"),
			"give "+strings.Join(names, ", ")+" an idempotency store, or do not retry what may have "+
				"been done",
			"a try that may have done its work is made again, up to %s times in all, and %s remembers "+
				"no operation: its side effects happen again", Times(l.tries(e, 1)),
			strings.Join(names, ", "))
	}
}

// effects names the tiers behind a call that have side effects and no idempotency store. A store
// on the way keeps repeats from what is behind it.
func (l *linter) effects(at call, names *[]string) {
	for _, n := range l.g.targets(at) {
		t := &l.w.Tiers[n.tier]
		if t.Keys != nil {
			continue
		}
		for _, s := range l.g.steps(n) {
			if s.Verb == kernel.Effect && !slices.Contains(*names, t.Name) {
				*names = append(*names, t.Name)
			}
		}
		for _, next := range l.g.calls(n) {
			l.effects(next, names)
		}
	}
}
