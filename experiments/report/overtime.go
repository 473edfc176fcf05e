package report

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// maxBins is how many bins a chart has at most: more than that no screen shows apart.
const maxBins = 900

// maxLines is how many lines a chart has at most; the largest ones are kept.
const maxLines = 16

// clockOf is how the times of a scenario are written.
func clockOf(s *model.Scenario) Clock {
	return Clock{Epoch: s.Epoch}
}

// axisOf lays bins over a run: the windows themselves, or the fewest of them together that leave
// at most so many bins.
func axisOf(plan *model.Plan, r *model.Result, bins int) (Axis, sim.Time) {
	windows := int((plan.World.End + r.Window - 1) / r.Window)
	together := max((windows+bins-1)/bins, 1)
	step := r.Window * sim.Time(together)
	return Axis{
		Clock: clockOf(plan.Scenario), Step: step.Seconds(), Bins: windows / together,
	}, step
}

// SpansOf are the entries of the timeline that happen during the run, in order of their start.
func SpansOf(plan *model.Plan, r *model.Result) []Span {
	var out []Span
	for _, e := range check.Entries(plan, r) {
		span := Span{At: e.At.Seconds(), End: math.NaN(), Name: e.Name, Doc: e.Doc, Verb: e.Verb()}
		if e.End < plan.World.End {
			span.End = e.End.Seconds()
		}
		if e.Fact != "" {
			span.Doc = strings.TrimSpace(span.Doc + " (" + e.Fact + ")")
		}
		out = append(out, span)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].At < out[j].At })
	return out
}

// InAll are the spans of the first run that all others have, too: what happened in one run alone
// would seem to have happened in all.
func InAll(runs [][]Span) (out []Span) {
	for _, s := range runs[0] {
		if !slices.ContainsFunc(runs, func(of []Span) bool { return !slices.ContainsFunc(of, s.same) }) {
			out = append(out, s)
		}
	}
	return out
}

// same says whether both did the same at the same time.
func (s Span) same(o Span) bool {
	stay := math.IsNaN(s.End) && math.IsNaN(o.End)
	return s.Name == o.Name && s.Verb == o.Verb && s.At == o.At && (s.End == o.End || stay)
}

// mostStages is how many stages charts mark: more of them are repetitions, and would hide lines.
const mostStages = 40

// WithStages are spans and, among them in order of time, the stages that the controls of a run went
// through.
func WithStages(spans []Span, plan *model.Plan, r *model.Result) []Span {
	if r == nil {
		return spans
	}
	stays := check.Stays(plan, r)
	for i, s := range stays[:min(len(stays), mostStages)] {
		span := Span{At: s.From.Seconds(), End: s.To.Seconds(), Name: s.Stage, Verb: "stage",
			Doc: "of " + s.Control}
		if s.Ended == check.Lasts {
			span.End = math.NaN()
		}
		if s.Back {
			span.Name = "back to " + s.Stage
			span.Doc += ": " + missed(stays[:i], s.Control)
		}
		spans = append(spans, span)
	}
	sort.SliceStable(spans, func(i, j int) bool { return spans[i].At < spans[j].At })
	return spans
}

// missed says what was not met in the last of a control's stays.
func missed(stays []check.Stay, control string) string {
	why := ""
	for _, s := range stays {
		if s.Control == control {
			why = s.Why()
		}
	}
	return why
}

// recorder reads series of one replication on one axis.
type recorder struct {
	plan *model.Plan
	r    *model.Result
	axis Axis
	bin  sim.Time
	err  error
}

// line reads a measure under a name. The first error is kept; a measure that the world does not
// have is a mistake in this package.
func (rec *recorder) line(name, measure string) Line {
	values, err := check.Series(rec.plan, rec.r, measure, rec.bin)
	if err != nil && rec.err == nil {
		rec.err = fmt.Errorf("series of %s: %w", measure, err)
	}
	for len(values) < rec.axis.Bins {
		values = append(values, math.NaN())
	}
	return Line{Name: name, Values: values[:rec.axis.Bins]}
}

