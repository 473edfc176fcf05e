package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// watch is a condition and all that was seen at its looks since it began anew.
type watch struct {
	kernel.Watch
	w     *world
	tops  []float64
	under []float64
	ends  []int // how many durations had ended
}

func (s *watch) anew() { s.tops, s.under, s.ends = nil, nil, nil }

func (s *watch) every() sim.Time { return s.Over / kernel.Looks }

// look reads the measure of the last Over and tells whether the condition is met.
func (s *watch) look() bool {
	s.tops = append(s.tops, s.w.total(s.Top))
	s.under = append(s.under, s.w.total(s.Bottom))
	s.ends = append(s.ends, s.w.howMany(s.Top))
	last := len(s.tops) - 1
	then := last - kernel.Looks
	if then < 0 {
		return false
	}
	value := s.tops[last] - s.tops[then]
	switch {
	case s.Quantile > 0:
		h := s.w.durations(s.Top, s.ends[then])
		if h.Count() == 0 {
			return false
		}
		value = float64(h.Quantile(s.Quantile))
	case len(s.Bottom) == 0:
		value /= float64(s.Over) * s.Unit
	case s.under[last] == s.under[then]:
		return false
	default:
		value /= s.under[last] - s.under[then]
	}
	if s.Above {
		return value > s.Limit
	}
	return value < s.Limit
}

// howMany durations of what terms name have ended.
func (w *world) howMany(terms []kernel.Term) int {
	n := 0
	for _, x := range w.ended {
		if named(terms, x) {
			n++
		}
	}
	return n
}

// durations are those of what terms name, without the first ones.
func (w *world) durations(terms []kernel.Term, first int) *stats.Histogram {
	var h stats.Histogram
	for _, x := range w.ended {
		if !named(terms, x) {
			continue
		}
		if first--; first < 0 {
			h.Add(x.length)
		}
	}
	return &h
}

// ended is a duration that has ended: of a client's request that went well, or an edge's attempt.
type ended struct {
	of     kernel.TermOf
	index  int
	length sim.Time
}

func named(terms []kernel.Term, x ended) bool {
	for _, t := range terms {
		if t.Of == x.of && t.Index == x.index {
			return true
		}
	}
	return false
}

// total is what all terms have counted since the start.
func (w *world) total(terms []kernel.Term) float64 {
	sum := 0.0
	for _, t := range terms {
		sum += w.count1(t)
	}
	return sum
}

func (w *world) count1(t kernel.Term) float64 {
	n := uint32(0)
	switch t.Of {
	case kernel.OfClient:
		for _, c := range w.result.Clients[t.Index].Cells {
			n += []uint32{
				c.Requests, c.OK + c.Failed, c.OK, c.Failed, c.TimedOut, c.Blocked, c.Slow, c.FailedOrSlow,
			}[t.Count]
		}
	case kernel.OfEdge:
		for _, c := range w.result.Edges[t.Index].Cells {
			n += ofEdge(c, t.Count)
		}
	case kernel.OfReplica:
		rows := len(w.result.Replicas[t.Index].Cells) / w.result.Windows
		for row := range rows {
			if t.Endpoint >= 0 && row/len(w.clients) != t.Endpoint {
				continue
			}
			for _, c := range w.result.Replicas[t.Index].Cells[row*w.result.Windows:][:w.result.Windows] {
				n += []uint32{
					c.Arrivals, c.Admitted, c.Completed, c.Rejected, c.Dropped, c.Wasted, c.Hits,
					c.Misses, c.Joined,
				}[t.Count]
			}
		}
	case kernel.OfGauge:
		sum := 0.0
		for _, g := range w.result.Replicas[t.Index].Gauges {
			sum += map[kernel.Gauge]float64{
				kernel.GaugeBusy: g.Busy, kernel.GaugeInLine: g.InLine,
				kernel.GaugeInSystem: g.InSystem, kernel.GaugeSlots: g.Slots, kernel.GaugeUp: g.Up,
			}[kernel.Gauge(t.Count)]
		}
		return sum
	}
	return float64(n)
}

