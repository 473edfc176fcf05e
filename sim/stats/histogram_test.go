package stats

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"cascadesim/sim"
)

// lengths draws values of every size, with repetitions, as latencies have them.
func lengths(t *rapid.T, label string) []sim.Time {
	top := rapid.IntRange(0, 48).Draw(t, label+" bits")
	one := rapid.Map(rapid.Int64Range(0, 1<<top-1), func(v int64) sim.Time { return sim.Time(v) })
	values := rapid.SliceOf(one).Draw(t, label)
	if len(values) > 0 && rapid.Bool().Draw(t, label+" repeated") {
		for range rapid.IntRange(1, 50).Draw(t, label+" times") {
			values = append(values, values[0])
		}
	}
	return values
}

func histogramOf(values []sim.Time) Histogram {
	var h Histogram
	for _, v := range values {
		h.Add(v)
	}
	return h
}

// sameAnswers compares everything a reader can ask.
func sameAnswers(a, b *Histogram) bool {
	if a.Count() != b.Count() || a.Sum() != b.Sum() || a.Min() != b.Min() || a.Max() != b.Max() {
		return false
	}
	for q := 0.0; q <= 1; q += 1.0 / 64 {
		if a.Quantile(q) != b.Quantile(q) {
			return false
		}
	}
	return true
}

// Together values count as one by one, also when there are so many that their sum takes more than
// one word, and when one of them is beyond all that can be.
func TestManyValuesCountAsOneByOne(t *testing.T) {
	values := make([]sim.Time, 1<<17)
	for i := range values {
		values[i] = sim.MaxTime - sim.Time(i%3)
	}
	values[1000], values[1<<15] = sim.Never, 1<<48
	one, all := histogramOf(values), Histogram{}
	all.AddAll(values)
	if !sameAnswers(&one, &all) {
		t.Errorf("together %d values have the sum %v, one by one %d have %v",
			all.Count(), all.Sum(), one.Count(), one.Sum())
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative value among others was counted")
		}
	}()
	all.AddAll([]sim.Time{sim.MaxTime, -1})
}

// TestHistogramAgreesWithSorting: counts, sum and extremes exactly, quantiles within one part in
// 256 of the order statistic, which is the width of a bucket.
func TestHistogramAgreesWithSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := lengths(t, "values")
		h := histogramOf(values)
		if len(values) == 0 {
			return
		}
		sorted := slices.Clone(values)
		slices.Sort(sorted)
		sum := sim.Time(0)
		for _, v := range values {
			sum += v
		}
		n := len(values)
		if h.Count() != uint64(n) || h.Sum() != float64(sum) {
			t.Fatalf("count %d, sum %v, want %d, %v", h.Count(), h.Sum(), n, float64(sum))
		}
		if h.Min() != sorted[0] || h.Max() != sorted[n-1] {
			t.Fatalf("min %d, max %d, want %d, %d", h.Min(), h.Max(), sorted[0], sorted[n-1])
		}
		for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1} {
			rank := min(n, max(1, int(math.Ceil(q*float64(n)))))
			got, want := h.Quantile(q), sorted[rank-1]
			if off := math.Abs(float64(got - want)); off*256 > float64(want) {
				t.Fatalf("quantile %v of %v is %d, want %d", q, values, got, want)
			}
		}
	})
}

func TestMergeIsTheHistogramOfAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := lengths(t, "x"), lengths(t, "y")
		a, b := histogramOf(x), histogramOf(y)
		all := histogramOf(append(slices.Clone(x), y...))
		ab, ba := a.Clone(), b.Clone()
		ab.Merge(&b)
		ba.Merge(&a)
		if !sameAnswers(&ab, &all) || !sameAnswers(&ba, &all) {
			t.Fatalf("merging %v and %v is not the same as adding them", x, y)
		}
		if again := histogramOf(x); !sameAnswers(&a, &again) {
			t.Fatalf("merging or cloning changed its source %v", x)
		}
		ab.Reset()
		for _, v := range y {
			ab.Add(v)
		}
		if !sameAnswers(&ab, &b) {
			t.Fatalf("after a reset, %v is not as in a new histogram", y)
		}
	})
}

