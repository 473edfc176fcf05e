package explain

import (
	"fmt"
	"math"
	"strings"

	"cascadesim/model/check"
	"cascadesim/sim"
)

// sustained says of each outage that went on while nothing was broken which tier could not come
// back, and what kept it so.
func (b *book) sustained(loops []Loop) []Fact {
	var out []Fact
	for _, o := range b.told {
		if !o.Alone {
			continue
		}
		l, from, to := b.culprit(o, loops)
		if l == nil {
			continue
		}
		p := b.average(l, from, to)
		broken := "nothing is broken any more, and requests"
		if o.Free == o.From {
			broken = "nothing is broken, and requests"
		}
		out = append(out, Fact{At: o.Free, Kind: "loop", Subject: "tiers." + l.Place,
			Values: map[string]float64{"first_per_s": p.First, "extra_per_s": p.Extra,
				"capacity_per_s": p.Capacity, "gain": finite(p.Gain), "from_s": from.Seconds(),
				"to_s": to.Seconds()},
			Text: fmt.Sprintf("%s of %s fail all the same: %s gets %s "+
				"first tries and %s retries on top (%s for each first try), %s; its capacity is %s: gain "+
				"%s from %s to %s. The loop is %s", broken, o.Client, l.Place, rate(p.First), rate(p.Extra),
				number(p.Extra/p.First), rate(p.Arrivals), rate(p.Capacity), number(p.Gain),
				b.clock(from), b.clock(to), b.loopText(o, l, from, to))})
	}
	return out
}

// finite replaces what JSON has no number for.
func finite(x float64) float64 {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return -1
	}
	return x
}

// loopText names the edges that multiply a client's calls on the way to a place, as measured over a
// time.
func (b *book) loopText(o Outage, l *Loop, from, to sim.Time) string {
	var parts []string
	for _, name := range l.Layers {
		if !b.uses(o.Client, name) {
			continue
		}
		if per := b.over("edges."+name+".attempts_per_call", from, to); per > 1.01 {
			parts = append(parts, fmt.Sprintf("%s x %s", name, number(per)))
		}
	}
	if len(parts) == 0 {
		return "no longer fed by retries"
	}
	return strings.Join(parts, ", ")
}

// uses says whether a client's requests can come over an edge.
func (b *book) uses(client, edge string) bool {
	for e := range b.w.Edges {
		for c, can := range b.w.Edges[e].CanReach {
			if can && b.w.Edges[e].Name == edge && b.w.Clients[c].Name == client {
				return true
			}
		}
	}
	return false
}

// culprit is the loop with a gain above 1 for the longest part of an outage's time alone, and the
// first and last of its bins there; nil: none had it for a fifth of that time.
func (b *book) culprit(o Outage, loops []Loop) (best *Loop, from, to sim.Time) {
	most := 0
	reach := b.reaches(o.Client)
	for i := range loops {
		l := &loops[i]
		if !reach[b.tierNamed(strings.Split(l.Place, "@")[0])] {
			continue
		}
		first, last, n, all := -1, 0, 0, 0
		load := 0.0
		for k, p := range l.Points {
			at := sim.Time(k) * l.Bin
			if at < o.Free || at+l.Bin > o.To {
				continue
			}
			all++
			if p.Gain > 1 {
				n++
				load += min(p.Gain, 100)
				if first < 0 {
					first = k
				}
				last = k
			}
		}
		if all == 0 || 5*n < all || n < most || n == most && best != nil {
			continue
		}
		best, most = l, n
		from, to = sim.Time(first)*l.Bin, sim.Time(last+1)*l.Bin
	}
	return best, from, to
}

// reaches says which tiers a client's requests come to.
func (b *book) reaches(client string) []bool {
	out := make([]bool, len(b.w.Tiers))
	for c := range b.w.Clients {
		if b.w.Clients[c].Name != client {
			continue
		}
		for e := range b.w.Edges {
			if reach := b.w.Edges[e].CanReach; c < len(reach) && reach[c] {
				for _, t := range b.tiersOf(e) {
					out[t] = true
				}
			}
		}
	}
	return out
}

// average is a loop over a time, from the counts of the whole time.
func (b *book) average(l *Loop, from, to sim.Time) LoopPoint {
	o := b.originals(from, to)
	for _, c := range check.Conditions(b.plan, b.r, from, to) {
		if c.Name() == l.Place {
			return pointOf(c, o[b.tierNamed(c.Tier)])
		}
	}
	return LoopPoint{Capacity: math.NaN(), Gain: math.NaN()}
}

// ends says what came before the end of each outage: an act of the timeline, or a gain that fell
// below 1 by itself.
func (b *book) ends(loops []Loop) []Fact {
	var out []Fact
	for _, o := range b.told {
		if o.Lasts {
			continue
		}
		f := Fact{At: o.To, Kind: "end", Subject: "clients." + o.Client, Values: map[string]float64{}}
		what := "without any act of the timeline"
		if names, at := b.before(o); len(names) > 0 {
			what = strings.Join(names, " and ") + " at " + b.clock(at)
			when := "when "
			if o.To > at {
				when = lasting(o.To-at) + " after "
			}
			what = when + what
			f.Values["after_entry_s"] = (o.To - at).Seconds()
		}
		f.Text = fmt.Sprintf("requests of %s are answered again, %s", o.Client, what)
		if l, gain, ok := b.fell(o, loops); ok {
			f.Text += fmt.Sprintf("; the gain at %s is %s now", l.Place, number(gain))
			f.Values["gain"] = finite(gain)
		}
		out = append(out, f)
	}
	return out
}

// before is what the timeline did last during an outage, and when.
func (b *book) before(o Outage) (names []string, at sim.Time) {
	take := func(what string, t sim.Time) {
		switch {
		case t > o.To || t <= o.From || t < at:
		case t == at:
			names = append(names, what)
		default:
			names, at = []string{what}, t
		}
	}
	for _, e := range check.Entries(b.plan, b.r) {
		if e.Control == nil {
			take(e.Name+" began", e.At)
		}
		if e.End > e.At && e.End < b.w.End {
			take(e.Name+" ended", e.End)
		}
	}
	for _, s := range check.Stays(b.plan, b.r) {
		take(s.Control+" entered "+s.Stage, s.From)
	}
	return names, at
}

// fell is the gain right after an outage at the place that had most of it during it.
func (b *book) fell(o Outage, loops []Loop) (*Loop, float64, bool) {
	l, _, _ := b.culprit(o, loops)
	if l == nil {
		return nil, 0, false
	}
	k := int((o.To + l.Bin - 1) / l.Bin)
	if k >= len(l.Points) || math.IsNaN(l.Points[k].Gain) {
		return nil, 0, false
	}
	return l, l.Points[k].Gain, true
}
