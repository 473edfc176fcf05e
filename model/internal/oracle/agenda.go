package oracle

import (
	"container/heap"

	"cascadesim/sim"
)

// event is something to do at an instant. A cancelled one stays in the heap and does nothing.
type event struct {
	at        sim.Time
	rank      rank
	seq       int
	do        func()
	cancelled bool
}

// rank says who comes first at one instant.
type rank uint8

const (
	rankReseed rank = iota
	rankChange
	rankResume
	rankPause
	rankRest
)

// cancel may be called on nil, on an event that has happened, and more than once.
func (e *event) cancel() {
	if e != nil {
		e.cancelled = true
	}
}

// agenda is a heap of events by time, then by rank, then by the order in which they were scheduled.
type agenda []*event

func (a agenda) Len() int { return len(a) }

func (a agenda) Less(i, j int) bool {
	if a[i].at != a[j].at {
		return a[i].at < a[j].at
	}
	if a[i].rank != a[j].rank {
		return a[i].rank < a[j].rank
	}
	return a[i].seq < a[j].seq
}

func (a agenda) Swap(i, j int) { a[i], a[j] = a[j], a[i] }

func (a *agenda) Push(x any) { *a = append(*a, x.(*event)) }

func (a *agenda) Pop() any {
	old := *a
	last := old[len(old)-1]
	*a = old[:len(old)-1]
	return last
}

// at schedules do, also for the present instant.
func (w *world) at(t sim.Time, do func()) *event { return w.first(rankRest, t, do) }

// first schedules something that comes before others of its instant.
func (w *world) first(r rank, t sim.Time, do func()) *event {
	w.seq++
	e := &event{at: t, rank: r, seq: w.seq, do: do}
	heap.Push(&w.agenda, e)
	return e
}

// after does something in a while; a wait of 0 is no event.
func (w *world) after(wait sim.Time, do func()) *event {
	if wait == 0 {
		do()
		return nil
	}
	return w.at(w.now+wait, do)
}

// run is the main loop.
func (w *world) run() {
	limit := w.plan.End + w.plan.Drain
	for len(w.agenda) > 0 {
		e := heap.Pop(&w.agenda).(*event)
		if e.cancelled {
			continue
		}
		if e.at >= limit {
			break
		}
		if e.at >= w.plan.End {
			w.advance(max(w.now, w.plan.End))
			if w.idle() {
				return
			}
		}
		w.advance(e.at)
		e.do()
		w.events++
	}
	w.advance(max(w.now, w.plan.End))
	if !w.idle() {
		w.advance(limit)
	}
}

// idle tells whether nothing is in flight any more: no open call, and no attempt anywhere.
func (w *world) idle() bool {
	for a := range w.attempts {
		if a.alive() {
			return false
		}
		delete(w.attempts, a)
	}
	return len(w.calls) == 0
}
