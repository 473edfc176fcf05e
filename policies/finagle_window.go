package policies

import "cascadesim/sim"

// finagleWindow is the sliding sum of Finagle's budget, util's WindowedAdder: nine finished slices
// of a tenth of the time to live, and the one that is written.
//
//	slices [ 0 ][ 1 ][ 2 ] ... [ 8 ]     written
//	          index: where the next finished slice goes, over the oldest
//
// It rolls only when it is touched, and the new slice begins at that moment and not where the old
// one ended. So traffic whose gaps do not divide a slice is remembered longer, up to twice.
type finagleWindow struct {
	slices  [finagleSlices - 1]int64
	index   int
	written int64
	rolled  int64 // ms; when the written slice began
}

const finagleSlices = 10

// add puts an amount into the slice of now.
func (w *finagleWindow) add(now, slice, amount int64) {
	w.roll(now, slice)
	w.written += amount
}

// sum is what the window holds. Asking rolls it, which later sums can tell.
func (w *finagleWindow) sum(now, slice int64) int64 {
	w.roll(now, slice)
	total := w.written
	for _, s := range w.slices {
		total += s
	}
	return total
}

func (w *finagleWindow) roll(now, slice int64) {
	if now-w.rolled < slice {
		return
	}
	w.slices[w.index] = w.written
	w.written = 0
	w.index = (w.index + 1) % len(w.slices)
	for range min((now-w.rolled)/slice-1, int64(len(w.slices))) {
		w.slices[w.index] = 0
		w.index = (w.index + 1) % len(w.slices)
	}
	w.rolled = now
}

// milliseconds is the clock of Finagle, which knows no smaller unit.
func milliseconds(now sim.Time) int64 { return int64(now / sim.Millisecond) }
