package policies

import (
	"math/bits"
	"testing"

	"cascadesim/sim"
)

// drawn is a stream whose first draw is r, so that vectors with fixed draws go through a policy's
// own methods. It undoes what the stream does to its state, which is invertible.
func drawn(r float64) sim.Stream { return drawnBits(uint64(r*(1<<53)) << 11) }

// drawnBits is a stream whose first Uint64 is u.
func drawnBits(u uint64) sim.Stream {
	u ^= u>>31 ^ u>>62
	u *= inverse(0x94d049bb133111eb)
	u ^= u>>27 ^ u>>54
	u *= inverse(0xbf58476d1ce4e5b9)
	u ^= u>>30 ^ u>>60
	return sim.Ident(u - 0x9e3779b97f4a7c15).Draw(0)
}

// drawnOf is a stream whose first Intn(n) is k.
func drawnOf(k, n uint64) sim.Stream {
	q, rest := bits.Div64(k, 0, n)
	if rest > 0 {
		q++
	}
	return drawnBits(q)
}

// inverse is 1/x modulo 2^64, by Newton's iteration: each step doubles the right bits.
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}

func TestDrawnStreamsDrawWhatTheyShould(t *testing.T) {
	for _, r := range []float64{0, 0.25, 0.5, 0.75, 1.0 / 3, 1 - 0x1p-53} {
		s := drawn(r)
		if got := s.Float64(); r-got < 0 || r-got > 0x1p-53 {
			t.Errorf("drew %v, want %v", got, r)
		}
	}
	for _, n := range []uint64{1, 2, 7, 1e9, 30e9} {
		for _, k := range []uint64{0, n / 3, n - 1} {
			s := drawnOf(k, n)
			if got := s.Intn(n); got != k {
				t.Errorf("drew %d of %d, want %d", got, n, k)
			}
		}
	}
}
