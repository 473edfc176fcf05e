package sim

import (
	"math"
	"testing"
)

// Counts of ranks against their probabilities: Pearson's statistic over ranks (the tail as one) is
// within five standard deviations of its mean.
func TestZipfRanksAreAsLikelyAsTheyShouldBe(t *testing.T) {
	const draws = 200_000
	for _, c := range []struct {
		n uint64
		s float64
	}{{1, 1}, {2, 0.5}, {10, 0}, {10, 1}, {100, 0.9}, {1000, 1}, {1000, 1.5}, {5000, 0.99}, {50, 3},
		{1000, 1 + 1e-9}} {
		z := NewZipf(c.n, c.s)
		r := Seed(7).Stream("zipf")
		counts := make([]float64, c.n+1)
		for range draws {
			counts[z.Sample(&r)]++
		}
		sum := 0.0
		for k := range c.n {
			sum += math.Pow(float64(k+1), -c.s)
		}
		chi, cells, rest, restWant := 0.0, 0, 0.0, 0.0
		for k := uint64(1); k <= c.n; k++ {
			want := draws * math.Pow(float64(k), -c.s) / sum
			if want < 20 {
				rest, restWant = rest+counts[k], restWant+want
				continue
			}
			chi += (counts[k] - want) * (counts[k] - want) / want
			cells++
		}
		if restWant > 20 {
			chi += (rest - restWant) * (rest - restWant) / restWant
			cells++
		}
		free := float64(cells - 1)
		if math.Abs(chi-free) > 5*math.Sqrt(2*free)+1e-9 {
			t.Errorf("n %d s %v: chi square %.1f over %d cells", c.n, c.s, chi, cells)
		}
		if got, want := z.Share(1), 1/sum; math.Abs(got-want) > 1e-12 {
			t.Errorf("n %d s %v: rank 1 has %v, want %v", c.n, c.s, got, want)
		}
	}
}
