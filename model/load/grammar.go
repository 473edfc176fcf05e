package load

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"time"

	"cascadesim/model"
	"cascadesim/policies"
	"cascadesim/sim"
)

// form is how a part of the document is written.
type form uint8

const (
	leafForm   form = iota // one value
	recordForm             // a map of known fields
	mapForm                // a map of named entries
	listForm               // a list of entries
	verbForm               // a map of one key, the verb of a step or the name of a policy
	pathsForm              // a map of PATH: value
	curveForm              // a map of time: value
)

// kind is the kind of node that a form is written as.
func (f form) kind() kind {
	switch f {
	case leafForm:
		return scalarNode
	case listForm:
		return listNode
	}
	return mapNode
}

// shape is what may stand at a place of the document, in the long form.
type shape struct {
	form     form
	typ      reflect.Type // of the Go value; of a pointer, what it points to
	fields   []*field     // of a record
	elem     *shape       // of a map or list
	optional bool         // a pointer: absent means that there is none
	callee   bool         // verbs are admission policies of a tier, else those of a stack
	verb     string       // of a policy's record: its name
	quota    bool         // of a policy's record: of what differs for a client
}

// field is one field of a record, as its tags describe it.
type field struct {
	name, doc, def, scale string
	enum                  []string
	live                  bool
	signed                bool // a count that may be negative, as far as files go
	index                 int  // in the Go struct; -1: the record's own decoder takes it
	shape                 *shape
}

func (s *shape) field(name string) *field {
	for _, f := range s.fields {
		if f.name == name {
			return f
		}
	}
	return nil
}

func (s *shape) names() []string {
	var names []string
	for _, f := range s.fields {
		names = append(names, f.name)
	}
	return names
}

// grammar is all shapes, from the tags of the Go types and from a registry of policies.
type grammar struct {
	policies *policies.Registry
	shapes   map[reflect.Type]*shape
	topology *shape
	scenario *shape
	// experiment is the shape of experiments, whose checks are those of scenarios.
	experiment *shape
	kinds      map[string]*shape // policies by name
	use        []*field          // what every entry of a stack takes beside its policy's settings
	presets    func() []*preset  // of the policies that there are; read when one is asked for
	whole      bool              // nothing is added any more: goroutines share it
}

func newGrammar(registry *policies.Registry) *grammar {
	if registry == nil {
		registry = policies.Builtins()
	}
	g := &grammar{policies: registry, shapes: map[reflect.Type]*shape{}}
	g.kinds = map[string]*shape{}
	g.presets = sync.OnceValue(func() []*preset { return knownPresets(registry) })
	g.use = g.structFields(reflect.TypeFor[model.PolicyUse]())
	beside := make([]*field, len(g.use))
	for i, f := range g.use {
		own := *f
		own.index = -1
		beside[i] = &own
	}
	for _, k := range registry.Kinds() {
		g.kinds[k.Name] = g.policy(k, beside)
	}
	g.topology = g.of(reflect.TypeFor[model.Topology]())
	g.scenario = g.of(reflect.TypeFor[scenarioForm]())
	g.experiment = g.of(reflect.TypeFor[experimentForm]())
	g.whole = true
	return g
}

// policy is the record of a policy: its own settings, then what every entry of a stack takes.
func (g *grammar) policy(k *policies.Kind, beside []*field) *shape {
	s := &shape{form: recordForm, typ: reflect.TypeOf(k.Settings()).Elem(), verb: k.Name}
	s.fields = g.structFields(s.typ)
	for i, f := range k.Fields() {
		s.fields[i].enum = f.Enum
		s.fields[i].signed = true // some products mean something by -1; the policy's check knows
	}
	own := *s
	for _, f := range beside {
		if f.name == "by_client" {
			f = g.quotaField(f, &own)
		}
		s.fields = append(s.fields, f)
	}
	return s
}

// of is the shape of a Go type. The same type has the same shape, so that steps may hold steps.
func (g *grammar) of(t reflect.Type) *shape {
	if t.Kind() == reflect.Pointer {
		s := *g.of(t.Elem())
		s.optional = true
		return &s
	}
	if s, ok := g.shapes[t]; ok {
		return s
	}
	if g.whole {
		panic(fmt.Sprintf("load: the grammar has no %v", t))
	}
	s := &shape{typ: t}
	g.shapes[t] = s
	if g.special(s) {
		return s
	}
	switch {
	case isMap(t):
		s.form = mapForm
		s.elem = g.of(t.Elem().Field(1).Type)
	case t.Kind() == reflect.Slice:
		s.form, s.elem = listForm, g.of(t.Elem())
	case t.Kind() == reflect.Struct:
		s.form = recordForm
		s.fields = g.structFields(t)
	}
	return s
}

// isMap recognises model.Map, a slice of entries with a name and a value.
func isMap(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.PkgPath() == reflect.TypeFor[model.Tier]().PkgPath() &&
		strings.HasPrefix(t.Name(), "Map[")
}

