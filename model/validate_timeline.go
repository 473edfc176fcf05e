package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// checkTimeline checks what the timeline does, and to what.
func (n *names) checkTimeline() {
	fields := n.liveFields()
	seen := map[string]bool{}
	absolute := map[string]string{}
	for i := range n.s.Timeline {
		e := &n.s.Timeline[i]
		path := entryPath(n.s.Timeline, i)
		if e.Name != "" && seen[e.Name] {
			n.errorf(path, "two entries are called %q", e.Name)
		}
		seen[e.Name] = true
		n.checkEntry(path, e)
		if e.Control != nil {
			n.checkControl(path+".control", e, fields)
		}
		for k := range e.Set {
			set := &e.Set[k]
			at := path + ".set." + set.Path
			f, ok := n.liveField(at, set.Path, fields)
			if !ok {
				continue
			}
			n.checkSetting(at, e, set, f)
			if set.Op == Replace && e.Over > 0 && !e.Waits() {
				n.rampFrom(at, set)
			}
			if set.Op != Replace || e.Over > 0 || e.Waits() {
				continue
			}
			key := fmt.Sprint(e.At, " ", set.Path)
			if old, taken := absolute[key]; taken {
				n.errorf(at, "%s sets the same path at the same instant", old)
			}
			absolute[key] = path
		}
	}
	n.checkPauses()
}

// entryPath is the path of a timeline entry.
func entryPath(entries []TimelineEntry, i int) string { return "timeline." + entryName(entries, i) }

// entryName is what an entry is called: its name, else its place.
func entryName(entries []TimelineEntry, i int) string {
	if entries[i].Name != "" {
		return entries[i].Name
	}
	return strconv.Itoa(i)
}

// checkEntry checks an entry's verb and times.
func (n *names) checkEntry(path string, e *TimelineEntry) {
	verbs := 0
	for _, set := range []bool{
		len(e.Set) > 0, e.Fault != nil, e.Pause != nil, e.Restart != nil, e.Deploy != nil,
		e.Control != nil,
	} {
		if set {
			verbs++
		}
	}
	if verbs != 1 {
		n.errorf(path, "%d verbs; expected one of set, fault, pause, restart, deploy, control", verbs)
	}
	if e.At < 0 || e.At > n.s.Duration {
		n.errorf(path+".at", "%s is outside the run, which lasts %s",
			unit.FormatDuration(e.At), unit.FormatDuration(n.s.Duration))
	}
	if e.End <= e.At {
		n.errorf(path, "it ends at %s, but starts at %s",
			unit.FormatDuration(e.End), unit.FormatDuration(e.At))
	}
	switch {
	case e.Over < 0:
		n.errorf(path+".over", "%s; expected a duration", unit.FormatDuration(e.Over))
	case e.Over > 0 && len(e.Set) == 0:
		n.errorf(path+".over", "only set reaches a value in time")
	case e.End > e.At && e.Over > e.End-e.At:
		n.errorf(path+".over", "%s is longer than the entry lasts", unit.FormatDuration(e.Over))
	}
	if e.End == sim.Never && (e.Fault != nil || e.Pause != nil) {
		n.errorf(path, "expected an end: for or until").
			hint("until: end if it is meant to last")
	}
	if e.Waits() {
		n.checkWaits(path, e)
	}
	if e.Fault != nil {
		n.checkFault(path+".fault", e.Fault)
	}
	if e.Pause != nil {
		n.word(path+".pause.flows", e.Pause.Flows, "finish", "keep", "reset", "drop")
		n.checkOut(path+".pause.tier", e.Pause.Tier)
	}
	if e.Restart != nil {
		n.checkRestart(path+".restart", e)
	}
	if e.Deploy != nil {
		n.checkDeploy(path+".deploy", e)
	}
}

// checkSetting checks that a value fits its field.
func (n *names) checkSetting(path string, e *TimelineEntry, set *Setting, f *liveField) {
	if set.Op != Replace && (f.what == theWeights || f.what == aStatus) {
		n.errorf(path, "it can only be replaced, not multiplied or added to")
		return
	}
	if f.what == theWeights {
		n.checkWeights(path, set)
		return
	}
	if f.what == aDist && set.Op == Replace {
		n.checkDistSet(path, e, set, f)
		return
	}
	values := []float64{set.Value.Number}
	if set.Curve != nil {
		n.checkCurveSet(path, e, set)
		values = values[:0]
		for _, p := range set.Curve {
			values = append(values, p.Value)
		}
	}
	for _, v := range values {
		if text := f.refuses(set.Op, v); text != "" {
			n.errorf(path, "%s", text)
			return
		}
	}
	endless := f.base < 0 && !n.replaced(f.path)
	ramp := e.Over > 0 || set.Ramp
	for _, v := range values {
		endless = endless || ramp && set.Op == Replace && isEndless(v)
	}
	if endless && (set.Op != Replace || e.Over > 0 || ramp) {
		n.errorf(path, "there is no limit, so that nothing can be multiplied, added or ramped").
			hint("set it to a number at once")
	}
}

