package policies

import "cascadesim/sim"

// towerRing is the sliding sum of tower's TpsBudget: ten slots of a tenth of the time to live, and
// the one that is written.
//
// It rolls only when it is touched. A roll that comes a nanosecond late counts the slot that has
// passed twice: once as the one that is stored and once as one that was empty. So at times that
// follow no beat the ring moves on two places a roll, and half of it is always zeros; only where
// each roll falls exactly on the end of a slot does an amount last for ten of them.
type towerRing struct {
	slots   [towerSlots]int64
	index   int
	written int64
	rolled  sim.Time
}

const towerSlots = 10

// add puts an amount into the slot of now.
func (r *towerRing) add(now, slot sim.Time, amount int64) {
	r.roll(now, slot)
	r.written += amount
}

// sum is what the ring holds at now.
func (r *towerRing) sum(now, slot sim.Time) int64 {
	r.roll(now, slot)
	total := r.written
	for _, s := range r.slots {
		total += s
	}
	return total
}

func (r *towerRing) roll(now, slot sim.Time) {
	passed := now - r.rolled
	if passed < slot {
		return
	}
	r.slots[r.index] = r.written
	r.written = 0
	// Slots are emptied while more than one has yet to pass; a second round would change nothing.
	empty := int64((passed - 1) / slot)
	for i := range min(empty, towerSlots) {
		r.slots[(int64(r.index)+1+i)%towerSlots] = 0
	}
	r.index = int((int64(r.index) + 1 + empty) % towerSlots)
	r.rolled = now
}
