package load

import (
	"reflect"
	"strings"

	"cascadesim/model"
)

// shadowed is a hint where to write instead when c is a field of a tier that each of its replicas
// has of its own.
func (c *cursor) shadowed() string {
	top, rest := c, c.key
	for top.up != nil && top.up.shape.typ != reflect.TypeFor[model.Tier]() {
		top = top.up
		rest = join(top.key, rest)
	}
	if top.up == nil {
		return ""
	}
	replicas := top.up.node.get("replicas")
	if replicas.absent() || len(replicas.pairs) == 0 {
		return ""
	}
	for _, r := range replicas.pairs {
		if r.value.get(top.key).absent() {
			return ""
		}
	}
	return "write " + top.up.path() + ".replicas." + replicas.pairs[0].key + "." + rest
}

// warnShadowed warns of an override that writes what no replica reads. Whether that is so is known
// only when all overrides are written, since another may take the replicas' own away.
func (t *tree) warnShadowed(r *report, a *assignment) {
	for _, path := range a.paths {
		if !strings.HasPrefix(path, "tiers.") || strings.Contains(path, "*") {
			continue
		}
		places, err := t.find(path)
		if err != nil || len(places) != 1 {
			continue
		}
		if hint := places[0].shadowed(); hint != "" {
			r.add(problem{path: path, at: a.at, hint: hint, warn: true},
				"each replica has its own, so nothing changes")
		}
	}
}
