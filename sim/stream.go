package sim

import "math/bits"

// Seed is what all chance of one replication follows from.
// Neighbouring seeds are as independent as distant ones.
type Seed uint64

// Stream is a sequence of chance: splitmix64, eight bytes of state, so that every entity can
// have its own. A Stream is a value; copying it repeats the sequence. The zero Stream works,
// but streams should come from Seed.Stream or Ident.Draw, whose names keep them apart.
type Stream struct{ state uint64 }

// Ident names a request, a call or an attempt by where it came from, whatever else happened
// in the run. Chance that is keyed by it stays the same when a policy elsewhere draws more.
type Ident uint64

const (
	// golden is 2^64 divided by the golden ratio, made odd: the step of splitmix64. Its
	// multiples spread over 2^64 as evenly as multiples of one number can.
	golden = 0x9e3779b97f4a7c15

	// purposeStep is golden*golden mod 2^64: golden steps of the stream at once. The streams
	// of purposes at most n apart therefore begin at least 2^64/(2.3n) draws apart.
	purposeStep = 0xdf442d22ce4859b9

	// Streams and identities of one name must not share luck: each has its own salt.
	streamSalt = 0xd1b54a32d192ed03
	identSalt  = 0x8cb92ba72f3d8dd7

	unit53 = 1.0 / (1 << 53)
)

// Stream returns the sequence called name, such as "load/web". The same seed and name always
// give the same sequence.
func (s Seed) Stream(name string) Stream {
	return Stream{finalise(finalise(uint64(s)+streamSalt) ^ hashName(name))}
}

// Ident returns the root identity called name, such as "client/web".
func (s Seed) Ident(name string) Ident {
	return Ident(finalise(finalise(uint64(s)+identSalt) ^ hashName(name)))
}

// Child returns the n-th identity below i: request n of a client, try n of a call. Nested
// children (request, then path, then try) name anything in the life of a request.
func (i Ident) Child(n uint64) Ident { return Ident(finalise(uint64(i) + (n+1)*golden)) }

// Draw returns the chance of one purpose of i, such as its service time. Distinct purposes
// are independent; asking twice gives the same chance twice.
func (i Ident) Draw(purpose uint64) Stream { return Stream{uint64(i) + purpose*purposeStep} }

// Share returns one uniform in [0, 1) for one purpose of i. It is the first Float64 of
// Draw(purpose), so one purpose must use either this or Draw.
func (i Ident) Share(purpose uint64) float64 {
	return unit(mix(uint64(i) + purpose*purposeStep + golden))
}

// Uint64 returns 64 random bits.
func (r *Stream) Uint64() uint64 {
	r.state += golden
	return mix(r.state)
}

// unit makes a uniform of random bits. The product is exact, and a value of its own so that
// no caller it is inlined into fuses it with a sum.
func unit(u uint64) float64 { return float64(float64(u>>11) * unit53) }

// Float64 returns a uniform in [0, 1), a multiple of 2^-53.
func (r *Stream) Float64() float64 {
	r.state += golden
	return unit(mix(r.state))
}

// Intn returns a uniform in [0, n), and 0 when n is 0. It multiplies instead of rejecting, so
// it takes exactly one draw; a value's probability is off by less than one part in 2^64/n.
func (r *Stream) Intn(n uint64) uint64 {
	hi, _ := bits.Mul64(r.Uint64(), n)
	return hi
}

// Norm returns a standard normal variate by inversion: one draw each, and monotone in that
// draw, so that two distributions compared on the same luck move together. The grid of 2^-52
// is symmetric about one half and ends at ±8.2 standard deviations.
func (r *Stream) Norm() float64 {
	return NormQuantile(float64((float64(r.Uint64()>>12) + 0.5) * (1.0 / (1 << 52))))
}

// mix is the output function of splitmix64 (Stafford's variant 13).
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// finalise is Evensen's "moremur". Names and children go through it and draws through mix, so
// that a child never equals a draw although both start from the same identity.
func finalise(z uint64) uint64 {
	z = (z ^ z>>27) * 0x3c79ac492ba7b653
	z = (z ^ z>>33) * 0x1c69b3f74ac4ae35
	return z ^ z>>27
}

// hashName is FNV-1a; the caller finalises it.
func hashName(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h
}
