package policies

import (
	"cascadesim/sim"
)

// inFlight admits while fewer attempts are inside than its limit, which a rule may move after each
// attempt that has left. The note of an attempt is how many were inside with it as it entered.
type inFlight struct {
	rule   limitRule   // nil: the limit stays
	window *windowSize // nil: the rule sees each sample by itself
	sample sampleWindow
	limit  int
	inside int
}

// limitRule is one algorithm of concurrency-limits: it is fed with samples and says the limit. Its
// chance is that of the attempt that ended the window.
type limitRule interface {
	update(s limitSample, chance *sim.Stream) int
}

// limitSample is what a rule learns: a time from entry to answer, how many were inside as it began,
// and whether anything was dropped.
type limitSample struct {
	rtt    sim.Time
	inside int
	drop   bool
}

func (f *inFlight) policy() Policy {
	return Policy{Admission: f, Finisher: f, Level: f.level}
}

func (f *inFlight) Enter(_ sim.Time, a *Attempt) bool {
	if f.inside >= f.limit {
		return false
	}
	f.inside++
	*a.Note = uint64(f.inside)
	return true
}

func (f *inFlight) Finish(now sim.Time, a *Attempt, took sim.Time, o Outcome) {
	f.inside--
	if f.rule == nil {
		return
	}
	s := limitSample{rtt: took, inside: int(*a.Note), drop: lost(o)}
	ready := took > 0 // the library refuses samples of no time
	if f.window != nil {
		s, ready = f.sample.add(f.window, now, s)
	}
	if ready {
		f.limit = f.rule.update(s, &a.Chance)
	}
}

// lost tells whether the gRPC server interceptor of concurrency-limits reports a drop: a call that
// was cancelled or ran out of time, and by the words of its interface one that another limit turned
// away. Any other status is a success, errors too.
func lost(o Outcome) bool {
	return o.Class == Dropped || o.Class == Rejected || o.Class == Error && o.Status == 504
}

func (f *inFlight) level(sim.Time) float64 {
	return max(0, float64(f.limit-f.inside)) / float64(max(1, f.limit))
}