// replaced tells whether some entry gives a path a number.
func (n *names) replaced(path string) bool {
	for i := range n.s.Timeline {
		e := &n.s.Timeline[i]
		for _, s := range e.settings() {
			if s.Path == path && s.Op == Replace && e.Over == 0 && !isEndless(s.Value.Number) {
				return true
			}
		}
	}
	return false
}

// isEndless tells whether a number stands for unlimited or none.
func isEndless(v float64) bool { return v == Unlimited || v >= float64(sim.Never) }

// refuses says why a field cannot take a value; empty: it can.
func (f *liveField) refuses(op Op, v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return fmt.Sprintf("%v is no number", v)
	}
	if op == Multiply {
		if v < 0 || v > mostFactor {
			return fmt.Sprintf("%vx; expected a factor from 0x to 1000000x", v)
		}
		return ""
	}
	if op == Add {
		return ""
	}
	least, most, what := f.bounds()
	if (f.what == aLimit || f.what == aTimer) && isEndless(v) {
		return ""
	}
	if v < least || v > most {
		return fmt.Sprintf("%v; expected %s", v, what)
	}
	if (f.what == aLimit || f.what == aCount || f.what == aStatus) && v != math.Trunc(v) {
		return fmt.Sprintf("%v; expected a whole number", v)
	}
	return ""
}

// bounds are the values that a field can take, and what they are called.
func (f *liveField) bounds() (least, most float64, what string) {
	switch f.what {
	case aLimit:
		return 0, mostCount, "a count, or unlimited"
	case aCount:
		return f.least, maxReplicas, fmt.Sprintf("a count from %v to %d", f.least, maxReplicas)
	case aRate:
		return 0, 1e9, "a rate from 0/s to 1000M/s"
	case aShare:
		return 0, 1, "a share from 0% to 100%"
	case aLength, aDist:
		return 0, float64(longest), "a duration"
	case aTimer:
		return 1, float64(longest), "a duration above 0, or none"
	case aStatus:
		return 100, 599, "a status from 100 to 599"
	case aWeight:
		return 0, mostFactor, "a weight of 0 or more"
	}
	panic("model: a live field of unknown quantity")
}

func (n *names) checkWeights(path string, set *Setting) {
	if set.Curve != nil {
		n.errorf(path, "weights follow no curve").
			hint("write several entries, with over for a ramp")
		return
	}
	if len(set.Value.Weights) == 0 {
		n.errorf(path, "expected weights by target, such as {a: 60%%, b: 40%%}")
	}
	for i := range set.Value.Weights {
		name := set.Value.Weights[i].Name
		to, m := n.target(name, true)
		if m == nil && to.route >= 0 {
			m = &mistake{"a route cannot lead to a route", ""}
		}
		if m != nil {
			n.errorf(path+"."+name, "%s", m.text).hint(m.hint)
		}
	}
	n.weights(path, set.Value.Weights)
}

func (n *names) checkDistSet(path string, e *TimelineEntry, set *Setting, f *liveField) {
	if set.Value.Dist == nil || set.Curve != nil {
		n.errorf(path, "expected a distribution such as 5ms or exp 3ms").
			hint("a curve of factors or additions works too")
		return
	}
	if e.Over == 0 {
		return
	}
	if _, ok := set.Value.Dist.Const(); !ok {
		n.errorf(path, "there is no way halfway to a distribution; over needs a constant")
	}
	if _, ok := f.dist.Const(); !ok {
		n.errorf(path, "there is no way halfway from a distribution; over needs a constant")
	}
}

func (n *names) checkCurveSet(path string, e *TimelineEntry, set *Setting) {
	if e.Over > 0 {
		n.errorf(path, "over and a curve exclude each other").hint("write ramp: instead of steps:")
	}
	if len(set.Curve) == 0 {
		n.errorf(path, "expected at least one point")
		return
	}
	for i, p := range set.Curve {
		if i > 0 && p.At <= set.Curve[i-1].At {
			n.errorf(path, "%s comes after %s; expected times in ascending order",
				unit.FormatDuration(p.At), unit.FormatDuration(set.Curve[i-1].At))
		}
	}
	if first := set.Curve[0].At; first < e.At {
		n.errorf(path, "the curve starts at %s, before its entry at %s",
			unit.FormatDuration(first), unit.FormatDuration(e.At))
	}
}

// replicas resolves a text such as db or db@a.
func (n *names) replicas(text string) (scope faultScope, m *mistake) {
	name, replica, one := strings.Cut(text, "@")
	p, ok := n.places[name]
	if !ok || p.kind != aTier {
		return scope, &mistake{fmt.Sprintf("no tier %q", name), nearest(name, n.known(aTier))}
	}
	scope = faultScope{tier: p.index, replica: -1, endpoint: -1}
	if !one {
		return scope, nil
	}
	known := replicaNames(&n.t.Tiers[p.index].Value)
	for i, k := range known {
		if k == replica {
			scope.replica = i
			return scope, nil
		}
	}
	return scope, &mistake{fmt.Sprintf("tier %q has no replica %q", name, replica),
		nearest(replica, known)}
}
