package kernel

import "cascadesim/sim"

// Recording is arrivals that were recorded in the real world, in order: each at its instant, or
// only how many there were in each stretch of time. It is compact, since traces are long, and
// shared by all replications; nobody may change it.
type Recording struct {
	Times  []sim.Time // an arrival each
	Counts []Counted  // instead of Times
}

// Counted is how many arrivals there were in [From, To).
type Counted struct {
	From, To sim.Time
	N        uint64
}

// recorded is how far a client is in its recording.
type recorded struct {
	left uint64   // arrivals still to come in the present stretch
	span int      // the stretch
	at   sim.Time // of the last arrival in it; before the first, its start
}

// nextRecorded schedules the next arrival of a recording that is not left out, and keeps its
// number. Leaving one out at a scale moves no other.
func (w *world) nextRecorded(i int) {
	c, s := &w.p.Clients[i], &w.clients[i]
	for {
		at := w.recordedAt(c, s)
		if at >= w.p.End {
			w.en.Set(s.source, sim.Never)
			return
		}
		if c.Keep >= 1 || s.requests.Child(s.count).Share(forKept) < c.Keep {
			w.en.Set(s.source, at)
			return
		}
		s.count++
	}
}

// recordedAt is when arrival number s.count of a recording happens, asked once for each in order.
func (w *world) recordedAt(c *Client, s *client) sim.Time {
	r := c.Recording
	if r.Counts == nil {
		if s.count >= uint64(len(r.Times)) {
			return sim.Never
		}
		return r.Times[s.count]
	}
	p := &s.recorded
	for p.left == 0 {
		if p.span++; p.span >= len(r.Counts) {
			p.span = len(r.Counts) // stay behind the last
			return sim.Never
		}
		p.left, p.at = r.Counts[p.span].N, r.Counts[p.span].From
	}
	k := &r.Counts[p.span]
	if c.Spaced {
		p.at = k.middle(k.N - p.left)
	} else {
		p.at = k.earliest(p.at, p.left, s.stream.Exp())
	}
	p.left--
	return p.at
}

// earliest is the first of n arrivals that are anywhere from a time to the end of the stretch: the
// share of the time that passes before it is 1 - u^(1/n), of a uniform u that exp is -ln of.
func (k *Counted) earliest(from sim.Time, n uint64, exp float64) sim.Time {
	share := 1 - sim.Exp(-exp/float64(n))
	return min(from+sim.Time(float64(float64(k.To-from)*share)), k.To-1)
}

// middle is the middle of part j of the stretch, cut into as many parts as it has arrivals.
func (k *Counted) middle(j uint64) sim.Time {
	half := float64(k.To-k.From) / float64(2*k.N)
	return min(k.From+sim.Time(float64(float64(2*j+1)*half)), k.To-1)
}

// onRecorded is an arrival of a recording: the next one is scheduled before the request starts.
func (w *world) onRecorded(i int) {
	s := &w.clients[i]
	k := s.count
	s.count++
	w.nextRecorded(i)
	w.openNumbered(i, k)
}
