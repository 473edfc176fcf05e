package load

import (
	"reflect"
	"slices"
	"strings"

	"cascadesim/model"
)

// besidePreset are options of a stack's entry that may stand beside a preset: they then hold for
// each of its entries that has a state.
var besidePreset = []string{"pool", "key", "counts"}

// isRetry tells whether a shape is that of an edge's retry.
func isRetry(s *shape) bool { return s.typ == reflect.TypeFor[model.Retry]() }

// expandPreset writes out the stack of the preset that a retry names, with the settings that stand
// beside it. Each keeps its place in the file; what the preset brings stands where it is named.
// What it does not understand it leaves for the decoder to refuse.
func (g *grammar) expandPreset(n *node) {
	name := n.get("preset")
	if name == nil || name.kind != scalarNode || !n.get("stack").absent() {
		return
	}
	p := g.preset(name.text)
	if p == nil {
		return
	}
	n.preset = p
	stack := p.stack.clone()
	stack.place(name.at)
	for _, item := range stack.items {
		item.pairs[0].value = entry(&shape{form: recordForm}, item.pairs[0].value)
	}
	var rest []pair
	for _, beside := range n.pairs {
		if beside.key != "preset" && beside.key != "stack" && !g.takeSetting(p, stack, beside) {
			rest = append(rest, beside)
		}
	}
	n.pairs = rest
	n.bring("retry_on", p.retryOn, name.at)
	n.bring("scope", p.scope, name.at)
	n.pairs = append(n.pairs, pair{"stack", name.at, stack})
	n.takeAlso()
}

// takeAlso puts the policies that stand beside a preset after those that it brought.
func (n *node) takeAlso() {
	also, stack := n.get("also"), n.get("stack")
	if n.preset == nil || also == nil || also.kind != listNode || stack == nil ||
		stack.kind != listNode {
		return
	}
	stack.items = append(stack.items, also.items...)
	n.drop("also")
}

// takeSetting moves what stands beside a preset to where it belongs in the stack, and tells whether
// it belongs there.
func (g *grammar) takeSetting(p *preset, stack *node, beside pair) bool {
	if s, ok := p.setting(beside.key); ok {
		for _, path := range s.paths {
			at, field, _ := strings.Cut(path, ".")
			if _, body := entryOf(stack, at); !beside.value.absent() {
				body.put(field, beside.value.clone())
			}
		}
		return true
	}
	if !slices.Contains(besidePreset, beside.key) || beside.value.kind != scalarNode {
		return false
	}
	for _, item := range stack.items {
		verb, body := verbOf(item)
		if k, ok := g.policies.Lookup(verb); !ok || !k.Stateful {
			continue
		}
		value := beside.value.clone()
		if beside.key == "pool" {
			value.text += "/" + verb // entries of one pool are one state, and so of one policy
		}
		body.put(beside.key, value)
	}
	return true
}

// bring gives a field what the preset says of it, unless it is written.
func (n *node) bring(key string, value *node, at place) {
	if value == nil || !n.get(key).absent() {
		return
	}
	value = value.clone()
	value.place(at)
	value.made = true
	n.drop(key)
	n.put(key, value)
}

// represet writes out a preset that was written to a retry by a path: the stack and the conditions
// of what stood there before go, and so does a scope that a preset brought. What was written to
// also joins the stack.
func (g *grammar) represet(retry *cursor, key string) {
	n := retry.node
	switch key {
	case "preset":
	case "also":
		n.takeAlso()
		return
	default:
		return
	}
	n.preset = nil
	n.drop("stack")
	n.drop("retry_on")
	if scope := n.get("scope"); scope != nil && scope.made {
		n.drop("scope")
	}
	g.expand(retry.shape, n)
}

// stepSetting follows a product's word from a retry to its places in the stack.
func (g *grammar) stepSetting(retry *cursor, s presetSetting, last bool) ([]*cursor, *pathError) {
	var out []*cursor
	for _, path := range s.paths {
		at, field, _ := strings.Cut(path, ".")
		here := retry
		for _, segment := range []string{"stack", at} {
			found, err := g.step(here, segment, false)
			if err != nil {
				return nil, err
			}
			here = found[0]
		}
		found, err := g.step(here, field, last)
		if err != nil {
			return nil, err
		}
		_, body := entryOf(retry.node.preset.stack, at)
		found[0].original = body.get(field)
		out = append(out, found...)
	}
	return out, nil
}

// leftPreset reports why the preset of a retry was not written out.
func (d *decoder) leftPreset(n *node, path string) {
	name, also := n.get("preset"), n.get("also")
	if name == nil && n.preset == nil {
		d.add(problem{path: join(path, "also"), at: also.at, hint: "write them into the stack"},
			"also adds to a preset, and there is none")
		return
	}
	if name == nil {
		d.expect(listNode, also, join(path, "also"))
		return
	}
	at := problem{path: join(path, "preset"), at: name.at}
	switch {
	case name.absent():
	case name.kind != scalarNode:
		d.add(at, "expected the name of a preset, not %s", show(name))
	case d.g.preset(name.text) == nil:
		at.hint = d.g.presetHint(name.text)
		d.add(at, "unknown preset %q", name.text)
	default:
		at.hint = "write its settings beside it, or the stack alone"
		d.add(at, "a preset is a whole stack, so that none can stand beside it")
	}
}

// unknownSetting reports what stands beside a preset and is neither its own nor the retry's.
func (d *decoder) unknownSetting(p *preset, key pair, path string) {
	known := p.words()
	for _, f := range d.g.of(reflect.TypeFor[model.Retry]()).fields {
		if f.name != "preset" && f.name != "stack" && (f.name != "retry_on" || p.retryOn != nil) {
			known = append(known, f.name)
		}
	}
	known = append(known, besidePreset...)
	at := problem{path: join(path, key.key), at: key.at, hint: closestOf(key.key, known)}
	d.add(at, "preset %s has no setting %q", p.full(), key.key)
}
