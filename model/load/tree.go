package load

import "strings"

// tree is a document in the long form, on the way to be decoded.
type tree struct {
	g        *grammar
	topology *node
	scenario *node
	removed  map[string]string // timeline entries that overrides took away, and which did
	stairs   *stairs           // that the run goes through; nil: none
	own      int               // entries of the timeline that are not theirs
}

// clone is a copy that can be changed.
func (t *tree) clone() *tree {
	return &tree{g: t.g, topology: t.topology.clone(), scenario: t.scenario.clone()}
}

// root is where a path begins: the topology or the scenario. They share no section but doc, which
// is the scenario's.
func (t *tree) root(segment string) *cursor {
	if t.g.topology.field(segment) != nil && segment != "doc" {
		return &cursor{shape: t.g.topology, node: t.topology}
	}
	return &cursor{shape: t.g.scenario, node: t.scenario}
}

// locate is the place of the deepest thing that a path leads to.
func (t *tree) locate(path string) place {
	segments := split(strings.ReplaceAll(path, "*", "?"))
	c := t.root(segments[0])
	at := c.node.at
	for _, segment := range segments {
		found, err := t.g.step(c, segment, false)
		if err != nil || len(found) == 0 || found[0].node.absent() {
			break
		}
		c = found[0]
		at = c.node.at
		if f := c.field; f != nil {
			at = keyPlace(c)
		}
	}
	return at
}

// keyPlace is the place of a field's value, or of its key when the value has none.
func keyPlace(c *cursor) place {
	if c.node.at.line > 0 || c.node.at.by != "" {
		return c.node.at
	}
	for _, p := range c.up.node.pairs {
		if p.key == c.key {
			return p.at
		}
	}
	return c.node.at
}
