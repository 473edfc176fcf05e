package oracle

import "cascadesim/sim"

// due is how long after its issue a token is refreshed, by a stream of its identity.
func (c *client) due(s *sim.Stream) sim.Time {
	early := float64(float64(c.Token.Refresh) * c.Token.Jitter)
	return max(1, c.Token.Refresh-sim.Time(float64(early*s.Float64())))
}

// firstToken is what identity i has at the start.
func (c *client) firstToken(i int) {
	s := c.people.Child(uint64(i)).Draw(44)
	due := c.due(&s)
	issued := sim.Time(0)
	if c.Token.Spread {
		issued = sim.Time(float64(float64(due)*s.Float64())) - due
	}
	if c.tokens == nil {
		c.tokens = map[int]sim.Time{}
	}
	c.tokens[i] = issued + c.Token.Lifetime
	c.w.at(issued+due, func() { c.operate(i, 0) })
}

// token is what an identity got from a refresh.
func (c *client) token(q *request) {
	c.tokens[q.i] = c.w.now + c.Token.Lifetime
	s := q.ident.Draw(44)
	c.w.at(c.w.now+c.due(&s), func() { c.operate(q.i, q.j+1) })
}

// tokenless tells whether the token that a request needs has expired.
func (c *client) tokenless(q *request) bool {
	if c.Holds == 0 {
		return false
	}
	return c.w.now >= c.w.clients[c.Holds-1].tokens[q.number-c.First]
}
