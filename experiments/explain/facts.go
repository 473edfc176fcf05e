package explain

import (
	"fmt"
	"math"
	"strings"

	"cascadesim/sim"
)

// full is the share of a limit from which on it is as good as reached in the mean over a bin.
const full = 0.98

// mostReplicas is up to how many replicas of a tier are looked at one by one.
const mostReplicas = 8

// places are the tiers, or their replicas where they are few and there are several.
func (b *book) places() []place {
	var out []place
	for t := range b.w.Tiers {
		tier := &b.w.Tiers[t]
		if tier.Count < 2 || tier.Count > mostReplicas {
			out = append(out, place{tier.Name, t, tier.First, tier.Count})
			continue
		}
		for r := tier.First; r < tier.First+tier.Count; r++ {
			name := b.w.Replicas[r].Name
			if !strings.Contains(name, "@") {
				name = tier.Name + "@" + name
			}
			out = append(out, place{name, t, r, 1})
		}
	}
	return out
}

// place is a tier or one of its replicas.
type place struct {
	name               string
	tier, first, count int
}

// limits says where slots or flows were used up and where attempts were turned away.
func (b *book) limits() []Fact {
	var out []Fact
	for _, p := range b.places() {
		path := "tiers." + p.name
		if slots := b.limit(p, b.w.Replicas[p.first].Slots); !math.IsInf(slots, 1) {
			busy := b.series(path + ".utilization")
			out = append(out, b.reached(path, func(i int) bool { return busy[i] >= full },
				fmt.Sprintf("all %s slots of %s are taken", number(slots), p.name), "slots", slots)...)
		}
		if flows := b.limit(p, b.w.Replicas[p.first].InFlight); !math.IsInf(flows, 1) {
			in := b.series(path + ".in_system")
			out = append(out, b.reached(path, func(i int) bool { return in[i] >= full*flows },
				fmt.Sprintf("%s holds the %s attempts that it may", p.name, number(flows)),
				"in_flight", flows)...)
		}
		turned := b.series(path + ".rejected_share")
		for _, f := range b.reached(path, func(i int) bool { return turned[i] > 0.01 },
			p.name+" turns attempts away", "rejected_share", 0) {
			s := b.stretchOf(f)
			worst, _ := most(turned, s)
			f.Values["rejected_share"] = worst
			f.Text += fmt.Sprintf(", at most %s of what comes", share(worst))
			out = append(out, f)
		}
	}
	return out
}

// crashed says when replicas went down by themselves.
func (b *book) crashed() []Fact {
	var out []Fact
	for t := range b.w.Tiers {
		name := b.w.Tiers[t].Name
		crashes := b.series("tiers." + name + ".crashes")
		all := stretches(b.n, 1, b.n, func(i int) bool { return crashes[i] > 0 })
		if len(all) == 0 {
			continue
		}
		from, to := b.time(all[0].first), b.time(all[0].end)
		n := b.over("tiers."+name+".crashes", from, to)
		times := "once"
		if n > 1 {
			times = fmt.Sprintf("%s times, until %s", number(n), b.clock(to))
		}
		out = append(out, Fact{At: from, Kind: "crash", Subject: "tiers." + name,
			Values: map[string]float64{"crashes": n, "end_s": to.Seconds()},
			Text:   fmt.Sprintf("replicas of %s crash by themselves, %s", name, times)})
	}
	return out
}

// limit is a live limit of a place as it stands at first, of the real system; infinite: none.
func (b *book) limit(p place, param int) float64 {
	if v := b.w.Params[param].Base; v >= 0 {
		return v * float64(p.count) / b.w.Scale
	}
	return math.Inf(1)
}

// reached is the longest stretch in which something holds, and the first if that is another and not
// much shorter. Where requests failed, what did not happen meanwhile is left out.
func (b *book) reached(
	path string, holds func(i int) bool, text, name string, value float64,
) []Fact {
	var all []stretch
	for _, s := range stretches(b.n, least, closed, holds) {
		if b.matters(s) {
			all = append(all, s)
		}
	}
	s, ok := longest(all)
	if !ok {
		return nil
	}
	told := []stretch{s}
	if all[0] != s && 4*all[0].length() >= s.length() {
		told = []stretch{all[0], s}
	}
	var out []Fact
	for _, s := range told {
		out = append(out, Fact{At: b.time(s.first), Kind: "limit", Subject: path,
			Text: fmt.Sprintf("%s from here until %s (%s)", text, b.clock(b.time(s.end)),
				lasting(b.time(s.end)-b.time(s.first))),
			Values: map[string]float64{name: value, "end_s": b.time(s.end).Seconds()}})
	}
	return out
}

