package model

import (
	"strconv"
	"strings"
)

// findCalls resolves the calls of all clients and steps, and makes an edge of the defaults for each
// that no edge of the file serves.
func (n *names) findCalls() {
	for i := range n.t.Clients {
		c := &n.t.Clients[i]
		n.addCall(callSite{from: place{aClient, i}, path: "clients." + c.Name + ".call",
			text: c.Value.Call})
	}
	for i := range n.t.Tiers {
		e := &n.t.Tiers[i]
		path := "tiers." + e.Name
		n.stepCalls(callSite{from: place{aTier, i}, path: path + ".steps"}, e.Value.Steps)
		for k := range e.Value.Endpoints {
			p := &e.Value.Endpoints[k]
			n.stepCalls(callSite{from: place{aTier, i}, endpoint: k,
				path: path + ".endpoints." + p.Name}, p.Value)
		}
	}
}

func (n *names) stepCalls(at callSite, steps []Step) {
	for i := range steps {
		site := at
		site.path = at.path + "." + stepKey(steps, i)
		if c := steps[i].Call; c != nil {
			site.call, site.text = c, c.To
			n.addCall(site)
			back := at
			back.path = site.path + ".fallback"
			n.stepCalls(back, c.Fallback)
		}
		if c := steps[i].Cache; c != nil {
			fetch := at
			fetch.path = site.path + ".miss"
			n.stepCalls(fetch, c.Miss)
		}
		n.stepCalls(site, steps[i].Parallel)
	}
}

// stepKey is the key of a step in paths: its name, else its verb when no other step has it, else
// its place in the list.
func stepKey(steps []Step, i int) string {
	if steps[i].Name != "" {
		return steps[i].Name
	}
	for k := range steps {
		if k != i && steps[k].verb() == steps[i].verb() {
			return strconv.Itoa(i)
		}
	}
	return steps[i].verb()
}

// verb is the word of the field that is set.
func (s *Step) verb() string {
	switch {
	case s.Work != nil:
		return "work"
	case s.Call != nil:
		return "call"
	case s.Fail != nil:
		return "fail"
	case s.Effect != nil:
		return "effect"
	case s.Cache != nil:
		return "cache"
	case s.Parallel != nil:
		return "parallel"
	}
	return ""
}

// addCall finds whom a call reaches and by which edge.
func (n *names) addCall(site callSite) {
	site.edge = n.edgeOf(&site)
	if site.edge >= 0 {
		n.edges[site.edge].called = true
	}
	n.calls = append(n.calls, site)
}

func (n *names) edgeOf(site *callSite) int {
	if site.call != nil {
		site.path += ".to"
	}
	if site.text == "" {
		return -1 // reported with the client or step
	}
	from := n.name(site.from)
	named, ok := n.keyed[site.text]
	if ok = ok && n.edges[named].Name == site.text; ok {
		if n.edges[named].From != from {
			n.errorf(site.path, "edge %q leaves %s, not %s", site.text, n.edges[named].From, from)
			return -1
		}
		site.text = n.edges[named].To
	}
	to, m := n.target(site.text, false)
	if m != nil {
		n.errorf(site.path, "%s", m.text).hint(m.hint)
		return -1
	}
	site.to = to
	if ok {
		return named
	}
	if i := n.servedBy(site, from); i >= 0 {
		return i
	}
	e := n.t.Defaults.Edge
	e.From, e.To, e.Name = from, site.text, ""
	orDefault(&e)
	return n.addEdge(&e, true)
}

// servedBy is the edge that serves a call that names none: the one to the same target, else the one
// to its tier or route; -1 when there is none.
func (n *names) servedBy(site *callSite, from string) int {
	name, _, _ := strings.Cut(site.text, "/")
	for _, to := range []string{site.text, name} {
		if i, ok := n.keyed[from+"->"+to]; ok && n.edges[i].Name == "" {
			return i
		}
		var named []int
		for i := range n.edges {
			if e := &n.edges[i]; e.From == from && e.To == to {
				named = append(named, i)
			}
		}
		if len(named) > 1 {
			n.errorf(site.path, "%d edges lead from %s to %s", len(named), from, to).
				hint("call the edge by its name, such as " + n.edges[named[0]].Name)
		}
		if len(named) > 0 {
			return named[0]
		}
	}
	return -1
}

// orDefault completes an edge that nobody wrote where a Go program left its defaults zero; a file's
// defaults are complete already.
func orDefault(e *Edge) {
	if e.Timeout == (Timeout{}) {
		e.Timeout = NoTimeout
	}
	if e.Block.Status == 0 {
		e.Block.Status = 403
	}
}
