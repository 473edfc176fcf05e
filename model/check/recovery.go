package check

import (
	"math"
	"slices"
	"strings"

	"cascadesim/model"
	"cascadesim/sim"
)

// The verdicts, from good to bad.
const (
	NoFault    = "no-fault"   // the timeline has no entry
	Recovered  = "recovered"  // the share came back and was there at the end
	Degraded   = "degraded"   // anything between
	Metastable = "metastable" // stuck, with nothing left that would explain it
)

// Recovery is what became of one replication after its last fault.
//
// Time runs from the end of the last timeline entry that ends before the run does, or from the
// start of the entry that recovery.after names (if that waits for a measure which was never met,
// there is no Time); when neither exists, from the start of the last
// entry. It ends at the start of the first hold, cut from the first boundary of windows that is
// not earlier, in which the watched clients' ok share (of all requests of the hold, as one bin)
// is at_least. A hold shorter than a window is one window; a longer one is rounded up to whole
// windows; it must fit before the end of the run. A hold without requests shows nothing and does
// not count, nor do requests that have not ended: they are not ok. A run that relapses has a Time
// and yet another verdict than recovered: whoever judges the time should judge the verdict too.
//
// The share at the end is that of the last hold before the end of the run. When requests still in
// flight leave open which side of at_least it lies on, earlier holds decide, up to one hold back;
// if they do not either, what is in flight counts as not ok.
//
// Metastable means: less than half of at_least at the end, in a hold that lies after the start of
// Time; nothing active; and no more requests per second of the watched clients than before the
// first entry (5 % and three standard deviations of a Poisson count are taken for noise).
// Without a window before the first entry that cannot be said, and the verdict is degraded.
// Active at the end are faults and pauses, settings with an end that is not before the run's,
// controls that have not come to their last stage, and settings without an end that touch what a
// tier or link can carry (slots, replicas, limits, latency, loss) if the share was at_least before
// they came: later ones are mitigations.
//
// Surge is the largest attempts per second in one window from the first entry on, over the mean
// of the windows before it (without the warm-up), of the edge for which that is largest. Edges
// without attempts before have none.
type Recovery struct {
	Verdict string
	Time    float64 // seconds; NaN: never, or no fault
	Never   bool    // it was looked for and not found
	Looked  float64 // seconds from the start of Time to the end of the run
	Surge   float64 // NaN: there is no before
	OKShare float64 // of the watched clients at the end; NaN: no requests

	From      sim.Time // the start of Time
	Entry     string   // name of the timeline entry that Time counts from; empty: no fault
	EntryEnds bool     // Time counts from the entry's end, and not from its start
	Edge      string   // name of the edge that Surge is of; empty: there is no before
}

// Recover finds verdict, time and surge of a replication.
func Recover(plan *model.Plan, r *model.Result) Recovery {
	h := newHealth(plan, r)
	out := Recovery{Verdict: NoFault, Time: none, Surge: none}
	last, settledAt := h.atEnd()
	out.OKShare = last
	entries := h.entries()
	if len(entries) == 0 {
		return out
	}
	start, entry, ends := h.start(entries)
	out.From, out.Entry, out.EntryEnds = start, entry.Name, ends
	first := int((start + h.width - 1) / h.width) // first boundary that is not earlier
	out.Never, out.Looked = true, (h.end - start).Seconds()
	for i := first; i+h.hold <= h.windows; i++ {
		if h.share(span{i, i + h.hold}, 0) >= h.atLeast {
			out.Never, out.Time = false, (sim.Time(i)*h.width - start).Seconds()
			break
		}
	}
	before := h.before(entries)
	out.Surge, out.Edge = h.surge(before)
	switch {
	case !out.Never && last >= h.atLeast:
		out.Verdict = Recovered
	case last < h.atLeast/2 && settledAt >= first && !h.active(entries) && h.noHigher(before):
		out.Verdict = Metastable
	default:
		out.Verdict = Degraded
	}
	return out
}

