package kernel

import (
	"cascadesim/sim"
	"cascadesim/sim/stats"
)

// tally keeps lengths of time until there are enough of them to be worth a visit to a histogram.
// Histograms are large and many: each value on its own would wait for memory, a few dozen together
// wait at the same time.
type tally struct {
	into *stats.Histogram
	n    uint
	kept [tallied]sim.Time
}

// tallied is how many are kept; with it a tally fills four lines of the processor's cache.
const tallied = 30

func (t *tally) add(v sim.Time) {
	if t.n >= tallied {
		t.flush()
	}
	t.kept[t.n] = v
	t.n++
}

// flush is a call of its own so that add, which is called much more often, is none.
//
//go:noinline
func (t *tally) flush() {
	t.into.AddAll(t.kept[:t.n])
	t.n = 0
}

// flush gives the histograms what tallies still keep.
func (w *world) flush() {
	for i := range w.clients {
		w.clients[i].latency.flush()
	}
	for i := range w.edges {
		w.edges[i].latency.flush()
	}
	for i := range w.replicas {
		w.replicas[i].wait.flush()
		w.replicas[i].service.flush()
	}
}
