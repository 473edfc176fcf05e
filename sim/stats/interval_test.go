package stats

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// TestStudentT95 compares with printed tables, to their last digit.
func TestStudentT95(t *testing.T) {
	for df, want := range map[int]float64{
		1: 12.7062, 2: 4.3027, 4: 2.7764, 9: 2.2622, 19: 2.0930, 30: 2.0423, 31: 2.0395,
		40: 2.0211, 60: 2.0003, 120: 1.9799, 1_000_000_000: 1.9600,
	} {
		if got := StudentT95(df); math.Abs(got-want) > 0.00005 {
			t.Errorf("StudentT95(%d) = %v, want %v", df, got, want)
		}
	}
	for df := range 200 {
		if StudentT95(df) <= StudentT95(df+1) {
			t.Errorf("StudentT95(%d) = %v is not above StudentT95(%d) = %v", df, StudentT95(df),
				df+1, StudentT95(df+1))
		}
	}
}

// TestMeanInterval is by hand: mean 3, variance 10/4, t with 4 degrees of freedom 2.776445.
func TestMeanInterval(t *testing.T) {
	got := MeanInterval([]float64{1, 2, 3, 4, 5})
	half := 2.7764451052 * math.Sqrt(2.5/5)
	if got.Mean != 3 || got.N != 5 || math.Abs(got.SD-math.Sqrt(2.5)) > 1e-15 ||
		math.Abs(got.Half()-half) > 1e-9 || !got.Holds(3) || got.Holds(3+1.01*half) {
		t.Errorf("interval %+v, want 3 ± %v", got, half)
	}
}

func TestTooFewValuesBoundNothing(t *testing.T) {
	none, one := MeanInterval(nil), MeanInterval([]float64{7})
	if !math.IsNaN(none.Mean) || one.Mean != 7 {
		t.Errorf("means %v and %v, want NaN and 7", none.Mean, one.Mean)
	}
	few := BatchMeans(make([]float64, 39))
	for _, i := range []Interval{none, one, few} {
		if !i.Holds(-1e300) || !i.Holds(1e300) {
			t.Errorf("%+v bounds something", i)
		}
	}
	if few.Mean != 0 || few.N != 0 {
		t.Errorf("a short series gives %+v, want its mean and no batches", few)
	}
}

// TestIntervalsCoverTheTruth: 95 % of 2000 intervals hold the true mean; the count has a standard
// deviation of sqrt(2000*.95*.05) = 9.7, and five of them are the width. Batches of a series
// whose neighbours have correlation 0.5 lose about 0.3 % of coverage at 50 values each.
func TestIntervalsCoverTheTruth(t *testing.T) {
	r := sim.Seed(1).Stream("coverage")
	independent, batched := 0, 0
	for range 2000 {
		var values [10]float64
		for i := range values {
			values[i] = r.Norm()
		}
		if MeanInterval(values[:]).Holds(0) {
			independent++
		}
		var series [1000]float64
		x := r.Norm()
		for i := range series {
			x = x/2 + r.Norm()*math.Sqrt(0.75)
			series[i] = x
		}
		if BatchMeans(series[:]).Holds(0) {
			batched++
		}
	}
	if math.Abs(float64(independent)-1900) > 49 {
		t.Errorf("%d of 2000 intervals hold the mean, want 1900 ± 49", independent)
	}
	if math.Abs(float64(batched)-1894) > 49 {
		t.Errorf("%d of 2000 batch intervals hold the mean, want 1894 ± 49", batched)
	}
}

func TestBatchMeansLeavesOutTheBeginning(t *testing.T) {
	series := make([]float64, 40+19)
	for i := range 19 {
		series[i] = 1e9
	}
	if got := BatchMeans(series); got.Mean != 0 || got.N != 20 || got.SD != 0 {
		t.Errorf("interval %+v, want 20 batches without the first 19 values", got)
	}
}

func TestWarningIsOneLine(t *testing.T) {
	w := Warning{Code: "few-samples", Where: "tiers.db", Text: "12 values are behind p99"}
	if got, want := w.String(), "few-samples at tiers.db: 12 values are behind p99"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
	w.Where = ""
	if got, want := w.String(), "few-samples: 12 values are behind p99"; got != want {
		t.Errorf("written %q, want %q", got, want)
	}
}
