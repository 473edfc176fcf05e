package policies

import "cascadesim/sim"

// hystrixHealth counts calls in intervals, and sums up those that are over:
//
//	past [ 4/20 | 3/18 | ... | 9/25 ]  now (filling)   next
//	      oldest                                        |
//
// What happened in the interval that is not over yet is not in the sum: a breaker learns of it at
// the end, up to one interval late.
type hystrixHealth struct {
	past          []hystrixBucket
	oldest        int
	now           hystrixBucket
	errors, total int      // over past
	next          sim.Time // when the interval ends
}

type hystrixBucket struct{ errors, total int }

func (h *hystrixHealth) count(isError bool) {
	h.now.total++
	if isError {
		h.now.errors++
	}
}

// shift ends the interval.
func (h *hystrixHealth) shift() {
	b := &h.past[h.oldest]
	h.errors += h.now.errors - b.errors
	h.total += h.now.total - b.total
	*b, h.now = h.now, hystrixBucket{}
	if h.oldest++; h.oldest == len(h.past) {
		h.oldest = 0
	}
}

// percentage is truncated, as the product does it, in the same order of operations.
func (h *hystrixHealth) percentage() int {
	if h.total == 0 {
		return 0
	}
	return int(float64(h.errors) / float64(h.total) * 100)
}

// restart forgets everything; the first interval ends at next.
func (h *hystrixHealth) restart(next sim.Time) {
	clear(h.past)
	*h = hystrixHealth{past: h.past, next: next}
}
