package load

import (
	"reflect"
	"regexp"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
)

// decoder turns nodes in the long form into Go values, reporting everything that does not fit.
type decoder struct {
	*report
	g     *grammar
	clock *clock // for curves
	body  *shape // of the policy whose settings are decoded
}

var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// named are the entries whose names paths and messages use, and so must be simple words.
var named = map[reflect.Type]string{
	reflect.TypeFor[model.Tier]():    "tier",
	reflect.TypeFor[model.Route]():   "route",
	reflect.TypeFor[model.Client]():  "client",
	reflect.TypeFor[model.Replica](): "replica",
	reflect.TypeFor[[]model.Step]():  "endpoint",
	reflect.TypeFor[model.Curve]():   "profile",
	reflect.TypeFor[variantForm]():   "variant",
}

// join adds a segment to a path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// value decodes n into v. An absent n leaves v as it is.
func (d *decoder) value(f *field, n *node, path string, v reflect.Value) {
	s := f.shape
	if n.absent() {
		return
	}
	if v.Kind() == reflect.Pointer {
		p := reflect.New(v.Type().Elem())
		d.value(f, n, path, p.Elem())
		v.Set(p)
		return
	}
	if d.specially(f, n, path, v) {
		return
	}
	switch s.form {
	case recordForm:
		d.record(s, n, path, v)
	case mapForm:
		d.entries(s, n, path, v)
	case listForm:
		d.list(f, n, path, v)
	case curveForm:
		v.Set(reflect.ValueOf(d.curve(n, path)))
	case pathsForm:
		if d.expect(mapNode, n, path) {
			v.Set(reflect.ValueOf(settings(n.pairs)))
		}
	default:
		d.leaf(f, n, path, v)
	}
}

// specially decodes what is not decoded by its form alone.
func (d *decoder) specially(f *field, n *node, path string, v reflect.Value) bool {
	switch v.Type() {
	case reflect.TypeFor[sim.Dist]():
		v.Set(reflect.ValueOf(d.dist(f, n, path)))
	case reflect.TypeFor[model.Work]():
		d.work(f, n, path, v.Addr().Interface().(*model.Work))
	case reflect.TypeFor[model.Think]():
		d.think(f.shape, n, path, v.Addr().Interface().(*model.Think))
	case reflect.TypeFor[model.Replicas]():
		d.replicas(f, n, path, v.Addr().Interface().(*model.Replicas))
	case reflect.TypeFor[model.Profile]():
		p := model.Profile{Name: n.text}
		if n.kind != scalarNode {
			p = model.Profile{Curve: d.curve(n, path)}
		}
		v.Set(reflect.ValueOf(p))
	case reflect.TypeFor[takeForm]():
		if n.kind != scalarNode {
			return false
		}
		word := field{enum: takeWords, shape: d.g.of(reflect.TypeFor[string]())}
		d.leaf(&word, n, path, v.Field(0))
	case reflect.TypeFor[relativeForm]():
		if n.kind != scalarNode {
			return false
		}
		v.Field(0).Set(reflect.ValueOf(boundText{n.text, n.at}))
	case reflect.TypeFor[checkForm]():
		if n.kind != scalarNode {
			return false
		}
		v.Field(0).SetString(n.text) // a bare name
	case reflect.TypeFor[rawNode]():
		if d.expect(mapNode, n, path) {
			v.Set(reflect.ValueOf(rawNode{n}))
		}
	default:
		return false
	}
	return true
}

// takeWords are the takes that are written alone.
var takeWords = []string{"mean", "min", "max", "each", "slope"}

// expect reports when n is not of the kind that its place wants.
func (d *decoder) expect(k kind, n *node, path string) bool {
	if n.kind == k {
		return true
	}
	d.add(problem{path: path, at: n.at}, "expected %s, not %s", k, show(n))
	return false
}

// show is a node as a message quotes it.
func show(n *node) string {
	if n.kind != scalarNode {
		return n.kind.String()
	}
	text := n.text
	if len(text) > 60 {
		text = text[:60] + "…"
	}
	return `"` + text + `"`
}

// record decodes a map of known fields into a struct, and reports fields that are not known.
func (d *decoder) record(s *shape, n *node, path string, v reflect.Value) {
	if n.kind == scalarNode {
		d.tooShort(s, n, path)
		return
	}
	if !d.expect(mapNode, n, path) {
		return
	}
	// A preset brings settings of its own, which need no word each when it is not known.
	preset := isRetry(s) && n.get("preset") != nil
	if preset || isRetry(s) && n.get("also") != nil {
		d.leftPreset(n, path)
	}
	for _, p := range n.pairs {
		switch {
		case s.field(p.key) != nil || preset:
		case n.preset != nil:
			d.unknownSetting(n.preset, p, path)
		default:
			d.unknown(s, p, path)
		}
	}
	for _, f := range s.fields {
		if f.index < 0 {
			continue
		}
		d.fieldValue(f, n, path, v.Field(f.index))
	}
}

// fieldValue decodes one field of a record, or gives it its default.
func (d *decoder) fieldValue(f *field, n *node, path string, v reflect.Value) {
	child, at := n.get(f.name), join(path, f.name)
	switch {
	case !child.absent():
		d.value(f, child, at, v)
	case f.name == "retry_on" && d.g.judged(n.get("stack")):
		// A policy of the stack decides; the default would contradict it.
	case f.def != "":
		d.value(f, d.g.expand(f.shape, scalarDefault(f)), at, v)
	case f.shape.typ == reflect.TypeFor[model.Replicas]():
		v.Field(0).SetInt(1)
	case f.shape.form == recordForm && !f.shape.optional && plain(f.shape.typ):
		d.value(f, newMap(n.at), at, v)
	}
}

