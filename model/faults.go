package model

import (
	"strings"

	"cascadesim/sim/unit"
)

// faultScope is what a fault acts on: a tier, or one of its replicas or endpoints.
type faultScope struct {
	tier, replica, endpoint int // -1: all
}

// scope resolves a fault's tier: db, db@a, db/read or db@a/read.
func (n *names) scope(text string) (faultScope, *mistake) {
	at, endpoint, one := strings.Cut(text, "/")
	s, m := n.replicas(at)
	if m != nil || !one {
		return s, m
	}
	s.endpoint, m = n.endpoint(s.tier, endpoint, true, false)
	return s, m
}

// scopes are what a fault acts on, by tier or by site.
func (n *names) scopes(f *Fault) []faultScope {
	if f.Site == "" {
		s, m := n.scope(f.Tier)
		if m != nil {
			return nil
		}
		return []faultScope{s}
	}
	var out []faultScope
	for i := range n.t.Tiers {
		if n.site(i) == f.Site {
			out = append(out, faultScope{i, -1, -1})
		}
	}
	return out
}

// edgesOf are the edges that a fault's pattern names.
func (n *names) edgesOf(pattern string) []int {
	var out []int
	for i := range n.edges {
		if n.edges[i].fits(pattern) {
			out = append(out, i)
		}
	}
	return out
}

// fits tells whether a pattern names the edge. web:db is web->db, for shells.
func (e *edge) fits(pattern string) bool {
	return pattern != "" && matches(strings.Replace(pattern, ":", "->", 1), e.key)
}

func (n *names) checkFault(path string, f *Fault) {
	where := 0
	for _, text := range []string{f.Tier, f.Edge, f.Site} {
		if text != "" {
			where++
		}
	}
	if where != 1 {
		n.errorf(path, "%d places; expected one of tier, edge, site", where)
		return
	}
	n.checkFaultValues(path, f)
	inside, between := f.actsInside(), f.actsBetween()
	if len(inside)+len(between) == 0 {
		n.errorf(path, "it does nothing; expected an effect").
			hint("for example slow: 10x, errors: 10% or loss: 1%")
	}
	if f.Edge != "" {
		if len(n.edgesOf(f.Edge)) == 0 {
			var known []string
			for i := range n.edges {
				known = append(known, n.edges[i].key)
			}
			n.errorf(path+".edge", "no edge %q", f.Edge).hint(nearest(f.Edge, known))
		}
		if len(inside) > 0 {
			n.errorf(path+"."+inside[0], "happens at a tier, not on an edge").
				hint("name the tier instead of the edge")
		}
		return
	}
	if len(between) > 0 {
		n.errorf(path+"."+between[0], "happens between tiers, on an edge").
			hint("name an edge; edge: \"*->TIER\" means all that lead to a tier")
	}
	if f.Site != "" {
		if len(n.scopes(f)) == 0 {
			n.errorf(path+".site", "no tier is at site %q", f.Site).hint(nearest(f.Site, n.sites()))
		}
		return
	}
	if _, m := n.scope(f.Tier); m != nil {
		n.errorf(path+".tier", "%s", m.text).hint(m.hint)
	}
}

func (n *names) sites() []string {
	var out []string
	for i := range n.t.Tiers {
		out = append(out, n.site(i))
	}
	return out
}

// site is where a tier is: its own name when nobody said.
func (n *names) site(tier int) string {
	if s := n.t.Tiers[tier].Value.Site; s != "" {
		return s
	}
	return n.t.Tiers[tier].Name
}

// actsInside lists the effects that happen at a tier.
func (f *Fault) actsInside() []string {
	var out []string
	if f.Slow != 0 {
		out = append(out, "slow")
	}
	if f.Speed != 0 {
		out = append(out, "speed")
	}
	if f.Delay != nil {
		out = append(out, "delay")
	}
	if f.Errors != nil {
		out = append(out, "errors")
	}
	if f.Crash != nil {
		out = append(out, "crash")
	}
	return out
}

// actsBetween lists the effects that happen on an edge.
func (f *Fault) actsBetween() []string {
	var out []string
	if f.Latency != nil {
		out = append(out, "latency")
	}
	if f.Loss != 0 {
		out = append(out, "loss")
	}
	if f.RepliesLost != 0 {
		out = append(out, "replies_lost")
	}
	if f.Link != "" {
		out = append(out, "link")
	}
	return out
}

func (n *names) checkFaultValues(path string, f *Fault) {
	if !(f.Slow >= 0 && f.Slow <= mostFactor) {
		n.errorf(path+".slow", "%vx; expected a factor from 0x to 1000000x", float64(f.Slow))
	}
	if f.Speed != 0 && !(f.Speed >= 1/mostFactor && f.Speed <= mostFactor) {
		n.errorf(path+".speed", "%s; expected a share of the usual speed, above 0",
			unit.FormatRatio(f.Speed)).hint("a tier that does not work at all is paused: pause")
	}
	if f.Slow != 0 && f.Speed != 0 {
		n.errorf(path+".speed", "slow and speed say the same thing twice; keep one")
	}
	if f.Errors != nil {
		n.share(path+".errors.share", f.Errors.Share)
		n.status(path+".errors.status", f.Errors.Status)
	}
	if f.Crash != nil {
		n.checkCrash(path+".crash", f)
	}
	n.share(path+".loss", f.Loss)
	n.share(path+".replies_lost", f.RepliesLost)
	n.word(path+".link", f.Link, "held", "lost", "refused")
	if l := f.Latency; l != nil {
		field := liveField{what: aDist}
		switch {
		case l.Op == Replace || l.Curve != nil:
			n.errorf(path+".latency", "expected an addition such as +3s or a factor such as 10x")
		case l.Op == Add && l.Value.Number < 0:
			n.errorf(path+".latency", "an addition below 0; a fault makes nothing faster")
		default:
			if text := field.refuses(l.Op, l.Value.Number); text != "" {
				n.errorf(path+".latency", "%s", text)
			}
		}
	}
}
