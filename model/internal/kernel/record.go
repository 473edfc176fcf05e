package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/queue"
	"cascadesim/sim/stats"
)

// Kinds of record in the fingerprint.
const (
	printSend    = 1
	printOutcome = 2
	printRefused = 3
	printArrive  = 4
	printWork    = 5
	printEnd     = 6
	printLate    = 7
)

// gauges integrate a replica's levels over time: slots and rotation, which change seldom, up to a
// time that they keep; what changes with every attempt by its steps. A level that is n at the time
// t and rose by d[i] at t[i] has the integral n·t - Σ d[i]·t[i], so a step is one addition. These
// are whole numbers modulo 2^64, in which a window's integral fits: a million units for an hour.
type gauges struct {
	busy, inLine, inSystem uint64   // -Σ d·t of the current window, its start a step from 0 to n
	rare                   sim.Time // up to which slots and up are integrated
	slots, up              float64  // of the current window, while the replica is active
	sums                   gaugeSums
	spent                  uint64 // ns that attempts spent in the system, of those that left; wraps
	area                   uint64 // integral of in-system in closed windows; wraps around
}

// gaugeSums are integrals since the start.
type gaugeSums struct{ busy, inLine, inSystem, slots, up float64 }

// total is the sums since the start, the current window included up to now.
func (r *replica) total(now sim.Time) gaugeSums {
	g := &r.gauges
	busy, inLine, inSystem := r.integrals(now)
	t := g.sums
	t.busy += float64(busy)
	t.inLine += float64(inLine)
	t.inSystem += float64(inSystem)
	t.slots += g.slots
	t.up += g.up
	return t
}

// integrals are those of the levels in the current window up to now.
func (r *replica) integrals(now sim.Time) (busy, inLine, inSystem uint64) {
	g, t := &r.gauges, uint64(now)
	return g.busy + uint64(r.busy)*t, g.inLine + uint64(r.line.Len())*t,
		g.inSystem + uint64(r.inSystem)*t
}

// takeSlot and freeSlot change how many slots are busy.
func (r *replica) takeSlot(now sim.Time) {
	r.busy++
	r.gauges.busy -= uint64(now)
}

func (r *replica) freeSlot(now sim.Time) {
	r.busy--
	r.gauges.busy += uint64(now)
}

func (s *gaugeSums) addDiff(now, before *gaugeSums) {
	s.busy += now.busy - before.busy
	s.inLine += now.inLine - before.inLine
	s.inSystem += now.inSystem - before.inSystem
	s.slots += now.slots - before.slots
	s.up += now.up - before.up
}

// admit and dismiss change how many attempts are in the system, and the latter frees their slot.
func (r *replica) admit(a *attempt, now sim.Time) {
	r.inSystem++
	r.gauges.inSystem -= uint64(now)
	a.inSystem, a.admitted = true, now
}

func (r *replica) dismiss(a *attempt, now sim.Time) {
	r.inSystem--
	r.gauges.inSystem += uint64(now)
	r.gauges.spent += uint64(now - a.admitted)
	a.inSystem = false
	if a.slot {
		a.slot = false
		r.freeSlot(now)
	}
}

// joinLine and leaveLine change how many wait. Whoever takes the next in line says so itself.
func (w *world) joinLine(r *replica, a *attempt) {
	if r.p.Discipline == queue.EDF {
		r.line.PushDue(&w.links, a.id, int64(w.extraOf(a).deadline))
	} else {
		r.line.Push(&w.links, a.id, a.priority)
	}
	r.gauges.inLine -= uint64(w.now)
}

func (r *replica) leaveLine(l *queue.Links, a *attempt, now sim.Time) {
	r.line.Remove(l, a.id, a.priority)
	r.gauges.inLine += uint64(now)
}

// accrue integrates slots and rotation up to now; call it before those change.
func (r *replica) accrue(now sim.Time) {
	g := &r.gauges
	d := float64(now - g.rare)
	g.rare = now
	if r.slots > 0 && r.active() {
		g.slots += float64(float64(r.slots) * d)
	}
	if r.inRotation() {
		g.up += d
	}
}

// active says whether a replica is among those that there are now: an autoscaler moves their
// number.
func (r *replica) active() bool { return r.number < r.tier.active }

func (w *world) accrueTier(t *tier) {
	for r := t.p.First; r < t.p.First+t.p.Count; r++ {
		w.replicas[r].accrue(w.now)
	}
}

