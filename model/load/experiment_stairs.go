package load

import (
	"fmt"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
)

// UpAndDown is an axis whose values one run goes through, from the first to the last and back: 2n
// dwells of n values, the last of them twice, which are two ways to the same world. Each
// objective and constraint is read in each dwell, from the end of its settling on, and so are what
// arrives at all tiers per second and by how much per second the number of those in them grows. The
// checks of a plan are those of the first dwell, then those of the second, and so on.
type UpAndDown struct {
	Axis   string
	Dwell  sim.Time // how long each value lasts
	Settle sim.Time // how much of that is not looked at
}

// stairs are the dwells of an UpAndDown.
type stairs struct {
	UpAndDown
	levels      []Level
	asked       *node  // the checks of every dwell
	path        string // of the axis
	at, atDwell place
}

// upAndDown reads which axis one run goes through.
func (d *experimentReader) upAndDown() {
	f := d.form.UpAndDown
	if f == nil {
		return
	}
	u := UpAndDown{Axis: f.Axis, Dwell: f.Dwell, Settle: f.Dwell / 2}
	d.out.UpAndDown = &u
	if f.Settle != nil {
		u.Settle = *f.Settle
	}
	const path = "up_and_down"
	switch {
	case u.Dwell == 0 && d.said(path+".dwell"):
	case u.Dwell <= 0 || u.Dwell > sim.MaxTime:
		d.add(problem{path: path + ".dwell", at: d.locate(path + ".dwell")},
			"expected how long each value lasts, such as 60s")
	case u.Settle < 0 || u.Settle >= u.Dwell:
		d.add(problem{path: path + ".settle", at: d.locate(path + ".settle")},
			"%s leaves nothing to look at of %s", span(u.Settle), span(u.Dwell))
	}
	d.meaningless()
	i := slices.IndexFunc(d.out.Axes, func(a Axis) bool { return a.Name == f.Axis })
	if i < 0 {
		d.add(problem{path: path + ".axis", at: d.locate(path + ".axis"),
			hint: nearest(f.Axis, d.axisNames())}, "there is no axis %q", f.Axis)
		return
	}
	a := &d.out.Axes[i]
	if !d.ascending(a) {
		return
	}
	d.stairs = &stairs{UpAndDown: u, levels: a.Levels, path: "axes." + a.Name, at: a.at,
		atDwell: d.locate(path + ".dwell")}
	if t := u.Dwell; t > 0 && t <= sim.MaxTime && t > sim.MaxTime/sim.Time(d.stairs.dwells()) {
		d.add(problem{path: path + ".dwell", at: d.stairs.atDwell}, "%d dwells of %s are longer than "+
			"the longest run, %s", d.stairs.dwells(), span(t), span(sim.MaxTime))
	}
}

// said tells whether there was a problem with a path.
func (d *experimentReader) said(path string) bool {
	return slices.ContainsFunc(d.problems, func(p model.Problem) bool { return p.Path == path })
}

// meaningless reports what an experiment of one run for all values can do nothing with.
func (d *experimentReader) meaningless() {
	const because = "means nothing with up_and_down, "
	say := func(path, format string, args ...any) {
		d.add(problem{path: path, at: d.locate(path)}, because+format, args...)
	}
	if len(d.form.Cases) > 1 {
		say("cases", "which has one case, and this experiment %d", len(d.form.Cases))
	}
	if len(d.out.Axes) > 2 {
		say("axes", "which is a map of two axes at most, and these are %d", len(d.out.Axes))
	}
	for _, key := range []string{"baseline", "runs", "sensitivity", "recommend"} {
		if d.root.get(key) != nil {
			say(key, "which shows all values and chooses none")
		}
	}
	if r := d.out.Replications; r.Max > r.Min {
		say("replications.max", "whose places have as many replications each")
	}
	if d.out.Design != "grid" {
		say("design", "whose values stand one after the other")
	}
	for _, c := range d.form.Cases {
		if c.Value.Until != "" {
			say("cases."+c.Name+".until", "which says how long the run lasts")
		}
		for _, p := range c.Value.Set {
			if p.key == "duration" || p.key == "until" || p.key == "warmup" {
				d.add(problem{path: "cases." + c.Name + ".set." + p.key, at: p.at},
					because+"which says how long the run lasts and from when on it is judged")
			}
		}
	}
}

