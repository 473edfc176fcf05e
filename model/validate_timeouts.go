package model

import (
	"slices"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// checkTimeouts warns of timeline entries that leave a try of an edge no room in its overall
// timeout: the pair that the file gives is checked with the edge.
func (n *names) checkTimeouts() {
	for i := range n.edges {
		e := &n.edges[i]
		for k := range n.s.Timeline {
			n.checkRoom(e, k)
		}
	}
}

// checkRoom warns once of a timeline entry that sets one of an edge's timeouts: as it begins, and
// as it ends, which brings the other values back.
func (n *names) checkRoom(e *edge, entry int) {
	x := &n.s.Timeline[entry]
	for _, set := range x.Set {
		if set.Path != e.path+".timeout.try" && set.Path != e.path+".timeout.overall" {
			continue
		}
		for _, at := range []sim.Time{x.At, x.End} {
			try := n.timeoutAt(e.path+".timeout.try", e.Timeout.Try, at, true)
			overall := n.timeoutAt(e.path+".timeout.overall", e.Timeout.Overall, at, false)
			if try < overall || try == sim.Never || at >= n.s.Duration ||
				at == x.End && n.begins(at) {
				continue // what begins then is looked at itself
			}
			n.warnf(entryPath(n.s.Timeline, entry)+".set."+set.Path,
				"from %s a try of %s has no room in %s overall", unit.FormatDuration(at),
				unit.FormatDuration(try), unit.FormatDuration(overall)).
				hint("make try shorter than overall then too")
			return
		}
	}
}

// begins tells whether some entry that sets something begins at a time.
func (n *names) begins(at sim.Time) bool {
	return slices.ContainsFunc(n.s.Timeline, func(e TimelineEntry) bool {
		return e.At == at && len(e.Set) > 0
	})
}

// timeoutAt is what a timeout will be by the entries that hold at a time: the latest replacement,
// else base, times all factors, plus all additions. Of a curve it is
// the longest, or shortest, point.
func (n *names) timeoutAt(path string, base, at sim.Time, longest bool) sim.Time {
	value, factor, more := float64(base), 1.0, 0.0
	for i := range n.s.Timeline {
		e := &n.s.Timeline[i]
		if e.At > at || at >= e.End {
			continue
		}
		for _, set := range e.Set {
			v := set.Value.Number
			for k, p := range set.Curve {
				if k == 0 || (p.Value > v) == longest {
					v = p.Value
				}
			}
			switch {
			case set.Path != path:
			case set.Op == Multiply:
				factor *= v
			case set.Op == Add:
				more += v
			default:
				value = v
			}
		}
	}
	if isEndless(value) {
		return sim.Never
	}
	return sim.Time(min(max(float64(value*factor)+more, 0), float64(sim.MaxTime)))
}
