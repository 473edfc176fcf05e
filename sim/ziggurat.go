package sim

// The exponential ziggurat of Marsaglia and Tsang (2000) with 256 layers of equal area, on 53
// bits instead of 32:
//
//	1 |\            layer 255 (the cap: all wedge)
//	  |_\_          each layer is a box [0, zigX[i]) x [zigF[i], zigF[i+1])
//	  |___\__       left of zigX[i+1] the box lies under the curve: accept at once
//	  |______\____  layer 0 is the bottom box plus the tail beyond zigR
//	  0      zigR
const (
	zigR = 7.69711747013104972      // where the tail begins
	zigV = 3.9496598225815571993e-3 // the area of every layer
)

// The tables are built from the portable Exp and Ln: one unit in the last place of one entry,
// as libraries of different machines differ, would already change a run.
var (
	zigX [257]float64 // right edge of layer i; zigX[0] is the width of layer 0 as if a box
	zigF [257]float64 // Exp(-zigX[i])
	zigK [256]uint64  // draws below it are accepted at once
	zigW [256]float64 // width of layer i per unit of a 53-bit draw
)

func init() {
	zigX[0] = float64(zigV * Exp(zigR))
	zigX[1] = zigR
	for i := 2; i < 256; i++ {
		zigX[i] = -Ln(zigV/zigX[i-1] + Exp(-zigX[i-1]))
	}
	for i := range zigX {
		zigF[i] = Exp(-zigX[i])
	}
	for i := range zigK {
		zigK[i] = uint64(int64(zigX[i+1] / zigX[i] * (1 << 53)))
		zigW[i] = zigX[i] * unit53
	}
}

// Exp returns an exponential variate with mean 1. Two hundred and fifty-four of 256 calls take
// one draw and one multiplication.
func (r *Stream) Exp() float64 {
	u := r.Uint64()
	// The layer takes the low 8 bits, the position the high 53: they share none.
	i, j := u&255, u>>11
	x := float64(float64(j) * zigW[i])
	if j < zigK[i] {
		return x
	}
	return r.expEdge(i, x)
}

// expEdge decides a point x that fell outside the safe part of layer i.
func (r *Stream) expEdge(i uint64, x float64) float64 {
	if i == 0 {
		return zigR + r.Exp() // the tail looks like the whole: no logarithm needed
	}
	up := float64(r.Float64() * (zigF[i+1] - zigF[i]))
	if zigF[i]+up < Exp(-x) {
		return x
	}
	return r.Exp()
}
