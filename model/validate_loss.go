package model

import (
	"fmt"
	"strings"

	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
	"cascadesim/sim/queue"
)

// checkLoss warns when a caller could wait for ever: something on the way is lost without an
// answer, and no clock ends the call.
func (n *names) checkLoss(i int) {
	e := &n.edges[i]
	if !e.called || e.Timeout.Try != sim.Never || e.Timeout.Overall != sim.Never {
		return
	}
	if n.carries(e.from, len(n.t.Tiers)) {
		return // the deadline that the caller's attempt carries ends the call
	}
	if why := n.loses(i); why != "" {
		n.warnf(e.path+".timeout", "%s, and without a timeout the caller waits for ever", why).
			hint("give it a try or an overall timeout")
	}
}

// carries tells whether the attempts that a caller serves carry a deadline, on every way in. Tiers
// may call each other in turns, by different endpoints; the most steps back that can matter is
// depth.
func (n *names) carries(from place, depth int) bool {
	if from.kind != aTier || depth < 0 {
		return false
	}
	ways := 0
	for i := range n.edges {
		for _, tier := range n.g.into[i] {
			if tier != from.index {
				continue
			}
			e := &n.edges[i]
			if !e.PropagateDeadline || e.Timeout == NoTimeout && !n.carries(e.from, depth-1) {
				return false
			}
			ways++
		}
	}
	return ways > 0
}

// loses says why an attempt over an edge can stay without an answer; empty: it cannot.
func (n *names) loses(i int) string {
	e := &n.edges[i]
	if e.Loss > 0 || n.isSet(e.path+".loss") {
		return "requests can be lost"
	}
	if e.RepliesLost > 0 || n.isSet(e.path+".replies_lost") {
		return "replies can be lost"
	}
	for k := range n.s.Timeline {
		entry := &n.s.Timeline[k]
		if f := entry.Fault; f != nil && e.fits(f.Edge) &&
			(f.Loss > 0 || f.RepliesLost > 0 || f.Link == "lost") {
			return fmt.Sprintf("%s loses attempts", entry.Name)
		}
		for _, d := range n.downtimes(k) {
			if d.Flows == kernel.Drop && n.reaches(i, n.t.Tiers[d.tier].Name) {
				return fmt.Sprintf("%s drops attempts", entry.Name)
			}
		}
	}
	for _, tier := range n.g.into[i] {
		if t := &n.t.Tiers[tier]; drops(&t.Value) {
			return fmt.Sprintf("%s drops attempts without an answer", t.Name)
		}
	}
	return ""
}

// reaches tells whether an edge leads to the tier that a text such as db@a names.
func (n *names) reaches(edge int, text string) bool {
	name, _, _ := strings.Cut(text, "@")
	p, ok := n.places[name]
	if !ok || p.kind != aTier {
		return false
	}
	for _, tier := range n.g.into[edge] {
		if tier == p.index {
			return true
		}
	}
	return false
}

// drops tells whether a tier can lose an attempt without telling its caller.
func drops(t *Tier) bool {
	if t.Line.drops() && t.Slots != Unlimited || t.InFlight.drops() {
		return true
	}
	for i := range t.Replicas.Named {
		r := &t.Replicas.Named[i].Value
		if r.Line != nil && r.Line.drops() || r.InFlight != nil && r.InFlight.drops() {
			return true
		}
	}
	return false
}

// drops tells whether a line loses attempts when it is full, or long.
func (l *Line) drops() bool {
	return l.Full == "drop" && (l.Limit != Unlimited || l.Discipline == queue.CoDel.String())
}

// drops tells whether a flow limit does.
func (f *InFlight) drops() bool { return f.Over == "drop" && f.Limit != Unlimited }

// checkDeadlines warns of rules for carried deadlines where nothing carries one.
func (n *names) checkDeadlines() {
	for i := range n.t.Tiers {
		t := &n.t.Tiers[i]
		at, what := "tiers."+t.Name+".deadline", t.Value.Deadline
		if what == "" || what == "ignore" {
			at, what = "tiers."+t.Name+".line.discipline", t.Value.Line.Discipline
			if what != queue.EDF.String() {
				continue
			}
		}
		carried := false
		for k := range n.edges {
			carried = carried || n.edges[k].PropagateDeadline && n.reaches(k, t.Name)
		}
		if !carried {
			n.warnf(at, "%s needs deadlines, and no edge to %s carries one", what, t.Name).
				hint("set propagate_deadline on the edge")
		}
	}
}
