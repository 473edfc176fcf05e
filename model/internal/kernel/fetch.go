package kernel

import "cascadesim/sim"

// Fetch reads what events are about. Each of its rounds reads from all of them what the round
// before made known the place of, so that the processor waits for many at once: the attempts and
// calls themselves, then the calls of attempts and who made those, then who waits above them, for
// whom an answer may be there in the same event.
func (w *world) Fetch(evs []sim.Event) {
	w.fetched += w.fetchThem(evs) + w.fetchCallers(evs) + w.fetchAbove(evs)
}

func (w *world) fetchThem(evs []sim.Event) (sum uint64) {
	for _, ev := range evs {
		switch ev.Kind {
		case evArrive, evWork, evPatience, evReject, evAnswer, evReply, evTimeout, evCancel:
			sum += w.attempts.at(ev.ID).lines()
		case evRetry, evDeadline:
			sum += w.calls.at(ev.ID).lines()
		case evThink:
			i := w.clientOf(ev.ID)
			sum += uint64(w.clients[i].ops[ev.ID-uint32(w.p.Clients[i].First)])
		}
	}
	return sum
}

func (w *world) fetchCallers(evs []sim.Event) (sum uint64) {
	for _, ev := range evs {
		var c *call
		var p *attempt
		switch ev.Kind {
		case evTimeout, evArrive, evWork, evPatience, evReject, evAnswer, evReply, evCancel:
			a := w.attempts.at(ev.ID)
			if ev.Kind == evTimeout && a.timer != ev.Key {
				continue // a dead one, as most are
			}
			c, p = a.call, a.parent
		case evRetry, evDeadline:
			p = w.calls.at(ev.ID).parent
		}
		if c != nil {
			sum += c.lines()
		}
		if p != nil {
			sum += p.lines()
		}
	}
	return sum
}

// above is how far up callers are fetched: records in use are in no circle, and old ones might be.
const above = 8

// fetchAbove reads what the way back does, as far up as it takes no time.
func (w *world) fetchAbove(evs []sim.Event) (sum uint64) {
	for _, ev := range evs {
		if ev.Kind != evWork && ev.Kind != evReply {
			continue
		}
		p := w.attempts.at(ev.ID).parent
		for n := 0; n < above && p != nil && p.edge.live.directBack; n++ {
			if p = p.parent; p != nil {
				sum += uint64(p.step)
			}
		}
	}
	return sum
}

// lines reads from every line of the processor's cache that a record fills. Sums of it keep the
// compiler from leaving that out.
func (a *attempt) lines() uint64 { return uint64(a.sent) + uint64(a.step) + uint64(a.term) }

func (c *call) lines() uint64 { return uint64(c.deadline) + uint64(c.id) + uint64(c.start) }
