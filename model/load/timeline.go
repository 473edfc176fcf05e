package load

import (
	"cascadesim/model"
	"cascadesim/model/internal/words"
	"cascadesim/sim"
)

// timeline resolves the entries' times and settings.
func (b *builder) timeline(forms []entryForm, list *node) []model.TimelineEntry {
	var out []model.TimelineEntry
	seen := map[string]bool{}
	for i, f := range forms {
		n := list.items[i]
		if n.kind != mapNode {
			continue // the decoder has said so
		}
		path := join("timeline", keyOf(b.g.scenario.field("timeline").shape, list, i))
		if f.Name != "" {
			b.entryName(f.Name, n, path, seen)
		}
		e := model.TimelineEntry{Name: f.Name, Doc: f.Doc, Fact: f.Fact, Over: f.Over,
			End: sim.Never, Fault: f.Fault, Pause: f.Pause, Restart: f.Restart,
			Deploy: f.Deploy, When: f.When}
		b.verbs(f, n, path)
		if b.entryTimes(&e, f, n, path) {
			e.Set = b.settings(f.Set, join(path, "set"), e.At)
		}
		e.Control = b.control(f.Control, n.get("control"), join(path, "control"), e.At)
		out = append(out, e)
	}
	b.clashes(b.climbs(out, list), list)
	return out
}

// entryName checks a name and that it is the only one.
func (b *builder) entryName(name string, n *node, path string, seen map[string]bool) {
	at := n.placeOf("name")
	switch {
	case !nameRule.MatchString(name):
		b.add(problem{path: path, at: at, hint: "names are a-z 0-9 _ and -"},
			"%q cannot be the name of a timeline entry", name)
	case name == "end":
		b.add(problem{path: path, at: at}, "end is the end of the run, and no name")
	case seen[name]:
		b.add(problem{path: path, at: at}, "two timeline entries are called %q", name)
	}
	seen[name] = true
}

// entryVerbs are what an entry can do.
var entryVerbs = []string{"set", "fault", "pause", "restart", "deploy", "control"}

// verbs checks that an entry does one thing.
func (b *builder) verbs(f entryForm, n *node, path string) {
	verbs := 0
	for _, verb := range entryVerbs {
		if !n.get(verb).absent() {
			verbs++
		}
	}
	if verbs != 1 && n.kind == mapNode {
		b.add(problem{path: path, at: n.at}, "an entry has one of %s, this one has %d",
			words.And(entryVerbs), verbs)
	}
	if f.Over > 0 && n.get("set") == nil {
		b.add(problem{path: join(path, "over"), at: n.placeOf("over")}, "only set takes time")
	}
	if f.Over == sim.Never {
		b.add(problem{path: join(path, "over"), at: n.placeOf("over")}, "must have a length")
	}
}

// entryTimes resolves start and end; false when the start is not known.
func (b *builder) entryTimes(e *model.TimelineEntry, f entryForm, n *node, path string) bool {
	if f.At.text == "" && e.When == nil {
		if n.kind == mapNode {
			b.add(problem{path: path, at: n.at}, "needs at, the time when it begins, or when")
		}
		return false
	}
	name, delay, follows, err := b.clock.following(f.At.text)
	switch {
	case err != nil:
		b.timeProblem(problem{path: join(path, "at"), at: f.At.at}, err)
		return false
	case follows:
		e.Follows, e.Delay = name, delay
	case f.At.text != "":
		at, ok := b.instant(f.At, join(path, "at"))
		if !ok {
			return false
		}
		e.At = at
	}
	if b.runEnd > 0 && (e.At < 0 || e.At > b.runEnd) {
		b.add(problem{path: join(path, "at"), at: f.At.at}, "%s is outside the run, which lasts %s",
			span(e.At), span(b.runEnd))
	}
	b.entryEnd(e, f, n, path)
	return true
}

// ownLength is how long an entry lasts whose verb says so; negative: it does not.
func (b *builder) ownLength(e *model.TimelineEntry) sim.Time {
	switch {
	case e.Restart != nil:
		return e.Restart.Down
	case e.Deploy != nil:
		replicas := 1
		if t, ok := b.tiers.Get(e.Deploy.Tier); ok {
			replicas = max(t.Replicas.Count, len(t.Replicas.Named))
		}
		return e.Deploy.Takes(replicas)
	}
	return -1
}

func (b *builder) entryEnd(e *model.TimelineEntry, f entryForm, n *node, path string) {
	where := problem{path: join(path, "until"), at: f.Until.at}
	given := f.Until.text != "" || f.For != sim.Never
	switch own := b.ownLength(e); {
	case own >= 0 && given:
		where.at = n.at
		where.path = path
		b.add(where, "it ends when its replicas are back; leave for and until out")
		return
	case own >= 0:
		e.End = e.At + own
		where.path, where.at = path, n.at
	case f.Until.text != "" && f.For != sim.Never:
		b.add(where, "give for or until, not both")
		return
	case f.Until.text != "" && f.Until.text != "end" && e.Waits():
		where.hint = "or until: end"
		b.add(where, "nobody knows when it begins; say with for how long it lasts")
		return
	case f.Until.text != "":
		end, ok := b.instant(f.Until, where.path)
		if !ok {
			return
		}
		e.End = end
	case f.For != sim.Never:
		where = problem{path: join(path, "for"), at: n.placeOf("for")}
		if e.End = e.At + f.For; f.For > sim.MaxTime {
			b.add(where, "longer than the clock")
		}
	case e.Fault != nil || e.Pause != nil:
		where.path, where.at = path, n.at
		where.hint = "until: end if it is meant to last"
		b.add(where, "needs an end: for or until")
		return
	default:
		return
	}
	switch {
	case e.End <= e.At:
		b.add(where, "it ends at %s, not after its start at %s", span(e.End), span(e.At))
	case b.runEnd > 0 && e.End > b.runEnd:
		where.warn = true
		b.add(where, "it ends at %s, after the run, which lasts %s", span(e.End), span(b.runEnd))
	}
}

// clashes reports two entries that set one place at one instant: which wins would depend on their
// order in the file.
func (b *builder) clashes(entries []model.TimelineEntry, list *node) {
	type key struct {
		path string
		at   sim.Time
	}
	first := map[key]int{}
	for i, e := range entries {
		for _, s := range e.Set {
			if s.Op != model.Replace || e.Waits() {
				continue
			}
			k := key{s.Path, e.At}
			j, twice := first[k]
			if !twice {
				first[k] = i
				continue
			}
			keys := b.g.scenario.field("timeline").shape
			b.add(problem{path: join("timeline", keyOf(keys, list, i)), at: list.items[i].at},
				"%s is set twice at %s: here and by %s", s.Path, span(e.At), keyOf(keys, list, j))
		}
	}
}
