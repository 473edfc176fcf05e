package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// totals are integrals of gauges, in ns times units.
type totals struct{ busy, line, system, slots float64 }

func (t totals) minus(b totals) totals {
	return totals{t.busy - b.busy, t.line - b.line, t.system - b.system, t.slots - b.slots}
}

func (t totals) plus(b totals) totals {
	return totals{t.busy + b.busy, t.line + b.line, t.system + b.system, t.slots + b.slots}
}

// integrals adds up a replica's whole run.
func (r *replica) integrals() totals {
	var t totals
	for _, g := range r.series().Gauges {
		t = t.plus(totals{g.Busy, g.InLine, g.InSystem, g.Slots})
	}
	return t
}

// prepare makes room for all windows that a run can reach.
func (w *world) prepare(seed uint64) {
	p := w.plan
	windows := int((p.End+p.Drain)/p.Window) + 1
	w.result = &kernel.Result{
		Seed: seed, Window: p.Window, Windows: windows, Warmup: int(p.Warmup / p.Window), End: p.End,
	}
	for range p.Clients {
		w.result.Clients = append(w.result.Clients, kernel.ClientSeries{
			Cells:  make([]kernel.ClientCell, windows),
			Series: make([]stats.Histogram, windows),
		})
	}
	for _, e := range p.Edges {
		s := kernel.EdgeSeries{
			Cells:  make([]kernel.EdgeCell, len(p.Clients)*windows),
			Series: make([]stats.Histogram, windows),
			Level:  make([][]float32, len(e.Stack)),
			Open:   make([][]float32, len(e.Stack)), HalfOpen: make([][]float32, len(e.Stack)),
		}
		if e.Health != nil {
			s.Probes = make([]kernel.ProbeCell, windows)
		}
		for range e.Stack {
			s.RefusedBy = append(s.RefusedBy, make([]uint32, windows))
			s.LowAt = append(s.LowAt, sim.Never)
		}
		w.result.Edges = append(w.result.Edges, s)
	}
	for _, r := range p.Replicas {
		rows := len(p.Tiers[r.Tier].Endpoints) * len(p.Clients)
		w.result.Replicas = append(w.result.Replicas, kernel.ReplicaSeries{
			Cells:  make([]kernel.TierCell, rows*windows),
			Gauges: make([]kernel.GaugeCell, windows),

			WaitSeries:    make([]stats.Histogram, windows),
			ServiceSeries: make([]stats.Histogram, windows),
		})
	}
	w.sample()
}

func (w *world) window(t sim.Time) int { return int(t / w.plan.Window) }

func (w *world) clientCell(q *request) *kernel.ClientCell {
	return &w.result.Clients[q.client.index].Cells[w.window(q.started)]
}

// cell is the edge's counters of the request's client in the window of t.
func (c *call) cell(t sim.Time) *kernel.EdgeCell {
	row := c.request.client.index
	if c.probe {
		return &kernel.EdgeCell{}
	}
	return &c.w.result.Edges[c.edge.index].Cells[row*c.w.result.Windows+c.w.window(t)]
}

// cell is the replica's counters for an attempt's endpoint and client in the window of now.
func (r *replica) cell(a *attempt) *kernel.TierCell {
	if a.call.probe {
		return &kernel.TierCell{}
	}
	endpoint := r.w.plan.Targets[a.target].Endpoint
	row := endpoint*len(r.w.clients) + a.call.request.client.index
	return &r.w.result.Replicas[r.index].Cells[row*r.w.result.Windows+r.w.window(r.w.now)]
}

// warm tells whether what began at t counts in totals.
func (w *world) warm(t sim.Time) bool { return t >= w.plan.Warmup }

// countEnd counts how a request ended, in the window in which it started.
func (w *world) countEnd(q *request, o policies.Outcome) {
	cell := w.clientCell(q)
	latency := w.now - q.started
	if o.Class == policies.OK {
		cell.OK++
		if latency > q.client.SlowAfter {
			cell.Slow++
			cell.FailedOrSlow++
		}
		s := &w.result.Clients[q.client.index]
		w.keep(&s.Latency, s.Series, q.started, latency)
		w.ended = append(w.ended, ended{kernel.OfClient, q.client.index, latency})
		return
	}
	cell.Failed++
	cell.FailedOrSlow++
	switch o.Class {
	case policies.TimedOut:
		cell.TimedOut++
	case policies.Blocked:
		cell.Blocked++
	}
}

func (a *attempt) countLatency(o policies.Outcome) {
	if a.call.probe {
		return
	}
	s := &a.w.result.Edges[a.call.edge.index]
	a.w.keep(&s.Latency, s.Series, a.sent, o.Latency)
	a.w.ended = append(a.w.ended, ended{kernel.OfEdge, a.call.edge.index, o.Latency})
}

