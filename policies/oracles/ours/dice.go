package ours

import (
	"math/bits"

	"cascadesim/sim"
)

// Drawn is a stream whose first Float64 is r within [0, 1), cut to a multiple of 2^-53. math/rand
// draws finer ones below a half, so a wait may be a nanosecond off.
func Drawn(r float64) sim.Stream { return drawnBits(uint64(r*(1<<53)) << 11) }

// DrawnOf is a stream whose first Intn(n) is k.
func DrawnOf(k, n uint64) sim.Stream {
	q, rest := bits.Div64(k, 0, n)
	if rest > 0 {
		q++
	}
	return drawnBits(q)
}

// drawnBits is a stream whose first Uint64 is u: splitmix64 backwards.
func drawnBits(u uint64) sim.Stream {
	u ^= u>>31 ^ u>>62
	u *= inverse(0x94d049bb133111eb)
	u ^= u>>27 ^ u>>54
	u *= inverse(0xbf58476d1ce4e5b9)
	u ^= u>>30 ^ u>>60
	return sim.Ident(u - 0x9e3779b97f4a7c15).Draw(0)
}

// inverse is 1/x modulo 2^64, by Newton's iteration: each step doubles the right bits.
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}
