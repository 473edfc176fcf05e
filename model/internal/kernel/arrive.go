package kernel

import (
	"fmt"

	"cascadesim/policies"
	"cascadesim/sim"
)

// Purposes of draws; see docs/semantics.md.
const (
	forWork     = 1
	forHop      = 2
	forReply    = 3
	forLoss     = 4
	forLostBack = 5
	forBlock    = 6
	forEnabled  = 7
	forBalance  = 8
	forRoute    = 9
	forChance   = 10
	forErrors   = 11
	forDelay    = 12
	forPacer    = 13
	forThink    = 14
	forPatience = 15
	forIdentity = 16

	// 17 is taken by a stream; see docs/semantics.md.
	forCondition = 18
	forObserver  = 19
	forShaper    = 20
	forPlacer    = 21
	forStarter   = 22
	forCloser    = 23
	forHedger    = 24
	forAdmission = 25
	forTurner    = 26
	forFinisher  = 27
	forAdviser   = 28
	forAnswerer  = 29
	forGuard     = 30
	forSeed      = 31
	forGates     = 32
	forWrapper   = 33
	forDown      = 34

	forKept     = 40
	forKey      = 41
	forTTL      = 42
	forOnceMore = 43
	forToken    = 44
)

func (w *world) initClients() {
	for i := range w.p.Clients {
		c, s := &w.p.Clients[i], &w.clients[i]
		s.p, s.edge, s.cells = c, &w.edges[c.Edge], w.res.Clients[i].Cells
		s.latency.into = &w.res.Clients[i].Latency
		s.luck(w.seed)
		s.members = s.requests
		switch c.Process {
		case Burst:
			w.en.At(0, evArrival, uint32(i))
		case Closed:
			w.startClosed(i)
		case Poisson, Even:
			s.source = w.en.Source(evArrival, uint32(i))
			s.left = w.gap(i)
			w.enterState(i)
			w.nextArrival(i)
		case FromFile:
			s.source = w.en.Source(evArrival, uint32(i))
			s.recorded.span = -1
			w.nextRecorded(i)
		default:
			panic(fmt.Sprintf("kernel: client %s has no process", c.Name))
		}
	}
}

// startClosed schedules the first request of each client of a closed loop.
func (w *world) startClosed(i int) {
	c, s := &w.p.Clients[i], &w.clients[i]
	s.ops = make([]uint32, c.Population)
	for k := range s.ops {
		at := sim.Time(0)
		if !c.Together {
			d := s.members.Child(uint64(k)).Draw(forThink)
			at = c.Think[policies.Pending].Sample(&d)
		}
		if c.Token != nil {
			at = w.firstRefresh(i, k)
		}
		if at < w.p.End {
			w.en.At(at, evThink, uint32(c.First+k))
		}
	}
}

// gap is the integral of the rate from one arrival to the next.
func (w *world) gap(i int) float64 {
	if w.p.Clients[i].Process == Even {
		return 1
	}
	return w.clients[i].stream.Exp()
}

// nextArrival schedules the arrival at which the integral of the rate since s.from reaches s.left.
func (w *world) nextArrival(i int) {
	s := &w.clients[i]
	at := w.whenIntegral(i)
	if at >= w.p.End {
		at = sim.Never
	}
	w.en.Set(s.source, at)
}

// whenIntegral is the time at which the integral of the rate from s.from on reaches s.left, or
// Never. The rate is linear between points of the profile, so each piece wants one square root.
func (w *world) whenIntegral(i int) sim.Time {
	c, s := &w.p.Clients[i], &w.clients[i]
	rate := w.rate(c, s)
	if !(rate > 0) {
		return sim.Never
	}
	left, t, seg := s.left/rate, s.from, s.seg
	if len(c.Profile) == 0 {
		return pieceEnd(t, left, 1, 0)
	}
	for {
		f, slope, end := profileAt(c.Profile, seg, t)
		if end == sim.Never {
			return pieceEnd(t, left, f, slope)
		}
		span := (end - t).Seconds()
		area := integral(f, slope, span)
		if area > left {
			return min(pieceEnd(t, left, f, slope), end)
		}
		left -= area
		t, seg = end, seg+1
	}
}

// profileAt is the profile's value and slope (per second) at t, and the end of that piece.
func profileAt(profile []Segment, seg int, t sim.Time) (value, slope float64, end sim.Time) {
	if len(profile) == 0 {
		return 1, 0, sim.Never
	}
	s := &profile[seg]
	end = sim.Never
	if seg+1 < len(profile) {
		end = profile[seg+1].At
	}
	return s.From + float64(s.Slope*(t-s.At).Seconds()), s.Slope, end
}

// integral is that of f + slope·x from 0 to span.
func integral(f, slope, span float64) float64 {
	return float64(f*span) + float64(slope*span*span/2)
}

// pieceEnd is when f·x + slope·x²/2 = area, x seconds after t; the form is stable at slope 0.
func pieceEnd(t sim.Time, area, f, slope float64) sim.Time {
	if slope == 0 {
		return soon(t, area/f)
	}
	root := float64(f*f) + float64(2*slope*area)
	if root < 0 {
		return sim.Never
	}
	den := f + sqrt(root)
	if !(den > 0) {
		return sim.Never
	}
	return soon(t, 2*area/den)
}