func (r *replica) series() *kernel.ReplicaSeries { return &r.w.result.Replicas[r.index] }

// countWait counts a wait in line; where slots are unlimited nobody waits.
func (r *replica) countWait(t sim.Time) {
	if r.slotCount() >= 0 {
		s := r.series()
		r.w.keep(&s.Wait, s.WaitSeries, r.w.now, t)
	}
}

// countWork counts the own work of an attempt that leaves with its program run.
func (r *replica) countWork(a *attempt) {
	if a.worked == 0 {
		return
	}
	s := r.series()
	r.w.keep(&s.Service, s.ServiceSeries, r.w.now, a.worked)
	done := a.worked
	a.worked = 0 // told; what is left of it when it is evicted was cut off
	if !r.w.warm(r.w.now) {
		return
	}
	r.w.result.Totals.Work += done
	if a.wasted() {
		a.wastes(done)
	}
}

// countCut counts the work of an attempt that ends with its program not run: all for nothing.
func (r *replica) countCut(a *attempt) {
	t := a.worked + r.hadOf(a)
	for _, x := range r.running {
		if x.a == a {
			t += r.w.now - x.begun
		}
	}
	if r.w.warm(r.w.now) {
		r.w.result.Totals.Work += t
		a.wastes(t)
	}
}

// wastes counts work done for nobody.
func (a *attempt) wastes(t sim.Time) {
	a.w.result.Totals.Wasted += t
	if !a.call.probe {
		a.w.result.Edges[a.call.edge.index].Wasted += t
	}
}

// keep counts a length of time that belongs to a window, and to the whole run after the warm-up.
func (w *world) keep(run *stats.Histogram, series []stats.Histogram, at, t sim.Time) {
	if w.warm(at) {
		run.Add(t)
	}
	series[w.window(at)].Add(t)
}

// advance moves the clock and adds up what every gauge shows on the way.
func (w *world) advance(to sim.Time) {
	for w.now < to {
		i := w.window(w.now)
		next := min(to, sim.Time(i+1)*w.plan.Window)
		for _, r := range w.replicas {
			r.integrate(&r.series().Gauges[i], next-w.now)
		}
		w.now = next
		if w.now == sim.Time(i+1)*w.plan.Window {
			w.sample()
		}
	}
}

// integrate adds what the gauges show for a stretch of time in which they do not change.
func (r *replica) integrate(g *kernel.GaugeCell, t sim.Time) {
	span := float64(t)
	g.Span += t
	g.Busy += float64(span * float64(r.inUse()))
	g.InLine += float64(span * float64(len(r.line)))
	g.InSystem += float64(span * float64(len(r.system)))
	if slots := r.slotCount(); slots > 0 && r.isActive() {
		g.Slots += float64(span * float64(slots))
	}
	if r.inRotation() {
		g.Up += span
	}
}

// sample notes what the gauges show at the start of a window.
func (w *world) sample() {
	i := w.window(w.now)
	if i >= w.result.Windows {
		return
	}
	for _, r := range w.replicas {
		r.sample(&r.series().Gauges[i])
	}
	for e, edge := range w.edges {
		for k, use := range edge.Stack {
			w.sampleLevel(&w.result.Edges[e].Level[k], use, i)
			if w.roles[use.State].Breaker {
				w.sampleBreakers(&w.result.Edges[e], k, use, i)
			}
		}
	}
}

func (r *replica) sample(g *kernel.GaugeCell) {
	g.AtBusy, g.AtInLine = uint32(r.inUse()), uint32(len(r.line))
	g.AtInSystem, g.AtSlots = uint32(len(r.system)), int32(r.slotCount())
	g.AtUp = r.inRotation()
	if !r.isActive() {
		g.AtSlots = 0
	}
}

// sampleLevel notes the mean share of tokens left over all states of a stack entry that somebody
// has used; what nobody has used is full.
func (w *world) sampleLevel(level *[]float32, use kernel.Use, window int) {
	if w.roles[use.State].Level == nil {
		return
	}
	if *level == nil {
		*level = make([]float32, w.result.Windows)
	}
	sum, n := 0.0, 0
	for member := range 64 {
		for key := range use.Stride {
			if p, ok := w.states[stateKey{use.State, member, key}]; ok {
				sum += p.Level(w.now)
				n++
			}
		}
	}
	mean := 1.0
	if n > 0 {
		mean = sum / float64(n)
	}
	(*level)[window] = float32(mean)
}

func (w *world) finish() {
	w.result.Ended = w.now
	w.result.Events = w.events
	for _, r := range w.replicas {
		r.sample(&r.series().AtEnd)
	}
	w.result.Totals.InFlight = uint64(w.requests)
}
