package statistics

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is that of every interval that is shown.
const Confidence = 0.95

// Estimate is a mean with its interval. Of one value the interval is unknown: Half is infinite.
type Estimate struct {
	N    int
	Mean float64
	SD   float64 // of the values
	Half float64 // half the width of the interval
}

// Low is the lower end of the interval.
func (e Estimate) Low() float64 { return e.Mean - e.Half }

// High is the upper end of the interval.
func (e Estimate) High() float64 { return e.Mean + e.Half }

// Clear says whether the interval leaves 0 out: as a difference, that there is one.
func (e Estimate) Clear() bool { return e.N > 1 && (e.Low() > 0 || e.High() < 0) }

// Of is the mean of values and its interval at Confidence.
func Of(values []float64) Estimate { return At(values, Confidence) }

// At is the mean of values and its interval at another confidence.
func At(values []float64, confidence float64) Estimate {
	e := Estimate{N: len(values), Half: math.Inf(1)}
	if e.N == 0 {
		e.Mean = math.NaN()
		return e
	}
	for _, x := range values {
		e.Mean += x
	}
	e.Mean /= float64(e.N)
	if e.N == 1 {
		return e
	}
	squares := 0.0
	for _, x := range values {
		squares += float64((x - e.Mean) * (x - e.Mean))
	}
	e.SD = math.Sqrt(squares / float64(e.N-1))
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(e.N - 1)}
	e.Half = t.Quantile(0.5+confidence/2) * e.SD / math.Sqrt(float64(e.N))
	return e
}

// Differences are a[i]-b[i], of as many pairs as there are.
func Differences(a, b []float64) []float64 {
	out := make([]float64, min(len(a), len(b)))
	for i := range out {
		out[i] = a[i] - b[i]
	}
	return out
}

// Proportion is a share of successes with its exact interval.
type Proportion struct {
	N, Successes int
	Low, High    float64
}

// Share is the share of successes; 1 of nothing is as good as 0, so that then all is possible.
func Share(successes, n int) Proportion { return ShareAt(successes, n, Confidence) }

// ShareAt is the interval at another confidence: the shares that would not have made what was seen,
// or less of it, rarer than half of what is left to 1.
func ShareAt(successes, n int, confidence float64) Proportion {
	p := Proportion{N: n, Successes: successes, High: 1}
	if n == 0 {
		return p
	}
	tail := (1 - confidence) / 2
	if successes > 0 {
		b := distuv.Beta{Alpha: float64(successes), Beta: float64(n - successes + 1)}
		p.Low = b.Quantile(tail)
	}
	if successes < n {
		b := distuv.Beta{Alpha: float64(successes + 1), Beta: float64(n - successes)}
		p.High = b.Quantile(1 - tail)
	}
	return p
}

// Value is the share itself.
func (p Proportion) Value() float64 { return float64(p.Successes) / float64(max(p.N, 1)) }

// Events are the ends of the interval of how many events were to be expected where n were seen, as
// Poisson's are: exact, and open above and below by half of what Confidence leaves.
func Events(n int) (low, high float64) {
	tail := (1 - Confidence) / 2
	if n > 0 {
		low = distuv.ChiSquared{K: float64(2 * n)}.Quantile(tail) / 2
	}
	return low, distuv.ChiSquared{K: float64(2*n + 2)}.Quantile(1-tail) / 2
}

// PositiveMean is the mean of values that are never negative, with an interval that is not either.
type PositiveMean struct {
	N               int
	Mean, Low, High float64
}

// Positive is the mean of values, such as estimates of a small probability, with the t interval of
// its logarithm, whose standard error is that of the mean in parts of the mean.
func Positive(values []float64) PositiveMean {
	e := Of(values)
	p := PositiveMean{N: e.N, Mean: e.Mean, High: math.Inf(1)}
	if e.N > 1 && e.Mean > 0 {
		factor := math.Exp(e.Half / e.Mean)
		p.Low, p.High = e.Mean/factor, e.Mean*factor
	}
	return p
}
