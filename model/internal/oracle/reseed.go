package oracle

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// reseed is where all chance of what begins from now on comes to follow from another seed.
func (w *world) reseed(seed sim.Seed) {
	w.seed = seed
	w.labour = uint64(seed.Ident("work"))
	for _, c := range w.clients {
		c.reseed()
		if c.Process == kernel.Poisson {
			c.draw()
			c.plan()
		}
		if a := c.upcoming; a != nil {
			c.recorded = c.recording(a.k+1, a.at)
		}
	}
	for _, e := range w.edges {
		for _, x := range e.opinions {
			x.reseed()
		}
	}
}

// reseed takes the seed in force for what the client asks from now on.
func (c *client) reseed() {
	name := c.Name
	c.root = c.w.seed.Ident("client/" + name)
	c.stream = c.w.seed.Stream("load/" + name)
	c.stays = c.w.seed.Stream("states/" + name)
}
