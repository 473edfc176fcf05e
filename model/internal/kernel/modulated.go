package kernel

import "cascadesim/sim"

// A modulated process goes round its states, in each of which the rate has another factor.

// modulated is the state a client's arrivals are in.
type modulated struct {
	state   int
	factors sim.Stream // how long it stays in each
}

// rate is a client's rate in force, without its profile.
func (w *world) rate(c *Client, s *client) float64 {
	if c.States == nil {
		return w.value[c.Rate]
	}
	return float64(w.value[c.Rate] * c.States[s.state].Factor)
}

// enterState says when the state that a client has entered ends.
func (w *world) enterState(i int) {
	c, s := &w.p.Clients[i], &w.clients[i]
	if c.States == nil {
		return
	}
	stay := max(1, c.States[s.state].For.Sample(&s.factors))
	if at := w.now + min(stay, sim.MaxTime-w.now); at < w.p.End {
		w.en.At(at, evState, uint32(i))
	}
}

// onState takes the integral of the old rate up to now and goes on by that of the next state.
func (w *world) onState(id uint32) {
	i := int(id)
	c, s := &w.p.Clients[i], &w.clients[i]
	w.passTo(i, w.now)
	s.state = (s.state + 1) % len(c.States)
	w.enterState(i)
	w.nextArrival(i)
}
