package load

import (
	"fmt"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// curveRules are how a curve's times and values are read.
type curveRules struct {
	start sim.Time // durations count from here; times of the day do not
	read  func(text string) (float64, error)
}

// curve decodes a profile: time: factor, where 80% and 0.8 are the same.
func (d *decoder) curve(n *node, path string) model.Curve {
	if !d.expect(mapNode, n, path) {
		return nil
	}
	return d.curvePoints(n, path, curveRules{read: func(text string) (float64, error) {
		if f, ok := factor(text); ok {
			return float64(f), nil
		}
		x, err := unit.ParseRatio(text)
		if err != nil {
			err = fmt.Errorf("expected a factor such as 80%% or 0.8, not %q", text)
		}
		return float64(x), err
	}})
}

// curvePoints decodes points, which must ascend. Nil: something is wrong and was reported.
func (d *decoder) curvePoints(n *node, path string, rules curveRules) model.Curve {
	var out model.Curve
	wrong := false
	for _, p := range n.pairs {
		at, err := d.clock.time(p.key)
		if err == nil && !isAbsolute(p.key) {
			at += rules.start
		}
		where := problem{path: join(path, p.key), at: p.at}
		if err != nil {
			d.timeProblem(where, err)
			wrong = true
			continue
		}
		x, err := rules.read(p.value.text)
		if err == nil && p.value.kind != scalarNode {
			err = fmt.Errorf("expected a value, not %s", p.value.kind)
		}
		if err != nil {
			where.at = p.value.at
			d.add(where, "%v", err)
			wrong = true
			continue
		}
		if len(out) > 0 && at <= out[len(out)-1].At {
			d.add(where, "the times of a curve must ascend")
			wrong = true
		}
		out = append(out, model.Point{At: at, Value: x})
	}
	if len(n.pairs) == 0 {
		d.add(problem{path: path, at: n.at}, "a curve needs at least one point")
	}
	if wrong {
		return nil
	}
	return out
}

// timeProblem reports a time that could not be worked out.
func (d *decoder) timeProblem(p problem, err error) {
	if t, ok := err.(*timeError); ok {
		p.hint = t.hint
	}
	d.add(p, "%v", err)
}
