package load

import (
	"reflect"
	"slices"
	"strings"

	"cascadesim/model"
)

func isWork(s *shape) bool { return s.typ == reflect.TypeFor[model.Work]() }

// mergeLoad moves arrivals from load into clients, where everything after finds them.
func (t *tree) mergeLoad(r *report) {
	load := t.scenario.get("load")
	if load.absent() || load.kind != mapNode {
		return
	}
	clients := t.topology.get("clients")
	var kept []pair
	for _, p := range load.pairs {
		client := clients.get(p.key)
		if client == nil || client.kind != mapNode {
			var names []string
			if clients != nil {
				names = keys(clients)
			}
			r.add(problem{path: join("load", p.key), at: p.at, hint: nearest(p.key, names)},
				"there is no client %q", p.key)
			continue
		}
		client.put("arrivals", p.value)
	}
	load.pairs = kept
	t.scenario.drop("load")
}

func keys(n *node) []string {
	var out []string
	for _, p := range n.pairs {
		out = append(out, p.key)
	}
	return out
}

// mergeDefaults gives each entry the fields that it lacks, each as a whole. A null counts as
// written, so that what an override removed stays away.
func (t *tree) mergeDefaults() {
	defaults := t.topology.get("defaults")
	if defaults.absent() {
		return
	}
	for _, section := range []struct{ plural, one string }{
		{"tiers", "tier"}, {"clients", "client"}, {"edges", "edge"},
	} {
		from := defaults.get(section.one)
		if from.absent() || from.kind != mapNode {
			continue
		}
		for _, n := range t.section(section.plural) {
			if n.value.kind == nullNode {
				*n.value = *newMap(n.at)
			}
			if n.value.kind == mapNode {
				n.value.lack(from)
			}
		}
	}
}

// lack takes from the defaults what n does not say.
func (n *node) lack(from *node) {
	for _, f := range from.pairs {
		if n.get(f.key) == nil {
			n.pairs = append(n.pairs, pair{f.key, f.at, f.value.clone()})
		}
	}
}

// section lists the entries of a section of the topology.
func (t *tree) section(name string) []pair {
	n := t.topology.get(name)
	if n == nil {
		return nil
	}
	out := slices.Clone(n.pairs)
	for _, item := range n.items {
		out = append(out, pair{"", item.at, item})
	}
	return out
}

// makeEdges adds an edge for each call that has none, from the defaults. Calls may have changed
// since it last did so: it is asked again before a path into edges is followed, and at the end.
func (t *tree) makeEdges() {
	edges := t.topology.get("edges")
	if edges != nil && edges.kind != listNode {
		if edges.kind != nullNode {
			return
		}
		edges = nil
	}
	if edges == nil {
		edges = &node{kind: listNode}
		t.topology.put("edges", edges)
	}
	calls := t.calls()
	dropUncalled(edges, calls)
	known := edgesFrom(edges)
	for _, c := range calls {
		if c.to == "" || known.of(c) != nil {
			continue
		}
		e := newMap(c.at)
		e.made = true
		e.put("from", scalar(c.from, c.at))
		e.put("to", scalar(c.to, c.at))
		if from := t.topology.get("defaults").get("edge"); !from.absent() {
			e.lack(from)
		}
		edges.items = append(edges.items, e)
		known[c.from] = append(known[c.from], e)
	}
}

// dropUncalled removes edges that were made for calls that are gone.
func dropUncalled(edges *node, calls []call) {
	if !slices.ContainsFunc(edges.items, func(e *node) bool { return e.made }) {
		return
	}
	known, called := edgesFrom(edges), map[*node]bool{}
	for _, c := range calls {
		called[known.of(c)] = true
	}
	edges.items = slices.DeleteFunc(edges.items, func(e *node) bool { return e.made && !called[e] })
}

// outgoing are edges by where they come from.
type outgoing map[string][]*node

func edgesFrom(edges *node) outgoing {
	out := outgoing{}
	for _, e := range edges.items {
		from := e.word("from")
		out[from] = append(out[from], e)
	}
	return out
}

// call is who calls what.
type call struct {
	from, to string
	at       place
}

// calls lists all calls of clients and steps, in the order of the document.
func (t *tree) calls() []call {
	var out []call
	for _, p := range t.section("clients") {
		if to := p.value.get("call"); to != nil && to.kind == scalarNode {
			out = append(out, call{p.key, to.text, to.at})
		}
	}
	for _, p := range t.section("tiers") {
		out = appendCalls(out, p.key, p.value.get("steps"))
		if ends := p.value.get("endpoints"); ends != nil {
			for _, e := range ends.pairs {
				out = appendCalls(out, p.key, e.value)
			}
		}
	}
	return out
}

func appendCalls(out []call, from string, steps *node) []call {
	if steps == nil {
		return out
	}
	for _, step := range steps.items {
		verb, body := verbOf(step)
		switch verb {
		case "call":
			if to := body.get("to"); to != nil && to.kind == scalarNode {
				out = append(out, call{from, to.text, to.at})
			}
		case "parallel":
			out = appendCalls(out, from, body)
		}
	}
	return out
}

// of is the edge of a call: the one it names, the one to its very target, or the one to the tier
// or route of the target.
func (o outgoing) of(c call) *node {
	base, _, _ := strings.Cut(c.to, "/")
	var exact, near *node
	for _, e := range o[c.from] {
		switch to := e.word("to"); {
		case e.word("name") == c.to && c.to != "":
			return e
		case to == c.to && exact == nil:
			exact = e
		case to == base && near == nil:
			near = e
		}
	}
	if exact != nil {
		return exact
	}
	return near
}
