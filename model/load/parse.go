package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Bounds of a document. They are far above what people write and far below what hurts.
const (
	maxBytes = 4 << 20
	maxDepth = 64
	maxNodes = 200_000 // after aliases are written out
)

// parser turns YAML into nodes.
type parser struct {
	*report
	file    string
	nodes   int
	full    bool // maxNodes was reached and reported
	aliases []*yaml.Node
}

// parse reads one document. It returns nil when it is not YAML at all.
func parse(r *report, file string, data []byte) *node {
	p := &parser{report: r, file: file}
	if len(data) > maxBytes {
		p.add(problem{at: place{file: file}}, "the file has %d bytes, more than %d are not read",
			len(data), maxBytes)
		return nil
	}
	if at, wrong := notText(data); wrong != "" {
		at.file = file
		p.add(problem{at: at, hint: "scenarios are texts in UTF-8"}, "not YAML: %s", wrong)
		return nil
	}
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		p.syntax(err)
		return nil
	}
	var doc, second yaml.Node
	if err := loader.Load(&doc); err != nil {
		if errors.Is(err, io.EOF) {
			p.add(problem{at: place{file: file, line: 1, col: 1}}, "the file is empty")
			return nil
		}
		p.syntax(err)
		return nil
	}
	if err := loader.Load(&second); err == nil {
		p.add(problem{at: p.place(&second), hint: "remove the --- or make two files"},
			"a second document in one file")
	} else if !errors.Is(err, io.EOF) {
		p.syntax(err)
	}
	root := p.convert(&doc, 0)
	if p.full {
		return nil // what is missing would be reported as missing
	}
	return root
}

// notText finds the first byte that no text has, for a place that the YAML library does not give.
// Texts in UTF-16 begin with a mark of their own and are left to the library.
func notText(data []byte) (at place, wrong string) {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return at, ""
	}
	at.line, at.col = 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return at, fmt.Sprintf("the byte 0x%02x is no UTF-8", data[i])
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r == 0x7f:
			return at, fmt.Sprintf("a control character, 0x%02x", r)
		}
		i += size
		if at.col++; r == '\n' {
			at.line, at.col = at.line+1, 1
		}
	}
	return at, ""
}

// syntax reports what the YAML library says, in our words where they say more.
func (p *parser) syntax(err error) {
	var one *yaml.LoadError
	if !errors.As(err, &one) {
		p.add(problem{at: place{file: p.file}}, "not YAML: %v", err)
		return
	}
	at := place{file: p.file, line: one.Mark.Line, col: one.Mark.Column}
	switch {
	case strings.Contains(one.Message, "cannot start any token"):
		p.add(problem{at: at, hint: "YAML indents with blanks; a text that begins with @, ` or % " +
			"needs quotes"}, "a tab or a character that cannot begin a value")
	case strings.Contains(one.Message, "unknown anchor"):
		p.add(problem{at: at, hint: "a text that begins with * needs quotes"}, "%s", one.Message)
	default:
		p.add(problem{at: at}, "not YAML: %s", one.Message)
	}
}

func (p *parser) place(y *yaml.Node) place {
	return place{file: p.file, line: y.Line, col: y.Column}
}

// convert copies y and all below it, writing aliases out.
func (p *parser) convert(y *yaml.Node, depth int) *node {
	at := p.place(y)
	if p.nodes++; p.nodes > maxNodes || depth > maxDepth {
		if !p.full {
			p.full = true
			p.add(problem{at: at}, "too much: at most %d values, %d levels deep, are read",
				maxNodes, maxDepth)
		}
		return &node{at: at}
	}
	switch y.Kind {
	case yaml.DocumentNode:
		if len(y.Content) == 0 {
			return &node{at: at}
		}
		return p.convert(y.Content[0], depth)
	case yaml.AliasNode:
		return p.alias(y, depth)
	case yaml.SequenceNode:
		n := &node{kind: listNode, at: at}
		for _, c := range y.Content {
			n.items = append(n.items, p.convert(c, depth+1))
		}
		return n
	case yaml.MappingNode:
		return p.mapping(y, depth)
	}
	return p.scalar(y)
}

func (p *parser) alias(y *yaml.Node, depth int) *node {
	for _, open := range p.aliases {
		if open == y.Alias {
			p.add(problem{at: p.place(y)}, "alias *%s contains itself", y.Value)
			return &node{at: p.place(y)}
		}
	}
	p.aliases = append(p.aliases, y.Alias)
	n := p.convert(y.Alias, depth+1)
	p.aliases = p.aliases[:len(p.aliases)-1]
	return n
}

func (p *parser) scalar(y *yaml.Node) *node {
	quoted := y.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|
		yaml.LiteralStyle|yaml.FoldedStyle) != 0
	n := &node{kind: scalarNode, text: y.Value, quoted: quoted, at: p.place(y)}
	if !quoted && (y.Value == "" || y.Value == "null" || y.Value == "~") {
		n.kind = nullNode
	}
	return n
}

func (p *parser) mapping(y *yaml.Node, depth int) *node {
	n := newMap(p.place(y))
	seen := map[string]place{}
	var merged []*node
	for i := 0; i+1 < len(y.Content); i += 2 {
		k, at := y.Content[i], p.place(y.Content[i])
		if k.Kind == yaml.AliasNode {
			k = k.Alias
		}
		if strings.HasPrefix(k.Value, "x-") {
			continue // free, for anchors; what aliases take from it is read where they stand
		}
		v := p.convert(y.Content[i+1], depth+1)
		if k.Kind != yaml.ScalarNode {
			p.add(problem{at: at}, "a key must be a word")
			continue
		}
		if k.Value == "<<" && k.Style == 0 {
			merged = append(merged, v)
			continue
		}
		if first, twice := seen[k.Value]; twice {
			p.add(problem{at: at}, "key %q twice in one map, first in line %d", k.Value, first.line)
			continue
		}
		seen[k.Value] = at
		n.pairs = append(n.pairs, pair{k.Value, at, v})
	}
	for _, m := range merged {
		p.merge(n, m)
	}
	return n
}

// merge adds what "<<: *anchor" brings and n lacks.
func (p *parser) merge(n, from *node) {
	switch from.kind {
	case mapNode:
		for _, kv := range from.pairs {
			if n.get(kv.key) == nil {
				n.pairs = append(n.pairs, kv)
			}
		}
	case listNode:
		for _, item := range from.items {
			p.merge(n, item)
		}
	default:
		p.add(problem{at: from.at}, "<< merges maps, not %s", from.kind)
	}
}

// parseText reads a value given on a command line; it has no place in a file.
func parseText(text string) (*node, error) {
	var r report
	n := parse(&r, "", []byte(text))
	if len(r.problems) > 0 {
		return nil, fmt.Errorf("%s", r.problems[0].Text)
	}
	n.unplace()
	return n, nil
}

// unplace forgets lines and columns.
func (n *node) unplace() {
	n.at = place{}
	for i := range n.pairs {
		n.pairs[i].at = place{}
		n.pairs[i].value.unplace()
	}
	for _, item := range n.items {
		item.unplace()
	}
}
