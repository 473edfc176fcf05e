package kernel

import (
	"cascadesim/policies"
	"cascadesim/sim"
)

// Token is what each identity of a client refreshes before it expires.
type Token struct {
	Lifetime sim.Time
	Refresh  sim.Time // after it was issued
	Jitter   float64  // part of Refresh by which it may come earlier
	Spread   bool     // at the start their ages differ, else all were issued at time 0
}

// A client may hold tokens that another client, a closed loop, refreshes: instead of thinking, an
// identity waits until its token is due. Those that were issued together are due together.

// due is how long after its issue a token is refreshed.
func (t *Token) due(d *sim.Stream) sim.Time {
	early := float64(float64(t.Refresh) * t.Jitter)
	return max(1, t.Refresh-sim.Time(float64(early*d.Float64())))
}

// firstRefresh is when identity k of a client refreshes its token for the first time.
func (w *world) firstRefresh(i, k int) sim.Time {
	s := &w.clients[i]
	t := s.p.Token
	if s.expires == nil {
		s.expires = make([]sim.Time, s.p.Population)
	}
	d := s.members.Child(uint64(k)).Draw(forToken)
	due, issued := t.due(&d), sim.Time(0)
	if t.Spread {
		issued = sim.Time(float64(float64(due)*d.Float64())) - due
	}
	s.expires[k] = issued + t.Lifetime
	return issued + due
}

// refreshed gives a client's identity its new token, and says when that is due.
func (w *world) refreshed(p *Client, request sim.Ident, member uint32) sim.Time {
	s := &w.clients[w.clientOf(member)]
	s.expires[member-uint32(p.First)] = w.now + p.Token.Lifetime
	d := request.Draw(forToken)
	return w.now + p.Token.due(&d)
}

// noToken is how a request ends whose token has expired: it is not sent.
var noToken = policies.Outcome{Class: policies.Refused, Status: 401}

// tokenless ends a request at its start if its token has expired, and tells whether it did.
func (w *world) tokenless(c *call) bool {
	s := &w.clients[c.client]
	r := &w.clients[s.p.Holds-1]
	if w.now < r.expires[c.identity-uint32(s.p.First)] {
		return false
	}
	s.cells[w.window].Expired++
	c.start = w.now
	w.endRequest(c, noToken)
	w.freeCall(c)
	return true
}
