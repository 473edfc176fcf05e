package policies

import (
	"math/big"
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"

	"pgregory.net/rapid"
)

// TestTokenBucketAgreesWithFractions compares with a bucket of true fractions that rounds nowhere,
// over gaps from a nanosecond to hours.
func TestTokenBucketAgreesWithFractions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := rapid.SampledFrom([]float64{1e-6, 0.25, 1.0 / 3, 7, 1000, 79_200.5, 1e9})
		s := TokenBucket{
			Rate:  unit.Rate(rate.Draw(t, "rate")),
			Burst: rapid.SampledFrom([]int{1, 2, 50, 1e9}).Draw(t, "burst"),
		}
		bucket := kindOf("token_bucket").New(s).Admission
		burst := big.NewRat(int64(s.Burst), 1)
		tokens := new(big.Rat).Set(burst)
		one := big.NewRat(1, 1)
		now := sim.Time(0)
		for i := range rapid.IntRange(1, 100).Draw(t, "attempts") {
			longest := int64(1) << rapid.IntRange(0, 41).Draw(t, "bits")
			gap := sim.Time(rapid.Int64Range(0, longest).Draw(t, "gap"))
			now += gap
			flow := big.NewRat(micros(float64(s.Rate)), micro)
			flow.Mul(flow, big.NewRat(int64(gap), 1_000_000_000))
			if tokens.Add(tokens, flow); tokens.Cmp(burst) > 0 {
				tokens.Set(burst)
			}
			want := tokens.Cmp(one) >= 0
			if want {
				tokens.Sub(tokens, one)
			}
			if got := bucket.Enter(now, &Attempt{N: 1}); got != want {
				t.Fatalf("attempt %d at %d: entered %t, want %t with %v tokens",
					i, now, got, want, tokens.FloatString(9))
			}
		}
	})
}
