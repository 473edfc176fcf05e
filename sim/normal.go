package sim

import "math"

// The normal quantile is algorithm AS 241 (PPND16) of Wichura, Applied Statistics 37 (1988):
// three ratios of polynomials, lowest power first. Its relative error is about 1e-16, so
// that no refinement step is needed.
type ratio struct{ num, den [8]float64 }

var (
	// quantileMid serves |p - 1/2| <= 0.425, in r = 0.425^2 - (p-1/2)^2.
	quantileMid = ratio{
		[8]float64{3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3,
			1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
			3.3430575583588128105e+4, 2.5090809287301226727e+3},
		[8]float64{1, 4.2313330701600911252e+1, 6.8718700749205790830e+2,
			5.3941960214247511077e+3, 2.1213794301586595867e+4, 3.9307895800092710610e+4,
			2.8729085735721942674e+4, 5.2264952788528545610e+3},
	}
	// quantileSide serves tails down to e^-25, in r = sqrt(-ln p) - 1.6.
	quantileSide = ratio{
		[8]float64{1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
			3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
			2.27238449892691845833e-2, 7.74545014278341407640e-4},
		[8]float64{1, 2.05319162663775882187e0, 1.67638483018380384940e0,
			6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
			5.47593808499534494600e-4, 1.05075007164441684324e-9},
	}
	// quantileFar serves the rest, in r = sqrt(-ln p) - 5.
	quantileFar = ratio{
		[8]float64{6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
			2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
			2.71155556874348757815e-5, 2.01033439929228813265e-7},
		[8]float64{1, 5.99832206555887937690e-1, 1.36929880922735805310e-1,
			1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
			1.42151175831644588870e-7, 2.04426310338993978564e-15},
	}
)

func (q *ratio) at(r float64) float64 { return poly(&q.num, r) / poly(&q.den, r) }

// poly sums even and odd powers side by side, as series does: it is the whole cost of a draw.
func poly(c *[8]float64, x float64) float64 {
	xx := float64(x * x)
	even := float64(c[6]*xx) + c[4]
	odd := float64(c[7]*xx) + c[5]
	even = float64(even*xx) + c[2]
	odd = float64(odd*xx) + c[3]
	even = float64(even*xx) + c[0]
	odd = float64(odd*xx) + c[1]
	return even + float64(odd*x)
}

// NormQuantile returns the point below which a standard normal lies with probability p:
// -Inf at 0, +Inf at 1, NaN outside.
func NormQuantile(p float64) float64 {
	q := p - 0.5
	if math.Abs(q) <= 0.425 {
		return float64(q * quantileMid.at(0.180625-float64(q*q)))
	}
	tail := p
	if q > 0 {
		tail = 1 - p
	}
	var x float64
	switch {
	case math.IsNaN(p) || tail < 0:
		return math.NaN()
	case tail == 0:
		x = math.Inf(1)
	default:
		x = tailQuantile(math.Sqrt(-Ln(tail)))
	}
	if q < 0 {
		return -x
	}
	return x
}

func tailQuantile(r float64) float64 {
	if r <= 5 {
		return quantileSide.at(r - 1.6)
	}
	return quantileFar.at(r - 5)
}

// normDensity is the standard normal density.
func normDensity(x float64) float64 {
	const rootTwoPi = 2.50662827463100050242
	return Exp(float64(x*x)/-2) / rootTwoPi
}

// normBelow is the standard normal probability below x, for x >= 0, to within 1e-15: the
// series of Marsaglia, Journal of Statistical Software 11 (2004), whose terms are all positive.
func normBelow(x float64) float64 {
	if x > 9 {
		return 1
	}
	sum, term := x, x
	for k := 3.0; ; k += 2 {
		term = float64(term*float64(x*x)) / k
		if sum+term == sum {
			return 0.5 + float64(sum*normDensity(x))
		}
		sum += term
	}
}
