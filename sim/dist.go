package sim

import (
	"fmt"
	"math"
)

// Dist is a distribution of lengths of time: how long work takes, how long a user thinks. It is
// a small value that never changes and can be copied and shared. The zero value is the constant
// 0. Parameters are kept in nanoseconds as floats; only samples are whole nanoseconds.
type Dist struct {
	kind distKind
	k    int32   // stages of an Erlang
	a, b float64 // what they mean depends on kind
	mix  *mixture
}

type distKind uint8

const (
	kindConst     distKind = iota // a: the value
	kindExp                       // a: mean
	kindUniform                   // a: least, b: greatest
	kindNormal                    // a: mean, b: standard deviation, both before the cut at 0
	kindLogNormal                 // a: mean, b: standard deviation, both of the logarithm
	kindErlang                    // a: mean of one of k exponential stages
	kindPareto                    // a: least, b: alpha
	kindMix                       // mix
)

// mixture is shared by copies of a Dist and never written after MixDist or Scale built it.
type mixture struct {
	shares []float64 // of each part, in total 1
	upTo   []float64 // running sum of shares; the last is +Inf, against rounding
	of     []Dist
}

// Sample draws a length of time, rounded to the nearest nanosecond, at least 0 and at most
// MaxTime. It allocates nothing.
func (d Dist) Sample(r *Stream) Time {
	switch d.kind {
	case kindConst:
		return round(d.a)
	case kindExp:
		return round(r.Exp() * d.a)
	case kindUniform:
		return round(d.a + float64(r.Float64()*(d.b-d.a)))
	case kindNormal:
		return d.sampleNormal(r)
	case kindLogNormal:
		return round(Exp(d.a + float64(r.Norm()*d.b)))
	case kindErlang:
		return d.sampleErlang(r)
	case kindPareto:
		// The logarithm of a Pareto variate is exponential.
		return round(d.a * Exp(r.Exp()/d.b))
	case kindMix:
		return d.mix.pick(r).Sample(r)
	}
	panic("sim: a distribution of unknown kind")
}

// sampleNormal draws again until the value is not negative. The mean is not negative, so
// that at least every second draw is good.
func (d Dist) sampleNormal(r *Stream) Time {
	for {
		if x := d.a + float64(r.Norm()*d.b); x >= 0 {
			return round(x)
		}
	}
}

func (d Dist) sampleErlang(r *Stream) Time {
	sum := 0.0
	for range d.k {
		sum += r.Exp()
	}
	return round(sum * d.a)
}

func (m *mixture) pick(r *Stream) *Dist {
	u := r.Float64()
	i := 0
	for u >= m.upTo[i] {
		i++
	}
	return &m.of[i]
}

// round keeps x in range before it becomes an integer: beyond, the conversion depends on the
// machine.
func round(x float64) Time {
	if !(x < float64(MaxTime)) {
		return MaxTime
	}
	return Time(float64(x) + 0.5)
}

// Mean is the expected value in nanoseconds, before rounding; +Inf for a Pareto with alpha <= 1.
func (d Dist) Mean() float64 {
	switch d.kind {
	case kindConst, kindExp:
		return d.a
	case kindUniform:
		return d.a + float64((d.b-d.a)/2)
	case kindNormal:
		_, lift := d.cut()
		return d.a + float64(d.b*lift)
	case kindLogNormal:
		return Exp(d.a + float64(d.b*d.b/2))
	case kindErlang:
		return d.a * float64(d.k)
	case kindPareto:
		if d.b <= 1 {
			return math.Inf(1)
		}
		return d.a * (d.b / (d.b - 1))
	case kindMix:
		sum := 0.0
		for i, part := range d.mix.of {
			sum += float64(d.mix.shares[i] * part.Mean())
		}
		return sum
	}
	panic("sim: a distribution of unknown kind")
}

// Var is the variance in square nanoseconds, before rounding; +Inf for a Pareto with alpha <= 2.
func (d Dist) Var() float64 {
	switch d.kind {
	case kindConst:
		return 0
	case kindExp:
		return d.a * d.a
	case kindUniform:
		return (d.b - d.a) * (d.b - d.a) / 12
	case kindNormal:
		t, lift := d.cut()
		return d.b * d.b * (1 - float64(lift*(t+lift)))
	case kindLogNormal:
		m := d.Mean()
		return expLess1(d.b*d.b) * m * m
	case kindErlang:
		return d.a * d.a * float64(d.k)
	case kindPareto:
		if d.b <= 2 {
			return math.Inf(1)
		}
		return d.a * d.a * d.b / ((d.b - 1) * (d.b - 1) * (d.b - 2))
	case kindMix:
		return d.mix.variance(d.Mean())
	}
	panic("sim: a distribution of unknown kind")
}

// cut returns how many standard deviations the mean of a normal lies above 0, and by how many
// the cut lifts it (the inverse Mills ratio).
func (d Dist) cut() (t, lift float64) {
	if d.b == 0 {
		return math.Inf(1), 0
	}
	t = d.a / d.b
	return t, normDensity(t) / normBelow(t)
}

func (m *mixture) variance(mean float64) float64 {
	if math.IsInf(mean, 1) {
		return mean
	}
	sum := 0.0
	for i, part := range m.of {
		off := part.Mean() - mean
		sum += float64(m.shares[i] * (part.Var() + float64(off*off)))
	}
	return sum
}

// expLess1 is Exp(x)-1 without losing the digits of a small x >= 0.
func expLess1(x float64) float64 {
	if x > 1e-4 {
		return Exp(x) - 1
	}
	return x * (1 + float64(x/2*(1+float64(x/3*(1+float64(x/4))))))
}

// Const returns the value and true when every sample is the same.
func (d Dist) Const() (Time, bool) {
	switch {
	case d.kind == kindConst:
		return round(d.a), true
	case (d.kind == kindUniform && d.a == d.b) || (d.kind == kindNormal && d.b == 0):
		return round(d.a), true
	case d.kind == kindLogNormal && d.b == 0:
		return round(Exp(d.a)), true
	}
	return 0, false
}

// IsZero reports whether every sample is 0.
func (d Dist) IsZero() bool {
	t, ok := d.Const()
	return ok && t == 0
}

// Scale returns the distribution of samples times f, which must be finite and not negative.
// Scaling a mixture allocates.
func (d Dist) Scale(f float64) Dist {
	switch {
	case !(f >= 0) || math.IsInf(f, 1):
		panic(fmt.Sprintf("sim: a distribution scaled by %v", f))
	case f == 0:
		return Dist{}
	case d.kind == kindLogNormal:
		d.a += Ln(f)
	case d.kind == kindUniform || d.kind == kindNormal:
		d.a, d.b = d.a*f, d.b*f
	case d.kind == kindMix:
		m := *d.mix
		m.of = make([]Dist, len(d.mix.of))
		for i, part := range d.mix.of {
			m.of[i] = part.Scale(f)
		}
		d.mix = &m
	default:
		d.a *= f
	}
	return d
}
