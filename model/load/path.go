package load

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"cascadesim/model"
)

// cursor is a place in the document that a path leads to, whether something stands there or not.
type cursor struct {
	shape *shape
	node  *node   // nil: nothing is written there
	up    *cursor // nil: the root
	key   string  // the last segment of the canonical path
	field *field  // the field of the record above; nil: an entry
	// original is what the preset says whose word led here; nil: nothing.
	original *node
}

// path is the canonical path of c.
func (c *cursor) path() string {
	if c.up == nil {
		return c.key
	}
	return join(c.up.path(), c.key)
}

// keyOf is the key of entry i of a list: the name, what the entry is about, or the index.
func keyOf(s *shape, list *node, i int) string {
	item := list.items[i]
	if name := item.word("name"); name != "" && s.elem.form != leafForm {
		return name
	}
	switch {
	case s.elem.typ == reflect.TypeFor[model.Edge]():
		return item.word("from") + "->" + item.word("to")
	case s.elem.form == verbForm && item.kind == mapNode:
		verb, body := verbOf(item)
		if name := body.word("name"); name != "" {
			return name
		}
		same := 0
		for _, other := range list.items {
			if v, _ := verbOf(other); v == verb {
				same++
			}
		}
		if verb != "" && same == 1 {
			return verb
		}
	case s.elem.typ == reflect.TypeFor[checkForm]() && item.kind == scalarNode:
		return item.text
	}
	return strconv.Itoa(i)
}

// verbOf is the verb of a step or the policy of a stack's entry, and what stands behind it.
func verbOf(item *node) (string, *node) {
	if item.kind != mapNode {
		return "", nil
	}
	for _, p := range item.pairs {
		if p.key != "name" {
			return p.key, p.value
		}
	}
	return "", nil
}

// matches compares a segment of a path with a key; * stands for any letters.
func matches(segment, key string) bool {
	head, tail, star := strings.Cut(segment, "*")
	if !star {
		return segment == key
	}
	if !strings.HasPrefix(key, head) {
		return false
	}
	for i := len(head); i <= len(key); i++ {
		if matches(tail, key[i:]) {
			return true
		}
	}
	return false
}

// children are the entries of a map or list, as cursors.
func (g *grammar) children(c *cursor) []*cursor {
	var out []*cursor
	if c.node == nil {
		return nil
	}
	switch {
	case c.shape.form == mapForm || c.shape.form == curveForm:
		for _, p := range c.node.pairs {
			out = append(out, &cursor{shape: c.shape.elemOr(), node: p.value, up: c, key: p.key})
		}
	case c.shape.form == listForm:
		for i, item := range c.node.items {
			e := &cursor{shape: c.shape.elem, node: item, up: c, key: keyOf(c.shape, c.node, i)}
			if e.shape.form == verbForm {
				verb, body := verbOf(item)
				e.node = body
				if e.shape = g.body(c.shape.elem, verb); e.shape == nil {
					continue
				}
			}
			out = append(out, e)
		}
	}
	return out
}

// elemOr is the shape of an entry; points of a curve are plain values.
func (s *shape) elemOr() *shape {
	if s.elem != nil {
		return s.elem
	}
	return &shape{form: leafForm, typ: reflect.TypeFor[boundText]()}
}

// split cuts a path into segments. What follows the set of a timeline entry, of a stage of its
// control or of a variant is one segment: it is itself a path.
func split(path string) []string {
	segments := strings.Split(path, ".")
	for i, s := range segments {
		inStage := i == 5 && segments[0] == "timeline" && segments[2] == "control"
		inEntry := i == 2 && (segments[0] == "timeline" || segments[0] == "variants")
		if s == "set" && (inEntry || inStage) && i+1 < len(segments) {
			return append(segments[:i+1:i+1], strings.Join(segments[i+1:], "."))
		}
	}
	return segments
}

