package load

import (
	"errors"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"sync"

	"cascadesim/model"
)

// Document is a topology and a scenario as they were written, in the long form. It never changes.
type Document struct {
	g        *grammar
	base     *tree
	variants model.Map[variantForm]
	traces   *traces
	problems model.Problems // of parsing; every Build repeats them
	checked  bool           // as Source.Checked
	mistakes func() []mistaken
}

// builtins is the grammar of the built-in policies, made once.
var builtins = sync.OnceValue(func() *grammar { return newGrammar(nil) })

// Open reads a document, and the topology that it names. The document is nil when there is
// nothing that could be built; otherwise Build repeats the problems found here.
func Open(src Source) (*Document, model.Problems) {
	g := builtins()
	if src.Policies != nil {
		g = newGrammar(src.Policies)
	}
	r := &report{}
	o := &opener{report: r, g: g, src: src, traces: newTraces(src)}
	t := o.open()
	if t == nil {
		return nil, r.sorted()
	}
	t.topology = g.expand(g.topology, t.topology)
	t.scenario = g.expand(g.scenario, t.scenario)
	d := &Document{g: g, base: t, traces: o.traces, checked: src.Checked}
	d.readVariants(r)
	d.problems = r.sorted()
	d.mistakes = sync.OnceValue(d.variantMistakes)
	return d, d.problems
}

// opener reads the files of a document.
type opener struct {
	*report
	g      *grammar
	src    Source
	traces *traces
}

func (o *opener) open() *tree {
	root := o.file(o.src.FS, o.src.Name)
	if root == nil {
		return nil
	}
	t := &tree{g: o.g, topology: newMap(root.at), scenario: newMap(root.at)}
	o.divide(root, t)
	name := root.get("topology")
	if name.absent() {
		if t.topology.get("name") == nil {
			t.topology.put("name", scalar(o.defaultName(o.src.Name), place{}))
		}
		return t
	}
	if len(t.topology.pairs) > 0 {
		p := t.topology.pairs[0]
		o.add(problem{path: p.key, at: p.at, hint: "remove topology: or this section"},
			"the file names a topology, so it cannot hold one")
	}
	other := o.topology(name)
	if other == nil {
		return nil
	}
	t.topology = newMap(other.at)
	o.divide(other, &tree{g: o.g, topology: t.topology, scenario: newMap(other.at)})
	if doc := other.get("doc"); doc != nil {
		t.topology.put("doc", doc)
	}
	return t
}

// divide sorts the sections of a file into topology and scenario. A doc belongs to both.
func (o *opener) divide(root *node, t *tree) {
	single := root.get("topology") == nil
	for _, p := range root.pairs {
		inTopology := o.g.topology.field(p.key) != nil
		inScenario := o.g.scenario.field(p.key) != nil
		if inTopology && (p.key != "doc" || single) {
			t.topology.pairs = append(t.topology.pairs, pair{p.key, p.at, p.value.clone()})
		}
		if inScenario {
			t.scenario.pairs = append(t.scenario.pairs, p)
		}
		if !inTopology && !inScenario {
			o.unknownSection(p)
		}
	}
}

func (o *opener) unknownSection(p pair) {
	if word := later(o.g.scenario.typ, p.key); word != "" {
		o.add(problem{path: p.key, at: p.at}, "not in this version: %s", word)
		return
	}
	known := append(o.g.topology.names(), o.g.scenario.names()...)
	o.add(problem{path: p.key, at: p.at, hint: nearest(p.key, known)}, "unknown section %q", p.key)
}

// defaultName is what a topology without a name is called: its folder or its file.
func (o *opener) defaultName(file string) string {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	if dir := path.Base(path.Dir(file)); base == "topology" && dir != "." && dir != "/" {
		return dir
	}
	return base
}

// file reads and parses one file, whose root must be a map.
func (o *opener) file(fsys fs.FS, name string) *node {
	shown := o.traces.shown(fsys, name)
	o.traces.origins[shown] = origin{fsys, path.Dir(name)}
	data, err := read(fsys, name)
	if err != nil {
		o.add(problem{at: place{file: shown}}, "read: %v", errors.Unwrap(err))
		return nil
	}
	root := parse(o.report, shown, data)
	if root != nil && root.kind != mapNode {
		o.add(problem{at: root.at}, "expected a map of sections, such as name, tiers, clients")
		return nil
	}
	return root
}

func sameFS(a, b fs.FS) bool {
	return reflect.TypeOf(a).Comparable() && a == b
}

// topology finds the topology that a scenario names: beside it, then in the catalogue.
func (o *opener) topology(name *node) *node {
	if name.kind != scalarNode || !nameRule.MatchString(name.text) {
		o.add(problem{path: "topology", at: name.at}, "expected the name of a topology, not %s",
			show(name))
		return nil
	}
	for _, file := range o.src.besides(name.text) {
		if !fs.ValidPath(file) || file == o.src.Name {
			continue
		}
		if _, err := fs.Stat(o.src.FS, file); err != nil {
			continue
		}
		var quiet report
		probe := opener{report: &quiet, g: o.g, src: o.src, traces: o.traces}
		if root := probe.file(o.src.FS, file); root != nil && !probe.names(root, file, name.text) {
			continue
		}
		return o.file(o.src.FS, file)
	}
	if catalogue := o.src.Catalogue; catalogue != nil {
		file := name.text + "/topology.yaml"
		if _, err := fs.Stat(catalogue, file); err == nil {
			return o.file(catalogue, file)
		}
	}
	o.add(problem{path: "topology", at: name.at, hint: nearest(name.text, o.known())},
		"there is no topology %q beside this file or in the catalogue", name.text)
	return nil
}

// names reports whether a file holds the topology of that name.
func (o *opener) names(root *node, file, name string) bool {
	own := root.word("name")
	if own == "" {
		own = o.defaultName(file)
	}
	return own == name && root.get("tiers") != nil
}

// known are the topologies of the catalogue.
func (o *opener) known() []string {
	var names []string
	if o.src.Catalogue == nil {
		return nil
	}
	entries, _ := fs.ReadDir(o.src.Catalogue, ".")
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// Name is what the topology is called.
func (d *Document) Name() string { return d.base.topology.word("name") }

// Doc is the document's line for people: the scenario's, else the topology's.
func (d *Document) Doc() string {
	if doc := d.base.scenario.word("doc"); doc != "" {
		return doc
	}
	return d.base.topology.word("doc")
}

// IsDefault reports whether the document is what "run NAME" means.
func (d *Document) IsDefault() bool { return d.base.scenario.word("default") == "true" }

// Runs reports whether the document says how long to run: a topology alone does not.
func (d *Document) Runs() bool {
	s := d.base.scenario
	return !s.get("duration").absent() || !s.get("until").absent()
}

// Problems are those found while reading; every Build repeats them.
func (d *Document) Problems() model.Problems { return d.problems }
