package load

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// leaf decodes a single value.
func (d *decoder) leaf(f *field, n *node, path string, v reflect.Value) {
	if !d.expect(scalarNode, n, path) {
		return
	}
	x, err := parseLeaf(f, v.Type(), n)
	if err != nil {
		d.add(problem{path: path, at: n.at, hint: d.leafHint(f, n.text)}, "%v", err)
		return
	}
	v.Set(reflect.ValueOf(x).Convert(v.Type()))
}

// leafHint is what was probably meant by a text that is no value of the field.
func (d *decoder) leafHint(f *field, text string) string {
	if percent, ok := strings.CutSuffix(text, "%"); ok && inPercent(f) {
		return "write " + percent + ", which is in percent already"
	}
	if len(f.enum) == 0 || laterWord(f, text) != "" {
		return ""
	}
	if _, err := strconv.Atoi(text); err == nil && d.body != nil {
		// A status where a product's words stand: some have a list of their own for those.
		for _, other := range d.body.fields {
			if strings.HasPrefix(other.name, "retry_on") && strings.HasSuffix(other.name, "_codes") {
				return "statuses are listed in " + other.name + ": [" + text + "]"
			}
		}
	}
	return closest(text, f.enum)
}

// inPercent tells whether a count is a number of percent.
func inPercent(f *field) bool {
	doc := strings.ToLower(f.doc)
	return f.shape.typ.Kind() == reflect.Int && (strings.Contains(f.name, "percent") ||
		strings.Contains(doc, "percent") || strings.Contains(doc, "0 to 100"))
}

// parseLeaf reads a text as the type wants it.
func parseLeaf(f *field, t reflect.Type, n *node) (any, error) {
	text := n.text
	switch t {
	case reflect.TypeFor[sim.Time]():
		return parseLength(f, text)
	case reflect.TypeFor[unit.Rate]():
		return unit.ParseRate(text)
	case reflect.TypeFor[unit.Share]():
		return unit.ParseShare(text)
	case reflect.TypeFor[unit.Ratio]():
		return unit.ParseRatio(text)
	case reflect.TypeFor[unit.Factor]():
		return unit.ParseFactor(text)
	case reflect.TypeFor[unit.Count]():
		return unit.ParseCount(text)
	case reflect.TypeFor[unit.CPU]():
		return unit.ParseCPU(text)
	case reflect.TypeFor[unit.Size]():
		return unit.ParseSize(text)
	case reflect.TypeFor[model.Weight]():
		return parseWeight(text)
	case reflect.TypeFor[model.Setting]():
		return parseLatency(text)
	case reflect.TypeFor[time.Time]():
		return parseEpoch(text)
	case reflect.TypeFor[timeText]():
		return timeText{text, n.at}, nil
	case reflect.TypeFor[boundText]():
		return boundText{text, n.at}, nil
	case reflect.TypeFor[model.Bound]():
		return new(clock).bound(text, false)
	}
	switch t.Kind() {
	case reflect.Int:
		return parseInt(f, text)
	case reflect.Uint64:
		x, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("expected a whole number from 0 to 2^64-1, not %q", text)
		}
		return x, nil
	case reflect.Float64:
		return parseNumber(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("expected true or false, not %q", text)
		}
		return text == "true", nil
	case reflect.String:
		return parseWord(f, text)
	}
	panic(fmt.Sprintf("load: no text is read as %v", t))
}

// parseLength reads a duration. "none" only where the field has no limit by default, or asks for
// nothing: elsewhere it would make time stand still.
func parseLength(f *field, text string) (sim.Time, error) {
	t, err := unit.ParseDuration(text)
	if t == sim.Never && f.name == "retry_after" {
		return 0, err
	}
	if t == sim.Never && f.def != "none" && f.def != "" {
		return 0, fmt.Errorf("must have a length, not none")
	}
	return t, err
}

// parseInt reads a count. "unlimited" only where that is meant to be possible.
func parseInt(f *field, text string) (int, error) {
	if f.signed && strings.HasPrefix(text, "-") {
		n, err := unit.ParseCount(text[1:])
		return -int(n), err
	}
	c, err := unit.ParseCount(text)
	if c == unit.Unlimited && f.def != "unlimited" && !f.shape.optional {
		return 0, fmt.Errorf("must be a number, not unlimited")
	}
	if f.name == "status" && err == nil && (c < 100 || c > 599) {
		return 0, fmt.Errorf("status %d is not within 100 and 599", c)
	}
	return int(c), err
}

