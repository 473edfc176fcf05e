package load

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"cascadesim/model"
	"cascadesim/model/internal/words"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Options are what a caller changes in a document before it is decoded.
type Options struct {
	Variant      string     // empty: the document as it is
	Overrides    []Override // of a case and of axes, in order
	Sets         []string   // PATH=VALUE of --set, left to right, after all others
	SetsB        []string   // the same of --set-b, after them
	Scale        *float64   // nil: the document's
	Seed         *uint64
	Replications *int
	// Until ends the run early: what is planned for later does not happen, and checks that look
	// later are left out with a warning. A later end than the document's makes the run longer.
	Until string
	// Checks, of an experiment, take the place of the document's; nil: the document's.
	Checks *Checks
	// stairs, of an experiment, go through the values of an axis within the run.
	stairs *stairs
}

// builder makes a topology and a scenario of a tree.
type builder struct {
	*decoder
	tree   *tree
	traces *traces
	tiers  model.Map[model.Tier]
	runEnd sim.Time // 0: not known
}

// Build applies the options to the document and decodes it. The topology and the scenario are
// whole only when no problem is an error.
func (d *Document) Build(o Options) (*model.Topology, *model.Scenario, model.Problems) {
	r := &report{problems: slices.Clone(d.problems)}
	t := d.apply(r, o)
	b := &builder{tree: t, traces: d.traces,
		decoder: &decoder{report: r, g: d.g, clock: newClock(t.scenario)}}
	b.clock.removed = t.removed
	topology := b.topology()
	b.tiers = topology.Tiers
	b.recordings(topology.Clients)
	scenario := b.scenario()
	b.cut(scenario, o.Until)
	return topology, scenario, r.sorted()
}

// apply is the document's tree after all overrides.
func (d *Document) apply(r *report, o Options) *tree {
	t := d.base.clone()
	all := d.assignments(r, o)
	for i := range all {
		t.apply(r, &all[i], true)
	}
	t.mergeLoad(r)
	t.mergeDefaults()
	for i := range all {
		if a := &all[i]; a.checks != nil {
			t.variantChecks(r, a.checks, a.by)
			continue
		}
		t.apply(r, &all[i], false)
		all[i].verdict(r)
	}
	if o.Checks != nil {
		t.scenario.put("checks", o.Checks.list.clone())
	}
	t.mergeDefaults()
	t.makeEdges()
	if o.stairs != nil {
		o.stairs.climb(r, t)
	}
	for i := range all {
		t.warnShadowed(r, &all[i])
	}
	return t
}

// assignments lists all that the options write, in the order of the format.
func (d *Document) assignments(r *report, o Options) []assignment {
	all := d.variant(r, o.Variant)
	overrides := slices.Clone(o.Overrides)
	for i, text := range slices.Concat(o.Sets, o.SetsB) {
		flag := "--set"
		if i >= len(o.Sets) {
			flag = "--set-b"
		}
		set, err := ParseSet(flag, text)
		if err != nil {
			r.problems = append(r.problems, model.Problem{Text: err.Error()})
			continue
		}
		overrides = append(overrides, set)
	}
	for _, set := range append(overrides, o.flags()...) {
		a, err := set.assign()
		if err != nil {
			r.add(problem{path: set.Paths[0], at: place{by: set.By}}, "%v", err)
			continue
		}
		all = append(all, a)
	}
	return all
}

// flags are the options that stand for paths of the scenario.
func (o Options) flags() []Override {
	var out []Override
	add := func(path, value string) {
		out = append(out, Override{Paths: []string{path}, Value: value, By: "--" + path})
	}
	if o.Scale != nil {
		add("scale", strconv.FormatFloat(*o.Scale, 'f', -1, 64))
	}
	if o.Seed != nil {
		add("seed", strconv.FormatUint(*o.Seed, 10))
	}
	if o.Replications != nil {
		add("replications", strconv.Itoa(*o.Replications))
	}
	return out
}

