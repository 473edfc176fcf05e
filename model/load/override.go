package load

import (
	"cascadesim/model"
	"fmt"
	"reflect"
	"strings"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Override writes one value to one place, or to all that its paths match. It is what variants,
// axes of a sweep and --set have in common.
type Override struct {
	// Paths are where; of several, those that match are written, and at least one must.
	Paths []string
	// Value is YAML. null removes, 1.2x multiplies the value that the document has.
	Value string
	// By names the override in messages, such as "axis ratio" or "--set a.b=1".
	By string

	// Of what a file wrote: the value, and the place of its path.
	node *node
	at   place
}

// assignment is an override whose value is parsed.
type assignment struct {
	paths []string
	value *node
	by    string
	at    place // of the path, in a variant
	// checks, of a variant, take the place of the scenario's; paths and value are then unused.
	checks *node
	// What became of it so far: paths written, and the first that failed.
	written int
	failed  *pathError
	where   string
}

// ParseSet reads PATH=VALUE as the command line has it after a flag.
func ParseSet(flag, text string) (Override, error) {
	path, value, ok := strings.Cut(text, "=")
	path = strings.TrimSpace(path)
	switch {
	case strings.HasSuffix(path, "-") && !ok:
		return Override{}, fmt.Errorf("%s %s: the shell took > as a redirection and wrote a "+
			"file; write web:db for web->db, or quote the path", flag, text)
	case !ok:
		return Override{}, fmt.Errorf("%s %s: expected PATH=VALUE", flag, text)
	case path == "":
		return Override{}, fmt.Errorf("%s %s: there is no path before the =", flag, text)
	}
	return Override{Paths: []string{path}, Value: value, By: flag + " " + text}, nil
}

// assign parses an override's value.
func (o Override) assign() (assignment, error) {
	if o.node != nil {
		value := o.node.clone()
		value.mark(o.By)
		at := o.at
		at.by = o.By
		return assignment{paths: o.Paths, value: value, by: o.By, at: at}, nil
	}
	n, err := parseValue(o.Value)
	if err != nil {
		return assignment{}, fmt.Errorf("value %q: %w", o.Value, err)
	}
	n.mark(o.By)
	return assignment{paths: o.Paths, value: n, by: o.By, at: place{by: o.By}}, nil
}

// parseValue reads a value as YAML. What people type for times and shares is no trap there, but an
// empty text would be null.
func parseValue(text string) (*node, error) {
	if strings.TrimSpace(text) == "" {
		return nil, fmt.Errorf("is empty; null removes a field or entry")
	}
	return parseText(text)
}

// aboutDefaults reports whether a path is to be written before the defaults are taken.
func aboutDefaults(path string) bool {
	return path == "defaults" || strings.HasPrefix(path, "defaults.")
}

// apply writes an assignment to the tree: those of its paths that are about the defaults, or the
// others.
func (t *tree) apply(r *report, a *assignment, defaults bool) {
	for _, path := range a.paths {
		if aboutDefaults(path) != defaults {
			continue
		}
		if strings.HasPrefix(path, "edges") {
			t.makeEdges()
		}
		places, err := t.find(path)
		if err == nil {
			err = t.writeAll(r, *a, path, places)
		}
		switch {
		case err == nil:
			a.written++
		case a.failed == nil:
			a.failed, a.where = err, path
		}
		if path == "load" {
			t.mergeLoad(r)
		}
	}
}

// verdict reports an assignment of which no path matched.
func (a *assignment) verdict(r *report) {
	if a.written == 0 && a.failed != nil {
		r.add(problem{path: a.where, at: a.at, hint: a.failed.hint}, "%s", a.failed.text)
	}
}

// writeAll writes the value to all places that one path leads to.
func (t *tree) writeAll(r *report, a assignment, path string, places []*cursor) *pathError {
	wild := strings.Contains(path, "*")
	if a.value.kind == nullNode {
		return t.removeAll(r, a, path, places)
	}
	var failed *pathError
	written := 0
	for _, c := range places {
		err := t.writeOne(r, a, c)
		if err != nil {
			failed = err
			continue
		}
		written++
		if !wild {
			c.claim()
		}
	}
	if written == 0 || !wild {
		return failed
	}
	return nil
}

func (t *tree) writeOne(r *report, a assignment, c *cursor) *pathError {
	if missing := c.missing(); missing != "" {
		return &pathError{text: fmt.Sprintf("there is no %s", missing),
			hint: "write all of it: " + missing + ": {…}"}
	}
	if up := c.up; !up.node.absent() && up.node.kind != up.shape.form.kind() {
		return &pathError{text: fmt.Sprintf("%s is %s and has no parts", up.path(), up.node.kind)}
	}
	value := a.value.clone()
	if f, ok := factor(value.text); ok && value.kind == scalarNode && c.multiplies() {
		scaled, err := t.multiply(c, f)
		if err != nil {
			r.add(problem{path: c.path(), at: value.at}, "%s times the document's value: %v",
				value.text, err)
			return nil
		}
		value = scaled
		value.place(a.value.at)
	}
	c.write(t.g.expand(c.shape, entry(c.shape, value)))
	if isRetry(c.up.shape) {
		t.g.represet(r, c.up, c.key)
	}
	return nil
}

// removeAll takes away what stands at the places.
func (t *tree) removeAll(r *report, a assignment, path string, places []*cursor) *pathError {
	removed, wild := 0, strings.Contains(path, "*")
	for _, c := range places {
		if c.field == nil && c.node == nil {
			continue
		}
		if isRetry(c.up.shape) && c.key == "preset" {
			return &pathError{text: "a preset is the whole retry, and not removed alone",
				hint: "write " + c.up.path() + "=null for no retry"}
		}
		removed++
		if !wild {
			c.up.claim()
		}
		if c.field == nil && strings.HasPrefix(path, "timeline.") {
			t.noteRemoved(c.key, a.by)
		}
		if c.up.node.absent() {
			continue // a field of what is not written has its default anyway
		}
		c.write(c.original.clone()) // a preset's setting is again what it was
		if isRetry(c.up.shape) {
			t.g.represet(r, c.up, c.key)
		}
	}
	if removed > 0 {
		return nil
	}
	if wild {
		return &pathError{text: "matches nothing that could be removed"}
	}
	c := places[0]
	var keys []string
	for _, e := range t.g.children(c.up) {
		keys = append(keys, e.key)
	}
	return &pathError{text: fmt.Sprintf("there is no %q in %s to remove", c.key, c.up.path()),
		hint: nearest(c.key, keys)}
}

// noteRemoved keeps who took a timeline entry away, for those whose times name it.
func (t *tree) noteRemoved(name, by string) {
	if t.removed == nil {
		t.removed = map[string]string{}
	}
	t.removed[name] = by
}

// missing is the nearest thing above c that would have to be made and has no default.
func (c *cursor) missing() string {
	for up := c.up; up != nil; up = up.up {
		if up.node.absent() && (up.shape.optional || (up.field == nil && up.up != nil)) {
			return up.path()
		}
	}
	return ""
}

// place writes a place on all of n.
func (n *node) place(at place) {
	n.at = at
	for i := range n.pairs {
		n.pairs[i].at = at
		n.pairs[i].value.place(at)
	}
	for _, item := range n.items {
		item.place(at)
	}
}

// multiplies reports whether 1.2x means a multiplication here: on numbers, and not on factors.
func (c *cursor) multiplies() bool {
	if c.shape.form != leafForm {
		return c.shape.typ == reflect.TypeFor[sim.Dist]() || isWork(c.shape) ||
			c.shape.form == mapForm
	}
	switch c.shape.typ {
	case reflect.TypeFor[unit.Factor](), reflect.TypeFor[settings](),
		reflect.TypeFor[timeText](), reflect.TypeFor[boundText](),
		reflect.TypeFor[model.Bound]():
		return false
	}
	switch c.shape.typ.Kind() {
	case reflect.String, reflect.Struct, reflect.Bool:
		return false
	}
	return true
}

// multiply is what stands at c, or its default, times f.
func (t *tree) multiply(c *cursor, f unit.Factor) (*node, error) {
	n := c.node
	if n.absent() {
		if n = t.g.defaultOf(c); n == nil {
			return nil, fmt.Errorf("it has none")
		}
	}
	if n.kind == mapNode && (c.shape.typ == reflect.TypeFor[sim.Dist]() || isWork(c.shape)) {
		return multiplyDist(n, f)
	}
	if n.kind != scalarNode {
		return nil, fmt.Errorf("it is %s", n.kind)
	}
	text, err := multiplyText(c.shape.typ, n.text, f)
	return scalar(text, n.at), err
}

// defaultOf is what a field that is not written has; nil when that is no single value.
func (g *grammar) defaultOf(c *cursor) *node {
	if c.field == nil {
		return nil
	}
	if k, ok := g.policies.Lookup(c.up.shape.verb); ok && c.field.index >= 0 {
		for _, f := range k.Fields() {
			if f.Name == c.key {
				return scalar(f.Default(), place{})
			}
		}
	}
	if c.field.def == "" {
		return nil
	}
	return g.expand(c.shape, scalarDefault(c.field))
}

// multiplyDist multiplies the lengths of a distribution; its shape stays.
func multiplyDist(n *node, f unit.Factor) (*node, error) {
	out := n.clone()
	for i, p := range out.pairs {
		switch p.key {
		case "mean", "min", "max", "sd", "p50", "p99", "value":
			text, err := multiplyText(reflect.TypeFor[sim.Time](), p.value.text, f)
			if err != nil {
				return nil, err
			}
			out.pairs[i].value = scalar(text, p.value.at)
		case "mix":
			for _, part := range p.value.items {
				of, err := multiplyDist(part.get("of"), f)
				if err != nil {
					return nil, err
				}
				part.put("of", of)
			}
		}
	}
	return out, nil
}

// multiplyText multiplies a written value, in the field's own kind.
func multiplyText(typ reflect.Type, text string, f unit.Factor) (string, error) {
	c := unit.Change{Op: unit.Multiply, By: f}
	switch typ {
	case reflect.TypeFor[sim.Time]():
		return multiplied(text, unit.ParseDuration, c.Duration, unit.FormatDuration)
	case reflect.TypeFor[unit.Rate]():
		return multiplied(text, unit.ParseRate, c.Rate, unit.FormatRate)
	case reflect.TypeFor[unit.Share]():
		return multiplied(text, unit.ParseShare, c.Share, unit.FormatShare)
	}
	if typ == reflect.TypeFor[unit.Size]() {
		times := func(old unit.Size) (unit.Size, error) {
			x, err := c.Count(unit.Count(old))
			return unit.Size(x), err
		}
		return multiplied(text, unit.ParseSize, times, unit.FormatSize)
	}
	if typ.Kind() == reflect.Float64 {
		ratio := func(s string) (unit.Ratio, error) {
			x, err := parseNumber(s)
			return unit.Ratio(x), err
		}
		return multiplied(text, ratio, c.Ratio, unit.FormatRatio)
	}
	return multiplied(text, unit.ParseCount, c.Count, unit.FormatCount)
}

func multiplied[T any](
	text string, parse func(string) (T, error), times func(T) (T, error), format func(T) string,
) (string, error) {
	old, err := parse(text)
	if err != nil {
		return "", err
	}
	x, err := times(old)
	return format(x), err
}
