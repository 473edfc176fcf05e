package policies

import "cascadesim/sim"

// finagleRing is a sliding sum of Finagle's, util's WindowedAdder: some finished slices, which
// whoever embeds it keeps, and the one that is written.
//
//	slices [ 0 ][ 1 ][ 2 ] ... [ 8 ]     written
//	          index: where the next finished slice goes, over the oldest
//
// It rolls only when it is touched, and the new slice begins at that moment and not where the old
// one ended. So traffic whose gaps do not divide a slice is remembered longer, up to twice.
type finagleRing struct {
	index   int
	written int64
	rolled  int64 // ms; when the written slice began
}

// finagleWindow is the sum of Finagle's budget: ten slices of a tenth of the time to live.
type finagleWindow struct {
	slices [finagleSlices - 1]int64
	ring   finagleRing
}

const finagleSlices = 10

// add puts an amount into the slice of now.
func (w *finagleWindow) add(now, slice, amount int64) {
	w.ring.roll(w.slices[:], now, slice)
	w.ring.written += amount
}

// sum is what the window holds. Asking rolls it, which later sums can tell.
func (w *finagleWindow) sum(now, slice int64) int64 {
	w.ring.roll(w.slices[:], now, slice)
	return w.ring.sum(w.slices[:])
}

func (r *finagleRing) sum(slices []int64) int64 {
	total := r.written
	for _, s := range slices {
		total += s
	}
	return total
}

func (r *finagleRing) roll(slices []int64, now, slice int64) {
	if now-r.rolled < slice {
		return
	}
	slices[r.index] = r.written
	r.written = 0
	r.index = (r.index + 1) % len(slices)
	for range min((now-r.rolled)/slice-1, int64(len(slices))) {
		slices[r.index] = 0
		r.index = (r.index + 1) % len(slices)
	}
	r.rolled = now
}

// milliseconds is the clock of Finagle, which knows no smaller unit.
func milliseconds(now sim.Time) int64 { return int64(now / sim.Millisecond) }