func newResult(p *Plan, seed uint64) *Result {
	n := int((p.End + p.Drain + p.Window - 1) / p.Window)
	res := &Result{
		Seed: seed, Window: p.Window, Windows: n, Warmup: int(p.Warmup / p.Window), End: p.End,
	}
	res.Clients = make([]ClientSeries, len(p.Clients))
	for i := range res.Clients {
		c := &res.Clients[i]
		c.Cells = make([]ClientCell, n)
		c.Series = histograms(p.Series.Clients, i, n)
	}
	res.Edges = make([]EdgeSeries, len(p.Edges))
	for i := range res.Edges {
		e := &res.Edges[i]
		e.Cells = make([]EdgeCell, n*len(p.Clients))
		e.Series = histograms(p.Series.Edges, i, n)
		stack := len(p.Edges[i].Stack)
		e.RefusedBy = make([][]uint32, stack)
		e.Level = make([][]float32, stack)
		e.Open, e.HalfOpen = make([][]float32, stack), make([][]float32, stack)
		e.LowAt = make([]sim.Time, stack)
		for k := range e.RefusedBy {
			e.RefusedBy[k] = make([]uint32, n)
			e.LowAt[k] = sim.Never
		}
		if p.Edges[i].Health != nil {
			e.Probes = make([]ProbeCell, n)
		}
	}
	res.Replicas = make([]ReplicaSeries, len(p.Replicas))
	for i := range res.Replicas {
		r, t := &res.Replicas[i], p.Replicas[i].Tier
		r.Cells = make([]TierCell, n*len(p.Clients)*len(p.Tiers[t].Endpoints))
		r.Gauges = make([]GaugeCell, n)
		r.WaitSeries = histograms(p.Series.Wait, t, n)
		r.ServiceSeries = histograms(p.Series.Service, t, n)
	}
	return res
}

func histograms(wanted []bool, i, n int) []stats.Histogram {
	if i >= len(wanted) || !wanted[i] {
		return nil
	}
	return make([]stats.Histogram, n)
}

// edgeCell is that of a client in any window; e.present holds those of the current one.
func (w *world) edgeCell(e *edge, client uint8, window uint32) *EdgeCell {
	if window == w.window {
		return e.present[client]
	}
	return &e.series.Cells[int(client)*w.res.Windows+int(window)]
}

// tierCell is that of an attempt's replica, endpoint and client in the current window.
func (w *world) tierCell(a *attempt) *TierCell { return a.replica.present[a.cell] }

// pageTurned finds the cells of a window that begins.
func (w *world) pageTurned() {
	n, now := w.res.Windows, int(w.window)
	for i := range w.edges {
		e := &w.edges[i]
		for row := range e.present {
			e.present[row] = &e.series.Cells[row*n+now]
		}
	}
	for i := range w.replicas {
		r := &w.replicas[i]
		for row := range r.present[:len(r.present)-1] {
			r.present[row] = &r.series.Cells[row*n+now]
		}
	}
}

func (w *world) recordOutcome(a *attempt, o *policies.Outcome) {
	e := a.edge
	w.edgeCell(e, a.client, a.window).Outcomes[o.Class]++
	w.print.AddMark(w.now, sim.MarkOf(printOutcome, a.ident), uint8(o.Class))
	if a.window >= w.warmup {
		e.latency.add(o.Latency)
	}
	if e.series.Series != nil {
		e.series.Series[a.window].Add(o.Latency)
	}
	if w.tracer != nil {
		w.traceOutcome(TraceSettle, a, *o)
	}
}

func (w *world) recordLatency(client int, window uint32, latency sim.Time) {
	s := &w.res.Clients[client]
	if window >= w.warmup {
		w.clients[client].latency.add(latency)
	}
	if s.Series != nil {
		s.Series[window].Add(latency)
	}
}

// recordWait keeps how long an attempt waited for its slot.
func (w *world) recordWait(r *replica, wait sim.Time) {
	s := r.series
	if w.window >= w.warmup {
		r.wait.add(wait)
	}
	if s.WaitSeries != nil {
		s.WaitSeries[w.window].Add(wait)
	}
}

// recordService keeps an attempt's own work.
func (w *world) recordService(a *attempt, wasted bool) {
	s := a.replica.series
	if w.window >= w.warmup {
		a.replica.service.add(a.worked)
		w.res.Totals.Work += a.worked
		if wasted {
			w.res.Totals.Wasted += a.worked
			a.edge.series.Wasted += a.worked
		}
	}
	if s.ServiceSeries != nil {
		s.ServiceSeries[w.window].Add(a.worked)
	}
}

