package sweep

// sobolBits is the precision of the sequence, and so the most points that it has.
const sobolBits = 30

// sobolSeeds are a primitive polynomial for each dimension after the first, as its degree and the
// coefficients between its first and last, with the numbers that the sequence begins with: Joe and
// Kuo's choice (new-joe-kuo-6), whose pairs of dimensions are even too.
var sobolSeeds = []struct {
	degree, coefficients uint
	first                []uint
}{
	{1, 0, []uint{1}},
	{2, 1, []uint{1, 3}},
	{3, 1, []uint{1, 3, 1}},
	{3, 2, []uint{1, 1, 1}},
	{4, 1, []uint{1, 1, 3, 3}},
	{4, 4, []uint{1, 3, 5, 13}},
	{5, 2, []uint{1, 1, 5, 5, 17}},
	{5, 4, []uint{1, 1, 5, 5, 5}},
	{5, 7, []uint{1, 1, 7, 11, 19}},
}

// maxDimensions is how many axes the sequence has numbers for.
var maxDimensions = len(sobolSeeds) + 1

// sobol is point i of the sequence in so many dimensions, each coordinate at least 0 and below 1.
func sobol(i uint, dimensions int) []float64 {
	out := make([]float64, dimensions)
	gray := i ^ i>>1
	for d := range out {
		x := uint(0)
		v := directions(d)
		for bit := range uint(sobolBits) {
			if gray>>bit&1 == 1 {
				x ^= v[bit]
			}
		}
		out[d] = float64(x) / float64(uint(1)<<sobolBits)
	}
	return out
}

// directions are the numbers of a dimension.
func directions(d int) [sobolBits]uint {
	var v [sobolBits]uint
	if d == 0 {
		for i := range v {
			v[i] = 1 << (sobolBits - 1 - i)
		}
		return v
	}
	s := sobolSeeds[d-1]
	n := int(s.degree)
	for i := range v {
		if i < n {
			v[i] = s.first[i] << (sobolBits - 1 - i)
			continue
		}
		v[i] = v[i-n] ^ v[i-n]>>s.degree
		for k := 1; k < n; k++ {
			if s.coefficients>>(n-1-k)&1 == 1 {
				v[i] ^= v[i-k]
			}
		}
	}
	return v
}