// judged tells whether a policy of a stack decides itself what is tried again.
func (g *grammar) judged(stack *node) bool {
	if stack == nil {
		return false
	}
	for _, item := range stack.items {
		policy, _ := verbOf(item)
		if k, ok := g.policies.Lookup(policy); ok && k.Decides() {
			return true
		}
	}
	return false
}

// plain reports whether an empty record of the type means all its defaults.
func plain(t reflect.Type) bool {
	return t != reflect.TypeFor[sim.Dist]()
}

// scalarDefault is a field's default as if it were written. Lists are written with commas.
func scalarDefault(f *field) *node {
	if f.shape.form != listForm {
		return scalar(f.def, place{})
	}
	n := &node{kind: listNode}
	for word := range strings.SplitSeq(f.def, ",") {
		n.items = append(n.items, scalar(word, place{}))
	}
	return n
}

// unknown reports a field that its record does not have.
func (d *decoder) unknown(s *shape, p pair, path string) {
	at := join(path, p.key)
	if word := later(s.typ, p.key); word != "" {
		d.add(problem{path: at, at: p.at}, "not in this version: %s", word)
		return
	}
	hint := nearest(p.key, s.names())
	switch {
	case s.typ == reflect.TypeFor[checkForm]() && p.key == "hold":
		hint = "hold goes with take: {first_above: X} and its like"
	case s.typ == reflect.TypeFor[variantForm]() && strings.Contains(p.key, "."):
		hint = "beside other fields, paths go under set"
	}
	if p.value.kind == nullNode && p.value.text == "" && strings.Contains(p.key, " ") {
		hint = "a comma inside { } begins a new field: put the text in quotes"
	}
	d.add(problem{path: at, at: p.at, hint: hint}, "unknown field %q%s", p.key, of(s))
}

// of names the record in messages.
func of(s *shape) string {
	if s.verb != "" {
		return " of " + s.verb
	}
	return ""
}

// entries decodes a map of names into a model.Map.
func (d *decoder) entries(s *shape, n *node, path string, v reflect.Value) {
	if !d.expect(mapNode, n, path) {
		return
	}
	what := named[s.elem.typ]
	for _, p := range n.pairs {
		at := join(path, p.key)
		if what != "" && !nameRule.MatchString(p.key) {
			d.add(problem{path: at, at: p.at, hint: "names are a-z 0-9 _ and -, and begin with a " +
				"letter or digit"}, "%q cannot be the name of a %s", p.key, what)
		}
		e := reflect.New(v.Type().Elem()).Elem()
		e.Field(0).SetString(p.key)
		child := p.value
		if child.absent() && s.elem.form == recordForm {
			child = newMap(p.at)
		}
		if child.absent() {
			d.add(problem{path: at, at: p.at}, "has no value")
			continue
		}
		d.value(&field{shape: s.elem}, child, at, e.Field(1))
		v.Set(reflect.Append(v, e))
	}
}

// list decodes a list. Entries are addressed by their keys.
func (d *decoder) list(f *field, n *node, path string, v reflect.Value) {
	s := f.shape
	if n.kind == scalarNode && s.elem.form == leafForm {
		hint := "write [" + n.text + "]"
		if n.text == "none" {
			hint = "an empty list is []"
		}
		d.add(problem{path: path, at: n.at, hint: hint}, "expected a list, not %s", show(n))
		return
	}
	if !d.expect(listNode, n, path) {
		return
	}
	v.Set(reflect.Zero(v.Type()))
	for i, item := range n.items {
		at := join(path, keyOf(s, n, i))
		e := reflect.New(v.Type().Elem()).Elem()
		switch e.Type() {
		case reflect.TypeFor[model.Step]():
			d.step(s.elem, item, at, e.Addr().Interface().(*model.Step))
		case reflect.TypeFor[model.PolicyUse]():
			d.use(s.elem, item, at, e.Addr().Interface().(*model.PolicyUse))
		default:
			if item.absent() {
				d.add(problem{path: at, at: item.at}, "an empty entry")
				continue
			}
			d.value(&field{shape: s.elem, enum: f.enum}, item, at, e)
		}
		v.Set(reflect.Append(v, e))
	}
}

// step decodes {VERB: BODY}, beside which a name may stand.
func (d *decoder) step(s *shape, n *node, path string, step *model.Step) {
	if !d.expect(mapNode, n, path) {
		return
	}
	verbs := 0
	for _, p := range n.pairs {
		f := s.field(p.key)
		switch {
		case p.key == "name":
			step.Name = p.value.text
			continue
		case f == nil:
			d.unknownVerb(s, p, path)
			continue
		}
		verbs++
		if p.value.absent() {
			d.add(problem{path: path, at: p.at}, "%s has no value", p.key)
			continue
		}
		d.value(f, p.value, path, reflect.ValueOf(step).Elem().Field(f.index))
	}
	if verbs > 1 {
		d.add(problem{path: path, at: n.at, hint: "write one step for each, with a dash before it"},
			"a step has one verb, this one has %d", verbs)
	}
}

func (d *decoder) unknownVerb(s *shape, p pair, path string) {
	if word := later(s.typ, p.key); word != "" {
		d.add(problem{path: path, at: p.at}, "not in this version: %s", word)
		return
	}
	d.add(problem{path: path, at: p.at, hint: nearest(p.key, s.names()[1:])},
		"unknown step %q", p.key)
}
