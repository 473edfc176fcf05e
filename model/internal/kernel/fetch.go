package kernel

import "cascadesim/sim"

// Fetch reads what an event is about: an attempt, its call and who made that, or a call and who
// made it. Of each record it reads from every line of the processor's cache that it fills; the sum
// keeps the compiler from leaving that out.
func (w *world) Fetch(ev sim.Event) {
	switch ev.Kind {
	case evArrive, evWork, evPatience, evReject, evAnswer, evReply, evTimeout, evCancel:
		a := w.attempts.at(ev.ID)
		w.fetched += a.lines()
		if a.call != nil {
			w.fetched += a.call.lines()
		}
		if a.parent != nil {
			w.fetched += a.parent.lines()
		}
	case evRetry, evDeadline:
		c := w.calls.at(ev.ID)
		w.fetched += c.lines()
		if c.parent != nil {
			w.fetched += c.parent.lines()
		}
	}
}

func (a *attempt) lines() uint64 { return uint64(a.sent) + uint64(a.step) + uint64(a.term) }

func (c *call) lines() uint64 { return uint64(c.deadline) + uint64(c.id) + uint64(c.start) }
