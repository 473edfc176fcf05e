package load

import (
	"reflect"
	"slices"

	"cascadesim/model"
)

// besidePreset are options of a stack's entry that may stand beside a preset: they then hold for
// each of its entries that has a state, or a level.
var besidePreset = []string{"pool", "key", "counts", "low"}

// takesBeside tells whether an option that stands beside a preset is for this entry of its stack.
// What also brought has options of its own.
func (g *grammar) takesBeside(option string, item *node) bool {
	verb, body := verbOf(item)
	k, ok := g.policies.Lookup(verb)
	if !ok || !k.Stateful || item.added || body == nil || body.kind != mapNode {
		return false
	}
	if option != "low" {
		return true
	}
	d := &decoder{report: &report{}, g: g, clock: newClock(newMap(place{}))}
	settings := k.Settings()
	d.record(g.kinds[verb], body, "", reflect.ValueOf(settings).Elem())
	return len(d.problems) == 0 && len(k.Check(settings)) == 0 && k.New(settings).Level != nil
}

// takeBeside moves an option that stands beside a preset to the entries that it is for, and tells
// whether there is one. Without a value they have again what the preset says.
func (g *grammar) takeBeside(n *node, option pair) bool {
	if !option.value.absent() && option.value.kind != scalarNode {
		return false
	}
	taken := false
	for _, item := range n.get("stack").items {
		if !g.takesBeside(option.key, item) {
			continue
		}
		taken = true
		verb, body := verbOf(item)
		if option.value.absent() {
			_, original := entryOf(n.preset.stack, entryKey(item))
			body.drop(option.key)
			if value := original.get(option.key).brought(option.at); value != nil {
				body.put(option.key, value)
			}
			continue
		}
		value := option.value.clone()
		if option.key == "pool" {
			value.text += "/" + verb // entries of one pool are one state, and so of one policy
		}
		body.put(option.key, value)
	}
	n.beside = slices.DeleteFunc(n.beside, func(p pair) bool { return p.key == option.key })
	if taken && !option.value.absent() {
		n.beside = append(n.beside, option)
	}
	return taken
}

// stepBeside is the place of an option beside a preset, with what its first entry has; nil: it is
// no such option.
func (g *grammar) stepBeside(retry *cursor, option string) *cursor {
	if !slices.Contains(besidePreset, option) {
		return nil
	}
	for _, f := range g.use {
		if f.name != option {
			continue
		}
		c := &cursor{shape: f.shape, up: retry, key: option, field: f}
		if stack := retry.node.get("stack"); stack != nil {
			for _, item := range stack.items {
				if _, body := verbOf(item); c.node == nil && g.takesBeside(option, item) {
					c.node = body.get(option)
				}
			}
		}
		return c
	}
	return nil
}

// takeAlso puts the policies that stand beside a preset after those that it brought, in place of
// those that stood there before. A product decides as a whole: what it spends it has spent when
// somebody else's policy refuses.
func (g *grammar) takeAlso(n *node) {
	also, stack := n.get("also"), n.get("stack")
	if n.preset == nil || also == nil || stack == nil || stack.kind != listNode ||
		also.kind != listNode && also.kind != nullNode {
		return
	}
	n.drop("also")
	stack.items = slices.DeleteFunc(stack.items, func(item *node) bool { return item.added })
	own := len(stack.items)
	refuses := false
	for _, item := range also.items {
		verb, _ := verbOf(item)
		k, ok := g.policies.Lookup(verb)
		refuses = refuses || ok && k.Refuses
		item.added = true
		stack.items = append(stack.items, item)
	}
	for _, item := range stack.items[:own] {
		verb, body := verbOf(item)
		k, ok := g.policies.Lookup(verb)
		if !ok || body == nil || body.kind != mapNode || !k.Spends {
			continue
		}
		if charges := body.get("charges"); charges != nil && charges.made {
			body.drop("charges")
		}
		if first := scalar("first", also.at); refuses && body.get("charges") == nil {
			first.made = true
			body.put("charges", first)
		}
	}
}

// entryKey is how entryOf finds an entry of a preset's stack.
func entryKey(item *node) string {
	verb, body := verbOf(item)
	if name := body.word("name"); name != "" {
		return name
	}
	return verb
}

// brought is a copy of what a preset says, as it stands in a file that names the preset there.
func (n *node) brought(at place) *node {
	if n == nil {
		return nil
	}
	out := n.clone()
	out.place(at)
	out.brand()
	return out
}

// brand notes of n and all below it that a preset brought it.
func (n *node) brand() {
	n.made = true
	for i := range n.pairs {
		n.pairs[i].value.brand()
	}
	for _, item := range n.items {
		item.brand()
	}
}

// isRetry tells whether a shape is that of an edge's retry.
func isRetry(s *shape) bool { return s.typ == reflect.TypeFor[model.Retry]() }