// soon is x seconds after t, rounded to the nearest nanosecond.
func soon(t sim.Time, x float64) sim.Time {
	if !(x < float64(sim.MaxTime-t)/1e9) {
		return sim.Never
	}
	return t + sim.Time(float64(x*1e9)+0.5)
}

// passTo takes the integral of a client's rate up to a time, off what is left of it.
func (w *world) passTo(i int, to sim.Time) {
	c, s := &w.p.Clients[i], &w.clients[i]
	rate := w.rate(c, s)
	for s.from < to {
		f, slope, end := profileAt(c.Profile, s.seg, s.from)
		stop := min(end, to)
		span := (stop - s.from).Seconds()
		s.left -= float64(rate * integral(f, slope, span))
		s.from = stop
		if stop == end {
			s.seg++
		}
	}
	s.left = max(s.left, 0)
}

// skipTo moves the integral's start to a time at which an arrival happened.
func (w *world) skipTo(i int, to sim.Time) {
	c, s := &w.p.Clients[i], &w.clients[i]
	s.from = to
	for s.seg+1 < len(c.Profile) && c.Profile[s.seg+1].At <= to {
		s.seg++
	}
}

func (w *world) onArrival(id uint32) {
	i := int(id)
	c, s := &w.p.Clients[i], &w.clients[i]
	switch c.Process {
	case Burst:
		for k := 0; k < c.Burst; k++ {
			w.openRequest(i)
		}
		return
	case FromFile:
		w.onRecorded(i)
		return
	}
	w.skipTo(i, w.now)
	s.left = w.gap(i)
	w.nextArrival(i)
	w.openRequest(i)
}

// openRequest starts the next request of an open-loop client.
func (w *world) openRequest(i int) {
	s := &w.clients[i]
	s.count++
	w.openNumbered(i, s.count-1)
}

// openNumbered starts request number k of an open-loop client.
func (w *world) openNumbered(i int, k uint64) {
	c, s := &w.p.Clients[i], &w.clients[i]
	ident := s.requests.Child(k)
	member := uint32(c.First)
	if c.Population > 1 {
		d := ident.Draw(forIdentity)
		member += uint32(d.Intn(uint64(c.Population)))
	}
	w.startRequest(i, ident, member, 0)
}

func (w *world) onThink(member uint32) {
	i := w.clientOf(member)
	c, s := &w.p.Clients[i], &w.clients[i]
	k := member - uint32(c.First)
	op := s.ops[k]
	s.ops[k]++
	w.startRequest(i, s.requests.Child(uint64(k)).Child(uint64(op)), member, 0)
}

// clientOf is the class of a client's number.
func (w *world) clientOf(member uint32) int {
	i := len(w.p.Clients) - 1
	for uint32(w.p.Clients[i].First) > member {
		i--
	}
	return i
}

// startRequest opens the root call of a request, the n-th repeat of its operation.
func (w *world) startRequest(i int, ident sim.Ident, member uint32, n uint16) {
	s := &w.clients[i]
	s.cells[w.window].Requests++
	e := s.edge
	e.open++
	if e.live.straight && s.p.Holds == 0 {
		a := w.lone(i, ident, member)
		a.rep = n
		w.express(a)
		return
	}
	c := w.takeCall()
	c.rep = n
	c.ident, c.request = ident, ident
	c.identity, c.window = member, w.window
	c.edge, c.target = e, int32(s.p.Target)
	c.client, c.priority = uint8(i), s.p.Priority
	if w.tracer != nil {
		w.traceCall(TraceRequest, c)
	}
	if s.p.Holds > 0 && w.tokenless(c) {
		return
	}
	w.openCall(c)
}

// endRequest records how a request ended and lets a closed-loop client think.
func (w *world) endRequest(c *call, o policies.Outcome) {
	if c.edge.probes != nil {
		w.probed(c, o)
		return
	}
	s := &w.clients[c.client]
	cell := &s.cells[c.window]
	c.edge.open--
	w.print.Add(w.now, printEnd, c.request, uint8(o.Class))
	slow := false
	switch o.Class {
	case policies.OK:
		cell.OK++
		if c.degraded {
			cell.Degraded++
		}
		latency := w.now - c.start
		slow = latency > s.p.SlowAfter
		w.recordLatency(int(c.client), c.window, latency)
	case policies.TimedOut:
		cell.TimedOut++
	case policies.Blocked:
		cell.Blocked++
	}
	if o.Class != policies.OK {
		cell.Failed++
	}
	if slow {
		cell.Slow++
	}
	if slow || o.Class != policies.OK {
		cell.FailedOrSlow++
	}
	if s.seen != nil {
		s.seen.sawEnd(&o, w.now-c.start, slow)
	}
	if w.tracer != nil {
		w.traceEnd(c, o)
	}
	if s.p.Outer != nil && o.Class != policies.OK && w.repeats(c, o) {
		return
	}
	if s.p.Process == Closed {
		w.think(s.p, c.request, c.identity, o.Class)
	}
}

// think lets a client of a closed loop think after a request that ended in a class.
func (w *world) think(p *Client, request sim.Ident, member uint32, class policies.Class) {
	if w.draining {
		return
	}
	d := request.Draw(forThink)
	at := w.now + p.Think[class].Sample(&d)
	if p.Token != nil && class == policies.OK {
		at = w.refreshed(p, request, member)
	}
	if at < w.p.End {
		w.en.At(at, evThink, member)
	}
}
