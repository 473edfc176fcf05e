package sweep

import (
	"math"
	"strings"
	"testing"
)

// Of the first 2^k points each interval of length 2^-k holds exactly one in every dimension, and in
// the first two dimensions each box of that area does: what makes the sequence even.
func TestSobolIsEven(t *testing.T) {
	const k = 6
	for d := range maxDimensions {
		seen := map[int]bool{}
		for i := range uint(1 << k) {
			seen[int(sobol(i, maxDimensions)[d]*(1<<k))] = true
		}
		if len(seen) != 1<<k {
			t.Errorf("dimension %d: %d of %d intervals have a point", d, len(seen), 1<<k)
		}
	}
	for a := range k + 1 {
		seen := map[[2]int]bool{}
		for i := range uint(1 << k) {
			x := sobol(i, 2)
			seen[[2]int{int(x[0] * float64(int(1)<<a)), int(x[1] * float64(int(1)<<(k-a)))}] = true
		}
		if len(seen) != 1<<k {
			t.Errorf("boxes of 2^-%d by 2^-%d: %d of %d have a point", a, k-a, len(seen), 1<<k)
		}
	}
}

// With 4,096 points the mean of a product over ten dimensions is far closer to its integral than
// chance would be: an error in any dimension's numbers would show.
func TestSobolIntegrates(t *testing.T) {
	const n = 4096
	sum := 0.0
	for i := range uint(n) {
		f := 1.0
		for d, x := range sobol(i, maxDimensions) {
			f *= (math.Abs(4*x-2) + float64(d)) / (1 + float64(d))
		}
		sum += f
	}
	if got := sum / n; math.Abs(got-1) > 0.01 {
		t.Errorf("integral %.4f, want 1", got)
	}
}

// A Latin hypercube takes each part of each axis once.
func TestLatinHypercubeTakesEachPartOnce(t *testing.T) {
	const old = "values: [0%, 5%, 10%, 50%]}"
	e := open(t, old, "range: {from: 1%, to: 100%, log: true}}\ndesign: latin_hypercube\npoints: 16")
	ps, err := points(e)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int]bool{}
	for _, p := range ps {
		if !p.Baseline {
			seen[min(15, int(16*math.Log(p.Levels[0].Number/0.01)/math.Log(100)))] = true
		}
	}
	if len(ps) != 17 || len(seen) < 15 { // rounding to four digits may move one over an edge
		t.Errorf("%d points in %d of 16 parts, and the baseline", len(ps), len(seen))
	}
}

// Ranges hold both ends and read as people write.
func TestRanges(t *testing.T) {
	const old = "values: [0%, 5%, 10%, 50%]}"
	for text, want := range map[string]string{
		"{from: 0%, to: 100%, steps: 3}":            "0% 50% 100%",
		"{from: 1%, to: 100%, steps: 3, log: true}": "1% 10% 100%",
		"{from: 10%, to: 20%, steps: 4}":            "10% 13.33% 16.67% 20%",
	} {
		e := open(t, old, "range: "+text+"}")
		var labels []string
		for _, l := range e.Axes[0].Levels {
			labels = append(labels, l.Label)
		}
		if got := strings.Join(labels, " "); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
