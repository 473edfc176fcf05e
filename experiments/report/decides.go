package report

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// nearLimit is the load from which on a replica is worth a line: below it nothing was in danger.
const nearLimit = 0.8

// maxConditions is how many replicas are shown; the first ones tell the story.
const maxConditions = 3

// Decides shows both sides of what decides whether a tier comes back: first tries and retries that
// arrive, against its capacity.
//
// Each replica is shown over the stretch that tells most of it: the longest one in which more
// arrived than it could do although nothing was broken. Of a run that did not recover it is the
// last such stretch after the last fault. When there are none, replicas are shown as they were when
// most requests failed, and the first of them once more as soon as nothing was broken.
type Decides struct {
	Doc   string
	Lines []finding
}

// finding is one sentence about a replica in a stretch; those below another one explain it.
type finding struct {
	name, when, text string
	below            bool
}

// said is a condition and the stretch that it was measured over.
type said struct {
	check.Condition
	when string
}

// decides finds the stretches. Bins are a fortieth of the run, or a window.
func (r Run) decides() (Decides, error) {
	d, err := r.newDecider()
	if err != nil {
		return Decides{}, err
	}
	if d.worstBin().to == 0 {
		return Decides{}, nil // nothing failed, so nothing decides
	}
	shown := d.overloaded()
	if len(shown) == 0 {
		shown = d.worst()
	}
	out := Decides{Doc: "load above 1: more arrives than can be done"}
	if n := len(r.Results); n > 1 {
		out.Doc += fmt.Sprintf("; seed %d of %d replications", r.Results[0].Seed, n)
	}
	explained := map[string]bool{}
	for _, c := range shown {
		c.Layers = atWork(c.Layers)
		for i, line := range c.Lines() {
			// Replicas of one tier have the same layers above them: once is enough.
			if i > 0 && explained[c.Tier] {
				break
			}
			f := finding{text: line, below: i > 0}
			if i == 0 {
				f.name, f.when = c.Name(), c.when
				f.text = strings.TrimPrefix(line, c.Name()+": ")
			}
			out.Lines = append(out.Lines, f)
		}
		explained[c.Tier] = true
	}
	return out, nil
}

// decider looks for stretches of one replication.
type decider struct {
	plan  *model.Plan
	r     *model.Result
	clock Clock
	bin   sim.Time
	// after is when the last fault had ended, of a run that did not recover; 0: look everywhere.
	after     sim.Time
	recovered bool
	happened  []*model.TimelineEntry
	fails     []float64 // by bin, of the client that did worst; NaN: nobody's requests ended
}

func (r Run) newDecider() (decider, error) {
	axis, bin := axisOf(r.Plan, r.Results[0], 40)
	d := decider{plan: r.Plan, r: r.Results[0], clock: axis.Clock, bin: bin}
	d.happened = check.Entries(r.Plan, r.Results[0])
	rec := &recorder{plan: r.Plan, r: r.Results[0], axis: axis, bin: bin}
	d.fails = make([]float64, axis.Bins)
	for i := range d.fails {
		d.fails[i] = math.NaN()
	}
	for _, l := range rec.clients().Lines {
		for i, v := range l.Values {
			if !math.IsNaN(v) && !(v <= d.fails[i]) {
				d.fails[i] = v
			}
		}
	}
	switch check.Recover(r.Plan, r.Results[0]).Verdict {
	case check.Recovered:
		d.recovered = true
	case check.Metastable, check.Degraded:
		for _, e := range d.entries() {
			if d.ends(e) {
				d.after = max(d.after, e.End)
			}
		}
	}
	return d, rec.err
}

// entries are those of the timeline that begin before the run ends.
func (d decider) entries() []*model.TimelineEntry {
	return d.happened
}

func (d decider) ends(e *model.TimelineEntry) bool {
	return e.End > e.At && e.End < d.plan.World.End
}

// passing says whether an entry is in force for a while, so that it explains what happens
// meanwhile. A setting that stays is how the system is from then on.
func (d decider) passing(e *model.TimelineEntry) bool {
	return e.Fault != nil || e.Pause != nil || d.ends(e)
}

// stretch is a part of a run.
type stretch struct{ from, to sim.Time }

func (s stretch) length() sim.Time { return s.to - s.from }

// segments are the stretches between changes of the timeline in which nothing that passes was in
// force.
func (d decider) segments() []stretch {
	end := d.plan.World.End
	cuts := []sim.Time{d.after, end}
	for _, e := range d.entries() {
		for _, t := range []sim.Time{e.At, e.End} {
			if t > d.after && t < end {
				cuts = append(cuts, t)
			}
		}
	}
	sort.Slice(cuts, func(i, j int) bool { return cuts[i] < cuts[j] })
	var out []stretch
	for i := 1; i < len(cuts); i++ {
		if s := (stretch{cuts[i-1], cuts[i]}); s.from < s.to && d.during(s) == "" {
			out = append(out, s)
		}
	}
	return out
}

