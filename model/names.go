package model

import (
	"fmt"
	"strings"

	"cascadesim/policies"
)

// names says what the names in a topology mean: whom a call reaches, and by which edge. Making it
// reports every name that leads nowhere, so that what is built on it need not look again.
type names struct {
	t   *Topology
	s   *Scenario
	reg *policies.Registry

	places map[string]place // tiers, routes and clients: they share one namespace
	edges  []edge           // of the file, then those that exist only by a call
	keyed  map[string]int   // edges by key
	calls  []callSite       // all calls of clients and steps, in order of the file

	g *graph // who can call whom; made by checkReach

	problems Problems
}

// place is what a name of the topology stands for.
type place struct {
	kind  placeKind
	index int
}

type placeKind uint8

const (
	aTier placeKind = iota
	aRoute
	aClient
)

var placeKinds = [...]string{aTier: "tier", aRoute: "route", aClient: "client"}

// edge is an edge with its ends resolved.
type edge struct {
	*Edge
	key    string // from->to, or its name
	path   string // edges.KEY
	from   place
	to     target
	ok     bool // both ends exist
	called bool // a call goes over it
}

// target is what a target's text means: a tier and one of its endpoints, or a route.
type target struct {
	text     string
	route    int // index of Topology.Routes, or -1
	tier     int
	endpoint int    // index into the tier's endpoints; -1: any, when the text names none
	behind   string // endpoint behind each of a route's targets; empty: none was named
}

// callSite is one call of a client or step.
type callSite struct {
	from     place
	endpoint int // of the calling tier
	path     string
	text     string
	call     *Call // nil: a client's
	edge     int   // -1: it leads nowhere
	to       target
}

// resolve finds out what all names mean.
func resolve(t *Topology, s *Scenario, reg *policies.Registry) *names {
	n := &names{t: t, s: s, reg: reg, places: map[string]place{}, keyed: map[string]int{}}
	for i := range t.Tiers {
		n.place(t.Tiers[i].Name, place{aTier, i})
	}
	for i := range t.Routes {
		n.place(t.Routes[i].Name, place{aRoute, i})
	}
	for i := range t.Clients {
		n.place(t.Clients[i].Name, place{aClient, i})
	}
	for i := range t.Edges {
		n.addEdge(&t.Edges[i], false)
	}
	n.findCalls()
	return n
}

func (n *names) place(name string, p place) {
	path := placeKinds[p.kind] + "s." + name
	if old, taken := n.places[name]; taken {
		n.errorf(path, "%q is the name of a %s already; "+
			"tiers, routes and clients share one namespace", name, placeKinds[old.kind])
		return
	}
	if !validName(name) {
		n.errorf(path, "name %q: expected lower-case letters, digits, _ and -, "+
			"and a letter or digit first", name)
	}
	n.places[name] = p
}

func validName(name string) bool {
	for i, c := range []byte(name) {
		switch {
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		case (c == '_' || c == '-') && i > 0:
		default:
			return false
		}
	}
	return name != ""
}

func (n *names) name(p place) string {
	switch p.kind {
	case aTier:
		return n.t.Tiers[p.index].Name
	case aRoute:
		return n.t.Routes[p.index].Name
	case aClient:
		return n.t.Clients[p.index].Name
	}
	panic("model: a place of unknown kind")
}

// known are the names of the given kinds, for hints.
func (n *names) known(kinds ...placeKind) []string {
	var out []string
	for _, k := range kinds {
		switch k {
		case aTier:
			out = append(out, mapNames(n.t.Tiers)...)
		case aRoute:
			out = append(out, mapNames(n.t.Routes)...)
		case aClient:
			out = append(out, mapNames(n.t.Clients)...)
		}
	}
	return out
}

func mapNames[T any](m Map[T]) []string {
	out := make([]string, len(m))
	for i := range m {
		out[i] = m[i].Name
	}
	return out
}

// mistake is why a text means nothing, and a way out.
type mistake struct{ text, hint string }

