package policies

import "cascadesim/sim"

// envoyInterval is the length in ms below which backoff n of a call lies, n from 0: base doubled
// for each backoff before it while that stays below the middle of (most+1), then most.
func envoyInterval(base, most uint64, n uint32) uint64 {
	interval := base
	for ; n > 0 && interval < most; n-- {
		if interval >= (most+1)/2 {
			return most
		}
		interval *= 2
	}
	return interval
}

// envoyBackoff is a backoff in ms, of a raw draw.
func envoyBackoff(interval, draw uint64) uint64 { return draw % interval }

// envoyResetBackoff is the wait in ms when an answer asked for one, of a raw draw. It wants 2 at
// least, for a quarter of a millisecond has no whole part to draw from.
func envoyResetBackoff(asked, draw uint64) uint64 { return asked + draw%(asked/2) }

// wholeMillis is a length in whole milliseconds, cut off.
func wholeMillis(t sim.Time) uint64 { return uint64(t / sim.Millisecond) }
