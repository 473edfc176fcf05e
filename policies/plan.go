package policies

import "cascadesim/sim"

// A product that stops when the next wait would end too late draws the wait first and decides then.
// Its condition draws, and its pacer must wait that and nothing else. So the condition leaves the
// wait in the note of the call: 48 bits, which hold sim.MaxTime, and above them 16 bits that are
// the policy's own.
const planBits = 48

// plan leaves a wait and a number of the policy's own in the note.
func plan(note *uint64, wait sim.Time, own uint64) {
	*note = uint64(min(wait, sim.MaxTime)) | min(own, 1<<16-1)<<planBits
}

// planned is what plan left.
func planned(note uint64) (wait sim.Time, own uint64) {
	return sim.Time(note & (1<<planBits - 1)), note >> planBits
}
