package load

import (
	"fmt"
	"reflect"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// settings turns PATH: value of a set entry into settings of concrete places, in the order of the
// file and, where a path has wildcards, of the document.
func (b *builder) settings(set settings, path string, start sim.Time) []model.Setting {
	var out []model.Setting
	for _, p := range set {
		at := join(path, p.key)
		places, err := b.tree.find(p.key)
		if err != nil {
			b.add(problem{path: at, at: p.at, hint: err.hint}, "%s", err.text)
			continue
		}
		for _, c := range places {
			if hint, ok := c.live(); !ok {
				b.add(problem{path: at, at: p.at, hint: hint},
					"%s cannot change during a run", c.path())
				break
			}
			if hint := c.shadowed(); hint != "" {
				b.add(problem{path: at, at: p.at, hint: hint},
					"%s: each replica has its own, so nothing would change", c.path())
				break
			}
			s, ok := b.setting(c, p.value, at, start)
			if !ok {
				break
			}
			s.Path = c.path()
			out = append(out, s)
		}
	}
	return out
}

// live reports whether the place is a field that may change during a run and that is there; if
// not, the hint names those beside it.
func (c *cursor) live() (hint string, ok bool) {
	if c.missing() != "" {
		return "there is no " + c.missing(), false
	}
	if c.field != nil && c.field.live {
		return "", true
	}
	var names []string
	for up := c.up; up != nil && len(names) == 0; up = up.up {
		names = up.shape.liveNames()
	}
	if len(names) == 0 {
		return "", false
	}
	return "these can: " + strings.Join(names, ", "), false
}

func (s *shape) liveNames() []string {
	var names []string
	for _, f := range s.fields {
		if f.live {
			names = append(names, f.name)
		}
	}
	return names
}

// setting reads one value in the kind of the field that it is for.
func (b *builder) setting(c *cursor, n *node, path string, start sim.Time) (model.Setting, bool) {
	var s model.Setting
	var err error
	switch {
	case c.shape.typ == reflect.TypeFor[model.Map[model.Weight]]():
		s.Value.Weights, err = b.weights(c, n)
	case n.kind == mapNode && (n.get("steps") != nil || n.get("ramp") != nil):
		return b.curveSetting(c, n, path, start)
	case c.shape.typ == reflect.TypeFor[sim.Dist]():
		s, err = b.distSetting(n)
	case n.kind != scalarNode:
		err = fmt.Errorf("expected a value, {steps: …} or {ramp: …}, not %s", n.kind)
	default:
		s, err = numberSetting(c, n.text)
	}
	if err != nil {
		b.add(problem{path: path, at: n.at}, "%v", err)
		return s, false
	}
	return s, true
}

// numberSetting reads 5, 1.5x, +3s or -10.
func numberSetting(c *cursor, text string) (model.Setting, error) {
	change, err := unit.ParseChange(text)
	if err != nil {
		return model.Setting{}, err
	}
	if c.shape.typ == reflect.TypeFor[model.Replicas]() && !c.node.absent() &&
		c.node.kind != scalarNode {
		return model.Setting{}, fmt.Errorf("the replicas have names: pause takes them out, and " +
			"weight moves traffic")
	}
	if change.Op == unit.Multiply {
		return model.Setting{Op: model.Multiply, Value: number(float64(change.By))}, nil
	}
	x, err := liveNumber(c, change.Text)
	switch {
	case err != nil:
		return model.Setting{}, err
	case change.Op == unit.Replace:
		return model.Setting{Value: number(x)}, nil
	case x < 0:
		return model.Setting{}, fmt.Errorf("%s: no limit is no number to add", text)
	case change.Op == unit.Subtract:
		x = -x
	}
	return model.Setting{Op: model.Add, Value: number(x)}, nil
}

func number(x float64) model.Value { return model.Value{Number: x} }

// liveNumber reads a value in the field's own unit as a number: per second, ns (-1: none), counts
// (-1: unlimited), shares and weights.
func liveNumber(c *cursor, text string) (float64, error) {
	typ := c.shape.typ
	if typ == reflect.TypeFor[model.Replicas]() {
		n, err := unit.ParseCount(text)
		if n == unit.Unlimited {
			err = fmt.Errorf("a tier needs a number of replicas")
		}
		return float64(n), err
	}
	x, err := parseLeaf(c.field, typ, &node{kind: scalarNode, text: text})
	if err != nil {
		return 0, err
	}
	switch x := x.(type) {
	case sim.Time:
		if x == sim.Never {
			return -1, nil
		}
		return float64(x), nil
	case int:
		return float64(x), nil
	case float64:
		return x, nil
	case unit.Rate:
		return float64(x), nil
	case unit.Share:
		return float64(x), nil
	case unit.Factor:
		return float64(x), nil
	}
	return 0, fmt.Errorf("load: a live field of type %v", typ)
}

// distSetting reads a distribution, or 1.5x or +3s of the one in force.
func (b *builder) distSetting(n *node) (model.Setting, error) {
	if n.kind == scalarNode {
		if f, ok := factor(n.text); ok {
			return model.Setting{Op: model.Multiply, Value: number(float64(f))}, nil
		}
		if n.text != "" && (n.text[0] == '+' || n.text[0] == '-') {
			t, err := unit.ParseDuration(n.text[1:])
			if err == nil && t > sim.MaxTime {
				err = fmt.Errorf("%q is longer than the clock", n.text)
			}
			if n.text[0] == '-' {
				t = -t
			}
			return model.Setting{Op: model.Add, Value: number(float64(t))}, err
		}
	}
	x, _, err := b.g.readDist(expandDist(n.clone()), false)
	return model.Setting{Value: model.Value{Dist: &x}}, err
}

// weights reads new weights of a route: of all its targets and no others.
func (b *builder) weights(c *cursor, n *node) (model.Map[model.Weight], error) {
	if n.kind != mapNode {
		return nil, fmt.Errorf("expected {TARGET: share, …}, not %s", show(n))
	}
	var out model.Map[model.Weight]
	for _, p := range n.pairs {
		if c.node.get(p.key) == nil {
			return nil, fmt.Errorf("%s has no target %q; list it in the topology, with 0%%",
				c.up.path(), p.key)
		}
		w, err := parseWeight(p.value.text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.key, err)
		}
		out = append(out, model.Entry[model.Weight]{Name: p.key, Value: w})
	}
	if len(out) != len(c.node.pairs) {
		return nil, fmt.Errorf("give the share of every target of %s: %s", c.up.path(),
			strings.Join(keys(c.node), ", "))
	}
	return out, nil
}

// curveSetting reads {steps: curve} or {ramp: curve}, whose times count from the entry's start.
func (b *builder) curveSetting(c *cursor, n *node, path string, start sim.Time,
) (model.Setting, bool) {
	var s model.Setting
	curve := n.get("steps")
	if curve == nil {
		curve, s.Ramp = n.get("ramp"), true
	}
	if len(n.pairs) != 1 || curve.kind != mapNode {
		b.add(problem{path: path, at: n.at}, "expected {steps: {TIME: value, …}} or {ramp: …}")
		return s, false
	}
	if c.shape.form != leafForm {
		b.add(problem{path: path, at: n.at}, "%s has no single number that a curve could give",
			c.path())
		return s, false
	}
	s.Curve = b.curvePoints(curve, path, curveRules{start: start,
		read: func(text string) (float64, error) { return liveNumber(c, text) }})
	return s, s.Curve != nil
}