// mostValues is how many one run goes through: a map of more can be read by nobody.
const mostValues = 200

// ascending says whether an axis has a way up, and reports what keeps it from that.
func (d *experimentReader) ascending(a *Axis) bool {
	at := problem{path: "axes." + a.Name, at: a.at,
		hint: "write values: [100/s, 200/s, 300/s], or a range"}
	if len(a.Levels) == 0 {
		return false // something was wrong with them
	}
	if n := len(a.Levels); n < 2 || n > mostValues {
		d.add(at, "up_and_down needs 2 to %d values, and has %d", mostValues, n)
		return false
	}
	for i, l := range a.Levels {
		if !l.Numeric {
			d.add(at, "up_and_down needs numbers, and %q is none", l.Label)
			return false
		}
		if i > 0 && l.Number <= a.Levels[i-1].Number {
			d.add(at, "up_and_down needs values that ascend, and %s comes after %s", l.Label,
				a.Levels[i-1].Label)
			return false
		}
	}
	return true
}

// timed reports what a check cannot say because its dwell does.
func (d *experimentReader) timed(n *node, path string) {
	if d.out.UpAndDown == nil {
		return
	}
	for _, key := range []string{"from", "to", "at", "since"} {
		if v := n.get(key); v != nil {
			d.add(problem{path: path + "." + key, at: v.at},
				"up_and_down looks at the end of each dwell, and not at other times")
		}
	}
	if strings.HasPrefix(n.word("measure"), "recovery.") {
		d.add(problem{path: path + ".measure", at: n.placeOf("measure"),
			hint: "such as {measure: clients.*.ok_share, min: 97%}"},
			"%s is of the whole run, and up_and_down looks at each dwell", n.word("measure"))
	}
}

// dwells is how many there are.
func (s *stairs) dwells() int { return 2 * len(s.levels) }

// level is the value of a dwell, and the way to it.
func (s *stairs) level(dwell int) (l Level, way string) {
	if n := len(s.levels); dwell >= n {
		return s.levels[2*n-1-dwell], "down"
	}
	return s.levels[dwell], "up"
}

// checks are what is asked of the first so many dwells.
func (s *stairs) checks(dwells int) *node {
	out := &node{kind: listNode, at: s.at}
	items := append(slices.Clip(s.asked.items),
		s.measured("arrivals", "tiers.*.arrivals_per_s", "mean"),
		s.measured("growth", "tiers.*.in_system", "slope"))
	for i := range dwells {
		l, way := s.level(i)
		start := s.Dwell * sim.Time(i)
		for _, item := range items {
			c := item.clone()
			c.put("from", scalar(span(start+s.Settle), item.at))
			c.put("to", scalar(span(start+s.Dwell), item.at))
			if dwells > 1 {
				c.put("name", scalar(fmt.Sprintf("%s, %s %s", item.word("name"), l.Label, way), item.at))
			}
			out.items = append(out.items, c)
		}
	}
	return out
}

// measured is a check that is read for what the map says of all constraints.
func (s *stairs) measured(name, measure, take string) *node {
	n := newMap(s.at)
	n.put("name", scalar(name+" of "+s.path, s.at))
	n.put("measure", scalar(measure, s.at))
	n.put("take", scalar(take, s.at))
	n.measured = true
	return n
}

// climb writes the first value into a tree, as any axis does, the others into its timeline, and how
// long that lasts.
func (s *stairs) climb(r *report, t *tree) {
	values := make([]*node, len(s.levels))
	for i, l := range s.levels {
		values[i] = s.value(r, t, l, i == 0)
	}
	list := t.scenario.get("timeline")
	if list.absent() {
		list = &node{kind: listNode, at: s.at}
		t.scenario.put("timeline", list)
	}
	t.own, t.stairs = len(list.items), s
	for i := 1; i < s.dwells(); i++ {
		if i == len(s.levels) || len(values[0].pairs) == 0 {
			continue // the last value again, or nothing that could be set
		}
		l, way := s.level(i)
		set := values[min(i, s.dwells()-1-i)]
		e := newMap(s.at)
		e.put("at", scalar(span(s.Dwell*sim.Time(i)), s.at))
		e.put("doc", scalar(fmt.Sprintf("%s %s on the way %s", s.Axis, l.Label, way), s.at))
		e.put("set", set.clone())
		list.items = append(list.items, e)
	}
	t.write(r, s.levels[0])
	t.scenario.drop("until")
	t.scenario.put("duration", scalar(span(s.Dwell*sim.Time(s.dwells())), s.atDwell))
	t.scenario.put("warmup", scalar("0", s.atDwell))
}

