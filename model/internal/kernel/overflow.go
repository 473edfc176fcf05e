package kernel

import "cascadesim/sim/queue"

// overflow is what becomes of an attempt that finds no place in line: it is turned away, or the
// oldest in its stead. The newcomer has its place before the other one is told, because that one
// may be back at this instant.
func (w *world) overflow(a *attempt, r *replica) {
	oldest := uint32(0)
	if r.p.Discipline == queue.DropOldest {
		oldest = r.line.Displace(&w.links, a.id)
	}
	if oldest == 0 {
		w.turnBack(a, r)
		return
	}
	w.inPlace(a, r)
	w.turnBack(w.attempts.at(oldest), r)
}