// variant lists what a variant writes, after what those write that it is like.
func (d *Document) variant(r *report, name string) []assignment {
	if name == "" {
		return nil
	}
	if _, ok := d.variants.Get(name); !ok {
		r.problems = append(r.problems, model.Problem{
			Text: fmt.Sprintf("there is no variant %q", name),
			Hint: nearest(name, d.variantNames())})
		return nil
	}
	var chain []string
	for at := name; at != "" && !slices.Contains(chain, at); {
		v, ok := d.variants.Get(at)
		if !ok {
			break
		}
		chain = append(chain, at)
		at = v.Like
	}
	slices.Reverse(chain)
	var all []assignment
	for _, link := range chain {
		n, by := d.base.scenario.get("variants").get(link), "variant "+link
		if set := n.get("set"); set != nil {
			for _, p := range set.pairs {
				value := p.value.clone()
				value.mark(by)
				at := p.at
				at.by = by
				all = append(all, assignment{paths: []string{p.key}, value: value, by: by, at: at})
			}
		}
	}
	checks := d.base.scenario.get("variants").get(name).get("checks")
	if checks == nil {
		checks = &node{kind: listNode}
	}
	return append(all, assignment{checks: checks, by: "variant " + name})
}

// topology decodes the topology.
func (b *builder) topology() *model.Topology {
	out := &model.Topology{}
	b.record(b.g.topology, b.tree.topology, "", reflect.ValueOf(out).Elem())
	if !nameRule.MatchString(out.Name) {
		b.add(problem{path: "name", at: b.tree.locate("name")}, "%q cannot be the name of a topology",
			out.Name)
	}
	if n := b.tree.topology.get("defaults").get("edge"); n != nil {
		for _, key := range []string{"from", "to", "name"} {
			if v := n.get(key); v != nil {
				b.add(problem{path: "defaults.edge." + key, at: v.at}, "has no default")
			}
		}
	}
	if len(out.Tiers) == 0 {
		b.add(problem{path: "tiers", at: b.tree.topology.at}, "a topology needs tiers")
	}
	if len(out.Clients) == 0 {
		b.add(problem{path: "clients", at: b.tree.topology.at}, "a topology needs clients")
	}
	return out
}

// scenario decodes the scenario, then all that depends on its clock.
func (b *builder) scenario() *model.Scenario {
	form := &scenarioForm{}
	n := b.tree.scenario
	b.record(b.g.scenario, n, "", reflect.ValueOf(form).Elem())
	out := &model.Scenario{Topology: form.Topology, Doc: form.Doc, Default: form.Default,
		Epoch: form.Epoch, Drain: form.Drain, Warmup: form.Warmup, Scale: form.Scale,
		Window: form.Window, Seed: form.Seed, Replications: form.Replications,
		Profiles: form.Profiles, Recovery: form.Recovery}
	if out.Topology == "" {
		out.Topology = b.tree.topology.word("name")
	}
	b.length(out, form)
	if list := n.get("timeline"); list != nil && list.kind == listNode &&
		len(form.Timeline) == len(list.items) {
		out.Timeline = b.timeline(form.Timeline, list)
	}
	if list := n.get("checks"); list != nil && list.kind == listNode && b.fits(form.Window) &&
		len(form.Checks) == len(list.items) {
		out.Checks = b.checks(form.Checks, list)
	}
	return out
}

