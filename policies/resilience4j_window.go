package policies

import "cascadesim/sim"

// resilience4jCounts are counts of calls: of one, of a second, or of a whole window.
type resilience4jCounts struct{ all, failed, slow int32 }

func (c *resilience4jCounts) percent(n int32) float32 { return float32(n) * 100 / float32(c.all) }

// resilience4jWindow sums up a ring of calls or of whole seconds, of which number is the newest.
type resilience4jWindow struct {
	calls  []resilience4jCounts
	slot   sim.Time // how long an entry of the ring lasts; 0: one call
	number int64
	sum    resilience4jCounts
}

// record counts a call in the newest entry, after those in between were emptied.
func (w *resilience4jWindow) record(now sim.Time, failed, slow bool) {
	number := w.number + 1
	if w.slot > 0 {
		number = int64(now / w.slot)
	}
	if number-w.number >= int64(len(w.calls)) {
		w.clear()
		w.number = number
	}
	for w.number < number {
		w.number++
		old := w.newest()
		w.sum.all -= old.all
		w.sum.failed -= old.failed
		w.sum.slow -= old.slow
		*old = resilience4jCounts{}
	}
	w.newest().add(failed, slow)
	w.sum.add(failed, slow)
}

func (w *resilience4jWindow) newest() *resilience4jCounts {
	return &w.calls[w.number%int64(len(w.calls))]
}

func (c *resilience4jCounts) add(failed, slow bool) {
	c.all++
	if failed {
		c.failed++
	}
	if slow {
		c.slow++
	}
}

func (w *resilience4jWindow) clear() {
	clear(w.calls)
	w.sum = resilience4jCounts{}
}