// parseNumber reads a plain number, a percentage or a fraction such as 1/100.
func parseNumber(text string) (float64, error) {
	if above, below, ok := strings.Cut(text, "/"); ok {
		a, errA := parseNumber(above)
		b, errB := parseNumber(below)
		if errA == nil && errB == nil && b > 0 {
			return a / b, nil
		}
		return 0, fmt.Errorf("expected a number such as 0.01 or 1/100, not %q", text)
	}
	x, err := unit.ParseRatio(text)
	if err != nil {
		return 0, fmt.Errorf("expected a number, not %q", text)
	}
	return float64(x), nil
}

func parseWord(f *field, text string) (string, error) {
	if len(f.enum) == 0 || slices.Contains(f.enum, text) {
		return text, nil
	}
	if word := laterWord(f, text); word != "" {
		return "", fmt.Errorf("not in this version: %s", word)
	}
	return "", fmt.Errorf("%q is none of %s", text, strings.Join(f.enum, ", "))
}

func parseWeight(text string) (model.Weight, error) {
	x, err := unit.ParseRatio(text)
	if err != nil {
		return model.Weight{}, fmt.Errorf("expected a share such as 58%% or a weight such as 3, "+
			"not %q", text)
	}
	return model.Weight{Value: float64(x), Percent: strings.HasSuffix(text, "%")}, nil
}

// parseLatency reads what a fault does to each reply: +3s or 10x.
func parseLatency(text string) (model.Setting, error) {
	c, err := unit.ParseChange(text)
	if err != nil {
		return model.Setting{}, err
	}
	switch c.Op {
	case unit.Multiply:
		return model.Setting{Op: model.Multiply, Value: model.Value{Number: float64(c.By)}}, nil
	case unit.Add:
		t, err := unit.ParseDuration(c.Text)
		if err == nil && t > sim.MaxTime {
			err = fmt.Errorf("%q is longer than the clock", text)
		}
		return model.Setting{Op: model.Add, Value: model.Value{Number: float64(t)}}, err
	}
	return model.Setting{}, fmt.Errorf("expected +3s or 10x, not %q", text)
}

// dateForms are the ways to write a full date and time; without a zone it is UTC.
var dateForms = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05",
	"2006-01-02 15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04Z07:00",
}