// length resolves duration or until.
func (b *builder) length(out *model.Scenario, form *scenarioForm) {
	until, duration := b.tree.scenario.get("until"), b.tree.scenario.get("duration")
	end, err := b.clock.runEnd()
	switch {
	case until != nil && duration != nil && !until.absent() && !duration.absent():
		b.add(problem{path: "until", at: until.at}, "give duration or until, not both")
	case until.absent() && duration.absent():
		b.add(problem{path: "duration", at: b.tree.scenario.at}, "is missing, and so is until: how "+
			"long does the run last?")
	case err != nil && duration.absent():
		b.timeProblem(problem{path: "until", at: b.tree.locate("until")}, err)
	case err == nil && end > 0 && end <= sim.MaxTime:
		out.Duration, b.runEnd = end, end
	case err == nil:
		at := b.tree.locate("until")
		if !duration.absent() {
			at = duration.at
		}
		b.add(problem{path: "duration", at: at}, "%s: a run lasts longer than 0 and at most %s",
			span(end), unit.FormatDuration(sim.MaxTime))
	}
}

// instant resolves a time, and reports when that is not possible.
func (b *builder) instant(t timeText, path string) (sim.Time, bool) {
	at, err := b.clock.time(t.text)
	if err != nil {
		b.timeProblem(problem{path: path, at: t.at}, err)
	}
	return at, err == nil
}

// optional resolves a time that may be left out.
func (b *builder) optional(t timeText, path string) *sim.Time {
	if t.text == "" {
		return nil
	}
	at, ok := b.instant(t, path)
	if !ok {
		return nil
	}
	return &at
}

// cut ends a run early.
func (b *builder) cut(s *model.Scenario, until string) {
	if until == "" {
		return
	}
	end, err := b.clock.time(until)
	if err != nil || end <= 0 || end > sim.MaxTime {
		if err == nil {
			err = fmt.Errorf("%s is no end of a run; expected more than 0 and at most %dh", span(end),
				int(sim.MaxTime.Seconds()/3600))
		}
		b.timeProblem(problem{at: place{by: "--until " + until}}, err)
		return
	}
	if s.Duration = end; end >= b.runEnd {
		return
	}
	s.Timeline = slices.DeleteFunc(s.Timeline, func(e model.TimelineEntry) bool {
		return e.At >= end
	})
	by := problem{at: place{by: "--until " + until}, warn: true}
	if left := dropLate(s, end); len(left) > 0 {
		b.add(by, "left out the %s", furtherChecks(left))
	}
	isAfter := func(e model.TimelineEntry) bool { return e.Name == s.Recovery.After }
	if s.Recovery.After != "" && !slices.ContainsFunc(s.Timeline, isAfter) {
		b.add(by, "recovery is not looked for after %s, which begins later", s.Recovery.After)
		s.Recovery.After = ""
	}
}

// furtherChecks names the checks that an early end leaves out.
func furtherChecks(names []string) string {
	if len(names) == 1 {
		return "check " + names[0] + ", which looks further"
	}
	return "checks " + words.And(names) + ", which look further"
}

// dropLate removes the checks that look after end, and those that count from them.
func dropLate(s *model.Scenario, end sim.Time) []string {
	var left []string
	s.Checks = slices.DeleteFunc(s.Checks, func(c model.Check) bool {
		late := looksAfter(c, end)
		if late {
			left = append(left, c.Name)
		}
		return late
	})
	s.Checks = slices.DeleteFunc(s.Checks, func(c model.Check) bool {
		orphan := c.Since != nil && slices.Contains(left, c.Since.Check)
		if orphan {
			left = append(left, c.Name)
		}
		return orphan
	})
	return left
}

// looksAfter reports whether a check needs what happens after end. What starts at the end has
// nothing to look at either; an instant and an end may be the run's own.
func looksAfter(c model.Check, end sim.Time) bool {
	late := func(t *sim.Time) bool { return t != nil && *t > end }
	starts := func(t *sim.Time) bool { return t != nil && *t >= end }
	if starts(c.From) || late(c.To) || late(c.At) {
		return true
	}
	if c.Since != nil && c.Since.Check == "" && c.Since.Time >= end {
		return true
	}
	return c.Relative != nil && (starts(c.Relative.From) || late(c.Relative.To))
}

// span writes a time from the start, which may be before it.
func span(t sim.Time) string { return unit.FormatDuration(t) }