// value is what a level makes of its places, as PATH: value of a timeline's set. What cannot change
// during a run is told when the level is the first.
func (s *stairs) value(r *report, t *tree, l Level, first bool) *node {
	u := t.clone()
	u.write(&report{}, l)
	set := newMap(s.at)
	for _, w := range l.writes {
		for _, path := range w.Paths {
			places, _ := u.find(path)
			for _, c := range places {
				if hint, ok := c.live(); !ok {
					if first && c.missing() == "" {
						r.add(problem{path: s.path, at: s.at, hint: hint},
							"%s cannot change during a run, so that no run goes up and down", c.path())
					}
					continue
				}
				set.put(c.path(), c.node.clone())
			}
		}
	}
	return set
}

// write writes a level of an axis.
func (t *tree) write(r *report, l Level) {
	for _, w := range l.writes {
		a, err := w.assign()
		if err != nil {
			r.add(problem{path: w.Paths[0], at: place{by: w.By}}, "%v", err)
			continue
		}
		t.apply(r, &a, false)
		a.verdict(r)
	}
}

// climbs reports what does not go with a run that goes through the values of an axis: entries of
// the scenario's own timeline that set the same, or that make one dwell a world of its own. It
// returns those entries.
func (b *builder) climbs(entries []model.TimelineEntry, list *node) []model.TimelineEntry {
	s := b.tree.stairs
	if s == nil || len(entries) != len(list.items) {
		return entries
	}
	b.follow(s)
	swept := map[string]bool{}
	for _, e := range entries[b.tree.own:] {
		for _, set := range e.Set {
			swept[set.Path] = true
		}
	}
	for i, e := range entries[:b.tree.own] {
		key := keyOf(b.g.scenario.field("timeline").shape, list, i)
		where := problem{path: join("timeline", key), at: list.items[i].at,
			hint: fmt.Sprintf("take it out: set timeline.%s to null", key)}
		set := e.Set
		if e.Control != nil {
			for _, stage := range e.Control.Stages {
				set = append(slices.Clip(set), stage.Set...)
			}
		}
		hit := slices.IndexFunc(set, func(x model.Setting) bool { return swept[x.Path] })
		switch {
		case hit >= 0:
			b.add(where, "sets %s, and so does up_and_down along the axis %s", set[hit].Path, s.Axis)
		case e.Follows == "" && e.At > 0 || !e.Waits() && e.End < b.runEnd:
			b.add(where, "lasts for a part of the run, and the dwells of up_and_down are to differ in "+
				"%s alone", s.Axis)
		}
	}
	return entries[:b.tree.own]
}

// follow reports clients whose load changes by itself.
func (b *builder) follow(s *stairs) {
	for _, c := range b.tree.topology.get("clients").pairs {
		arrivals := c.value.get("arrivals")
		for _, key := range []string{"profile", "file"} {
			if n := arrivals.get(key); !n.absent() {
				path := join("clients", c.key) + ".arrivals." + key
				b.add(problem{path: path, at: n.at, hint: "set it to null, or arrivals to a plain rate"},
					"changes the load while the dwells of up_and_down are to differ in %s alone", s.Axis)
			}
		}
	}
}

// fits reports dwells whose ends no window has, and says whether there is none.
func (b *builder) fits(window sim.Time) bool {
	s := b.tree.stairs
	if s == nil || window <= 0 || s.Dwell%window == 0 && s.Settle%window == 0 {
		return true
	}
	b.add(problem{path: "up_and_down", at: s.atDwell}, "dwell %s and settle %s must be multiples of "+
		"the window of %s", span(s.Dwell), span(s.Settle), span(window))
	return false
}
