package kernel

import "cascadesim/sim"

// Reseed is a time from which chance follows from another seed. What there is by then keeps its
// chance, but for work that has not begun and the next arrival of Poisson processes: runs that
// differ only in a reseeding go on independently from the same state.
type Reseed struct {
	At   sim.Time
	Seed uint64
}

func (w *world) onReseed(id uint32) {
	w.seed = sim.Seed(w.p.Reseeds[id].Seed)
	for i := range w.clients {
		s := &w.clients[i]
		s.luck(w.seed)
		if s.p.Process == Poisson { // which forgets how long it has been since the last arrival
			w.skipTo(i, w.now)
			s.left = w.gap(i)
			w.nextArrival(i)
		}
	}
	w.nameWatchers()
	w.works = uint64(w.seed.Ident("work"))
}

// luck is what a client's arrivals and its requests from now on follow from.
func (s *client) luck(seed sim.Seed) {
	s.requests = seed.Ident("client/" + s.p.Name)
	s.stream = seed.Stream("load/" + s.p.Name)
	s.factors = seed.Stream("states/" + s.p.Name)
}
