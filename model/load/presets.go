package load

import (
	"reflect"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/policies"
)

// Preset is what a product does when a call fails, as a stack of policies.
type Preset struct {
	Name, Version string
	Older         bool // there is a newer version, which the name alone means
	Product       string
	Doc           string
	Source        string
	Sure          policies.Mark
	// RetryOn are the outcomes that are tried again; nil: the policy Decides says what follows.
	RetryOn []string
	Decides string
	Scope   string // of what the policies remember; empty: the format's default
	Stack   []model.PolicyUse
	Look    Look
	// Parameters are all settings of the stack, those with a word of the product first.
	Parameters []Parameter
}

// Look is a preset in one line, as products are compared.
type Look struct {
	Tries  string // of one call, the first one included
	Delay  string // before retry n, without jitter
	Jitter string
	Cap    string
	Guard  string // what bounds the retries of many calls together
	On     string // what is tried again
}

// Parameter is one setting of a preset's stack.
type Parameter struct {
	Word    string // what the product calls it, beside the preset; empty: written by its path
	Path    string // in the stack: ENTRY.FIELD, or several with commas
	Value   string // in the preset, as files write it
	Default string // of the policy
	Unit    string // duration, count, ratio, …
	Scales  bool   // a scaled-down run divides it
	Doc     string
}

// Name is how the setting is called beside the preset, or else by its path under retry.
func (p Parameter) Name() string {
	if p.Word != "" {
		return p.Word
	}
	return "stack." + p.Path
}

// Full is the name with the version.
func (p Preset) Full() string { return p.Name + "@" + p.Version }

// Presets are all presets of the built-in policies, sorted by name; of one name the newest first.
func Presets() []Preset {
	var out []Preset
	for _, p := range builtins().presets() {
		out = append(out, builtins().describe(p))
	}
	return out
}

// FindPreset finds a preset by NAME, the newest, or NAME@VERSION; else hint is what to write.
func FindPreset(name string) (p Preset, hint string, ok bool) {
	found := builtins().preset(name)
	if found == nil {
		return Preset{}, builtins().presetHint(name), false
	}
	return builtins().describe(found), "", true
}

// describe decodes a preset's stack for whoever wants to read it.
func (g *grammar) describe(p *preset) Preset {
	out := Preset{Name: p.name, Version: p.version, Older: p.older, Product: p.product,
		Doc: p.doc, Source: p.source, Sure: p.sure, Look: p.look}
	retry := newMap(place{})
	retry.put("preset", scalar(p.full(), place{}))
	s := g.of(reflect.TypeFor[model.Retry]())
	d := &decoder{report: &report{}, g: g, clock: newClock(newMap(place{}))}
	var long model.Retry
	d.record(s, g.expand(s, retry), "", reflect.ValueOf(&long).Elem())
	out.RetryOn, out.Stack = long.RetryOn, long.Stack
	if p.scope != nil {
		out.Scope = long.Scope
	}
	for _, set := range p.settings {
		out.Parameters = append(out.Parameters, g.parameter(long.Stack, set))
	}
	for _, use := range long.Stack {
		if k, _ := g.policies.Lookup(use.Policy); k.Decides() {
			out.Decides = k.Name
		}
		out.Parameters = append(out.Parameters, g.wordless(long.Stack, use, p)...)
	}
	return out
}

// wordless are the settings of an entry for which the product has no word.
func (g *grammar) wordless(stack []model.PolicyUse, use model.PolicyUse, p *preset) []Parameter {
	var out []Parameter
	k, _ := g.policies.Lookup(use.Policy)
	for _, f := range k.Fields() {
		path := entryName(use) + "." + f.Name
		named := false
		for _, set := range p.settings {
			named = named || slices.Contains(set.paths, path)
		}
		if !named {
			out = append(out, g.parameter(stack, presetSetting{paths: []string{path}}))
		}
	}
	return out
}

func entryName(use model.PolicyUse) string {
	if use.Name != "" {
		return use.Name
	}
	return use.Policy
}

// parameter reads one setting of a decoded stack.
func (g *grammar) parameter(stack []model.PolicyUse, set presetSetting) Parameter {
	at, name, _ := strings.Cut(set.paths[0], ".")
	out := Parameter{Word: set.word, Path: strings.Join(set.paths, ", "), Doc: set.doc}
	for _, use := range stack {
		if entryName(use) != at {
			continue
		}
		k, _ := g.policies.Lookup(use.Policy)
		for i, f := range k.Fields() {
			if f.Name != name {
				continue
			}
			value := reflect.ValueOf(use.Settings).Elem().Field(i).Interface()
			out.Value, out.Default = policies.Written(value), f.Default()
			out.Unit, out.Scales = UnitOf(f.Type), f.Scales
			if out.Doc == "" {
				out.Doc = f.Meaning()
			}
		}
	}
	return out
}

// UnitOf is what the values of a setting's type are called: duration, count, ratio and so on.
func UnitOf(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[[]string]():
		return "list of words"
	case t.Kind() == reflect.Slice:
		return "list of " + leafName(t.Elem()) + "s"
	case t.Kind() == reflect.String:
		return "word"
	case t.Kind() == reflect.Struct:
		return "distribution"
	}
	return leafName(t)
}
