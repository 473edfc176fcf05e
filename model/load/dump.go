package load

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"cascadesim/model"
)

// Resolved is the document with all overrides in it, in the long form, as YAML: what a run of
// these options would read. Defaults stand in each entry, edges of calls are written out and the
// variants are gone. Loaded again it gives the same topology, scenario and bytes.
func (d *Document) Resolved(o Options) ([]byte, model.Problems) {
	r := &report{}
	r.problems = append(r.problems, d.problems...)
	return d.dump(r, d.apply(r, o))
}

// dump writes a tree to which all overrides were applied.
func (d *Document) dump(r *report, t *tree) ([]byte, model.Problems) {
	root := newMap(place{})
	for _, f := range d.g.topology.fields {
		if n := t.topology.get(f.name); f.name != "defaults" && f.name != "doc" && !n.absent() {
			root.put(f.name, n)
		}
	}
	for _, f := range d.g.scenario.fields {
		switch n := t.scenario.get(f.name); {
		case f.name == "topology" || f.name == "variants":
		case f.name == "doc":
			if doc := d.docNode(t); !doc.absent() {
				root.put("doc", doc)
			}
		case !n.absent():
			root.put(f.name, n)
		}
	}
	text, err := yaml.Dump(root.yaml(), yaml.WithLineWidth(-1))
	if err != nil {
		r.problems = append(r.problems, model.Problem{Text: fmt.Sprintf("write as YAML: %v", err)})
	}
	return text, r.sorted()
}

// docNode is the doc of a document that is one file: the scenario's, else the topology's.
func (d *Document) docNode(t *tree) *node {
	if doc := t.scenario.get("doc"); !doc.absent() {
		return doc
	}
	return t.topology.get("doc")
}

// yaml is n as the YAML library writes it. What was removed is left out.
func (n *node) yaml() *yaml.Node {
	switch n.kind {
	case mapNode:
		y := &yaml.Node{Kind: yaml.MappingNode}
		for _, p := range n.pairs {
			if p.value.kind == nullNode {
				continue
			}
			y.Content = append(y.Content, text(p.key, false), p.value.yaml())
		}
		if len(y.Content) == 0 {
			y.Style = yaml.FlowStyle
		}
		return y
	case listNode:
		y := &yaml.Node{Kind: yaml.SequenceNode}
		for _, item := range n.items {
			y.Content = append(y.Content, item.yaml())
		}
		if len(y.Content) == 0 {
			y.Style = yaml.FlowStyle
		}
		return y
	case scalarNode:
		return text(n.text, n.quoted)
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Value: "null", Tag: "!!null"}
}

// text is a scalar. One that YAML would read as nothing keeps its quotes; all others are texts to
// this package, quoted or not.
func text(s string, quoted bool) *yaml.Node {
	y := &yaml.Node{Kind: yaml.ScalarNode, Value: s}
	if quoted && (s == "" || s == "null" || s == "~") {
		y.Style = yaml.DoubleQuotedStyle
	}
	return y
}

// Locate is where the thing at a path was written, or the nearest thing above it that was. A line
// of 0 means that it stands in no file.
func (d *Document) Locate(path string) (file string, line, col int) {
	at := d.base.locate(path)
	return at.file, at.line, at.col
}

// Place fills in the places of problems that later steps found by path, for a document that was
// built with the same options. Problems that have a place keep it.
func (d *Document) Place(ps model.Problems, o Options) model.Problems {
	place, r := d.Placer(o), &report{}
	for _, p := range ps {
		r.problems = append(r.problems, place(p))
	}
	return r.sorted()
}

// Placer is Place for one problem after the other: the options are applied once.
func (d *Document) Placer(o Options) func(model.Problem) model.Problem {
	t := d.apply(&report{}, o)
	return func(p model.Problem) model.Problem {
		if p.File == "" && p.Override == "" && p.Path != "" {
			at := t.locate(p.Path)
			p.File, p.Line, p.Col, p.Override = at.file, at.line, at.col, at.by
		}
		return p
	}
}