func parseDate(text string) (time.Time, error) {
	for _, form := range dateForms {
		if t, err := time.Parse(form, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("expected a date and time such as 2026-08-17T12:58:00Z, not %q",
		text)
}

// parseEpoch is parseDate for second 0. Since times of day are read in UTC, an epoch in another
// zone would put them hours away from where its author sees them.
func parseEpoch(text string) (time.Time, error) {
	t, err := parseDate(text)
	if err != nil {
		return t, err
	}
	for _, form := range dateForms {
		if local, err := time.Parse(form, text); err == nil {
			if _, east := local.Zone(); east != 0 {
				return t, fmt.Errorf("times of day are read in UTC, %q has another zone: write %s",
					text, t.Format("2006-01-02T15:04:05Z"))
			}
			break
		}
	}
	return t, nil
}

// dist decodes a distribution from its long form, or from a text that was no short form either.
func (d *decoder) dist(f *field, n *node, path string) sim.Dist {
	if n.kind == scalarNode && n.text == "none" && f.def == "none" {
		return sim.Dist{}
	}
	x, at, err := d.g.readDist(n, false)
	if err != nil {
		d.add(problem{path: path, at: at}, "%v", err)
		return sim.Dist{}
	}
	if f.def == "none" && x.IsZero() {
		d.add(problem{path: path, at: n.at, hint: "for nobody to wait, set limit: 0"},
			"0 is no time to wait")
	}
	return x
}

// readDist reads a distribution without its problems' paths. more allows fields of a step's work.
func (g *grammar) readDist(n *node, more bool) (sim.Dist, place, error) {
	switch n.kind {
	case scalarNode:
		x, err := sim.ParseDist(n.text)
		return x, n.at, err
	case mapNode:
	default:
		return sim.Dist{}, n.at, fmt.Errorf("expected a distribution, not %s", n.kind)
	}
	if mix := n.get("mix"); mix != nil {
		return g.readMix(n, mix)
	}
	name := n.word("dist")
	if name == "" {
		return sim.Dist{}, n.at, fmt.Errorf("expected a distribution such as exp 3ms, or " +
			"{dist: exp, mean: 3ms}")
	}
	words, known := []string{name}, g.of(reflect.TypeFor[sim.Dist]())
	for _, p := range n.pairs {
		switch {
		case p.key == "dist" || more && slices.Contains(ofCrowd, p.key):
		case known.field(p.key) == nil || p.value.kind != scalarNode:
			return sim.Dist{}, p.at, fmt.Errorf("%s: no parameter of a distribution", p.key)
		case p.key == "value" && name == "constant":
			words = []string{p.value.text}
		default:
			words = append(words, p.key+"="+p.value.text)
		}
	}
	x, err := sim.ParseDist(strings.Join(words, " "))
	return x, n.at, err
}

func (g *grammar) readMix(n, mix *node) (sim.Dist, place, error) {
	if mix.kind != listNode || len(n.pairs) != 1 {
		return sim.Dist{}, n.at, fmt.Errorf("a mixture is {mix: [{share, of}, …]} and nothing else")
	}
	var shares []float64
	var of []sim.Dist
	for _, item := range mix.items {
		share, err := unit.ParseShare(item.word("share"))
		if err != nil || item.get("of") == nil || len(item.pairs) != 2 {
			return sim.Dist{}, item.at, fmt.Errorf("expected {share: 10%%, of: exp 1ms}")
		}
		part, at, err := g.readDist(item.get("of"), false)
		if err != nil {
			return sim.Dist{}, at, err
		}
		shares, of = append(shares, float64(share)), append(of, part)
	}
	x, err := sim.MixDist(shares, of)
	return x, mix.at, err
}

// ofCrowd are the fields of a step's work beside its distribution.
var ofCrowd = []string{"per_in_flight", "usl"}

func (d *decoder) work(f *field, n *node, path string, w *model.Work) {
	var at place
	var err error
	if n.kind == mapNode && n.get("dist") == nil && n.get("mix") == nil &&
		n.get("per_in_flight") != nil && n.get("usl") == nil {
		w.Time = sim.Dist{} // only what others in flight add
	} else if w.Time, at, err = d.g.readDist(n, true); err != nil {
		d.add(problem{path: path, at: at}, "%v", err)
	}
	if n.kind != mapNode {
		return
	}
	d.fieldValue(f.shape.field(ofCrowd[0]), n, path, reflect.ValueOf(&w.PerInFlight).Elem())
	d.fieldValue(f.shape.field(ofCrowd[1]), n, path, reflect.ValueOf(&w.USL).Elem())
}

func (d *decoder) think(s *shape, n *node, path string, t *model.Think) {
	if !d.expect(mapNode, n, path) {
		return
	}
	for _, p := range n.pairs {
		f := s.field(p.key)
		if f == nil {
			d.unknown(s, p, path)
			continue
		}
		x := d.dist(f, p.value, join(path, p.key))
		if p.key == "default" {
			t.Default = x
			continue
		}
		t.By = append(t.By, model.Entry[sim.Dist]{Name: p.key, Value: x})
	}
	if n.get("default") == nil {
		d.add(problem{path: path, at: n.at}, "needs default: the pause after a request")
	}
}

func (d *decoder) replicas(f *field, n *node, path string, r *model.Replicas) {
	if n.kind == listNode {
		d.add(problem{path: path, at: n.at}, "a list of replicas holds names, each once")
		return
	}
	if n.kind != scalarNode {
		d.entries(f.shape, n, path, reflect.ValueOf(&r.Named).Elem())
		if n.kind == mapNode && len(r.Named) == 0 {
			d.add(problem{path: path, at: n.at}, "a tier needs a replica")
		}
		return
	}
	c, err := unit.ParseCount(n.text)
	if err == nil && (c < 1 || c > math.MaxInt32) {
		err = fmt.Errorf("a tier needs at least one replica, and a number of them")
	}
	if err != nil {
		d.add(problem{path: path, at: n.at}, "%v", err)
	}
	r.Count = int(c)
}
