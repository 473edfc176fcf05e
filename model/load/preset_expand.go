package load

import (
	"reflect"
	"slices"
	"strings"

	"cascadesim/model"
)

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
	stack := p.stack.brought(name.at)
	for _, item := range stack.items {
		item.pairs[0].value = entry(&shape{form: recordForm}, item.pairs[0].value)
	}
	var rest, options []pair
	for _, beside := range n.pairs {
		switch {
		case beside.key == "preset" || beside.key == "stack" || g.takeSetting(p, stack, beside):
		case slices.Contains(besidePreset, beside.key):
			options = append(options, beside)
		default:
			rest = append(rest, beside)
		}
	}
	n.pairs = rest
	n.bring("retry_on", p.retryOn, name.at)
	n.bring("scope", p.scope, name.at)
	n.pairs = append(n.pairs, pair{"stack", name.at, stack})
	for _, option := range options {
		if !g.takeBeside(n, option) && !option.value.absent() {
			n.pairs = append(n.pairs, option) // for the decoder to refuse
		}
	}
	g.takeAlso(n)
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
	return false
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
	case name.absent() && n.get("stack").absent():
		at.hint = "without a retry write retry: none"
		d.add(at, "has no value")
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
	if why := besideNothing(key); why != "" {
		d.add(problem{path: join(path, key.key), at: key.at}, "preset %s %s", p.full(), why)
		return
	}
	at := problem{path: join(path, key.key), at: key.at, hint: closestOf(key.key, known)}
	d.add(at, "preset %s has no setting %q", p.full(), key.key)
}

// besideNothing is why an option of entries has none to go to; empty: it is no such option.
func besideNothing(option pair) string {
	switch {
	case !slices.Contains(besidePreset, option.key) || option.value.kind != scalarNode:
		return ""
	case option.key == "low":
		return "has no policy with tokens or a level that could fall below low"
	}
	return "keeps no state, so that " + option.key + " means nothing"
}
