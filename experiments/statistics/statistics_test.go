package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// trials is how often coverage is tried; the bounds below are four standard errors of that.
const trials = 4000

func within(t *testing.T, what string, got, want float64) {
	t.Helper()
	if se := math.Sqrt(want * (1 - want) / trials); math.Abs(got-want) > 4*se {
		t.Errorf("%s: %.4f, want %.3f ± %.4f", what, got, want, 4*se)
	}
}

// Of so many intervals of normal values 95 in a hundred hold the true mean.
func TestMeansLieInTheirIntervals(t *testing.T) {
	chance := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{2, 5, 10, 40} {
		held := 0
		for range trials {
			values := make([]float64, n)
			for i := range values {
				values[i] = 3 + 2*chance.NormFloat64()
			}
			if e := Of(values); e.Low() <= 3 && 3 <= e.High() {
				held++
			}
		}
		within(t, "coverage", float64(held)/trials, Confidence)
	}
}

// An exact interval holds the true share at least as often as it says.
func TestSharesLieInTheirIntervals(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 4))
	for _, n := range []int{5, 10, 50} {
		for _, p := range []float64{0.02, 0.3, 0.5, 0.95} {
			held := 0
			for range trials {
				k := 0
				for range n {
					if chance.Float64() < p {
						k++
					}
				}
				if s := Share(k, n); s.Low <= p && p <= s.High {
					held++
				}
			}
			low := Confidence - 4*math.Sqrt(Confidence*(1-Confidence)/trials)
			if got := float64(held) / trials; got < low {
				t.Errorf("n %d, p %g: held %.4f of the time, want %.3f", n, p, got, Confidence)
			}
		}
	}
}

// The ends are those at which what was seen, or more of it, has half of 5 %: from the binomial
// distribution itself, not from the beta that gives them.
func TestEndsOfSharesAreExact(t *testing.T) {
	for _, c := range []struct{ k, n int }{{0, 10}, {3, 10}, {10, 10}, {19, 20}, {1, 100}} {
		s := Share(c.k, c.n)
		if c.k > 0 {
			b := distuv.Binomial{N: float64(c.n), P: s.Low}
			if up := 1 - b.CDF(float64(c.k-1)); math.Abs(up-0.025) > 1e-6 {
				t.Errorf("%d of %d: P(%d or more) at %.4f is %.5f", c.k, c.n, c.k, s.Low, up)
			}
		}
		if c.k < c.n {
			b := distuv.Binomial{N: float64(c.n), P: s.High}
			if down := b.CDF(float64(c.k)); math.Abs(down-0.025) > 1e-6 {
				t.Errorf("%d of %d: P(%d or fewer) at %.4f is %.5f", c.k, c.n, c.k, s.High, down)
			}
		}
	}
	if s := Share(0, 0); s.Low != 0 || s.High != 1 {
		t.Errorf("nothing seen: %+v", s)
	}
}

// One group of any common shape is rarely taken for two.
func TestOneGroupIsRarelyTakenForTwo(t *testing.T) {
	chance := rand.New(rand.NewPCG(5, 6))
	draws := map[string]func() float64{
		"normal": chance.NormFloat64, "uniform": chance.Float64, "exponential": chance.ExpFloat64,
	}
	for name, draw := range draws {
		for _, n := range []int{10, 30, 100} {
			wrong := 0
			for range trials {
				values := make([]float64, n)
				for i := range values {
					values[i] = draw()
				}
				if _, two := Modes(values); two {
					wrong++
				}
			}
			if got := float64(wrong) / trials; got > 0.01 {
				t.Errorf("%s, %d values: %.4f are called two groups", name, n, got)
			}
		}
	}
}

func TestTwoGroupsAreFound(t *testing.T) {
	values := []float64{0.01, 0.99, 0.02, 0.98, 0.01, 0.02, 0.03, 0.97, 0.01, 0.02}
	g, ok := Modes(values)
	if !ok || len(g.Low) != 7 || len(g.High) != 3 {
		t.Errorf("got %+v, %v", g, ok)
	}
	if _, ok := Modes(values[:9]); ok {
		t.Error("nine values are too few to tell")
	}
	if _, ok := Modes(make([]float64, 20)); ok {
		t.Error("equal values are one group")
	}
}

// Pairs on the same luck: the difference is known, though the values are not.
func TestPairsCancelLuck(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 8))
	var a, b []float64
	for range 20 {
		luck := 100 * chance.NormFloat64()
		a, b = append(a, luck+1), append(b, luck+0.1*chance.NormFloat64())
	}
	if d := Of(Differences(a, b)); !d.Clear() || math.Abs(d.Mean-1) > 0.1 {
		t.Errorf("difference %+v, want 1", d)
	}
	if Of(a).Half < 10 {
		t.Error("the values alone should be badly known")
	}
}

func TestFront(t *testing.T) {
	rows := [][]float64{{1, 5}, {2, 2}, {5, 1}, {3, 3}, {2, 2}}
	want := []bool{true, true, true, false, true}
	for i, got := range Front(rows) {
		if got != want[i] {
			t.Errorf("row %v: in front %v, want %v", rows[i], got, want[i])
		}
	}
}

// The front is that of the definition, of rows in any order, with equals among them.
func TestFrontIsWhatNoRowBeats(t *testing.T) {
	chance := rand.New(rand.NewPCG(9, 10))
	for columns := range 4 {
		rows := make([][]float64, 300)
		for i := range rows {
			for range columns {
				rows[i] = append(rows[i], float64(chance.IntN(20)))
			}
		}
		rows[7] = append([]float64(nil), rows[3]...)
		for i, got := range Front(rows) {
			want := !slices.ContainsFunc(rows, func(r []float64) bool { return beats(r, rows[i]) })
			if got != want {
				t.Errorf("row %v: in front %v, want %v", rows[i], got, want)
			}
		}
	}
}