// health reads the ok share of the watched clients.
type health struct {
	reader
	watch   []int
	atLeast float64
	hold    int // in windows, at least 1
	width   sim.Time
	end     sim.Time
	windows int // whole windows before the end of the run
}

// recoveryOf is the recovery section, with the defaults of the file format where a program left
// it empty.
func recoveryOf(s *model.Scenario) model.Recovery {
	rec := s.Recovery
	if rec.Watch == "" {
		rec.Watch = "clients.*"
	}
	if rec.AtLeast == 0 {
		rec.AtLeast = 0.97
	}
	if rec.Hold == 0 && s.Recovery == (model.Recovery{}) {
		rec.Hold = 5 * sim.Second
	}
	return rec
}

// watched finds the clients that recovery.watch names, with or without the word clients.
func watched(w *model.World, rec model.Recovery) ([]int, error) {
	pattern := strings.TrimPrefix(rec.Watch, "clients.")
	var out []int
	for i, c := range w.Clients {
		if matches(pattern, c.Name) {
			out = append(out, i)
		}
	}
	if out == nil {
		return nil, bad(didYouMean(pattern, clientNames(w)), "no client %q", pattern)
	}
	return out, nil
}

func newHealth(plan *model.Plan, r *model.Result) health {
	rec := recoveryOf(plan.Scenario)
	h := health{reader: newReader(plan, r), atLeast: float64(rec.AtLeast), width: r.Window}
	h.watch, _ = watched(plan.World, rec) // Validate has reported a watch that names nobody
	h.hold = max(1, int((rec.Hold+r.Window-1)/r.Window))
	h.end = plan.World.End
	h.windows = min(int(h.end/r.Window), r.Windows)
	return h
}

func (h health) requests(s span) float64 {
	return float64(h.ofClients(h.watch, s, find(clientCounters, "requests")))
}

// share is the ok share over s; inFlight is the part of what is in flight that is taken for ok.
func (h health) share(s span, inFlight float64) float64 {
	ok := float64(h.ofClients(h.watch, s, find(clientCounters, "ok")))
	failed := float64(h.ofClients(h.watch, s, find(clientCounters, "failed")))
	requests := h.requests(s)
	open := float64(inFlight * (requests - ok - failed))
	return ratio(ok+open, requests)
}

// atEnd is the share at the end and the window in which its hold starts.
func (h health) atEnd() (float64, int) {
	last := max(0, h.windows-h.hold)
	for i := last; i >= max(0, last-h.hold); i-- {
		s := span{i, min(i+h.hold, h.windows)}
		least, most := h.share(s, 0), h.share(s, 1)
		if least >= h.atLeast || most < h.atLeast {
			return least, i
		}
	}
	return h.share(span{last, h.windows}, 0), last
}

// entries are the timeline entries that begin before the run ends.
func (h health) entries() []*model.TimelineEntry {
	return Entries(h.plan, h.r)
}

func entryNamed(entries []*model.TimelineEntry, name string) *model.TimelineEntry {
	for _, e := range entries {
		if e.Name == name {
			return e
		}
	}
	return nil
}

// ends says whether an entry is over before the run is.
func (h health) ends(e *model.TimelineEntry) bool { return e.End > e.At && e.End < h.end }

// start is the moment from which recovery is looked for, the entry that it belongs to, and whether
// it is that entry's end. There must be entries.
func (h health) start(entries []*model.TimelineEntry) (sim.Time, *model.TimelineEntry, bool) {
	if after := recoveryOf(h.plan.Scenario).After; after != "" {
		if e := entryNamed(entries, after); e != nil {
			return e.At, e, false
		}
		if i := slices.IndexFunc(h.plan.Scenario.Timeline, func(e model.TimelineEntry) bool {
			return e.Name == after
		}); i >= 0 {
			return h.end, &h.plan.Scenario.Timeline[i], false // it never began: nothing to look at
		}
	}
	var ended *model.TimelineEntry
	last := entries[0]
	for _, e := range entries {
		if e.At > last.At {
			last = e
		}
		if h.ends(e) && (ended == nil || e.End > ended.End) {
			ended = e
		}
	}
	if ended != nil {
		return ended.End, ended, true
	}
	return last.At, last, false
}

