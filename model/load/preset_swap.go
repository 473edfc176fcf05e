package load

import (
	"slices"
	"strings"
)

// represet follows what was written or removed by a path beside or instead of a preset.
func (g *grammar) represet(r *report, retry *cursor, key string) {
	n := retry.node
	switch {
	case key == "preset":
		g.swapPreset(r, retry)
	case key == "also":
		g.takeAlso(n)
	case n.preset != nil && slices.Contains(besidePreset, key) && n.get("stack") != nil:
		for _, p := range n.pairs {
			if p.key == key && g.takeBeside(n, p) || p.key == key && p.value.absent() {
				n.drop(key)
				return
			}
		}
	}
}

// swapPreset writes out a preset that was written to a retry by a path. The stack and the
// conditions of what stood there before go, and so does a scope that a preset brought. What was
// written beside another preset stays as far as the new one knows it; a warning names the rest.
func (g *grammar) swapPreset(r *report, retry *cursor) {
	n := retry.node
	was, at := *n, n.get("preset").at
	old, now := n.preset, g.preset(n.word("preset"))
	was.pairs = slices.Clone(n.pairs)
	n.preset, n.beside = nil, nil
	n.drop("stack")
	n.drop("retry_on")
	if scope := n.get("scope"); scope != nil && scope.made {
		n.drop("scope")
	}
	g.expand(retry.shape, n)
	if old == nil || now == nil || n.preset != now || was.get("stack").absent() {
		return
	}
	s := &swap{g: g, n: n, was: &was, old: old, now: now}
	s.retryOn()
	for _, option := range was.beside {
		if !g.takeBeside(n, option) {
			s.lose(option.key)
		}
	}
	for _, item := range was.get("stack").items {
		s.entry(item)
	}
	s.also(at)
	for _, name := range s.lost {
		if !slices.Contains(s.kept, name) {
			r.add(problem{path: join(retry.path(), name), at: at, warn: true,
				hint: "what is written beside a preset stays where the next one has it too"},
				"was written beside preset %s; %s does not know it, and it is left out",
				old.full(), now.full())
		}
	}
}

// swap is one preset in place of another.
type swap struct {
	g          *grammar
	n, was     *node
	old, now   *preset
	kept, lost []string
}

func (s *swap) lose(name string) { s.lost = append(s.lost, name) }

// retryOn keeps the format's own conditions where the new preset has some.
func (s *swap) retryOn() {
	on := s.was.get("retry_on")
	switch {
	case on.absent() || on.made:
	case s.now.retryOn == nil:
		s.lose("retry_on")
	default:
		s.n.put("retry_on", on)
	}
}

// entry keeps what was written into an entry of the old stack.
func (s *swap) entry(item *node) {
	verb, body := verbOf(item)
	if item.added || body == nil || body.kind != mapNode {
		return
	}
	key := entryKey(item)
	for _, p := range body.pairs {
		if p.value.made || p.value.absent() || slices.ContainsFunc(s.was.beside, func(b pair) bool {
			return b.key == p.key
		}) {
			continue
		}
		path := key + "." + p.key
		word, next := s.old.wordOf(path), s.now.wordOf(path)
		name := word
		if word == "" {
			name = "stack." + path
		}
		newVerb, newBody := entryOf(s.n.get("stack"), key)
		switch {
		case newVerb != verb || word != "" && next == "":
			s.lose(name)
		case next != "":
			s.g.takeSetting(s.now, s.n.get("stack"), pair{next, p.at, p.value})
			s.kept = append(s.kept, name)
		default:
			newBody.put(p.key, p.value)
		}
	}
}

// also keeps the policies that stood beside the old preset.
func (s *swap) also(at place) {
	list := &node{kind: listNode, at: at}
	for _, item := range s.was.get("stack").items {
		if item.added {
			list.items = append(list.items, item)
		}
	}
	if len(list.items) > 0 {
		s.n.put("also", list)
		s.g.takeAlso(s.n)
	}
}

// wordOf is the product's word for a path in the stack; empty: it has none.
func (p *preset) wordOf(path string) string {
	for _, s := range p.settings {
		if slices.Contains(s.paths, path) {
			return s.word
		}
	}
	return ""
}

// bring gives a field what the preset says of it, unless it is written.
func (n *node) bring(key string, value *node, at place) {
	if value == nil || !n.get(key).absent() {
		return
	}
	n.drop(key)
	n.put(key, value.brought(at))
}

// stepSetting follows a product's word from a retry to its places in the stack.
func (g *grammar) stepSetting(retry *cursor, s presetSetting, last bool) ([]*cursor, *pathError) {
	var out []*cursor
	for _, path := range s.paths {
		at, field, _ := strings.Cut(path, ".")
		here := retry
		for _, segment := range []string{"stack", at} {
			found, err := g.step(here, segment, false)
			if err != nil {
				return nil, err
			}
			here = found[0]
		}
		found, err := g.step(here, field, last)
		if err != nil {
			return nil, err
		}
		_, body := entryOf(retry.node.preset.stack, at)
		found[0].original = body.get(field).brought(retry.node.at)
		out = append(out, found...)
	}
	return out, nil
}
