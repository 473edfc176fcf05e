package load

import "slices"

// kind is what a node is.
type kind uint8

const (
	nullNode kind = iota
	scalarNode
	listNode
	mapNode
)

// String is the kind as messages call it.
func (k kind) String() string {
	return [...]string{"nothing", "a single value", "a list", "a map"}[k]
}

// place is where a node was written. An override from the command line has no file, only by.
type place struct {
	file      string
	line, col int
	by        string // the override that wrote it; empty: the file itself
}

// node is a value of the document that remembers its place. Unlike a YAML node it holds no
// aliases, no comments and no duplicate keys.
type node struct {
	kind   kind
	text   string // of a scalar, as written
	quoted bool   // of a scalar: it stood in quotes
	pairs  []pair // of a map, in order
	items  []*node
	at     place
	// made: an edge that exists only by a call, while nobody wrote to it; what a preset brought.
	made   bool
	preset *preset // of a retry: where its stack comes from
	beside []pair  // of a retry: the options of entries that were written beside its preset
	added  bool    // an entry of a stack that also brought
	// measured: a check that is read and not judged, an experiment's objective.
	measured bool
}

// pair is one key of a map.
type pair struct {
	key   string
	at    place
	value *node
}

func newMap(at place) *node              { return &node{kind: mapNode, at: at} }
func scalar(text string, at place) *node { return &node{kind: scalarNode, text: text, at: at} }

// get returns the value of a key, or nil.
func (n *node) get(key string) *node {
	if n == nil {
		return nil
	}
	for i := range n.pairs {
		if n.pairs[i].key == key {
			return n.pairs[i].value
		}
	}
	return nil
}

// word is the text of a scalar child, or nothing.
func (n *node) word(key string) string {
	if v := n.get(key); v != nil && v.kind == scalarNode {
		return v.text
	}
	return ""
}

// placeOf is where a child stands, or n itself when it has no such child.
func (n *node) placeOf(key string) place {
	if v := n.get(key); v != nil {
		return v.at
	}
	return n.at
}

// put replaces the value of a key in its place, or adds it at the end.
func (n *node) put(key string, v *node) {
	for i := range n.pairs {
		if n.pairs[i].key == key {
			n.pairs[i].value, n.pairs[i].at = v, v.at
			return
		}
	}
	n.pairs = append(n.pairs, pair{key, v.at, v})
}

// drop removes a key.
func (n *node) drop(key string) {
	n.pairs = slices.DeleteFunc(n.pairs, func(p pair) bool { return p.key == key })
}

// absent reports whether n says nothing: a missing or null value.
func (n *node) absent() bool { return n == nil || n.kind == nullNode }

// clone is a deep copy.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	c := *n
	c.pairs, c.beside = slices.Clone(n.pairs), slices.Clone(n.beside)
	for i := range c.pairs {
		c.pairs[i].value = c.pairs[i].value.clone()
	}
	c.items = make([]*node, len(n.items))
	for i := range n.items {
		c.items[i] = n.items[i].clone()
	}
	return &c
}

// mark writes the override's name on a node and all below it.
func (n *node) mark(by string) {
	n.at.by = by
	for i := range n.pairs {
		n.pairs[i].at.by = by
		n.pairs[i].value.mark(by)
	}
	for _, item := range n.items {
		item.mark(by)
	}
}
