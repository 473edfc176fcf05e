package load

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// checks turns check forms into the model's checks.
func (b *builder) checks(forms []checkForm, list *node) []model.Check {
	var out []model.Check
	names := map[string]bool{}
	for _, f := range forms {
		names[f.Name] = true
	}
	seen := map[string]bool{}
	for i := range forms {
		f, n := &forms[i], list.items[i]
		if n.kind == scalarNode {
			b.add(problem{path: "checks", at: n.at}, "there is no check %q to keep", n.text)
			continue
		}
		if n.kind != mapNode {
			continue // the decoder has said so
		}
		path := join("checks", keyOf(b.g.scenario.field("checks").shape, list, i))
		if f.Name == "" && n.kind == mapNode {
			b.add(problem{path: path, at: n.at}, "a check needs a name")
		}
		if f.Name != "" && seen[f.Name] {
			b.add(problem{path: path, at: n.at}, "two checks are called %q", f.Name)
		}
		seen[f.Name] = true
		out = append(out, b.check(f, n, path, names))
	}
	return out
}

func (b *builder) check(f *checkForm, n *node, path string, names map[string]bool) model.Check {
	c := model.Check{Name: f.Name, Doc: f.Doc, Reported: f.Reported, Measure: f.Measure,
		Client: f.Client, Bin: f.Bin, Is: f.Is, Measured: n.measured}
	c.From = b.optional(f.From, join(path, "from"))
	c.To = b.optional(f.To, join(path, "to"))
	c.At = b.optional(f.At, join(path, "at"))
	b.windowOf(&c, n, path)
	c.Take = b.take(f.Take, n, path)
	c.Relative = b.relative(f.RelativeTo, path)
	c.Since = b.since(f.Since, join(path, "since"), names)
	timed := strings.HasPrefix(c.Take.Kind, "first_") || strings.HasPrefix(c.Take.Kind, "last_")
	c.Min = b.bound(f.Min, join(path, "min"), timed && c.Since == nil)
	c.Max = b.bound(f.Max, join(path, "max"), timed && c.Since == nil)
	c.Expect = b.bound(f.Expect, join(path, "expect"), timed && c.Since == nil)
	c.Within = b.bound(f.Within, join(path, "within"), false)
	c.WithinRelative = c.Within != nil && c.Within.Unit == "share"
	c.Pass = b.pass(f.Pass, n, path)
	b.bounds(&c, n, path)
	return c
}

// windowOf checks where a check looks.
func (b *builder) windowOf(c *model.Check, n *node, path string) {
	if c.Measure == "" && n.get("measure").absent() {
		b.add(problem{path: path, at: n.at}, "needs a measure, such as clients.web.failed_share")
	}
	if c.At != nil && (c.From != nil || c.To != nil) {
		b.add(problem{path: join(path, "at"), at: n.placeOf("at")}, "give at, or from and to")
	}
	for _, w := range []struct {
		key string
		t   *sim.Time
	}{{"from", c.From}, {"to", c.To}, {"at", c.At}} {
		if w.t != nil && b.runEnd > 0 && (*w.t < 0 || *w.t > b.runEnd) {
			b.add(problem{path: join(path, w.key), at: n.placeOf(w.key)},
				"%s is outside the run, which lasts %s", span(*w.t), span(b.runEnd))
		}
	}
	if c.From != nil && c.To != nil && *c.To <= *c.From {
		b.add(problem{path: join(path, "to"), at: n.placeOf("to")},
			"it ends at %s, not after its start at %s", span(*c.To), span(*c.From))
	}
}

// bounds checks that a check can fail.
func (b *builder) bounds(c *model.Check, n *node, path string) {
	has := func(key string) bool { return !n.get(key).absent() }
	switch {
	case n.kind != mapNode:
	case n.measured && (has("min") || has("max") || has("expect") || has("is")):
		b.add(problem{path: path, at: n.at, hint: "a bound makes it a constraint"},
			"an objective has no bounds; it has minimize or maximize")
	case n.measured:
	case !has("min") && !has("max") && !has("expect") && !has("is"):
		b.add(problem{path: path, at: n.at}, "needs a bound: min, max, expect or is")
	case has("within") && !has("expect"):
		b.add(problem{path: join(path, "within"), at: n.placeOf("within")}, "within goes with expect")
	case has("is") && (has("min") || has("max") || has("expect")):
		b.add(problem{path: join(path, "is"), at: n.placeOf("is")}, "is is a word; it stands alone")
	case c.Min != nil && c.Max != nil && c.Min.Unit == c.Max.Unit && c.Min.Value > c.Max.Value:
		b.add(problem{path: join(path, "max"), at: n.placeOf("max")}, "max is below min")
	}
}

func (b *builder) take(f *takeForm, n *node, path string) model.Take {
	if f == nil || f.Word != "" {
		t := model.Take{Kind: "mean"}
		if f != nil {
			t.Kind = f.Word
		}
		return t
	}
	t, path, found := model.Take{Kind: "mean", Hold: f.Hold}, join(path, "take"), 0
	for _, w := range []struct {
		kind string
		text boundText
	}{{"first_above", f.FirstAbove}, {"first_below", f.FirstBelow},
		{"last_above", f.LastAbove}, {"last_below", f.LastBelow}} {
		if w.text.text == "" {
			continue
		}
		found++
		t.Kind, t.Value = w.kind, b.bound(w.text, join(path, w.kind), false)
	}
	if take := n.get("take"); found != 1 && take.kind == mapNode {
		b.add(problem{path: path, at: take.at}, "expected a word (%s) or one of {first_above: X}, "+
			"{first_below: X}, {last_above: X}, {last_below: X}", strings.Join(takeWords, ", "))
	}
	return t
}