// cutWork keeps the work of an attempt that ends before its steps do: as long as it held its slot
// for it, and all for nothing.
func (w *world) cutWork(a *attempt) {
	t := a.worked
	if r := a.replica; r.shared != nil {
		w.keepCut(a, t+w.cutShares(a))
		return
	}
	if a.term > 0 {
		t += w.now - a.since
	}
	for c := a.child; c != nil; c = c.next {
		if c.edge == nil && c.start != notBegun {
			t += w.now - c.deadline
		}
	}
	w.keepCut(a, t)
}

func (w *world) keepCut(a *attempt, t sim.Time) {
	if t > 0 && w.window >= w.warmup {
		w.res.Totals.Work += t
		w.res.Totals.Wasted += t
		a.edge.series.Wasted += t
	}
}

// roll closes windows up to the one that holds now.
func (w *world) roll(now sim.Time) {
	for now >= w.winEnd && int(w.window)+1 < w.res.Windows {
		w.closeWindow(w.winEnd)
		w.window++
		w.pageTurned()
		for i := range w.replicas {
			w.sampleGauges(i, w.window)
		}
		w.sampleLevels(w.window)
		w.winEnd += w.p.Window
	}
}

// closeWindow integrates all gauges up to a time and stores them in the current window.
func (w *world) closeWindow(at sim.Time) {
	for i := range w.replicas {
		r := &w.replicas[i]
		r.accrue(at)
		g := &r.gauges
		cell := &w.res.Replicas[i].Gauges[w.window]
		busy, inLine, inSystem := r.integrals(at)
		cell.Busy, cell.InLine = float64(busy), float64(inLine)
		cell.InSystem, cell.Slots, cell.Up = float64(inSystem), g.slots, g.up
		cell.Span = at - sim.Time(w.window)*w.p.Window
		g.sums = r.total(at)
		g.area += inSystem
		g.busy, g.inLine, g.inSystem = g.busy-busy, g.inLine-inLine, g.inSystem-inSystem
		g.slots, g.up = 0, 0
	}
}

func (w *world) sampleGauges(i int, window uint32) {
	w.sampleInto(i, &w.res.Replicas[i].Gauges[window])
}

func (w *world) sampleInto(i int, cell *GaugeCell) {
	r := &w.replicas[i]
	cell.AtBusy, cell.AtInLine = uint32(r.busy), uint32(r.line.Len())
	cell.AtInSystem, cell.AtSlots, cell.AtUp = uint32(r.inSystem), int32(r.slots), r.inRotation()
	if !r.active() {
		cell.AtSlots = 0 // what has been scaled away, or not yet up, has nothing on offer
	}
}

// sampleLevels stores, for each stack entry with tokens, the mean share that is left; of breakers
// how many are open.
func (w *world) sampleLevels(window uint32) {
	at := sim.Time(window) * w.p.Window
	for i := range w.p.Edges {
		for k := range w.p.Edges[i].Stack {
			ps := &w.states[w.p.Edges[i].Stack[k].State]
			if ps.levels == nil || len(ps.levels) > maxLevels {
				continue
			}
			sum, n, open, between := 0.0, 0, 0, 0
			for _, level := range ps.levels {
				if level == nil {
					continue
				}
				v := level(at)
				sum += v
				n++
				switch {
				case v == 0:
					open++
				case v < 1:
					between++
				}
			}
			mean := 1.0 // what nobody has used is full
			if n > 0 {
				mean = sum / float64(n)
			}
			e := &w.res.Edges[i]
			set(&e.Level[k], w.res.Windows, window, mean)
			if ps.plays.Breaker {
				of := float64(max(n, 1))
				set(&e.Open[k], w.res.Windows, window, float64(open)/of)
				set(&e.HalfOpen[k], w.res.Windows, window, float64(between)/of)
			}
		}
	}
}

// set writes a value into a series, which is made for the first.
func set(series *[]float32, windows int, window uint32, v float64) {
	if *series == nil {
		*series = make([]float32, windows)
	}
	(*series)[window] = float32(v)
}

// finish closes the last window, proves the conservation laws and hands the result over.
func (w *world) finish() *Result {
	now := w.en.Now()
	if !w.draining && w.p.Drain > 0 {
		now = min(now, w.p.End)
	}
	w.roll(now - 1)
	w.closeWindow(now)
	for i := range w.replicas {
		w.sampleInto(i, &w.res.Replicas[i].AtEnd)
	}
	w.flush()
	res := w.res
	res.Ended, res.Fingerprint = now, w.print
	res.Windows = int(w.window) + 1
	res.Events = w.en.Events()
	w.recordTriggers()
	res.Totals.PeakAttempts = int(w.attempts.top)
	w.check()
	res.trim(w.p, int(w.p.End+w.p.Drain+w.p.Window-1)/int(w.p.Window))
	return res
}