// matters says whether a stretch touches an outage, or came right before one; always where there is
// none.
func (b *book) matters(s stretch) bool {
	for _, o := range b.told {
		first, end := b.bins(o.From, o.To)
		if s.first < end && s.end > first-2*closed {
			return true
		}
	}
	return len(b.told) == 0
}

// stretchOf is the stretch that a fact tells of.
func (b *book) stretchOf(f Fact) stretch {
	first, end := b.bins(f.At, sim.Time(math.Round(f.Values["end_s"]*1e9)))
	return stretch{first, end}
}

// waits says where attempts stayed longer than their callers wait: by Little's law, what is there
// over what is done with each second.
func (b *book) waits() []Fact {
	var out []Fact
	seen := map[string]bool{}
	for e := range b.w.Edges {
		edge := &b.w.Edges[e]
		try := b.w.Params[edge.Try].Base
		if try < 0 || try >= float64(sim.Never) {
			continue
		}
		for _, p := range b.into(e) {
			stays := b.stays(p)
			all := stretches(b.n, least, closed, func(i int) bool { return stays[i] > try/1e9 })
			s, ok := longest(all)
			if !ok || seen[p.name] {
				continue
			}
			seen[p.name] = true
			worst, at := most(stays, s)
			in := b.series("tiers." + p.name + ".in_system")[at]
			out = append(out, Fact{At: b.time(s.first), Kind: "wait", Subject: "tiers." + p.name,
				Values: map[string]float64{"timeout_s": try / 1e9, "stays_s": worst, "in_system": in,
					"end_s": b.time(s.end).Seconds()},
				Text: fmt.Sprintf("what %s holds takes longer than the %s that %s waits, from here until "+
					"%s: at %s it held %s attempts, %s of work", p.name, seconds(try/1e9), edge.Name,
					b.clock(b.time(s.end)), b.clock(b.time(at)), number(in), seconds(worst))})
		}
	}
	return out
}

// stays is how long an attempt stays at a place.
func (b *book) stays(p place) []float64 {
	in, done := b.series("tiers."+p.name+".in_system"), b.series("tiers."+p.name+".completed_per_s")
	out := make([]float64, b.n)
	for i := range out {
		out[i] = in[i] / done[i]
		if math.IsInf(out[i], 0) {
			out[i] = math.NaN() // nothing was done, so nothing is known
		}
	}
	return out
}

// into are the places that an edge calls.
func (b *book) into(e int) []place {
	var out []place
	for _, t := range b.tiersOf(e) {
		for _, p := range b.places() {
			if p.tier == t {
				out = append(out, p)
			}
		}
	}
	return out
}

// multiplied says how far edges multiplied their calls.
func (b *book) multiplied() []Fact {
	const worth = 1.2
	var out []Fact
	for e := range b.w.Edges {
		edge := &b.w.Edges[e]
		if !edge.HasRetry {
			continue
		}
		per := b.series("edges." + edge.Name + ".attempts_per_call")
		all := stretches(b.n, least, closed, func(i int) bool { return per[i] >= worth })
		s, ok := longest(all)
		if !ok {
			continue
		}
		worst := b.over("edges."+edge.Name+".attempts_per_call", b.time(s.first), b.time(s.end))
		before := mean(per, stretch{0, s.first})
		sent, at := most(b.series("edges."+edge.Name+".attempts_per_s"), s)
		was := ""
		if !math.IsNaN(before) {
			was = fmt.Sprintf(" (%s before)", number(before))
		}
		out = append(out, Fact{At: b.time(s.first), Kind: "amplification",
			Subject: "edges." + edge.Name,
			Values: map[string]float64{"attempts_per_call": worst, "attempts_per_s": sent,
				"before": before},
			Text: fmt.Sprintf("%s multiplies until %s: %s attempts for each call%s; %s at %s",
				edge.Name, b.clock(b.time(s.end)), number(worst), was, rate(sent), b.clock(b.time(at)))})
		if math.IsNaN(before) {
			delete(out[len(out)-1].Values, "before")
		}
	}
	return out
}
