package explain

import (
	"fmt"
	"math"
	"strings"

	"cascadesim/model"
	"cascadesim/model/check"
	"cascadesim/sim"
)

// Outage is a stretch in which more of a client's requests failed than recovery allows.
type Outage struct {
	Client   string
	From, To sim.Time // To is the end of the run when it had not ended
	Lasts    bool     // until the end of the run
	Worst    float64  // share of the requests that ended, in a bin
	Failed   float64  // simulated requests that failed in it, of the real system
	// Alone is the part of it, from Free to To, in which no fault, pause or passing setting was in
	// force that had begun before it did.
	Free  sim.Time
	Alone bool
}

// Length is how long it was.
func (o Outage) Length() sim.Time { return o.To - o.From }

// least is how many bins a stretch must have to be worth a word, and closed how long a gap in it
// may be.
const (
	least  = 2
	closed = 3
)

// allowed is the share of requests that may fail.
func (b *book) allowed() float64 {
	at := float64(b.plan.Scenario.Recovery.AtLeast)
	if at == 0 {
		at = 0.97
	}
	return 1 - at
}

// failed is the share of a client's requests that failed, of those that ended; NaN in bins of which
// most are still open.
func (b *book) failed(client string) []float64 {
	name := "clients." + client
	failed, ok := b.series(name+".failed_per_s"), b.series(name+".ok_per_s")
	all := b.series(name + ".requests_per_s")
	out := make([]float64, b.n)
	for i := range out {
		ended := failed[i] + ok[i]
		out[i] = failed[i] / ended
		if !(ended >= all[i]/2) || ended == 0 {
			out[i] = math.NaN()
		}
	}
	return out
}

// outages are found for each client by itself, in the order in which they began.
func (b *book) outages() []Outage {
	var out []Outage
	for _, c := range b.w.Clients {
		shares := b.failed(c.Name)
		counts := b.series("clients." + c.Name + ".failed_per_s")
		found := stretches(b.n, least, closed, func(i int) bool { return shares[i] > b.allowed() })
		for _, s := range found {
			o := Outage{Client: c.Name, From: b.time(s.first), To: b.time(s.end)}
			o.Worst, _ = most(shares, s)
			for i := s.first; i < s.end; i++ {
				o.Failed += counts[i] * b.bin.Seconds()
			}
			if s.end >= b.n-2 {
				o.Lasts, o.To = true, b.w.End
			}
			b.free(&o)
			out = append(out, o)
		}
	}
	sortByTime(out)
	return out
}

func sortByTime(all []Outage) {
	for i := range all {
		for k := i; k > 0 && all[k].From < all[k-1].From; k-- {
			all[k], all[k-1] = all[k-1], all[k]
		}
	}
}

// free finds from when on an outage had nothing that explains it: the end of the last entry that
// passes and had begun before it, or shortly after.
func (b *book) free(o *Outage) {
	o.Free, o.Alone = o.From, true
	for _, e := range check.Entries(b.plan, b.r) {
		if !passes(b.plan, e) || e.At > o.From+2*b.bin || e.End <= o.From {
			continue
		}
		o.Free = max(o.Free, e.End)
	}
	if o.Free >= o.To-2*b.bin {
		o.Alone = false
	}
}

// passes says whether an entry is in force for a while, and so explains what happens meanwhile.
func passes(plan *model.Plan, e *model.TimelineEntry) bool {
	ends := e.End > e.At && e.End < plan.World.End
	return e.Fault != nil || e.Pause != nil || ends
}

// failures says when requests failed.
func (b *book) failures() []Fact {
	var out []Fact
	for _, o := range b.told {
		until := "until " + b.clock(o.To)
		if o.Lasts {
			until = "until the end of the run"
		}
		out = append(out, Fact{At: o.From, Kind: "outage", Subject: "clients." + o.Client,
			Values: map[string]float64{"worst_share": o.Worst, "failed": o.Failed,
				"length_s": o.Length().Seconds()},
			Text: fmt.Sprintf("requests of %s fail: more than %s from here %s (%s), at worst %s; %s "+
				"requests in all", o.Client, share(b.allowed()), until, lasting(o.Length()),
				share(o.Worst), number(o.Failed))})
	}
	return out
}

// entries says what the timeline did.
func (b *book) entries() []Fact {
	var out []Fact
	for _, e := range check.Entries(b.plan, b.r) {
		text, subject := "the timeline: "+e.Name, "timeline."+e.Name
		if e.Name == "" {
			text, subject = "the timeline: a "+e.Verb(), "timeline"
		}
		if e.Doc != "" {
			text += ", " + strings.TrimSuffix(e.Doc, ".")
		}
		f := Fact{At: e.At, Kind: "entry", Subject: subject,
			Values: map[string]float64{"at_s": e.At.Seconds()}}
		if e.End > e.At && e.End < b.w.End {
			text += fmt.Sprintf(" (until %s)", b.clock(e.End))
			f.Values["end_s"] = e.End.Seconds()
		}
		f.Text = text
		out = append(out, f)
	}
	return out
}