// special fills in the shapes whose form in files is not that of the Go type.
func (g *grammar) special(s *shape) bool {
	switch s.typ {
	case reflect.TypeFor[sim.Dist]():
		s.form, s.fields = recordForm, g.distFields()
	case reflect.TypeFor[model.Work]():
		s.form = recordForm
		s.fields = append(g.distFields(), g.structFields(s.typ)[1:]...)
	case reflect.TypeFor[model.Think]():
		s.form = recordForm
		dist := g.of(reflect.TypeFor[sim.Dist]())
		s.fields = []*field{{name: "default", doc: "pause after a request", index: 0, shape: dist}}
		for c := policies.OK; c < policies.Classes; c++ {
			s.fields = append(s.fields, &field{name: c.String(), index: -1, shape: dist,
				doc: "pause after a request that ended so"})
		}
	case reflect.TypeFor[model.Replicas]():
		s.form, s.elem = mapForm, g.of(reflect.TypeFor[model.Replica]())
	case reflect.TypeFor[model.Curve](), reflect.TypeFor[model.Profile]():
		s.form = curveForm
	case reflect.TypeFor[model.Step]():
		s.form, s.fields = verbForm, g.structFields(s.typ)
	case reflect.TypeFor[model.PolicyUse]():
		s.form = verbForm
	case reflect.TypeFor[settings](), reflect.TypeFor[rawNode]():
		s.form = pathsForm
	case reflect.TypeFor[model.Weight](), reflect.TypeFor[model.Setting](),
		reflect.TypeFor[time.Time](), reflect.TypeFor[timeText](), reflect.TypeFor[boundText](),
		reflect.TypeFor[model.Bound]():
		s.form = leafForm
	default:
		return false
	}
	return true
}

// structFields reads the tags of a struct. Fields without a yaml tag are not written in files.
func (g *grammar) structFields(t reflect.Type) []*field {
	var fields []*field
	for i := range t.NumField() {
		sf := t.Field(i)
		name := sf.Tag.Get("yaml")
		if name == "" {
			continue
		}
		f := &field{name: name, index: i, doc: sf.Tag.Get("doc"), def: sf.Tag.Get("default"),
			scale: sf.Tag.Get("scale"), live: sf.Tag.Get("live") != "", shape: g.of(sf.Type)}
		if words := sf.Tag.Get("enum"); words != "" {
			f.enum = policies.Words(words)
		}
		if t == reflect.TypeFor[model.Tier]() && name == "admission" {
			f.shape = &shape{form: listForm, typ: sf.Type,
				elem: &shape{form: verbForm, typ: f.shape.elem.typ, callee: true}}
		}
		fields = append(fields, f)
	}
	if t == reflect.TypeFor[model.Retry]() {
		fields = append(fields, &field{name: "preset", index: -1,
			shape: g.of(reflect.TypeFor[string]()), doc: "a product's whole stack, such as " +
				"envoy, or NAME@VERSION (or NAME-VERSION), instead of stack; its settings stand beside it"},
			&field{name: "also", index: -1, shape: g.of(reflect.TypeFor[[]model.PolicyUse]()),
				doc: "policies that stand after those of the preset, " +
					"whose own spend first"})
	}
	return fields
}

// distParams are the parameters of each distribution in the order in which they are written; the
// long form is {dist: NAME, PARAM: value, …}.
var distParams = []struct {
	name   string
	params []string
}{
	{"constant", []string{"value"}}, {"exp", []string{"mean"}}, {"uniform", []string{"min", "max"}},
	{"normal", []string{"mean", "sd"}}, {"lognormal", []string{"p50", "p99", "mean", "sigma"}},
	{"erlang", []string{"k", "mean"}}, {"pareto", []string{"min", "alpha"}},
}

// distFields are the fields of a distribution's long form.
func (g *grammar) distFields() []*field {
	length := g.of(reflect.TypeFor[sim.Time]())
	number := g.of(reflect.TypeFor[float64]())
	names := make([]string, len(distParams))
	for i, d := range distParams {
		names[i] = d.name
	}
	return []*field{
		{name: "dist", enum: names, index: -1, shape: g.of(reflect.TypeFor[string]()),
			doc: "which distribution"},
		{name: "value", index: -1, shape: length, doc: "constant: the value"},
		{name: "mean", index: -1, shape: length, doc: "exp, normal, lognormal, erlang: mean"},
		{name: "min", index: -1, shape: length, doc: "uniform, pareto: least"},
		{name: "max", index: -1, shape: length, doc: "uniform: greatest"},
		{name: "sd", index: -1, shape: length, doc: "normal: standard deviation (cut at 0)"},
		{name: "p50", index: -1, shape: length, doc: "lognormal: median"},
		{name: "p99", index: -1, shape: length, doc: "lognormal: 99th percentile"},
		{name: "sigma", index: -1, shape: number, doc: "lognormal: of the logarithm, no unit"},
		{name: "k", index: -1, shape: number, doc: "erlang: stages"},
		{name: "alpha", index: -1, shape: number, doc: "pareto: tail index"},
		{name: "mix", index: -1, shape: g.of(reflect.TypeFor[[]mixPart]()),
			doc: "a mixture, alone: [{share, of}, …]"},
	}
}
