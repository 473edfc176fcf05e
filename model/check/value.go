package check

import (
	"math"

	"cascadesim/model"
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// none is a value that does not exist. It meets no bound, and it is never taken for 0.
var none = math.NaN()

func exists(x float64) bool { return !math.IsNaN(x) }

// Range is a length of a run, [From, To). Default means that nobody wrote it: from the end of the
// warm-up to the end of the run, with the drain for what is counted.
type Range struct {
	From, To sim.Time
	Default  bool
}

// DefaultRange is the range of a check without from and to.
func DefaultRange(w *model.World) Range { return Range{From: w.Warmup, To: w.End, Default: true} }

// reader reads measures from one replication.
type reader struct {
	plan *model.Plan
	w    *model.World
	r    *model.Result
}

func newReader(plan *model.Plan, r *model.Result) reader { return reader{plan, plan.World, r} }

// scale is what counts are divided by to read as the real system.
func (rd reader) scale() float64 {
	if rd.w.Scale == 0 {
		return 1
	}
	return rd.w.Scale
}

// span finds the windows of rg and how many seconds they stand for; drained adds the drain to
// a default range. It is false when they were not all simulated.
//
// When the run does not end on a boundary, its last window also holds the first of the drain. A
// range without the drain then ends at the boundary before: a little shorter, never wrong.
func (rd reader) span(rg Range, drained bool) (span, float64, bool) {
	s := span{from: int(rg.From / rd.r.Window), to: int(rg.To / rd.r.Window)}
	seconds := (rg.To - rg.From).Seconds()
	switch rest := rg.To % rd.r.Window; {
	case rg.Default && drained:
		s.to = rd.r.Windows
	case rest > 0 && rd.r.Ended > rg.To:
		seconds = (rg.To - rest - rg.From).Seconds()
	case rest > 0:
		s.to++
	}
	return s, seconds, s.from < s.to && s.to <= rd.r.Windows
}

// over is the value of m over rg, as the real system; none where it does not exist.
func (rd reader) over(m Measure, rg Range) float64 {
	drained := m.Kind == Counter || m.Kind == Part
	s, seconds, ok := rd.span(rg, drained)
	if !ok || m.Unit == Word {
		return none
	}
	switch m.Kind {
	case Counter:
		return float64(rd.count(m, s)) / rd.scaleOf(m)
	case PerSecond:
		return float64(rd.count(m, s)) / seconds / rd.scaleOf(m)
	case Part:
		return rd.part(m, s)
	case Gauge:
		return rd.average(m, s)
	case Lengths:
		return statistic(rd.lengths(m, rg, s), m.stat)
	}
	return rd.whole(m)
}

// scaleOf is scale for a counter: some count what a smaller run has as many of.
func (rd reader) scaleOf(m Measure) float64 {
	if m.what == crashes || find(probeCounters, m.what) != nil {
		return 1
	}
	return rd.scale()
}

// whole is a figure of the whole run.
func (rd reader) whole(m Measure) float64 {
	t := rd.r.Totals
	switch m.what {
	case "in_flight":
		return float64(t.InFlight) / rd.scale()
	case "wasted_work_share":
		return ratio(float64(t.Wasted), float64(t.Work))
	case "time":
		return Recover(rd.plan, rd.r).Time
	case "surge":
		return Recover(rd.plan, rd.r).Surge
	}
	return none
}

// ratio is a over b, none over nothing.
func ratio(a, b float64) float64 {
	if b == 0 {
		return none
	}
	return a / b
}

// count adds up m's column over s: a simulated count.
func (rd reader) count(m Measure, s span) uint64 {
	switch {
	case m.what == "refused_by":
		return rd.refusedBy(m, s)
	case m.what == crashes:
		return rd.crashes(m, s)
	case m.of == "clients":
		return rd.ofClients(m.clients, s, find(clientCounters, m.what))
	case find(probeCounters, m.what) != nil:
		return rd.probes(m, s, find(probeCounters, m.what))
	case m.of == "edges":
		return rd.ofEdges(m, s, find(edgeCounters, m.what))
	}
	return rd.ofTiers(m, s, find(tierCounters, m.what))
}

// part is the ratio that m stands for: of two sums over the same windows.
func (rd reader) part(m Measure, s span) float64 {
	requests := find(clientCounters, "requests")
	attempts := find(edgeCounters, "attempts")
	switch {
	case m.what == "amplification" && m.of == "totals":
		return rd.greatestAmplification(m, s)
	case m.what == "amplification":
		return ratio(float64(rd.ofEdges(m, s, attempts)),
			float64(rd.ofClients(m.clients, s, requests)))
	case m.what == "attempts_per_call":
		return ratio(float64(rd.ofEdges(m, s, attempts)),
			float64(rd.ofEdges(m, s, find(edgeCounters, "calls"))))
	case m.what == "hit_ratio":
		hits := rd.ofTiers(m, s, find(tierCounters, "hits"))
		rest := rd.ofTiers(m, s, find(tierCounters, "misses")) +
			rd.ofTiers(m, s, find(tierCounters, "coalesced"))
		return ratio(float64(hits), float64(hits+rest))
	}
	n := float64(rd.count(m, s))
	switch {
	case m.of == "clients":
		return ratio(n, float64(rd.ofClients(m.clients, s, requests)))
	case m.of == "tiers":
		return ratio(n, float64(rd.ofTiers(m, s, find(tierCounters, "arrivals"))))
	case find(probeCounters, m.what) != nil:
		return ratio(n, float64(rd.probes(m, s, find(probeCounters, "probes"))))
	case m.what == "refused" || m.what == "refused_by":
		// A refused try was never sent, so it is no attempt: of all that wanted to be sent.
		refused := rd.ofEdges(m, s, outcome(policies.Refused))
		return ratio(n, float64(rd.ofEdges(m, s, attempts)+refused))
	}
	return ratio(n, float64(rd.ofEdges(m, s, attempts)))
}

// greatestAmplification is the largest of all edges', none if no edge has one.
func (rd reader) greatestAmplification(m Measure, s span) float64 {
	most := none
	for _, e := range m.edges {
		of := Measure{of: "edges", what: m.what, edges: []int{e}, only: m.only}
		of.clients = reaching(rd.w, of.edges)
		if m.only >= 0 {
			of.clients = m.clients
		}
		if x := rd.part(of, s); exists(x) && !(x <= most) {
			most = x
		}
	}
	return most
}

func (rd reader) ofClients(clients []int, s span, of func(*model.ClientCell) uint32) uint64 {
	var n uint64
	for _, c := range clients {
		n += table[model.ClientCell]{rd.r.Clients[c].Cells, rd.r.Windows}.sum(0, s, of)
	}
	return n
}

func (rd reader) ofEdges(m Measure, s span, of func(*model.EdgeCell) uint32) uint64 {
	var n uint64
	for _, e := range m.edges {
		t := table[model.EdgeCell]{rd.r.Edges[e].Cells, rd.r.Windows}
		for c := range rd.w.Clients {
			if m.only < 0 || m.only == c {
				n += t.sum(c, s, of)
			}
		}
	}
	return n
}

func (rd reader) ofTiers(m Measure, s span, of func(*model.TierCell) uint32) uint64 {
	var n uint64
	clients := len(rd.w.Clients)
	for _, row := range m.rows {
		t := table[model.TierCell]{rd.r.Replicas[row.replica].Cells, rd.r.Windows}
		for c := range clients {
			if m.only < 0 || m.only == c {
				n += t.sum(row.endpoint*clients+c, s, of)
			}
		}
	}
	return n
}

func (rd reader) refusedBy(m Measure, s span) uint64 {
	var n uint64
	for _, en := range m.entries {
		for _, refused := range rd.r.Edges[en.edge].RefusedBy[en.index][s.from:s.to] {
			n += uint64(refused)
		}
	}
	return n
}

func (rd reader) probes(m Measure, s span, of func(*kernel.ProbeCell) uint32) uint64 {
	var n uint64
	for _, e := range m.edges {
		if probes := rd.r.Edges[e].Probes; probes != nil {
			n += table[kernel.ProbeCell]{probes, rd.r.Windows}.sum(0, s, of)
		}
	}
	return n
}

func (rd reader) crashes(m Measure, s span) uint64 {
	var n uint64
	for _, i := range m.replicas {
		for _, g := range rd.r.Replicas[i].Gauges[s.from:s.to] {
			n += uint64(g.Crashes)
		}
	}
	return n
}

// lengths merges the histograms that m picks. A range that is the whole run's reads the
// histograms of the run; another needs those of its windows, and is nil if they were not kept.
func (rd reader) lengths(m Measure, rg Range, s span) *stats.Histogram {
	all := rg.Default ||
		rg.From == rd.w.Warmup && rg.To == rd.w.End && rd.r.Ended <= rd.w.End
	var h stats.Histogram
	add := func(total *stats.Histogram, windows []stats.Histogram) bool {
		switch {
		case all:
			h.Merge(total)
		case windows == nil:
			return false
		default:
			for i := s.from; i < s.to; i++ {
				h.Merge(&windows[i])
			}
		}
		return true
	}
	kept := true
	switch m.what {
	case "latency":
		for _, c := range m.clients {
			kept = kept && add(&rd.r.Clients[c].Latency, rd.r.Clients[c].Series)
		}
	case "attempt_latency":
		for _, e := range m.edges {
			kept = kept && add(&rd.r.Edges[e].Latency, rd.r.Edges[e].Series)
		}
	case "wait":
		for _, i := range m.replicas {
			kept = kept && add(&rd.r.Replicas[i].Wait, rd.r.Replicas[i].WaitSeries)
		}
	case "service":
		for _, i := range m.replicas {
			kept = kept && add(&rd.r.Replicas[i].Service, rd.r.Replicas[i].ServiceSeries)
		}
	}
	if !kept {
		return nil
	}
	return &h
}

var quantiles = map[string]float64{"p50": 0.5, "p95": 0.95, "p99": 0.99, "p999": 0.999}

// statistic is the mean or a quantile of h in seconds; none of nobody.
func statistic(h *stats.Histogram, stat string) float64 {
	switch {
	case h == nil || h.Count() == 0:
		return none
	case stat == "mean":
		return h.Mean() / 1e9
	}
	return h.Quantile(quantiles[stat]).Seconds()
}

// bins are the values of m in bins of rg, from its start on; an incomplete last one is left out.
func (rd reader) bins(m Measure, rg Range, width sim.Time) []float64 {
	out := make([]float64, 0, max(0, (rg.To-rg.From)/width))
	for at := rg.From; at+width <= rg.To; at += width {
		out = append(out, rd.over(m, Range{From: at, To: at + width}))
	}
	return out
}

// Needs says which durations must be kept for each window, for the checks of the scenario to be
// read; whoever runs the plan sets World.Series to it before the first run. Checks that Validate
// refuses need nothing.
func Needs(plan *model.Plan) kernel.SeriesWanted {
	w := plan.World
	wanted := kernel.SeriesWanted{
		Clients: make([]bool, len(w.Clients)), Edges: make([]bool, len(w.Edges)),
		Wait: make([]bool, len(w.Tiers)), Service: make([]bool, len(w.Tiers)),
	}
	for _, c := range plan.Scenario.Checks {
		want(w, c.Measure, c.Client, &wanted)
		if c.Relative != nil && c.Relative.Measure != "" {
			want(w, c.Relative.Measure, c.Client, &wanted)
		}
	}
	return wanted
}

// want marks what a measure of durations reads. It does so for whole runs too: a variant of the
// check may look at a part, and the few that ask for durations can afford it.
func want(w *model.World, text, client string, wanted *kernel.SeriesWanted) {
	m, err := Parse(w, text, client)
	if err != nil || m.Kind != Lengths {
		return
	}
	for _, c := range m.clients {
		wanted.Clients[c] = true
	}
	if m.of == "edges" {
		for _, e := range m.edges {
			wanted.Edges[e] = true
		}
	}
	for _, i := range m.replicas {
		switch t := w.Replicas[i].Tier; m.what {
		case "wait":
			wanted.Wait[t] = true
		case "service":
			wanted.Service[t] = true
		}
	}
}