// find follows a path. With a wildcard it returns all places whose parent exists; an error says
// why there are none. The last segment may name an entry that is not there yet.
func (t *tree) find(path string) ([]*cursor, *pathError) {
	segments := split(path)
	if last := segments[len(segments)-1]; strings.Contains(last, "*") &&
		segments[max(0, len(segments)-2)] != "set" {
		return nil, &pathError{text: "a path must not end in a segment with *",
			hint: "name the field that is meant"}
	}
	if strings.HasPrefix(path, "load.") && len(segments) > 1 {
		segments = append([]string{"clients", segments[1], "arrivals"}, segments[2:]...)
	}
	here, wild := []*cursor{t.root(segments[0])}, false
	for i, segment := range segments {
		wild = wild || strings.Contains(segment, "*")
		var next []*cursor
		var failed *pathError
		for _, c := range here {
			found, err := t.g.step(c, segment, i == len(segments)-1)
			next = append(next, found...)
			if failed == nil {
				failed = err
			}
		}
		if len(next) == 0 {
			if failed == nil || (wild && !failed.never) {
				failed = &pathError{text: "matches nothing", hint: hintOf(failed)}
			}
			return nil, failed
		}
		here = next
	}
	return here, nil
}

// pathError is why a path leads nowhere.
type pathError struct {
	text, hint string
	never      bool // it would lead nowhere whatever the entries are
}

func hintOf(e *pathError) string {
	if e == nil {
		return ""
	}
	return e.hint
}

// step goes one segment down from c. Below what is not there it goes on only through records that
// exist by default.
func (g *grammar) step(c *cursor, segment string, last bool) ([]*cursor, *pathError) {
	if c.node.absent() && c.shape.optional {
		return nil, &pathError{text: fmt.Sprintf("there is no %s", c.path())}
	}
	switch c.shape.form {
	case recordForm:
		if isRetry(c.shape) && c.node != nil && c.node.preset != nil {
			if s, ok := c.node.preset.setting(segment); ok {
				return g.stepSetting(c, s, last)
			}
			if option := g.stepBeside(c, segment); option != nil {
				return []*cursor{option}, nil
			}
		}
		f := c.shape.field(segment)
		if f == nil {
			return nil, g.noField(c, segment)
		}
		return []*cursor{{shape: f.shape, node: c.node.get(segment), up: c, key: segment,
			field: f}}, nil
	case mapForm, listForm, curveForm:
		return g.stepEntry(c, segment, last)
	case pathsForm:
		raw := &shape{form: leafForm, typ: reflect.TypeFor[settings]()}
		return []*cursor{{shape: raw, node: c.node.get(segment), up: c, key: segment}}, nil
	}
	return nil, &pathError{text: fmt.Sprintf("%s has no fields", c.path())}
}

func (g *grammar) noField(c *cursor, segment string) *pathError {
	if strings.Contains(segment, "*") {
		return &pathError{text: "* stands for names of entries, not for fields"}
	}
	if word := later(c.shape.typ, segment); word != "" {
		return &pathError{text: "not in this version: " + word, never: true}
	}
	known := c.shape.names()
	if isRetry(c.shape) && c.node != nil && c.node.preset != nil {
		known = slices.Concat(c.node.preset.words(), besidePreset, known)
	}
	return &pathError{text: fmt.Sprintf("unknown field %q%s", segment, of(c.shape)),
		hint: nearest(segment, known), never: true}
}

