package sim

import "math"

// Portable Exp, Ln, Pow and NormQuantile. math.Exp and math.Log are assembly on some
// architectures and not on others, and differ in the last bit; one such bit in a service time
// is another run. These use only + - * / and Sqrt, and wrap every product that feeds a sum in
// float64(), which forbids the compiler to fuse the two.

const (
	ln2Hi = 6.93147180369123816490e-01 // the upper 33 bits of ln 2: small multiples are exact
	ln2Lo = 1.90821492927058770002e-10 // ln 2 - ln2Hi
	log2E = 1.44269504088896338700
)

// Coefficients of the series, 1/k! for Exp and 1/(2k+1) for Ln, in two columns: even and odd
// powers are summed side by side, which halves the chain of dependent operations.
var (
	expSeries = [7][2]float64{
		{1, 1}, {1.0 / 2, 1.0 / 6}, {1.0 / 24, 1.0 / 120}, {1.0 / 720, 1.0 / 5040},
		{1.0 / 40320, 1.0 / 362880}, {1.0 / 3628800, 1.0 / 39916800},
		{1.0 / 479001600, 1.0 / 6227020800},
	}
	lnSeries = [7][2]float64{
		{1, 1.0 / 3}, {1.0 / 5, 1.0 / 7}, {1.0 / 9, 1.0 / 11}, {1.0 / 13, 1.0 / 15},
		{1.0 / 17, 1.0 / 19}, {1.0 / 21, 1.0 / 23}, {1.0 / 25, 0},
	}
)

// series sums c over the powers of x, lowest first.
func series(c *[7][2]float64, x float64) float64 {
	xx := float64(x * x)
	even, odd := c[6][0], c[6][1]
	for i := 5; i >= 0; i-- {
		even = float64(even*xx) + c[i][0]
		odd = float64(odd*xx) + c[i][1]
	}
	return even + float64(odd*x)
}

// Exp returns e to the power x, to within 1e-15 of itself; +Inf above 709.78, 0 below -745.1.
func Exp(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.782712893384:
		return math.Inf(1)
	case x < -745.1332191019412:
		return 0
	}
	k := math.Floor(float64(x*log2E) + 0.5)
	r := (x - float64(k*ln2Hi)) - float64(k*ln2Lo)
	// With |r| <= 0.347 the first neglected term is below 5e-18.
	p := series(&expSeries, r)
	// Two steps, since 2^1024 and 2^-1074 are no normal numbers but their halves' powers are.
	half := math.Floor(k / 2)
	return p * power2(int64(half)) * power2(int64(k-half))
}

// power2 returns 2^k for k in [-1022, 1023].
func power2(k int64) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// Ln returns the natural logarithm of x, to within 1e-15 of itself; -Inf for 0 and NaN below.
func Ln(x float64) float64 {
	switch {
	case x < 0 || math.IsNaN(x):
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	case math.IsInf(x, 1):
		return x
	}
	e := int64(0)
	if x < 0x1p-1022 { // subnormal: the exponent bits say nothing
		x, e = x*0x1p54, -54
	}
	b := math.Float64bits(x)
	e += int64(b>>52) - 1022
	m := math.Float64frombits(b&(1<<52-1) | 1022<<52) // [0.5, 1)
	if m < 0.70710678118654752440 {
		m, e = m*2, e-1
	}
	// ln m = 2 artanh(s) with |s| <= 0.172: the series is done after thirteen terms, and near
	// x = 1 it keeps its relative precision.
	s := (m - 1) / (m + 1)
	p := series(&lnSeries, float64(s*s))
	k := float64(e)
	return float64(k*ln2Hi) + (float64(float64(2*s)*p) + float64(k*ln2Lo))
}

// Pow returns x to the power y for x >= 0, NaN for other x. Whole y up to 1024 in size are
// products, so that powers of two are exact; others are within 1e-13 of themselves.
func Pow(x, y float64) float64 {
	switch {
	case x < 0 || math.IsNaN(x) || math.IsNaN(y):
		return math.NaN()
	case y == math.Trunc(y) && math.Abs(y) <= 1024:
		return powWhole(x, int(y))
	case x == 0 && y < 0:
		return math.Inf(1)
	case x == 0:
		return 0
	}
	return Exp(y * Ln(x))
}

func powWhole(x float64, n int) float64 {
	if n < 0 {
		return 1 / powWhole(x, -n)
	}
	p := 1.0
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			p *= x
		}
		x *= x
	}
	return p
}
