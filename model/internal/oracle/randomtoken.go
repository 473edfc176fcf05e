package oracle

import "cascadesim/model/internal/kernel"

// tokens makes a closed loop refresh the tokens of the client before it, now and then.
func (m *maker) tokens(c *kernel.Client) {
	n := len(m.Plan.Clients)
	if c.Process != kernel.Closed || n == 0 || !m.chance(0.3) {
		return
	}
	c.Token = &kernel.Token{Lifetime: m.time(200), Refresh: m.time(200), Spread: m.chance(0.5)}
	if m.chance(0.5) {
		c.Token.Jitter = m.r.Float64()
	}
	holder := &m.Plan.Clients[n-1]
	c.Population = holder.Population
	holder.Holds = n + 1
}