// before is the whole windows before the first entry, without the warm-up if that leaves any.
func (h health) before(entries []*model.TimelineEntry) span {
	first := h.end
	for _, e := range entries {
		first = min(first, e.At)
	}
	s := span{from: h.r.Warmup, to: int(first / h.width)}
	if s.from >= s.to {
		s.from = 0
	}
	return s
}

// noHigher says whether the watched clients send no more at the end than before. Closed loops are
// not asked: when they send more it is because they fail, which is no load from outside.
func (h health) noHigher(before span) bool {
	end := span{max(0, h.windows-h.hold), h.windows}
	if before.to <= before.from || end.to <= end.from {
		return false
	}
	open := slices.DeleteFunc(slices.Clone(h.watch), func(i int) bool {
		return h.plan.World.Clients[i].Process == model.Closed
	})
	was := float64(h.ofClients(open, before, find(clientCounters, "requests")))
	is := float64(h.ofClients(open, end, find(clientCounters, "requests")))
	// Scaled to the length of the end; its variance is that of a scaled count.
	part := float64(end.to-end.from) / float64(before.to-before.from)
	expected := float64(was * part)
	noise := float64(3 * math.Sqrt(expected+float64(expected*part)))
	return is <= float64(1.05*expected)+noise
}

// carries are the fields that say what a tier or a link can carry.
var carries = []string{"slots", "replicas", "limit", "latency", "loss", "replies_lost", "weight"}

// active says whether something in force at the end explains a low share.
func (h health) active(entries []*model.TimelineEntry) bool {
	for _, e := range entries {
		switch {
		case h.ends(e):
		case e.Fault != nil || e.Pause != nil, e.End != sim.Never && e.End != 0, h.holds(e):
			return true
		case h.burdens(e):
			return true
		}
	}
	return false
}

// holds says whether an entry is a control that is not in its last stage at the end of the run.
func (h health) holds(e *model.TimelineEntry) bool {
	held := false
	for _, m := range h.r.Stages {
		k := &h.w.Controls[m.Control]
		if h.plan.Scenario.Timeline[k.Entry].Control == e.Control {
			held = m.Stage >= 0 && m.Stage < len(k.Stages)-1
		}
	}
	return held
}

// burdens says whether a setting without an end touches what can be carried and came when all
// was well.
func (h health) burdens(e *model.TimelineEntry) bool {
	touches := slices.ContainsFunc(e.Set, func(s model.Setting) bool {
		return slices.ContainsFunc(strings.Split(s.Path, "."), func(segment string) bool {
			return slices.Contains(carries, segment)
		})
	})
	to := int(e.At / h.width)
	return touches && !(h.share(span{max(0, to-h.hold), to}, 0) < h.atLeast)
}

// surge is the largest rise of any edge's attempts in a window over its mean before, and the edge.
func (h health) surge(before span) (float64, string) {
	most, edge := none, ""
	attempts := find(edgeCounters, "attempts")
	for e := range h.w.Edges {
		m := Measure{of: "edges", edges: []int{e}, only: -1}
		was := float64(h.ofEdges(m, before, attempts))
		if before.to <= before.from || was == 0 {
			continue
		}
		mean := was / float64(before.to-before.from)
		for i := before.to; i < h.windows; i++ {
			if x := float64(h.ofEdges(m, span{i, i + 1}, attempts)) / mean; !(x <= most) {
				most, edge = x, h.w.Edges[e].Name
			}
		}
	}
	return most, edge
}