// TestInterpolationFindsSmoothQuantiles: of 10^5 values, evenly spread, the p-th is at p; only
// the rounding to a whole value and half a rank remain.
func TestInterpolationFindsSmoothQuantiles(t *testing.T) {
	var h Histogram
	for i := range sim.Time(100_000) {
		h.Add(1_000_000 + 10*i)
	}
	for _, q := range []float64{0.1, 0.5, 0.9, 0.99} {
		want := 1e6 + float64(q*1e6)
		if got := float64(h.Quantile(q)); math.Abs(got-want) > 20 {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
}

func TestBucketsTileTheNumbers(t *testing.T) {
	next := uint64(0)
	for b := 0; next <= uint64(sim.MaxTime); b++ {
		least, width := bucketAt(b)
		if least != next {
			t.Fatalf("bucket %d begins at %d, the one before ends at %d", b, least, next)
		}
		if bucketOf(least) != b || bucketOf(least+width-1) != b {
			t.Fatalf("bucket %d holds %d to %d, which say they are in %d and %d", b, least,
				least+width-1, bucketOf(least), bucketOf(least+width-1))
		}
		if width > 1 && width*256 > least {
			t.Fatalf("bucket %d is %d wide at %d", b, width, least)
		}
		next = least + width
		if b > math.MaxUint16 {
			t.Fatal("more buckets than carry can name")
		}
	}
}

// TestBucketsHoldMoreThanFourBillion sets a counter to its edge instead of counting there.
func TestBucketsHoldMoreThanFourBillion(t *testing.T) {
	const full = math.MaxUint32
	edge := func(v sim.Time) Histogram {
		h := histogramOf([]sim.Time{v})
		h.pageOf(bucketOf(uint64(v)))[bucketOf(uint64(v))&(1<<pageBits-1)] = full
		h.n = full
		return h
	}
	h := edge(100)
	h.Add(100)
	h.Add(200)
	if got := h.Quantile(0.99); got != 100 {
		t.Errorf("of 2^32 values 100 and one 200, the 99th percentile is %d, want 100", got)
	}
	a, b := edge(100), edge(100)
	a.Merge(&b)
	a.Merge(&h)
	a.Add(300)
	if got := a.Quantile(0.999); got != 100 || a.Count() != 3*full+3 {
		t.Errorf("merged: p99.9 is %d of %d, want 100 of %d", got, a.Count(), uint64(3*full+3))
	}
}

func TestSumsAre128BitsWide(t *testing.T) {
	var h Histogram
	for range 1 << 17 {
		h.Add(sim.MaxTime)
	}
	// 2^17 * (2^48-1) is above 2^64; the float has 53 bits of it.
	if want := 0x1p17 * float64(sim.MaxTime); h.Sum() != want || h.Mean() != float64(sim.MaxTime) {
		t.Errorf("sum %v, mean %v, want %v, %v", h.Sum(), h.Mean(), want, float64(sim.MaxTime))
	}
}

func TestEmptyHistogramClaimsNothing(t *testing.T) {
	var h Histogram
	for q := range 3 {
		if got := h.Quantile(float64(q) / 2); got != sim.Never {
			t.Errorf("quantile %v of nothing is %d, want never", float64(q)/2, got)
		}
	}
	if h.Min() != sim.Never || h.Max() != sim.Never || !math.IsNaN(h.Mean()) || h.Sum() != 0 {
		t.Errorf("min %d, max %d, mean %v, sum %v of nothing", h.Min(), h.Max(), h.Mean(), h.Sum())
	}
	var into Histogram
	into.Merge(&h)
	if into.Count() != 0 || len(into.pages) != 0 {
		t.Error("merging nothing added something")
	}
}

func TestValuesOffTheClock(t *testing.T) {
	h := histogramOf([]sim.Time{sim.Never})
	if h.Max() != sim.MaxTime || h.Quantile(0.5) != sim.MaxTime {
		t.Errorf("never counts as %d, want the end of the clock", h.Max())
	}
	defer func() {
		if recover() == nil {
			t.Error("a negative length of time is counted")
		}
	}()
	h.Add(-1)
}

func TestAddAllocatesPagesOnly(t *testing.T) {
	h := histogramOf([]sim.Time{100, 200_000, 300_000_000})
	if n := testing.AllocsPerRun(1000, func() { h.Add(200_001) }); n != 0 {
		t.Errorf("Add allocates %v times on a page that exists", n)
	}
	narrow := histogramOf([]sim.Time{1_100_000, 1_200_000})
	if len(narrow.pages) != 1 {
		t.Errorf("values within 10 %% take %d pages, want 1", len(narrow.pages))
	}
}

func BenchmarkHistogramAdd(b *testing.B) {
	r := sim.Seed(1).Stream("b")
	var values [4096]sim.Time
	d := sim.MustParseDist("lognormal p50=3ms p99=40ms")
	for i := range values {
		values[i] = d.Sample(&r)
	}
	var h Histogram
	for i := 0; b.Loop(); i++ {
		h.Add(values[i&4095])
	}
}

func BenchmarkHistogramQuantile(b *testing.B) {
	r := sim.Seed(1).Stream("b")
	d := sim.MustParseDist("lognormal p50=3ms p99=40ms")
	var h Histogram
	for range 10_000 {
		h.Add(d.Sample(&r))
	}
	for b.Loop() {
		h.Quantile(0.99)
	}
}
