package lint

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
)

// manyTries is from how many tries on a refusal by a full callee one edge alone makes a storm.
const manyTries = 10

// findLayers finds paths on which several layers try again and no budget sees all of it.
func (l *linter) findLayers() {
	seen := map[string]bool{}
	for _, leaf := range l.out.Leaves {
		if len(leaf.Path) < 2 || l.shared(leaf.Path) || seen[Text(leaf.Path)] {
			continue
		}
		seen[Text(leaf.Path)] = true
		level := Danger
		if leaf.Budgeted <= 2 {
			level = Warning
		}
		last := leaf.Path[len(leaf.Path)-1].Edge
		l.say("retries-multiply", level, "edges."+last+".retry",
			"try again at one layer only, or let one budget see all layers (carry_attempt above, "+
				"counts: carried below)",
			"%d layers try again without a budget that sees them all: %s; one request of %s makes up to "+
				"%s attempts at %s, in a storm %s", len(leaf.Path), Text(leaf.Path), leaf.Client,
			Times(leaf.Attempts), leaf.Tier, Times(round(leaf.Budgeted)))
	}
}

// round leaves out what a probe of finite length adds.
func round(x float64) float64 { return math.Round(x*100) / 100 }

// shared says whether the last edge of a path has a budget that the others' retries count in too.
func (l *linter) shared(path []Factor) bool {
	last := l.index(path[len(path)-1].Edge)
	for _, f := range path[:len(path)-1] {
		above := l.index(f.Edge)
		carried := l.w.Edges[above].CarryAttempt && slices.ContainsFunc(l.w.Edges[last].Stack,
			func(u kernel.Use) bool { return u.Carried })
		if !carried && !l.samePool(above, last) {
			return false
		}
	}
	return true
}

func (l *linter) index(edge string) int {
	return slices.IndexFunc(l.w.Edges, func(e kernel.Edge) bool { return e.Name == edge })
}

// samePool says whether two edges draw on one state of a policy that remembers.
func (l *linter) samePool(a, b int) bool {
	for _, u := range l.w.Edges[a].Stack {
		if !l.w.States[u.State].Single && slices.ContainsFunc(l.w.Edges[b].Stack,
			func(o kernel.Use) bool { return o.State == u.State }) {
			return true
		}
	}
	return false
}

// findUnlimited finds calls that are tried for ever.
func (l *linter) findUnlimited() {
	for e, h := range l.hops {
		if h.tries == 0 {
			level, until := Danger, "without end"
			if clock := l.clock(l.w.Edges[e].Overall); !math.IsInf(clock, 1) {
				level, until = Warning, "until "+Seconds(clock)+" are over"
			}
			hint := "add max_attempts"
			if l.counted(e) {
				hint, until = "lower max_attempts", fmt.Sprintf("%d times or more", probeTop-1)
			}
			l.say("retries-unlimited", level, l.edgePath(e, "retry"), hint,
				"a call that fails is tried again %s", until)
		}
	}
}

// counted tells whether max_attempts bounds an edge's tries, however high.
func (l *linter) counted(e int) bool {
	retry := l.edges[e].Retry
	return retry != nil && slices.ContainsFunc(retry.Stack, func(u model.PolicyUse) bool {
		return u.Policy == "max_attempts"
	})
}

// findUnbudgeted finds retries of which only the number for each call is bounded.
func (l *linter) findUnbudgeted() {
	for e, h := range l.hops {
		if h.tries == 1 || l.hasBudget(e) {
			continue
		}
		most := "as many attempts as callers have patience for"
		if h.tries > 0 {
			most = fmt.Sprintf("%d times the traffic", h.tries)
		}
		l.say("no-budget", Warning, l.edgePath(e, "retry.stack"),
			"add a budget, such as ratio_budget: {ratio: 10%}",
			"nothing bounds retries as a share of the traffic: when all calls fail, it sends %s", most)
	}
}

// hasBudget says whether something keeps the retries of an edge below a share of its traffic, at
// any rate of it.
func (l *linter) hasBudget(e int) bool {
	h := &l.hops[e]
	if h.tries == 0 {
		return h.ratio < probeTop/4
	}
	return h.ratio < 1+float64(0.9*(float64(h.tries)-1))
}

// findFloors finds budgets whose floor, or what they hold at first, lets through what their ratio
// is there to stop.
func (l *linter) findFloors() {
	for e, h := range l.hops {
		if h.tries == 1 || !l.hasBudget(e) {
			continue
		}
		own, fast := h.factor-1, h.ratio-1
		if own < 2*fast+floorLeast {
			continue
		}
		l.say("budget-floor", Warning, l.edgePath(e, "retry.stack"),
			"lower the floor (minimum per second, minimum in flight, burst), or share one state among "+
				"more callers",
			"at its %s for each state, the budget lets %s retries for each call through when all fail; "+
				"its ratio alone would let %s", perSecond(h.rate), figures(round(own), 3),
			figures(round(fast), 3))
	}
}

