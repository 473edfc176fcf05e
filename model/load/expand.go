package load

import (
	"reflect"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// soleField is the field that a single value stands for, by the type it stands in.
var soleField = map[reflect.Type]string{
	reflect.TypeFor[model.InFlight]():    "limit",
	reflect.TypeFor[model.Call]():        "to",
	reflect.TypeFor[model.Fail]():        "share",
	reflect.TypeFor[model.CacheKeys]():   "count",
	reflect.TypeFor[model.Effect]():      "what",
	reflect.TypeFor[model.Balance]():     "policy",
	reflect.TypeFor[model.Spill]():       "by",
	reflect.TypeFor[model.FaultErrors](): "share",
	reflect.TypeFor[model.FaultCrash]():  "share",
	reflect.TypeFor[caseForm]():          "scenario",
}

// expand turns every short form in n into the long form. What it does not understand it leaves for
// the decoder, which says what is wrong with it. It may change n and returns what takes its place.
func (g *grammar) expand(s *shape, n *node) *node {
	if n == nil {
		return nil
	}
	n = g.expandHere(s, n)
	switch {
	case s.form == recordForm && n.kind == mapNode:
		for i := range n.pairs {
			if f := s.field(n.pairs[i].key); f != nil {
				n.pairs[i].value = g.expand(f.shape, n.pairs[i].value)
			}
		}
	case s.form == mapForm && n.kind == mapNode:
		for i := range n.pairs {
			n.pairs[i].value = g.expand(s.elem, entry(s.elem, n.pairs[i].value))
		}
	case s.form == listForm && n.kind == listNode:
		for i := range n.items {
			n.items[i] = g.expand(s.elem, n.items[i])
		}
	case s.form == verbForm && n.kind == mapNode:
		for i := range n.pairs {
			if body := g.body(s, n.pairs[i].key); body != nil {
				n.pairs[i].value = g.expand(body, entry(body, n.pairs[i].value))
			}
		}
	}
	return n
}

// entry is what an entry without a value means: all defaults.
func entry(s *shape, n *node) *node {
	if n.kind == nullNode && s.form == recordForm {
		return newMap(n.at)
	}
	return n
}

// body is the shape behind a verb; nil when there is no such verb.
func (g *grammar) body(s *shape, verb string) *shape {
	if s.typ == reflect.TypeFor[model.Step]() {
		if f := s.field(verb); f != nil && verb != "name" {
			return f.shape
		}
		return nil
	}
	if k, ok := g.policies.Lookup(verb); ok && k.Callee == s.callee {
		return g.kinds[verb]
	}
	return nil
}

// expandHere expands n itself, not what is in it.
func (g *grammar) expandHere(s *shape, n *node) *node {
	if field, ok := soleField[s.typ]; ok && n.kind == scalarNode {
		return wrap(field, n)
	}
	switch s.typ {
	case reflect.TypeFor[sim.Dist](), reflect.TypeFor[model.Work]():
		return expandDist(n)
	case reflect.TypeFor[model.Think]():
		if n.kind == scalarNode || n.get("dist") != nil || n.get("mix") != nil {
			return wrap("default", n)
		}
	case reflect.TypeFor[model.Arrivals]():
		return expandArrivals(n)
	case reflect.TypeFor[model.Replicas]():
		return expandReplicas(n)
	case reflect.TypeFor[model.Route]():
		if to := n.get("to"); n.kind == mapNode && (to == nil || to.kind != mapNode) &&
			n.get("key") == nil && n.get("spill") == nil {
			return wrap("to", n)
		}
	case reflect.TypeFor[model.Retry]():
		if n.kind == scalarNode && n.text == "none" {
			return &node{at: n.at}
		}
		g.expandPreset(n)
	case reflect.TypeFor[model.Step]():
		if n.kind == listNode {
			return wrap("parallel", n)
		}
	case reflect.TypeFor[[]model.Edge]():
		return expandEdges(n)
	case reflect.TypeFor[checkForm]():
		expandHold(n)
	case reflect.TypeFor[variantForm]():
		return expandVariant(n)
	case reflect.TypeFor[replicationsForm]():
		return expandReplications(n)
	}
	return n
}

func wrap(key string, n *node) *node {
	m := newMap(n.at)
	m.pairs = []pair{{key, n.at, n}}
	return m
}

// expandDist writes {dist: NAME, PARAM: value} for a text that is a distribution.
func expandDist(n *node) *node {
	if n.kind != scalarNode {
		return n
	}
	if _, err := sim.ParseDist(n.text); err != nil {
		return n
	}
	words := strings.Fields(n.text)
	m := newMap(n.at)
	if len(words) == 1 {
		m.put("dist", scalar("constant", n.at))
		m.put("value", scalar(words[0], n.at))
		return m
	}
	m.put("dist", scalar(words[0], n.at))
	for _, word := range words[1:] {
		key, value, ok := strings.Cut(word, "=")
		if !ok {
			key, value = "mean", word
		}
		m.put(key, scalar(value, n.at))
	}
	return m
}

// expandArrivals reads "200/s", "poisson 200/s", "constant 280/s" and "burst 10k". A file alone
// says which process it is.
func expandArrivals(n *node) *node {
	if file := n.get("file"); !file.absent() && n.get("process") == nil {
		n.put("process", scalar("file", file.at))
	}
	if n.kind != scalarNode {
		return n
	}
	words := strings.Fields(n.text)
	process, field := "poisson", "rate"
	if len(words) == 2 {
		process = words[0]
	}
	if process == "burst" {
		field = "count"
	}
	if len(words) == 0 || len(words) > 2 || (process != "poisson" && process != "constant" &&
		process != "burst") {
		return n
	}
	m := newMap(n.at)
	m.put("process", scalar(process, n.at))
	m.put(field, scalar(words[len(words)-1], n.at))
	return m
}

// expandReplicas turns a list of names into a map of replicas that differ in nothing.
func expandReplicas(n *node) *node {
	if n.kind != listNode {
		return n
	}
	m := newMap(n.at)
	for _, item := range n.items {
		if item.kind != scalarNode || m.get(item.text) != nil {
			return n
		}
		m.put(item.text, newMap(item.at))
	}
	return m
}

// expandEdges makes one edge of each name in a list of callers.
func expandEdges(n *node) *node {
	if n.kind != listNode {
		return n
	}
	out := &node{kind: listNode, at: n.at}
	for _, item := range n.items {
		from := item.get("from")
		if from == nil || from.kind != listNode || len(from.items) == 0 {
			out.items = append(out.items, item)
			continue
		}
		for _, caller := range from.items {
			edge := item.clone()
			edge.put("from", caller)
			out.items = append(out.items, edge)
		}
	}
	return out
}

// expandHold moves hold, which may stand beside take, into it.
func expandHold(n *node) {
	hold, take := n.get("hold"), n.get("take")
	if hold == nil || take == nil || take.kind != mapNode || take.get("hold") != nil {
		return
	}
	take.put("hold", hold)
	n.drop("hold")
}

// expandVariant recognises a map whose keys are paths as the set alone.
func expandVariant(n *node) *node {
	for _, p := range n.pairs {
		if !strings.Contains(p.key, ".") {
			return n
		}
	}
	if n.kind != mapNode || len(n.pairs) == 0 {
		return n
	}
	return wrap("set", n)
}

// factor reads "1.2x"; ok is false for anything else.
func factor(text string) (unit.Factor, bool) {
	f, err := unit.ParseFactor(text)
	return f, err == nil
}

// expandReplications writes a number alone as both ends.
func expandReplications(n *node) *node {
	if n.kind != scalarNode {
		return n
	}
	m := newMap(n.at)
	m.put("min", n)
	m.put("max", n.clone())
	return m
}