// peaked reads a measure and, where several windows make a bin, the highest of them.
func (rec *recorder) peaked(name, measure string) Line {
	l := rec.line(name, measure)
	together := int(rec.bin / rec.r.Window)
	values, err := check.Series(rec.plan, rec.r, measure, rec.r.Window)
	if err != nil || together < 2 {
		return l // line has kept the error
	}
	l.Peaks = make([]float64, rec.axis.Bins)
	for i := range l.Peaks {
		from := min(i*together, len(values))
		l.Peaks[i] = peak(Line{Values: values[from:min(from+together, len(values))]})
	}
	return l
}

// peaksNote says what thin lines are, if there are any.
func (rec *recorder) peaksNote() string {
	if rec.bin == rec.r.Window {
		return ""
	}
	return fmt.Sprintf("; thin: the highest %s in each %s", seconds(rec.r.Window.Seconds()),
		seconds(rec.bin.Seconds()))
}

// Places are the tiers, and their replicas where these have names: a sick replica among healthy
// ones would vanish in the tier's mean.
func Places(plan *model.Plan) []string {
	var out []string
	for _, t := range plan.World.Tiers {
		named := 0
		if declared, ok := plan.Topology.Tiers.Get(t.Name); ok {
			named = len(declared.Replicas.Named)
		}
		if named < 2 {
			out = append(out, t.Name)
			continue
		}
		for _, r := range plan.World.Replicas[t.First : t.First+t.Count] {
			out = append(out, t.Name+"@"+r.Name)
		}
	}
	return out
}

// chartsOf are the charts of one replication.
func chartsOf(plan *model.Plan, r *model.Result) (Axis, []Chart, error) {
	axis, bin := axisOf(plan, r, maxBins)
	rec := &recorder{plan: plan, r: r, axis: axis, bin: bin}
	charts := []Chart{
		rec.clients(), rec.rates(), rec.amplification(),
		rec.tiers(Chart{ID: "utilization", Title: "Utilization", Unit: Share,
			Doc: "share of slots that are busy", Limit: 1}, "utilization"),
		rec.tiers(Chart{ID: "in-line", Title: "Attempts in line", Unit: Level,
			Doc: "waiting for a slot, mean over the bin"}, "in_line"),
		rec.tiers(Chart{ID: "in-system", Title: "Attempts in flight", Unit: Level,
			Doc: "admitted and not yet answered, those that wait for other tiers too"}, "in_system"),
		rec.breakers(), rec.latency(),
	}
	var out []Chart
	for _, c := range charts {
		if c.Lines = shown(c.Lines); len(c.Lines) > 0 {
			out = append(out, c)
		}
	}
	return axis, out, rec.err
}

func (rec *recorder) clients() Chart {
	c := Chart{ID: "failed", Title: "Requests that failed", Unit: Share,
		Doc: "share of each client's requests that ended, by the time at which they started"}
	for i, client := range rec.plan.World.Clients {
		l := rec.failed(client.Name)
		l.Color = i + 1
		c.Lines = append(c.Lines, l)
	}
	return c
}

// failed is the share of a client's requests that failed, of those that ended. Requests that start
// just before the end of a run have not ended; counted among all they would look like a recovery,
// so a bin of which most are still open is a gap.
func (rec *recorder) failed(client string) Line {
	failed := rec.line(client, "clients."+client+".failed_per_s")
	ok := rec.line(client, "clients."+client+".ok_per_s")
	requests := rec.line(client, "clients."+client+".requests_per_s")
	for i, f := range failed.Values {
		ended := f + ok.Values[i]
		if failed.Values[i] = f / ended; !(ended >= requests.Values[i]/2) || ended == 0 {
			failed.Values[i] = math.NaN()
		}
	}
	return failed
}

func (rec *recorder) rates() Chart {
	c := Chart{ID: "rates", Title: "Offered and served", Unit: Rate,
		Doc: "attempts over each edge; ok: those answered well and in time" + rec.peaksNote()}
	for i, e := range rec.plan.World.Edges {
		offered := rec.peaked(e.Name, "edges."+e.Name+".attempts_per_s")
		served := rec.line(e.Name+" ok", "edges."+e.Name+".ok_per_s")
		offered.Color, served.Color, served.Second = i+1, i+1, true
		if peak(offered) > 0 {
			c.Lines = append(c.Lines, offered, served)
		}
	}
	return c
}

