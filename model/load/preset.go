package load

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cascadesim/model/internal/words"
	"cascadesim/policies"
	"cascadesim/policies/presets"
)

// preset is the stack of a product, as its file has it.
type preset struct {
	name, version         string
	older                 bool // there is a newer version
	product, doc, source  string
	sure                  policies.Mark
	look                  Look
	retryOn, scope, stack *node // the first two may be absent
	settings              []presetSetting
}

// presetSetting is what a user may write beside a preset: a product's word, and where in the stack
// it goes.
type presetSetting struct {
	word  string
	paths []string // ENTRY.FIELD; several when the product has one value for what are two here
	doc   string   // empty: the policy's
}

// shippedPresets are all presets, parsed once, when the first is asked for. They ship with the
// program, so that a mistake in one is a mistake of the program.
var shippedPresets = sync.OnceValue(func() []*preset {
	var out []*preset
	for _, f := range presets.Files() {
		r := &report{}
		root := parse(r, f.Path, f.Text)
		if root == nil || len(r.problems) > 0 {
			panic("load: " + r.problems.Error())
		}
		p, err := readPreset(root)
		if err == nil && (p.name != f.Name || f.Version != "" && p.version != f.Version) {
			err = fmt.Errorf("says that it is %s", p.full())
		}
		if err != nil {
			panic(fmt.Sprintf("load: %s: %v", f.Path, err))
		}
		p.older = f.Version != ""
		out = append(out, p)
	}
	return out
})

// readPreset reads the root of a preset's file.
func readPreset(root *node) (*preset, error) {
	p := &preset{name: root.word("name"), version: root.word("version"),
		product: root.word("product"), doc: root.word("doc"), source: root.word("source"),
		sure: policies.Mark(root.word("sure")), retryOn: root.get("retry_on"),
		scope: root.get("scope"), stack: root.get("stack")}
	texts := []string{"name", "version", "product", "doc", "source", "sure"}
	looks := []string{"tries", "delay", "jitter", "cap", "guard", "on"}
	err := errors.Join(onlyFields(root, texts, []string{"look", "retry_on", "scope", "stack",
		"settings"}), onlyFields(root.get("look"), looks, nil))
	if err != nil {
		return nil, err
	}
	look := root.get("look")
	p.look = Look{look.word("tries"), look.word("delay"), look.word("jitter"), look.word("cap"),
		look.word("guard"), look.word("on")}
	if p.stack == nil || p.stack.kind != listNode || len(p.stack.items) == 0 {
		return nil, fmt.Errorf("has no stack")
	}
	if s := root.get("settings"); s != nil {
		for _, pair := range s.pairs {
			p.settings = append(p.settings, p.readSetting(pair)...)
		}
	}
	return p, nil
}

// readSetting reads WORD: ENTRY.FIELD, WORD: [ENTRY.FIELD, …], WORD: {to, doc}, or ENTRY: all, for
// all settings of a policy that is named after the product and so has its words.
func (p *preset) readSetting(pair pair) []presetSetting {
	verb, _ := entryOf(p.stack, pair.key)
	switch k, ok := policies.Builtins().Lookup(verb); {
	case pair.value.kind == mapNode:
		return []presetSetting{{pair.key, []string{pair.value.word("to")}, pair.value.word("doc")}}
	case pair.value.kind == listNode:
		set := presetSetting{word: pair.key}
		for _, item := range pair.value.items {
			set.paths = append(set.paths, item.text)
		}
		return []presetSetting{set}
	case pair.value.text != "all":
		return []presetSetting{{word: pair.key, paths: []string{pair.value.text}}}
	case ok:
		var all []presetSetting
		for _, f := range k.Fields() {
			all = append(all, presetSetting{word: f.Name, paths: []string{pair.key + "." + f.Name}})
		}
		return all
	}
	return nil // a policy that is not there, and so no preset either
}

// onlyFields reports fields that a map has beside those it must and those it may have, and those of
// the former that it lacks.
func onlyFields(n *node, must, may []string) error {
	if n == nil {
		return fmt.Errorf("has no %s", strings.Join(must, ", "))
	}
	for _, p := range n.pairs {
		if !slices.Contains(must, p.key) && !slices.Contains(may, p.key) {
			return fmt.Errorf("unknown field %q", p.key)
		}
	}
	for _, field := range must {
		if n.word(field) == "" {
			return fmt.Errorf("has no %s", field)
		}
	}
	return nil
}

// full is a preset's name with its version.
func (p *preset) full() string { return p.name + "@" + p.version }

// setting finds a product's word.
func (p *preset) setting(word string) (presetSetting, bool) {
	i := slices.IndexFunc(p.settings, func(s presetSetting) bool { return s.word == word })
	if i < 0 {
		return presetSetting{}, false
	}
	return p.settings[i], true
}

func (p *preset) words() []string {
	var out []string
	for _, s := range p.settings {
		out = append(out, s.word)
	}
	return out
}

// entry finds an entry of a stack by its key in paths, and returns its verb and body.
func entryOf(stack *node, key string) (string, *node) {
	for _, item := range stack.items {
		verb, body := verbOf(item)
		if verb == key || body.word("name") == key {
			return verb, body
		}
	}
	return "", nil
}

// knownPresets are the presets whose policies a registry has.
func knownPresets(r *policies.Registry) []*preset {
	var out []*preset
	for _, p := range shippedPresets() {
		whole := true
		for _, item := range p.stack.items {
			verb, _ := verbOf(item)
			_, ok := r.Lookup(verb)
			whole = whole && ok
		}
		if whole {
			out = append(out, p)
		}
	}
	return out
}

// preset finds a preset by NAME, the newest, or by NAME@VERSION or NAME-VERSION.
func (g *grammar) preset(text string) *preset {
	for _, p := range g.presets() {
		if text == p.name && !p.older || text == p.full() || text == p.name+"-"+p.version {
			return p
		}
	}
	return nil
}

// settingField is the field of a policy to which a path in a preset's stack leads.
func (g *grammar) settingField(p *preset, path string) *field {
	at, name, _ := strings.Cut(path, ".")
	verb, _ := entryOf(p.stack, at)
	if k := g.kinds[verb]; k != nil {
		return k.field(name)
	}
	return nil
}

// presetHint is what to write instead of a preset that is not known.
func (g *grammar) presetHint(text string) string {
	name, _, _ := strings.Cut(text, "@")
	var names, versions []string
	for _, p := range g.presets() {
		if !p.older {
			names = append(names, p.name)
		}
		if p.name == name {
			versions = append(versions, p.full())
		}
	}
	if len(versions) > 0 {
		return "there is " + words.And(versions)
	}
	return closestOf(text, names)
}

// closestOf is a hint with the nearest of some names, if there is one near, and all of them.
func closestOf(word string, names []string) string {
	all := "known: " + strings.Join(names, ", ")
	if near := closest(word, names); near != "" {
		return near + " " + all
	}
	return all
}
