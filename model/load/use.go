package load

import (
	"reflect"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/model/internal/words"
	"cascadesim/policies"
)

// ofAdmission are the options of an entry that those of a tier's admission have too.
var ofAdmission = []string{"name", "key", "charges"}

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
		if d.outside(s, n, path) {
			return
		}
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
	d.body = body
	d.record(body, p.value, path, reflect.ValueOf(use.Settings).Elem())
	d.body = nil
	d.quotas(body, k, p.value, path, use)
	for _, f := range d.g.use {
		if f.name == "by_client" {
			continue
		}
		if k.Callee && !slices.Contains(ofAdmission, f.name) && p.value.get(f.name) != nil {
			d.add(problem{path: join(path, f.name), at: p.value.get(f.name).at},
				"%s is for the stacks of edges; admission is kept for each replica", f.name)
			continue
		}
		d.fieldValue(f, p.value, path, reflect.ValueOf(use).Elem().Field(f.index))
	}
	if use.Name != "" && !nameRule.MatchString(use.Name) {
		d.add(problem{path: join(path, "name"), at: p.value.get("name").at, hint: "names are a-z 0-9 " +
			"_ and -, and begin with a letter or digit"}, "%q cannot be the name of an entry", use.Name)
	}
	if len(d.problems) > wrong {
		return
	}
	for _, err := range k.Check(use.Settings) {
		d.settingError(err, p.value, path)
	}
}

// outside reports options of an entry that stand beside its policy and not within it.
func (d *decoder) outside(s *shape, n *node, path string) bool {
	policy, options := "", []string{}
	for _, p := range n.pairs {
		isOption := slices.ContainsFunc(d.g.use, func(f *field) bool {
			return f.name == p.key
		})
		switch {
		case isOption:
			options = append(options, p.key)
		case policy != "" || d.g.body(s, p.key) == nil:
			return false
		default:
			policy = p.key
		}
	}
	if policy == "" || len(options) == 0 {
		return false
	}
	inside := policy + ": {" + options[0] + ": " + n.word(options[0]) + ", …}"
	d.add(problem{path: path, at: n.at, hint: "write {" + inside + "}"},
		"%s of a policy goes inside its braces", words.And(options))
	return true
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
	case p.key == "name":
		d.add(problem{path: path, at: p.at, hint: "write POLICY: {name: " + p.value.text + "}"},
			"the entry names no policy")
		return
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
