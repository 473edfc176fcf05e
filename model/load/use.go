package load

import (
	"reflect"
	"strings"

	"cascadesim/model"
	"cascadesim/policies"
)

// use decodes {POLICY: settings}.
func (d *decoder) use(s *shape, n *node, path string, use *model.PolicyUse) {
	if body := d.g.body(s, n.text); n.kind == scalarNode && body != nil {
		d.tooShort(body, n, path) // a policy's name alone
		return
	}
	if !d.expect(mapNode, n, path) {
		return
	}
	if len(n.pairs) != 1 {
		d.add(problem{path: path, at: n.at, hint: "write one entry for each, with a dash before it"},
			"an entry names one policy, this one has %d keys", len(n.pairs))
		return
	}
	p := n.pairs[0]
	body := d.g.body(s, p.key)
	if body == nil {
		d.unknownPolicy(s, p, path)
		return
	}
	k, _ := d.g.policies.Lookup(p.key)
	use.Policy, use.Settings = k.Name, k.Settings()
	wrong := len(d.problems)
	d.record(body, p.value, path, reflect.ValueOf(use.Settings).Elem())
	for _, f := range d.g.useFields() {
		if k.Callee && f.name != "name" && f.name != "key" && p.value.get(f.name) != nil {
			d.add(problem{path: join(path, f.name), at: p.value.get(f.name).at},
				"%s is for the stacks of edges; admission is kept for each replica", f.name)
			continue
		}
		d.fieldValue(f, p.value, path, reflect.ValueOf(use).Elem().Field(f.index))
	}
	if len(d.problems) > wrong {
		return
	}
	for _, err := range k.Check(use.Settings) {
		d.settingError(err, p.value, path)
	}
}

// settingError places what a policy's own check says: its first word is the setting.
func (d *decoder) settingError(err error, n *node, path string) {
	name, text, ok := strings.Cut(err.Error(), ": ")
	at := n.at
	if child := n.get(name); ok && child != nil {
		at = child.at
	}
	if !ok || strings.Contains(name, " ") {
		d.add(problem{path: path, at: at}, "%s", err)
		return
	}
	d.add(problem{path: join(path, name), at: at}, "%s", text)
}

func (d *decoder) unknownPolicy(s *shape, p pair, path string) {
	k, known := d.g.policies.Lookup(p.key)
	switch {
	case known && k.Callee:
		d.add(problem{path: path, at: p.at, hint: "it goes under admission of the called tier"},
			"%s is an admission policy of a tier", p.key)
		return
	case known:
		d.add(problem{path: path, at: p.at, hint: "it goes into the retry stack of an edge"},
			"%s is a policy of a caller", p.key)
		return
	}
	d.add(problem{path: path, at: p.at, hint: d.g.policyHint(p.key, s.callee)},
		"unknown policy %q", p.key)
}

// policyNames are the policies of one side.
func policyNames(r *policies.Registry, callee bool) []string {
	var names []string
	for _, k := range r.Kinds() {
		if k.Callee == callee {
			names = append(names, k.Name)
		}
	}
	return names
}
