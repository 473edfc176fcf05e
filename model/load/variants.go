package load

import (
	"reflect"
	"strings"

	"cascadesim/model"
)

// readVariants decodes the variants, so that they can be listed and looked up.
func (d *Document) readVariants(r *report) {
	n := d.base.scenario.get("variants")
	if n.absent() {
		return
	}
	// Their checks are decoded when they are built, since their times need the document.
	quiet := &report{}
	dec := &decoder{report: quiet, g: d.g, clock: newClock(newMap(place{}))}
	f := d.g.scenario.field("variants")
	dec.value(f, n, "variants", reflect.ValueOf(&d.variants).Elem())
	for _, p := range quiet.sorted() {
		if !strings.Contains(p.Path, ".checks") {
			r.problems = append(r.problems, p)
		}
	}
	for _, v := range d.variants {
		if like := v.Value.Like; like != "" {
			d.checkLike(r, v.Name, like)
		}
	}
}

// checkLike reports a like that leads nowhere or in a circle.
func (d *Document) checkLike(r *report, name, like string) {
	at := d.base.scenario.get("variants").get(name).get("like").at
	where := problem{path: "variants." + name + ".like", at: at}
	if _, ok := d.variants.Get(like); !ok {
		where.hint = nearest(like, d.variantNames())
		r.add(where, "there is no variant %q", like)
		return
	}
	seen := map[string]bool{}
	for at := name; at != ""; {
		if seen[at] {
			r.add(where, "like goes in a circle through %q", at)
			return
		}
		seen[at] = true
		v, ok := d.variants.Get(at)
		if !ok {
			return
		}
		at = v.Like
	}
}

func (d *Document) variantNames() []string {
	var names []string
	for _, v := range d.variants {
		names = append(names, v.Name)
	}
	return names
}

// VariantInfo is what can be said of a variant without building it.
type VariantInfo struct {
	Name, Doc string
	Like      string // the variant that it adds to; empty: none
	Judged    bool   // it has checks
}

// Variants lists the variants in the order of the file.
func (d *Document) Variants() []VariantInfo {
	var out []VariantInfo
	for _, v := range d.variants {
		out = append(out, VariantInfo{v.Name, v.Value.Doc, v.Value.Like, len(v.Value.Checks) > 0})
	}
	return out
}

// Check builds the document and each of its variants, and returns the problems of all.
func (d *Document) Check() model.Problems {
	_, _, found := d.Build(Options{})
	for _, v := range d.variants {
		_, _, ps := d.Build(Options{Variant: v.Name})
		found = append(found, ps...)
	}
	return without(nil, inOrder(found))
}

// mostVariants is how many variants are built beside the one that is asked for.
const mostVariants = 50

// mistaken is a variant that cannot be built.
type mistaken struct {
	name   string
	errors model.Problems
}

// variantMistakes builds each variant, without compiling it, for what is wrong with it and not with
// the document, unless that is known already.
func (d *Document) variantMistakes() []mistaken {
	if d.checked || len(d.variants) > mostVariants {
		return nil
	}
	_, _, base := d.Build(Options{})
	var out []mistaken
	for _, v := range d.variants {
		_, _, found := d.Build(Options{Variant: v.Name})
		if errors := without(base, found.Errors()); len(errors) > 0 {
			out = append(out, mistaken{v.Name, errors})
		}
	}
	return out
}

// others are the mistakes of the variants that are not asked for. A file is read as a whole: who
// runs it next month with another variant is not to find then what could be said now.
func (d *Document) others(selected string, told model.Problems) model.Problems {
	var found model.Problems
	for _, v := range d.mistakes() {
		if v.name != selected {
			found = append(found, v.errors...)
		}
	}
	return without(told, found)
}

// without is what of the problems was not told before, if under another variant.
func without(told, ps model.Problems) model.Problems {
	type saying struct {
		file      string
		line, col int
		path, say string
	}
	seen := map[saying]bool{}
	key := func(p model.Problem) saying { return saying{p.File, p.Line, p.Col, p.Path, p.Text} }
	for _, p := range told {
		seen[key(p)] = true
	}
	var out model.Problems
	for _, p := range ps {
		if !seen[key(p)] {
			seen[key(p)] = true
			out = append(out, p)
		}
	}
	return out
}