func ofEdge(c kernel.EdgeCell, count int) uint32 {
	switch count {
	case kernel.EdgeCalls:
		return c.Calls
	case kernel.EdgeAttempts:
		return c.Attempts
	case kernel.EdgeRetries:
		return c.Retries
	case kernel.EdgeHedges:
		return c.Hedges
	case kernel.EdgeConnects:
		return c.Connects
	case kernel.EdgeRefused:
		return c.Outcomes[policies.Refused]
	case kernel.EdgeCancelled:
		return c.Cancelled
	case kernel.EdgeEnded:
		n := uint32(0)
		for class, k := range c.Outcomes {
			if policies.Class(class) != policies.Refused {
				n += k
			}
		}
		return n
	}
	return c.Outcomes[count-kernel.EdgeOutcome]
}

// watchCrashes looks at the replicas of a tier now and then.
func (w *world) watchCrashes(p kernel.Crash) {
	first := w.plan.Tiers[p.Tier].First
	var all []*watch
	for _, spec := range p.When {
		all = append(all, &watch{Watch: spec, w: w})
	}
	var act func()
	act = func() {
		x := &pause{flows: p.Flows, fresh: true}
		for k, s := range all {
			r := w.replicas[first+k]
			if !r.inRotation() {
				s.anew()
			} else if s.look() {
				s.anew()
				x.replicas = append(x.replicas, r)
			}
		}
		if len(x.replicas) > 0 {
			w.crash(x, p.Down)
		}
		w.at(w.now+all[0].every(), act)
	}
	w.at(all[0].every(), act)
}

// crash takes replicas down together, each to come back by itself.
func (w *world) crash(x *pause, down sim.Dist) {
	for _, r := range x.replicas {
		who := w.seed.Ident("tier/" + r.tier().Name).Child(uint64(r.number())).Child(r.crashes)
		d := who.Draw(34)
		r.crashes++
		r.series().Gauges[w.window(w.now)].Crashes++
		own := &pause{replicas: []*replica{r}, flows: x.flows, fresh: true}
		own.to = w.now + down.Sample(&d)
		r.pauses = append(r.pauses, own)
		r.changed = w.now
		r.closeThose(false)
		w.at(own.to, func() { w.resume(own) })
	}
	w.trace(kernel.TraceRecord{
		What: kernel.TraceChange, Edge: -1, Replica: x.replicas[0].index, Text: "crash",
	})
	w.cut(x)
}

// watchTrigger looks at a trigger's condition from so early on that it can be met when it counts.
func (w *world) watchTrigger(i int, begun []*pause) {
	p := w.plan.Triggers[i]
	s := &watch{Watch: *p.When, w: w}
	var act func()
	act = func() {
		if s.look() && w.now >= p.From {
			w.after(p.After, func() { w.fire(i, begun) })
			return
		}
		w.at(w.now+s.every(), act)
	}
	if !p.Chained {
		w.at(max(0, p.From-p.When.Over), act)
		return
	}
	w.chained[p.Follows] = append(w.chained[p.Follows], chain{i, func() { w.at(w.now+p.Arm, act) }})
}

// chain is a trigger whose looks begin after another one has fired.
type chain struct {
	trigger int
	begin   func()
}

// fire begins all that waits for a trigger.
func (w *world) fire(i int, begun []*pause) {
	w.trace(kernel.TraceRecord{What: kernel.TraceChange, Edge: -1, Text: "fire"})
	w.result.Fired[i] = w.now
	shift := w.now - w.plan.Triggers[i].Nominal
	for _, c := range w.plan.Changes {
		if c.Trigger == i+1 {
			w.after(c.At+shift-w.now, func() { w.change(c) })
		}
	}
	for k, p := range w.plan.Pauses {
		if p.Trigger == i+1 {
			w.after(p.From+shift-w.now, func() {
				begun[k] = w.newPause(p)
				w.begin(begun[k])
			})
			w.at(p.To+shift, func() { w.resume(begun[k]) })
		}
	}
	for k, c := range w.plan.Controls {
		if c.Trigger == i+1 {
			w.startControl(k)
		}
	}
	for k, p := range w.plan.Triggers {
		if p.When == nil && p.Follows == i {
			w.after(p.After, func() { w.fire(k, begun) })
		}
		for _, c := range w.chained[i] {
			if c.trigger == k {
				c.begin()
			}
		}
	}
}
