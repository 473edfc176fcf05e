package kernel

import "cascadesim/sim"

// Fetch reads from each of the lines of the cache that a record fills, of the attempt or the call
// that an event is about; the sum keeps the compiler from leaving that out.
func (w *world) Fetch(ev sim.Event) {
	switch ev.Kind {
	case evArrive, evWork, evPatience, evReject, evAnswer, evReply, evTimeout, evCancel:
		a := w.attempts.at(ev.ID)
		w.fetched += uint64(a.sent) + uint64(a.step) + uint64(a.term)
	case evRetry, evDeadline:
		c := w.calls.at(ev.ID)
		w.fetched += uint64(c.deadline) + uint64(c.id) + uint64(c.start)
	}
}