func (b *builder) relative(f *relativeForm, path string) *model.Relative {
	if f == nil {
		return nil
	}
	path = join(path, "relative_to")
	r := &model.Relative{Measure: f.Measure}
	r.Number = b.bound(f.Value, path, false)
	r.From, r.To = b.optional(f.From, join(path, "from")), b.optional(f.To, join(path, "to"))
	switch span := r.From != nil || r.To != nil; {
	case r.Number != nil && r.Number.Value == 0:
		b.add(problem{path: path, at: f.Value.at}, "nothing can be divided by 0")
	case f.Measure != "" && span:
		b.add(problem{path: path, at: f.From.at}, "give measure, or from and to")
	case r.From != nil && r.To != nil && *r.To <= *r.From:
		b.add(problem{path: path, at: f.To.at}, "it ends before it begins")
	}
	return r
}

// since is a time or, where no timeline entry has that name, a check.
func (b *builder) since(t timeText, path string, checks map[string]bool) *model.Since {
	if t.text == "" {
		return nil
	}
	if b.clock.entries[t.text] == nil && checks[t.text] {
		return &model.Since{Check: t.text}
	}
	at, err := b.clock.time(t.text)
	if err != nil {
		var names []string
		for name := range checks {
			names = append(names, name)
		}
		slices.Sort(names)
		if _, ok := err.(*timeError); ok && closest(t.text, names) != "" {
			err = &timeError{fmt.Sprintf("%q is no time and no check", t.text),
				closest(t.text, names)}
		}
		b.timeProblem(problem{path: path, at: t.at}, err)
		return nil
	}
	return &model.Since{Time: at}
}

// bound reads a bound; its unit is the one it is written in.
func (b *builder) bound(t boundText, path string, timed bool) *model.Bound {
	if t.text == "" {
		return nil
	}
	x, err := b.clock.bound(t.text, timed)
	if err != nil {
		b.timeProblem(problem{path: path, at: t.at}, err)
		return nil
	}
	return &x
}

// bound reads a number with its unit. Where a time is expected a duration is one, from the start.
func (k *clock) bound(text string, timed bool) (model.Bound, error) {
	if _, _, _, ok := clockTime(text); timed || ok {
		t, err := k.time(text)
		return model.Bound{Value: t.Seconds(), Unit: "time"}, err
	}
	sign, plain := 1.0, text
	if strings.HasPrefix(text, "-") {
		sign, plain = -1, text[1:]
	}
	b, err := readBound(plain)
	if err != nil {
		return model.Bound{}, fmt.Errorf("%q is no bound: expected a number such as 243, 5%%, 7k/s "+
			"or 2m", text)
	}
	if b.Value *= sign; b.Value == 0 {
		b.Value = 0 // no negative zero
	}
	return b, nil
}

func readBound(text string) (model.Bound, error) {
	if x, err := unit.ParseRatio(text); err == nil {
		if strings.HasSuffix(text, "%") {
			return model.Bound{Value: float64(x), Unit: "share"}, nil
		}
		return model.Bound{Value: float64(x), Unit: "count"}, nil
	}
	if strings.Contains(text, "/") {
		x, err := unit.ParseRate(text)
		return model.Bound{Value: float64(x), Unit: "rate"}, err
	}
	if x, err := unit.ParseCount(text); err == nil && x != unit.Unlimited {
		return model.Bound{Value: float64(x), Unit: "count"}, nil
	}
	t, err := unit.ParseDuration(text)
	if t == sim.Never {
		err = fmt.Errorf("none is no bound")
	}
	return model.Bound{Value: t.Seconds(), Unit: "duration"}, err
}

// pass reads all, mean, 90% or 9 of 10.
func (b *builder) pass(text string, n *node, path string) model.Pass {
	if text == "all" || text == "mean" {
		return model.Pass{Kind: text}
	}
	if some, all, ok := strings.Cut(text, " of "); ok {
		s, errS := strconv.Atoi(some)
		a, errA := strconv.Atoi(all)
		if errS == nil && errA == nil && s >= 1 && s <= a {
			return model.Pass{Kind: "share", Share: float64(s) / float64(a)}
		}
	} else if x, err := unit.ParseShare(text); err == nil && x > 0 {
		return model.Pass{Kind: "share", Share: float64(x)}
	}
	b.add(problem{path: join(path, "pass"), at: n.placeOf("pass")},
		"expected all, 9 of 10, 90%% or mean, not %q", text)
	return model.Pass{Kind: "all"}
}

// variantChecks replaces bare names in a variant's checks by the scenario's checks.
func (t *tree) variantChecks(r *report, list *node, by string) {
	own := t.scenario.get("checks")
	var names []string
	out := &node{kind: listNode, at: list.at}
	if own != nil {
		for _, c := range own.items {
			names = append(names, c.word("name"))
		}
	}
	for _, item := range list.items {
		if item.kind != scalarNode {
			item = item.clone()
			item.mark(by)
			out.items = append(out.items, item)
			continue
		}
		kept := false
		for i := range names {
			if names[i] == item.text {
				out.items = append(out.items, own.items[i].clone())
				kept = true
			}
		}
		if !kept {
			at := item.at
			at.by = by
			r.add(problem{path: "checks", at: at, hint: nearest(item.text, names)},
				"there is no check %q to keep", item.text)
		}
	}
	t.scenario.put("checks", out)
}