// during names what passes and was in force at some time in s; empty: nothing.
func (d decider) during(s stretch) string {
	var names []string
	for _, e := range d.entries() {
		over := e.End > e.At && e.End <= s.from
		if d.passing(e) && e.At < s.to && !over {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}

// overloaded are the replicas to which more came than they could do while nothing was broken, each
// over its longest such stretch: the most overloaded ones first. Where the overload went by itself
// and the system came back, what followed is shown too.
func (d decider) overloaded() []said {
	var names []string
	best, rest := map[string]stretch{}, map[string]stretch{}
	for _, segment := range d.segments() {
		found, order := d.runs(segment)
		for _, name := range order {
			s, known := best[name]
			if !known {
				names = append(names, name)
			}
			// Of a run that is stuck the last segment says why it still is.
			if !known || d.after > 0 || found[name].length() > s.length() {
				best[name], rest[name] = found[name], stretch{found[name].to, segment.to}
			}
		}
	}
	var most []said
	for _, name := range names {
		if c := d.over(best[name], name); len(c) > 0 && d.certain(c[0].Condition, best[name]) {
			most = append(most, c[0])
		}
	}
	sort.SliceStable(most, func(i, j int) bool { return most[i].Load() > most[j].Load() })
	var out []said
	for _, c := range most[:min(len(most), maxConditions)] {
		out = append(out, c)
		if s := rest[c.Name()]; d.recovered && s.length() >= d.bin {
			out = append(out, d.over(s, c.Name())...)
		}
	}
	return out
}

// over is the condition of one replica over a stretch; none when it was not measured there.
func (d decider) over(s stretch, name string) []said {
	for _, c := range d.conditions(s) {
		if c.Name() == name {
			return []said{{c, d.write(s)}}
		}
	}
	return nil
}

// certain says whether a load above 1 over s is more than chance: the surplus is beyond three
// standard deviations of a Poisson count of what arrived in the simulated part of the system.
func (d decider) certain(c check.Condition, s stretch) bool {
	seconds := (s.to - s.from).Seconds()
	if scale := d.plan.World.Scale; scale > 0 {
		seconds *= scale
	}
	return (c.Offered()-c.CapacityPerS)*seconds > 3*math.Sqrt(c.Offered()*seconds)
}

// runs are, by replica, the longest runs of bins of a segment in which more arrived than could be
// done, and the names in the order in which they were met. Bins are whole windows; a segment that
// has none has no runs.
func (d decider) runs(segment stretch) (map[string]stretch, []string) {
	longest, running := map[string]stretch{}, map[string]stretch{}
	var order []string
	w := d.r.Window
	from, end := (segment.from+w-1)/w*w, segment.to/w*w
	for ; from < end; from += d.bin {
		to := min(from+d.bin, end)
		for _, c := range d.conditions(stretch{from, to}) {
			name := c.Name()
			if c.Holds() || !(c.Load() > 1) {
				delete(running, name)
				continue
			}
			s, goesOn := running[name]
			if !goesOn {
				s.from = from
			}
			s.to = to
			running[name] = s
			old, known := longest[name]
			if !known {
				order = append(order, name)
			}
			if s.length() > old.length() {
				longest[name] = s
			}
		}
	}
	return longest, order
}

// worst are the replicas near their limit when most requests failed, and the first of them once
// more as soon as nothing was broken.
func (d decider) worst() []said {
	at := d.worstBin()
	if at.to == 0 {
		return nil
	}
	var out []said
	conditions := d.conditions(at)
	sort.SliceStable(conditions, func(i, j int) bool {
		return conditions[i].Load() > conditions[j].Load()
	})
	for i, c := range conditions {
		if i < maxConditions && c.Load() >= nearLimit {
			out = append(out, said{c, d.write(at)})
		}
	}
	if len(out) == 0 || d.during(at) == "" {
		return out
	}
	for _, s := range d.segments() {
		if s.from <= at.from {
			continue
		}
		s.to = min(s.from+d.bin, s.to)
		return append(out, d.over(s, out[0].Name())...)
	}
	return out
}

// worstBin is the bin in which most requests failed; none when nothing failed.
func (d decider) worstBin() stretch {
	var out stretch
	worst := 0.0
	for i, v := range d.fails {
		if v > worst {
			out = stretch{sim.Time(i) * d.bin, min(sim.Time(i+1)*d.bin, d.plan.World.End)}
			worst = v
		}
	}
	return out
}

func (d decider) conditions(s stretch) []check.Condition {
	return check.Conditions(d.plan, d.r, s.from, s.to)
}

// write is a stretch by the clock, with what was broken in it.
func (d decider) write(s stretch) string {
	text := d.clock.Format(s.from.Seconds()) + " to " + d.clock.Format(s.to.Seconds())
	if broken := d.during(s); broken != "" {
		return text + ", under " + broken
	}
	return text
}
