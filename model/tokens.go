package model

import (
	"math"

	"cascadesim/model/internal/kernel"
	"cascadesim/policies"
	"cascadesim/sim"
)

// checkTokens checks a client that refreshes tokens.
func (n *names) checkTokens(path string, i int) {
	c := &n.t.Clients[i].Value
	t := c.Tokens
	if c.Arrivals != nil || c.Think != nil {
		n.errorf(path, "a client that refreshes tokens does nothing else: no arrivals and no think").
			hint("make the requests a client of their own, and name it in tokens.of")
	}
	if c.Start == "together" {
		n.errorf(path+".start", "tokens say themselves when they were issued").hint("issued: together")
	}
	n.length(path+".tokens.lifetime", t.Lifetime)
	if t.Lifetime == 0 {
		n.errorf(path+".tokens.lifetime", "expected how long a token is valid, such as 1h")
	}
	n.share(path+".tokens.refresh_at", t.RefreshAt)
	if t.RefreshAt == 0 {
		n.errorf(path+".tokens.refresh_at", "0%%: a token that is refreshed as soon as it is there")
	}
	n.share(path+".tokens.jitter", t.Jitter)
	n.word(path+".tokens.issued", t.Issued, "together", "spread")
	if t.Retry.IsZero() {
		n.errorf(path+".tokens.retry", "0; expected a pause, such as 1s")
	}
	if t.Of == "" {
		if c.Population == 0 {
			n.errorf(path+".population", "expected how many hold tokens, or tokens.of")
		}
		return
	}
	n.checkHolder(path, i)
}

// checkHolder checks the client whose tokens are refreshed.
func (n *names) checkHolder(path string, i int) {
	c := &n.t.Clients[i].Value
	p, ok := n.places[c.Tokens.Of]
	if !ok || p.kind != aClient || p.index == i {
		n.errorf(path+".tokens.of", "no other client %q", c.Tokens.Of).
			hint(nearest(c.Tokens.Of, n.known(aClient)))
		return
	}
	if c.Population != 0 {
		n.errorf(path+".population", "there are as many tokens as %s has identities", c.Tokens.Of).
			hint("leave population out")
	}
	for k := range n.t.Clients {
		if other := n.t.Clients[k].Value.Tokens; k < i && other != nil && other.Of == c.Tokens.Of {
			n.errorf(path+".tokens.of", "%s refreshes the tokens of %s already", n.t.Clients[k].Name,
				c.Tokens.Of)
		}
	}
	if n.t.Clients[p.index].Value.Population == 0 {
		n.warnf(path+".tokens.of", "%s has no population: all its requests are under one token",
			c.Tokens.Of)
	}
}

// populationOf is how many identities a client has, and where that is written.
func (n *names) populationOf(i int) (int, string) {
	c := &n.t.Clients[i]
	if t := c.Value.Tokens; t != nil && t.Of != "" {
		if p := n.places[t.Of]; p.kind == aClient && p.index != i {
			return n.t.Clients[p.index].Value.Population, "clients." + t.Of + ".population"
		}
	}
	return c.Value.Population, "clients." + c.Name + ".population"
}

// tokens makes a client refresh tokens.
func (c *compiler) tokens(k *kernel.Client, t *Tokens) {
	k.Process = kernel.Closed
	refresh := sim.Time(math.Floor(float64(float64(t.Lifetime)*float64(t.RefreshAt)) + 0.5))
	k.Token = &kernel.Token{Lifetime: t.Lifetime, Refresh: max(1, refresh),
		Jitter: float64(t.Jitter), Spread: t.Issued == "spread"}
	for class := policies.Pending; class < policies.Classes; class++ {
		k.Think[class] = t.Retry
	}
}

// holders tells clients whose tokens another refreshes, once all are there.
func (c *compiler) holders() {
	for i := range c.n.t.Clients {
		if t := c.n.t.Clients[i].Value.Tokens; t != nil && t.Of != "" {
			c.p.Clients[c.n.places[t.Of].index].Holds = i + 1
		}
	}
}
