package explain

import (
	"fmt"
	"math"
	"sort"
	"strings"

	"cascadesim/model/check"
	"cascadesim/sim"
)

// Loop is what retries do to one tier or replica over time.
type Loop struct {
	Place  string
	Bin    sim.Time
	Points []LoopPoint // by bin, from time 0
	Layers []string    // the edges whose retries come here, most attempts for each call first
}

// LoopPoint is one bin. All rates are measured, of the real system.
type LoopPoint struct {
	Arrivals float64 // attempts per second
	First    float64 // of these what would have come if no layer above had ever retried
	Extra    float64 // what retries of all layers add
	Capacity float64 // attempts per second that can be done; NaN: nothing was done
	// Gain is Extra over what First leaves of Capacity: above 1 the retries alone keep the place
	// overloaded. Infinite: First alone is too much. NaN: not known.
	Gain float64
}

// loopBins is into how many bins a run is divided for loops, at most.
const loopBins = 120

// loops are those of all places with a measured capacity that retries reach, with a gain above a
// tenth at some time.
func (b *book) loops() []Loop {
	together := max((b.n+loopBins-1)/loopBins, 1)
	width := b.bin * sim.Time(together)
	n := b.n / together
	found := map[string]*Loop{}
	var names []string
	for i := range n {
		from, to := sim.Time(i)*width, sim.Time(i+1)*width
		o := b.originals(from, to)
		for _, c := range check.Conditions(b.plan, b.r, from, to) {
			name := c.Name()
			l := found[name]
			if l == nil {
				l = &Loop{Place: name, Bin: width, Points: make([]LoopPoint, n)}
				for k := range l.Points {
					l.Points[k] = LoopPoint{Capacity: math.NaN(), Gain: math.NaN()}
				}
				found[name], names = l, append(names, name)
			}
			l.Points[i] = pointOf(c, o[b.tierNamed(c.Tier)])
		}
	}
	var out []Loop
	for _, name := range names {
		l := found[name]
		top := 0.0
		for _, p := range l.Points {
			if p.Gain > top {
				top = p.Gain
			}
		}
		if top > 0.1 {
			l.Layers = b.layersTo(b.tierNamed(strings.Split(name, "@")[0]))
			out = append(out, *l)
		}
	}
	return out
}

// pointOf is a condition with the retries of all layers told from first tries: original is the
// share of its first tries that no layer above has multiplied.
func pointOf(c check.Condition, original float64) LoopPoint {
	p := LoopPoint{Arrivals: c.Offered(), Capacity: c.CapacityPerS}
	p.First = float64(c.FirstPerS * original)
	p.Extra = p.Arrivals - p.First
	p.Gain = p.Extra / (p.Capacity - p.First)
	if p.First >= p.Capacity {
		p.Gain = math.Inf(1)
	}
	if p.Extra == 0 {
		p.Gain = 0
	}
	return p
}

func (b *book) tierNamed(name string) int {
	for t := range b.w.Tiers {
		if b.w.Tiers[t].Name == name {
			return t
		}
	}
	panic("explain: no tier " + name)
}

// originals is, for each tier, the share of the first tries coming to it that stem from requests
// without any retry at the layers above.
//
// Each client's way is followed by itself from the top: what one edge adds to its calls, by its
// measured attempts for each call, the edges below have as calls.
func (b *book) originals(from, to sim.Time) []float64 {
	sum, weight := make([]float64, len(b.w.Tiers)), make([]float64, len(b.w.Tiers))
	s := b.span(from, to)
	for c := range b.w.Clients {
		b.follow(c, s, sum, weight)
	}
	for t := range sum {
		if weight[t] > 0 {
			sum[t] /= weight[t]
		} else {
			sum[t] = 1
		}
	}
	return sum
}

// span is the windows of a time.
func (b *book) span(from, to sim.Time) stretch {
	return stretch{min(int(from/b.r.Window), b.r.Windows), min(int(to/b.r.Window), b.r.Windows)}
}

// follow adds one client's first tries at each tier to weight, and those of them without a retry
// above to sum.
func (b *book) follow(client int, s stretch, sum, weight []float64) {
	one := make([]float64, len(b.w.Tiers)) // share of what comes to a tier
	known := make([]bool, len(b.w.Tiers))
	var last, lastAll []float64
	for range b.w.Tiers { // as long as the longest way
		part, all := make([]float64, len(one)), make([]float64, len(one))
		firsts, tries := make([]float64, len(one)), make([]float64, len(one))
		for e := range b.w.Edges {
			above := 1.0
			if f := b.w.Edges[e].From; f >= 0 {
				if above = one[f]; !known[f] {
					continue
				}
			}
			calls, attempts, first := b.counted(e, client, s)
			if attempts == 0 {
				continue
			}
			per := max(attempts/max(calls, 1), 1)
			for _, t := range b.tiersOf(e) {
				part[t], all[t] = part[t]+attempts*above/per, all[t]+attempts
				firsts[t], tries[t] = firsts[t]+first*above, tries[t]+first
			}
		}
		for t := range one {
			if all[t] > 0 {
				one[t], known[t] = part[t]/all[t], true
			}
		}
		last, lastAll = firsts, tries
	}
	for t := range sum {
		sum[t] += last[t]
		weight[t] += lastAll[t]
	}
}

// counted are what one client's requests caused on an edge.
func (b *book) counted(e, client int, s stretch) (calls, attempts, first float64) {
	for i := s.first; i < s.end; i++ {
		c := &b.r.Edges[e].Cells[client*b.r.Windows+i]
		calls += float64(c.Calls)
		attempts += float64(c.Attempts)
		first += float64(c.Attempts - c.Retries - c.Hedges)
	}
	return calls, attempts, first
}

func (b *book) over(measure string, from, to sim.Time) float64 {
	v, err := check.Over(b.plan, b.r, measure, check.Range{From: from, To: to})
	if err != nil {
		panic(fmt.Sprintf("explain: %s: %v", measure, err))
	}
	return v
}

// tiersOf are the tiers that an edge's calls lead to.
func (b *book) tiersOf(e int) []int {
	if b.tiers == nil {
		for i := range b.w.Edges {
			b.tiers = append(b.tiers, b.plan.TiersOf(i))
		}
	}
	return b.tiers[e]
}

// layersTo are the edges with retries on the ways to a tier, those first that multiplied most.
func (b *book) layersTo(tier int) []string {
	type layer struct {
		name string
		per  float64
	}
	var out []layer
	reached := map[int]bool{tier: true}
	for changed := true; changed; {
		changed = false
		for e := range b.w.Edges {
			for _, t := range b.tiersOf(e) {
				if from := b.w.Edges[e].From; reached[t] && from >= 0 && !reached[from] {
					reached[from], changed = true, true
				}
			}
		}
	}
	for e := range b.w.Edges {
		edge := &b.w.Edges[e]
		if !edge.HasRetry {
			continue
		}
		for _, t := range b.tiersOf(e) {
			if reached[t] {
				per := b.series("edges." + edge.Name + ".attempts_per_call")
				top, _ := most(per, stretch{0, b.n})
				out = append(out, layer{edge.Name, top})
				break
			}
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].per > out[j].per })
	var names []string
	for _, l := range out {
		if l.per > 1.01 {
			names = append(names, l.name)
		}
	}
	return names
}
