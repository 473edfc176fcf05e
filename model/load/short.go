package load

import (
	"reflect"
	"strings"

	"cascadesim/model"
	"cascadesim/sim/unit"
)

// tooShort reports a single value where a map is expected, and how to write what was meant. A value
// that has a short form was expanded before; what is left is a guess at one that there is not.
func (d *decoder) tooShort(s *shape, n *node, path string) {
	if s.typ == reflect.TypeFor[model.Arrivals]() {
		d.add(problem{path: path, at: n.at, hint: meantRate(n.text)}, "expected arrivals such as "+
			"200/s, constant 280/s or burst 10k, not %s", show(n))
		return
	}
	d.add(problem{path: path, at: n.at, hint: d.g.longer(s, n)}, "expected a map, not %s", show(n))
}

// longer is a hint with the map that a single value probably stands for.
func (g *grammar) longer(s *shape, n *node) string {
	switch s.typ {
	case reflect.TypeFor[model.Timeout]():
		return "say which: {try: " + n.text + "} or {overall: " + n.text + "}"
	case reflect.TypeFor[model.Priority]():
		return "say of what: {call: " + n.text + "} or {retry: " + n.text + "}"
	case reflect.TypeFor[model.Line]():
		if _, err := unit.ParseCount(n.text); err == nil {
			return "write {limit: " + n.text + "}"
		}
	case reflect.TypeFor[model.Retry]():
		if g.preset(n.text) != nil {
			return "write {preset: " + n.text + "}"
		}
		return "write {stack: [{max_attempts: {attempts: 3}}]}"
	}
	if k, ok := g.policies.Lookup(s.verb); ok && s.verb != "" && k.Example != "" {
		return "write " + s.verb + ": " + k.Example
	}
	return ""
}

// meantRate is a hint with the rate that a text such as 10 rps stands for.
func meantRate(text string) string {
	joined := strings.Join(strings.Fields(text), "")
	rate, err := unit.ParseRate(joined)
	if err == nil && rate > 0 {
		return "did you mean " + joined + "?"
	}
	if err == nil {
		return ""
	}
	if _, meant, ok := strings.Cut(err.Error(), "did you mean "); ok {
		return "did you mean " + meant
	}
	return ""
}