// target finds out what a target's text means. A tier with endpoints may be named without one where
// any is allowed, as in an edge.
func (n *names) target(text string, anyEndpoint bool) (target, *mistake) {
	name, endpoint, named := strings.Cut(text, "/")
	p, ok := n.places[name]
	if !ok {
		return target{}, &mistake{fmt.Sprintf("no tier or route %q", name),
			nearest(name, n.known(aTier, aRoute))}
	}
	to := target{text: text, route: -1, tier: -1, endpoint: -1}
	switch p.kind {
	case aClient:
		return to, &mistake{fmt.Sprintf("%q is a client; expected a tier or a route", name),
			"known: " + strings.Join(n.known(aTier, aRoute), ", ")}
	case aRoute:
		to.route, to.behind = p.index, endpoint
		return to, n.behind(p.index, endpoint, named, anyEndpoint)
	}
	to.tier = p.index
	i, m := n.endpoint(p.index, endpoint, named, anyEndpoint)
	to.endpoint = i
	return to, m
}

// endpoint is the index of a tier's endpoint; that of a tier with steps is 0.
func (n *names) endpoint(tier int, endpoint string, named, anyEndpoint bool) (int, *mistake) {
	e := &n.t.Tiers[tier]
	known := mapNames(e.Value.Endpoints)
	switch {
	case len(known) == 0 && named:
		return -1, &mistake{fmt.Sprintf("tier %q has steps and no endpoint %q", e.Name, endpoint),
			fmt.Sprintf("write %q", e.Name)}
	case len(known) == 0:
		return 0, nil
	case !named && anyEndpoint:
		return -1, nil
	case !named:
		return -1, &mistake{fmt.Sprintf("tier %q has endpoints; say which", e.Name),
			"known: " + e.Name + "/" + strings.Join(known, ", "+e.Name+"/")}
	}
	for i, k := range known {
		if k == endpoint {
			return i, nil
		}
	}
	return -1, &mistake{fmt.Sprintf("tier %q has no endpoint %q", e.Name, endpoint),
		nearest(endpoint, known)}
}

// behind checks that each target of a route can be called with the endpoint.
func (n *names) behind(route int, endpoint string, named, anyEndpoint bool) *mistake {
	for _, text := range n.routeTargets(route) {
		if to, m := n.target(text, true); m != nil || to.route >= 0 {
			continue // reported with the route
		}
		if _, m := n.routed(text, endpoint, named, anyEndpoint); m != nil {
			m.text = fmt.Sprintf("route %q: %s", n.t.Routes[route].Name, m.text)
			return m
		}
	}
	return nil
}

// routed is one of a route's targets, with the endpoint that a call puts behind it.
func (n *names) routed(text, endpoint string, named, anyEndpoint bool) (target, *mistake) {
	if !named {
		to, m := n.target(text, anyEndpoint)
		return to, m
	}
	if strings.Contains(text, "/") {
		return target{}, &mistake{fmt.Sprintf("its target %q has an endpoint already; "+
			"another, %q, cannot stand behind it", text, endpoint), ""}
	}
	return n.target(text+"/"+endpoint, anyEndpoint)
}

// addEdge resolves an edge's ends and returns its index.
func (n *names) addEdge(e *Edge, implicit bool) int {
	out := edge{Edge: e, key: e.Name, ok: true}
	if out.key == "" {
		out.key = e.From + "->" + e.To
	}
	out.path = "edges." + out.key
	from, ok := n.places[e.From]
	if !ok || from.kind == aRoute {
		out.ok = false
		n.errorf(out.path+".from", "no tier or client %q", e.From).
			hint(nearest(e.From, n.known(aTier, aClient)))
	}
	out.from = from
	to, m := n.target(e.To, true)
	if m != nil {
		out.ok = false
		n.errorf(out.path+".to", "%s", m.text).hint(m.hint)
	}
	out.to = to
	if old, taken := n.keyed[out.key]; taken && !implicit {
		n.errorf(out.path, "two edges are called %s", n.edges[old].key).
			hint("give one of them a name, and call it by that")
	}
	if _, taken := n.places[e.Name]; taken && e.Name != "" {
		n.errorf(out.path+".name", "%q is the name of a tier, route or client; "+
			"a call could mean either", e.Name)
	}
	n.keyed[out.key] = len(n.edges)
	n.edges = append(n.edges, out)
	return len(n.edges) - 1
}
