package kernel

import (
	"fmt"

	"cascadesim/sim"
)

// Standstill is a world in which time does not pass: events repeat at one instant for ever, or what
// follows from one event has no end. Validation finds the common forms; the others come to light
// here, since the alternative is a run that never ends.
type Standstill struct {
	At  sim.Time
	Why string
}

// Error says when and what helps.
func (s *Standstill) Error() string {
	return fmt.Sprintf("time stands still %v s after the start: %s; give the retry or the think time "+
		"a wait, the hop a latency, or the work a time", s.At.Seconds(), s.Why)
}

const (
	// deepest is how many steps without time may follow from one another inside one event. Each
	// takes up to 4 KB of stack; worlds that mean it stay below some hundred.
	deepest = 50_000
	// crowd is how many events one instant may have, beside those that all clients and bursts
	// bring.
	crowd = 10_000_000
)

// deeper counts a step that is taken inside another's; w.depth is decremented when it returns.
func (w *world) deeper() {
	w.depth++
	if w.depth > deepest {
		w.tooDeep()
	}
}

func (w *world) tooDeep() {
	panic(&Standstill{w.now, fmt.Sprintf("one event led to more than %d steps that take no time",
		deepest)})
}

// moves checks, now and then, that the clock does.
func (w *world) moves() error {
	now, events := w.en.Now(), w.en.Events()
	if now != w.movedAt {
		w.movedAt, w.movedEvents = now, events
		return nil
	}
	bound := uint64(crowd)
	for i := range w.p.Clients {
		bound += 100 * uint64(w.p.Clients[i].Population+w.p.Clients[i].Burst)
	}
	if n := events - w.movedEvents; n > bound {
		return &Standstill{now, fmt.Sprintf("%d events happened at this instant", n)}
	}
	return nil
}
