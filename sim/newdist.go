package sim

import (
	"fmt"
	"math"
)

// maxStages bounds an Erlang: its sampler draws once per stage, and with a thousand stages it
// is a constant to within 3 %.
const maxStages = 1000

// shareSlack is how far from 1 the shares of a mixture may sum, for what decimals lose.
const shareSlack = 1e-9

// ConstDist is always t, which must not be negative or later than MaxTime.
func ConstDist(t Time) (Dist, error) { return newConst(float64(t)) }

// ExpDist is exponential: memoryless, the service time of the textbooks.
func ExpDist(mean Time) (Dist, error) { return newExp(float64(mean)) }

// UniformDist is uniform between least and greatest.
func UniformDist(least, greatest Time) (Dist, error) {
	return newUniform(float64(least), float64(greatest))
}

// NormalDist is normal, cut at 0: negative draws are drawn again, so that Mean is above mean
// when sd is large against it.
func NormalDist(mean, sd Time) (Dist, error) { return newNormal(float64(mean), float64(sd)) }

// LogNormalP is lognormal with this median and 99th percentile.
func LogNormalP(p50, p99 Time) (Dist, error) {
	return newLogNormalP(float64(p50), float64(p99))
}

// LogNormalMean is lognormal with this mean; sigma is the standard deviation of the natural
// logarithm, without a unit.
func LogNormalMean(mean Time, sigma float64) (Dist, error) {
	return newLogNormalMean(float64(mean), sigma)
}

// ErlangDist is the sum of k exponential stages, 1 to 1000, with this mean in total.
func ErlangDist(k int, mean Time) (Dist, error) { return newErlang(k, float64(mean)) }

// ParetoDist is at least min, and above x with probability (min/x)^alpha.
func ParetoDist(least Time, alpha float64) (Dist, error) {
	return newPareto(float64(least), alpha)
}

// MixDist is of[i] with probability shares[i]; the shares must sum to 1.
func MixDist(shares []float64, of []Dist) (Dist, error) {
	if len(shares) != len(of) || len(of) == 0 {
		return Dist{}, fmt.Errorf("mix: %d shares for %d distributions", len(shares), len(of))
	}
	m := &mixture{
		shares: append([]float64(nil), shares...),
		upTo:   make([]float64, len(of)),
		of:     append([]Dist(nil), of...),
	}
	sum := 0.0
	for i, share := range shares {
		if !(share >= 0 && share <= 1) {
			return Dist{}, fmt.Errorf("mix: share %v is not within 0 and 1", share)
		}
		sum += share
		m.upTo[i] = sum
	}
	if math.Abs(sum-1) > shareSlack {
		return Dist{}, fmt.Errorf("mix: shares sum to %v, expected 1", sum)
	}
	// A draw beyond the rounded sum must fall to a part that can occur, not just to the last.
	last := len(shares) - 1
	for shares[last] == 0 {
		last--
	}
	m.upTo[last] = math.Inf(1)
	return Dist{kind: kindMix, mix: m}, nil
}

func newConst(x float64) (Dist, error) {
	if err := within("value", x, 0); err != nil {
		return Dist{}, err
	}
	return Dist{a: x}, nil
}

func newExp(mean float64) (Dist, error) {
	if err := above("exp: mean", mean); err != nil {
		return Dist{}, err
	}
	return Dist{kind: kindExp, a: mean}, nil
}

func newUniform(least, greatest float64) (Dist, error) {
	if err := within("uniform: min", least, 0); err != nil {
		return Dist{}, err
	}
	if err := within("uniform: max", greatest, least); err != nil {
		return Dist{}, err
	}
	return Dist{kind: kindUniform, a: least, b: greatest}, nil
}

func newNormal(mean, sd float64) (Dist, error) {
	if err := within("normal: mean", mean, 0); err != nil {
		return Dist{}, err
	}
	if err := within("normal: sd", sd, 0); err != nil {
		return Dist{}, err
	}
	return Dist{kind: kindNormal, a: mean, b: sd}, nil
}

func newLogNormalP(p50, p99 float64) (Dist, error) {
	if err := above("lognormal: p50", p50); err != nil {
		return Dist{}, err
	}
	if err := within("lognormal: p99", p99, p50); err != nil {
		return Dist{}, err
	}
	sigma := Ln(p99/p50) / NormQuantile(0.99)
	return Dist{kind: kindLogNormal, a: Ln(p50), b: sigma}, nil
}

func newLogNormalMean(mean, sigma float64) (Dist, error) {
	if err := above("lognormal: mean", mean); err != nil {
		return Dist{}, err
	}
	if !(sigma >= 0 && sigma <= 10) {
		return Dist{}, fmt.Errorf("lognormal: sigma %v is not within 0 and 10 "+
			"(it is the standard deviation of the logarithm, without a unit)", sigma)
	}
	mu := Ln(mean) - float64(sigma*sigma/2)
	return Dist{kind: kindLogNormal, a: mu, b: sigma}, nil
}

func newErlang(k int, mean float64) (Dist, error) {
	if k < 1 || k > maxStages {
		return Dist{}, fmt.Errorf("erlang: k %d is not within 1 and %d", k, maxStages)
	}
	if err := above("erlang: mean", mean); err != nil {
		return Dist{}, err
	}
	return Dist{kind: kindErlang, k: int32(k), a: mean / float64(k)}, nil
}

func newPareto(least, alpha float64) (Dist, error) {
	if err := above("pareto: min", least); err != nil {
		return Dist{}, err
	}
	if !(alpha > 0) || math.IsInf(alpha, 1) {
		return Dist{}, fmt.Errorf("pareto: alpha %v is not above 0", alpha)
	}
	return Dist{kind: kindPareto, a: least, b: alpha}, nil
}

// within checks a length of time in nanoseconds against its least value and MaxTime.
func within(what string, x, least float64) error {
	switch {
	case math.IsNaN(x) || x < 0:
		return fmt.Errorf("%s must not be negative", what)
	case x < least:
		return fmt.Errorf("%s %s is below %s", what, nanos(x), nanos(least))
	case x > float64(MaxTime):
		return fmt.Errorf("%s is longer than the clock, which ends at %s", what,
			nanos(float64(MaxTime)))
	}
	return nil
}

// above is within for lengths that must not be 0 either.
func above(what string, x float64) error {
	if x == 0 {
		return fmt.Errorf("%s must be above 0 (write 0 alone for no time at all)", what)
	}
	return within(what, x, 0)
}
