package model

import (
	"cascadesim/model/internal/kernel"
	"cascadesim/sim"
)

// Reseed is a time from which chance follows from another seed. What there is by then keeps its
// chance, but for work that has not begun and the next arrival of Poisson processes: runs that
// differ only in a reseeding go on independently from the same state.
type Reseed = kernel.Reseed

// Branched is a copy of the plan that ends at a time, or when it did if that is earlier, and whose
// chance follows from other seeds from some times on, in order of time.
func (p *Plan) Branched(end sim.Time, reseeds []Reseed) *Plan {
	out, world := *p, *p.World
	world.End = min(world.End, end)
	world.Reseeds = reseeds
	out.World = &world
	return &out
}