// findPools finds budgets that several dependencies share.
func (l *linter) findPools() {
	told := map[int]bool{}
	for e := range l.w.Edges {
		for k, u := range l.w.Edges[e].Stack {
			if l.w.States[u.State].Single || told[u.State] {
				continue
			}
			var others []string
			for o := range l.w.Edges {
				if o != e && !l.onOnePath(e, o) && !l.sameTarget(e, o) &&
					slices.ContainsFunc(l.w.Edges[o].Stack,
						func(v kernel.Use) bool { return v.State == u.State }) {
					others = append(others, l.w.Edges[o].Name)
				}
			}
			if len(others) == 0 {
				continue
			}
			told[u.State] = true
			l.say("global-budget", Warning, l.edgePath(e, "retry.stack."+l.w.Edges[e].Stack[k].Name),
				"give each dependency a pool of its own",
				"%s and %s, which call different tiers, draw on the same %s: the failures of one use up "+
					"the retries of the other", l.w.Edges[e].Name, strings.Join(others, ", "), u.Name)
		}
	}
}

// onOnePath says whether one of two edges leads to the caller of the other.
func (l *linter) onOnePath(a, b int) bool {
	above := func(a, b int) bool {
		return l.w.Edges[b].From >= 0 && l.leads(l.g.callOf[a], l.w.Edges[b].From)
	}
	return above(a, b) || above(b, a)
}

func (l *linter) sameTarget(a, b int) bool {
	for _, n := range l.g.targets(l.g.callOf[a]) {
		for _, o := range l.g.targets(l.g.callOf[b]) {
			if n.tier == o.tier {
				return true
			}
		}
	}
	return false
}

// findShed finds retries on the very answer by which a full callee asks to be left alone.
func (l *linter) findShed() {
	for e, h := range l.hops {
		if h.shed == 1 {
			continue
		}
		for _, n := range l.g.targets(l.g.callOf[e]) {
			if !l.sheds(n.tier) {
				continue
			}
			t := &l.w.Tiers[n.tier]
			level := Warning
			if h.shed >= manyTries {
				level = Danger
			}
			asks := ""
			if after := l.w.Params[t.RejectAfter].Base; after <= 0 {
				asks = ", which asks for no wait"
			}
			l.say("retries-shed", level, l.edgePath(e, "retry.retry_on"),
				"take this status out of what is tried again, or answer with Retry-After",
				"when %s is full it answers %.0f%s, and the call is tried %s times", t.Name,
				l.w.Params[t.RejectStatus].Base, asks, Times(l.most(h.shed)))
			break
		}
	}
}

// most is a number of tries, infinite when the probe stopped counting.
func (l *linter) most(n int) float64 {
	if n >= probeTop {
		return math.Inf(1)
	}
	return float64(n)
}

// sheds says whether a tier turns attempts away with an answer.
func (l *linter) sheds(tier int) bool {
	t := &l.w.Tiers[tier]
	r := &l.w.Replicas[t.First]
	return len(t.Admission) > 0 ||
		l.w.Params[r.InFlight].Base >= 0 && r.Over != kernel.OverDrop ||
		l.w.Params[r.LineLimit].Base >= 0 && l.w.Params[r.Slots].Base >= 0 && !r.FullDrops
}

// findJitter finds retries that come all together.
func (l *linter) findJitter() {
	for e, h := range l.hops {
		if h.tries == 1 || h.jitter {
			continue
		}
		waits := "the same waits for every call"
		if h.waits == 0 {
			waits = "no wait at all"
		}
		l.say("no-jitter", Warning, l.edgePath(e, "retry.stack"),
			"add a wait with jitter, such as exponential: {base: 50ms, cap: 2s, jitter: full}",
			"%s before a retry: calls that fail together come back together", waits)
	}
}

// findDeadTries finds tries that the overall timeout leaves no room for.
func (l *linter) findDeadTries() {
	for e, h := range l.hops {
		if h.fits == 0 || h.tries != 0 && h.fits >= h.tries {
			continue
		}
		edge := &l.w.Edges[e]
		l.say("dead-tries", Warning, l.edgePath(e, "timeout.overall"),
			"shorten the timeout of one try, or allow fewer of them",
			"of %s tries that each run out of time after %s, the overall %s leave room for %d",
			tries(h.tries), Seconds(l.clock(edge.Try)), Seconds(l.clock(edge.Overall)), h.fits)
	}
}

func tries(n int) string {
	if n == 0 {
		return "any number of"
	}
	return fmt.Sprint(n)
}

// findUnseen finds budgets that may run low without anybody's being told.
func (l *linter) findUnseen() {
	for e := range l.w.Edges {
		for _, u := range l.w.Edges[e].Stack {
			if u.Low > 0 || l.w.States[u.State].New().Level == nil {
				continue
			}
			l.say("low-budget-unseen", Warning, l.edgePath(e, "retry.stack."+u.Name),
				"add low: 20% to be told when it falls below",
				"nobody is told when %s runs low: its users only see that retries stop", u.Name)
		}
	}
}