func (rec *recorder) amplification() Chart {
	c := Chart{ID: "amplification", Title: "Amplification", Unit: Factor,
		Doc: "attempts over each edge per request of the clients whose calls can reach it"}
	for i, e := range rec.plan.World.Edges {
		l := rec.line(e.Name, "edges."+e.Name+".amplification")
		l.Color = i + 1
		if peak(l) > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
	return c
}

func (rec *recorder) tiers(c Chart, gauge string) Chart {
	c.Doc += rec.peaksNote()
	for i, name := range Places(rec.plan) {
		l := rec.peaked(name, "tiers."+name+"."+gauge)
		l.Color = i + 1
		if peak(l) > 0 {
			c.Lines = append(c.Lines, l)
		}
	}
	return c
}

// breakers is which share of the breakers of each stack entry is open, and which half open.
func (rec *recorder) breakers() Chart {
	c := Chart{ID: "breakers", Title: "Breakers that are open", Unit: Share,
		Doc: "share of those that somebody has used; half open: a few attempts pass"}
	for e, edge := range rec.plan.World.Edges {
		for k, use := range edge.Stack {
			if rec.r.Edges[e].Open[k] == nil {
				continue
			}
			name := edge.Name + " " + use.Name
			open := rec.line(name, "edges."+edge.Name+".open."+use.Name)
			half := rec.line(name+", half open", "edges."+edge.Name+".half_open."+use.Name)
			color := len(c.Lines)/2 + 1
			open.Color, half.Color, half.Second = color, color, true
			c.Lines = append(c.Lines, open, half)
		}
	}
	return c
}

// latency is of those clients of whom durations were kept for each window.
func (rec *recorder) latency() Chart {
	c := Chart{ID: "latency", Title: "Latency", Unit: Duration,
		Doc: "of requests that ended well; p50: the median"}
	for i, client := range rec.plan.World.Clients {
		if rec.r.Clients[i].Series == nil {
			continue
		}
		measure := "clients." + client.Name + ".latency."
		p99 := rec.line(client.Name+" p99", measure+"p99")
		p50 := rec.line(client.Name+" p50", measure+"p50")
		p99.Color, p50.Color, p50.Second = i+1, i+1, true
		c.Lines = append(c.Lines, p99, p50)
	}
	return c
}

// shown drops lines without any value and, of too many, the smallest. Lines of one colour belong
// together: they are kept or dropped as one.
func shown(lines []Line) []Line {
	var out []Line
	for _, l := range lines {
		if !math.IsNaN(peak(l)) {
			out = append(out, l)
		}
	}
	if len(out) <= maxLines {
		return out
	}
	tops, sizes := map[int]float64{}, map[int]int{}
	var colors []int
	for _, l := range out {
		if sizes[l.Color]++; sizes[l.Color] == 1 {
			colors = append(colors, l.Color)
		}
		tops[l.Color] = max(tops[l.Color], peak(l))
	}
	sort.SliceStable(colors, func(i, j int) bool { return tops[colors[i]] > tops[colors[j]] })
	kept, room := map[int]bool{}, maxLines
	for _, c := range colors {
		if room -= sizes[c]; room >= 0 {
			kept[c] = true
		}
	}
	return slices.DeleteFunc(out, func(l Line) bool { return !kept[l.Color] })
}

// peak is the largest value of a line, NaN when it has none.
func peak(l Line) float64 {
	most := math.NaN()
	for _, v := range l.Values {
		if !math.IsNaN(v) && !(v <= most) {
			most = v
		}
	}
	return most
}

// StripOf shows the failed share of each client's requests over time.
func StripOf(plan *model.Plan, r *model.Result) (Strip, error) {
	axis, bin := axisOf(plan, r, 200)
	rec := &recorder{plan: plan, r: r, axis: axis, bin: bin}
	return Strip{
		Title: "Requests that failed, over time (" + axis.Clock.Name() + ")",
		Axis:  axis, Lines: rec.clients().Lines, Spans: SpansOf(plan, r),
	}, rec.err
}