func (g *grammar) stepEntry(c *cursor, segment string, last bool) ([]*cursor, *pathError) {
	isEdge := c.shape.form == listForm && c.shape.elem.typ == reflect.TypeFor[model.Edge]()
	if isEdge && !strings.Contains(segment, "->") {
		segment = strings.Replace(segment, ":", "->", 1)
	}
	if c.shape.form == mapForm && !strings.Contains(segment, "*") {
		if n := c.node.get(segment); n != nil {
			return []*cursor{{shape: c.shape.elemOr(), node: n, up: c, key: segment}}, nil
		}
	}
	var found []*cursor
	var keys []string
	for i, e := range g.children(c) {
		keys = append(keys, e.key)
		if matches(segment, e.key) || (c.shape.elemOr().form == verbForm &&
			segment == strconv.Itoa(i)) {
			found = append(found, e)
		}
	}
	if len(found) > 0 || strings.Contains(segment, "*") {
		return found, nil
	}
	if last {
		s := c.shape.elemOr()
		if s.form == verbForm {
			s = g.body(c.shape.elem, segment)
		}
		if s != nil {
			return []*cursor{{shape: s, up: c, key: segment}}, nil
		}
		return nil, g.noPolicy(c, segment)
	}
	return nil, &pathError{text: fmt.Sprintf("there is no %q in %s", segment, c.path()),
		hint: nearest(segment, keys)}
}

func (g *grammar) noPolicy(c *cursor, segment string) *pathError {
	s := c.shape.elem
	if s.typ == reflect.TypeFor[model.Step]() {
		return &pathError{text: fmt.Sprintf("there is no step %q in %s", segment, c.path()),
			hint: nearest(segment, s.names()[1:])}
	}
	return &pathError{text: fmt.Sprintf("unknown policy %q", segment),
		hint: g.policyHint(segment, s.callee)}
}

// write puts n at the cursor's place, or takes away what stands there when n is nil. It makes the
// records on the way that exist by default. The same cursor can be written to once.
func (c *cursor) write(n *node) {
	parent := c.up.ensure()
	switch {
	case c.field != nil && n == nil:
		parent.put(c.key, &node{}) // null, so that no default takes its place
	case c.field != nil || c.up.shape.form != listForm:
		if n == nil {
			parent.drop(c.key)
			return
		}
		parent.put(c.key, n)
	default:
		c.writeItem(parent, n)
	}
}

// writeItem writes an entry of a list.
func (c *cursor) writeItem(list, n *node) {
	elem := c.up.shape.elem
	for i, item := range list.items {
		if keyOf(c.up.shape, list, i) != c.key && !(elem.form == verbForm &&
			c.key == strconv.Itoa(i)) {
			continue
		}
		switch {
		case n == nil:
			list.items = append(list.items[:i:i], list.items[i+1:]...)
		case elem.form == verbForm:
			verb, _ := verbOf(item)
			if n.kind == mapNode && c.key != verb && c.key != strconv.Itoa(i) &&
				n.get("name") == nil && item.get("name") == nil {
				n.put("name", scalar(c.key, n.at))
			}
			item.put(verb, n)
		default:
			list.items[i] = keyed(c, n)
		}
		return
	}
	switch {
	case n == nil:
	case elem.form == verbForm:
		list.items = append(list.items, wrap(c.key, n))
	default:
		list.items = append(list.items, keyed(c, n))
	}
}

// keyed writes into an entry what its key says.
func keyed(c *cursor, n *node) *node {
	if n.kind != mapNode {
		return n
	}
	if c.up.shape.elem.typ == reflect.TypeFor[model.Edge]() {
		from, to, isPair := strings.Cut(c.key, "->")
		if isPair && n.get("from") == nil && n.get("to") == nil {
			n.put("from", scalar(from, n.at))
			n.put("to", scalar(to, n.at))
		}
		if isPair {
			return n
		}
	}
	if c.up.shape.elem.field("name") != nil && n.get("name") == nil {
		n.pairs = append([]pair{{"name", n.at, scalar(c.key, n.at)}}, n.pairs...)
	}
	return n
}

// ensure returns the node at c and makes it when it is absent.
func (c *cursor) ensure() *node {
	if !c.node.absent() {
		return c.node
	}
	n := newMap(place{})
	if c.shape.form == listForm {
		n.kind = listNode
	}
	if c.up != nil {
		c.write(n)
	}
	c.node = n
	return n
}

// claim notes that somebody meant this very place: an edge made for a call is then the user's.
func (c *cursor) claim() {
	for ; c != nil; c = c.up {
		if c.node != nil {
			c.node.made = false
		}
	}
}
