package kernel

import (
	"math"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// watch is what is remembered of a condition.
type watch struct {
	p     *Watch
	looks int // since it began anew
	past  [Looks]sums
	terms []termState // of Top, then of Bottom

	now    stats.Histogram        // durations since the last look
	recent [Looks]stats.Histogram // and before
}

// sums are what a watch has counted up to some time.
type sums struct{ top, bottom float64 }

// termState adds up the cells of windows that are over.
type termState struct {
	window uint32
	sum    uint64
}

// seen counts what results count by the window in which it began, as it ends. Only what some watch
// asks for has one; its edge then takes the general way.
type seen struct {
	client    [ClientFailedOrSlow + 1]uint64
	outcomes  [policies.Classes]uint64
	cancelled uint64
	durations []*stats.Histogram
}

// initWatch prepares what a condition reads.
func (w *world) initWatch(s *watch, p *Watch) {
	s.p = p
	s.terms = make([]termState, len(p.Top)+len(p.Bottom))
	for _, terms := range [...][]Term{p.Top, p.Bottom} {
		for i := range terms {
			w.initTerm(s, &terms[i])
		}
	}
}

func (w *world) initTerm(s *watch, t *Term) {
	var at *seen
	switch t.Of {
	case OfClient:
		c := &w.clients[t.Index]
		if c.seen == nil {
			c.seen = &seen{}
		}
		e := &w.edges[w.p.Clients[t.Index].Edge]
		if e.seen == nil {
			e.seen = &seen{}
		}
		at = c.seen
	case OfEdge:
		e := &w.edges[t.Index]
		if e.seen == nil {
			e.seen = &seen{}
		}
		at = e.seen
	case OfReplica, OfGauge:
		return
	}
	if s.p.Quantile > 0 {
		at.durations = append(at.durations, &s.now)
	}
}

// anew lets a watch begin again: only what comes from now on counts.
func (s *watch) anew() {
	s.looks = 0
	s.now.Reset()
}

// watched takes a watch's measure of the last Over and tells whether its condition is met. Until
// there have been looks for so long it is not.
func (w *world) watched(s *watch) bool {
	if s.p.Quantile > 0 {
		return s.lookAtDurations()
	}
	now := w.sumsOf(s)
	slot := &s.past[s.looks%Looks]
	before := *slot
	*slot = now
	s.looks++
	return s.looks > Looks && s.p.met(s.p.value(before, now, s.p.Over))
}

// value is a measure between two sums; NaN: it is a part of nothing.
func (p *Watch) value(before, now sums, over sim.Time) float64 {
	top, bottom := now.top-before.top, now.bottom-before.bottom
	switch {
	case len(p.Bottom) == 0:
		return top / float64(float64(over)*p.Unit)
	case bottom == 0:
		return math.NaN()
	}
	return top / bottom
}

// met tells whether a value is beyond the limit. Nothing is beyond NaN.
func (p *Watch) met(value float64) bool {
	if p.Above {
		return value > p.Limit
	}
	return value < p.Limit
}

func (s *watch) lookAtDurations() bool {
	s.looks++
	if s.looks == 1 {
		s.now.Reset() // what came before the first look is not of the time looked at
		return false
	}
	s.recent[s.looks%Looks], s.now = s.now, s.recent[s.looks%Looks]
	s.now.Reset()
	if s.looks <= Looks {
		return false
	}
	var all stats.Histogram
	for i := range s.recent {
		all.Merge(&s.recent[i])
	}
	return all.Count() > 0 && s.p.met(float64(all.Quantile(s.p.Quantile)))
}

// sumsOf adds up what a watch counts, from the start of the run.
func (w *world) sumsOf(s *watch) (out sums) {
	for i := range s.p.Top {
		out.top += w.term(&s.p.Top[i], &s.terms[i])
	}
	for i := range s.p.Bottom {
		out.bottom += w.term(&s.p.Bottom[i], &s.terms[len(s.p.Top)+i])
	}
	return out
}

func (w *world) term(t *Term, s *termState) float64 {
	switch t.Of {
	case OfClient:
		if t.Count == ClientRequests {
			return w.counted(s, func(n uint32) uint64 {
				return uint64(w.clients[t.Index].cells[n].Requests)
			})
		}
		return float64(w.clients[t.Index].seen.client[t.Count])
	case OfEdge:
		return w.edgeTerm(t, s)
	case OfReplica:
		return w.counted(s, func(n uint32) uint64 { return w.replicaCount(t, n) })
	case OfGauge:
		r := &w.replicas[t.Index]
		r.accrue(w.now)
		return r.total(w.now).of(Gauge(t.Count))
	}
	panic("kernel: a term of nothing")
}

// counted is a counter's sum over all windows up to the present one.
func (w *world) counted(s *termState, of func(window uint32) uint64) float64 {
	for ; s.window < w.window; s.window++ {
		s.sum += of(s.window)
	}
	return float64(s.sum + of(w.window))
}

func (w *world) edgeTerm(t *Term, s *termState) float64 {
	e := &w.edges[t.Index]
	switch t.Count {
	case EdgeEnded:
		n := uint64(0)
		for _, ended := range e.seen.outcomes {
			n += ended
		}
		return float64(n)
	case EdgeCancelled:
		return float64(e.seen.cancelled)
	}
	if t.Count >= EdgeOutcome {
		return float64(e.seen.outcomes[t.Count-EdgeOutcome])
	}
	return w.counted(s, func(window uint32) (n uint64) {
		for client := range w.clients {
			c := &e.series.Cells[client*w.res.Windows+int(window)]
			switch t.Count {
			case EdgeCalls:
				n += uint64(c.Calls)
			case EdgeAttempts:
				n += uint64(c.Attempts)
			case EdgeRetries:
				n += uint64(c.Retries)
			case EdgeHedges:
				n += uint64(c.Hedges)
			case EdgeConnects:
				n += uint64(c.Connects)
			case EdgeRefused:
				n += uint64(c.Outcomes[policies.Refused])
			}
		}
		return n
	})
}

// replicaCount is a counter of a replica in one window.
func (w *world) replicaCount(t *Term, window uint32) (n uint64) {
	s := &w.res.Replicas[t.Index]
	for row := 0; row*w.res.Windows < len(s.Cells); row++ {
		if t.Endpoint >= 0 && row/len(w.clients) != t.Endpoint {
			continue
		}
		c := &s.Cells[row*w.res.Windows+int(window)]
		switch t.Count {
		case ReplicaArrivals:
			n += uint64(c.Arrivals)
		case ReplicaAdmitted:
			n += uint64(c.Admitted)
		case ReplicaCompleted:
			n += uint64(c.Completed)
		case ReplicaRejected:
			n += uint64(c.Rejected)
		case ReplicaDropped:
			n += uint64(c.Dropped)
		case ReplicaWasted:
			n += uint64(c.Wasted)
		case ReplicaHits:
			n += uint64(c.Hits)
		case ReplicaMisses:
			n += uint64(c.Misses)
		case ReplicaJoined:
			n += uint64(c.Joined)
		}
	}
	return n
}

// of is the integral of a gauge.
func (s gaugeSums) of(g Gauge) float64 {
	switch g {
	case GaugeBusy:
		return s.busy
	case GaugeInLine:
		return s.inLine
	case GaugeInSystem:
		return s.inSystem
	case GaugeSlots:
		return s.slots
	case GaugeUp:
		return s.up
	case GaugeUtilization:
	}
	panic("kernel: a gauge that is no integral")
}

// sawOutcome counts the outcome of an attempt as it comes.
func (s *seen) sawOutcome(o *policies.Outcome) {
	s.outcomes[o.Class]++
	for _, h := range s.durations {
		h.Add(o.Latency)
	}
}

// sawEnd counts the end of a request.
func (s *seen) sawEnd(o *policies.Outcome, latency sim.Time, slow bool) {
	s.client[ClientEnded]++
	count := func(is bool, what int) {
		if is {
			s.client[what]++
		}
	}
	failed := o.Class != policies.OK
	count(!failed, ClientOK)
	count(failed, ClientFailed)
	count(o.Class == policies.TimedOut, ClientTimedOut)
	count(o.Class == policies.Blocked, ClientBlocked)
	count(slow, ClientSlow)
	count(slow || failed, ClientFailedOrSlow)
	if failed {
		return
	}
	for _, h := range s.durations {
		h.Add(latency)
	}
}
