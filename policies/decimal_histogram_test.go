package policies

import (
	"math"
	"slices"
	"testing"

	"cascadesim/sim"
)

func TestDecimalBinsHoldTheirNumbers(t *testing.T) {
	last := -1
	for _, x := range []int64{0, 1, 2, 9, 10, 11, 99, 100, 109, 110, 999, 1000, 5049, 123_456_789,
		999_999_999_999} {
		bin := decimalBin(x)
		left, width := decimalEdge(bin)
		if float64(x) < left || x > 0 && float64(x) >= left+width {
			t.Errorf("%d is in a bin from %v, %v wide", x, left, width)
		}
		if x >= 10 && width > float64(x)/10 {
			t.Errorf("%d is in a bin %v wide", x, width)
		}
		if bin < last {
			t.Errorf("%d is in bin %d, below that of a smaller number", x, bin)
		}
		last = bin
	}
	if top := decimalBin(math.MaxInt64); top != 90*decimalDecades {
		t.Errorf("the largest number is in bin %d", top)
	}
	for bin := 1; bin < 90*decimalDecades; bin++ {
		left, width := decimalEdge(bin)
		if next, _ := decimalEdge(bin + 1); math.Abs(left+width-next) > 1e-9 {
			t.Fatalf("bin %d ends at %v, the next begins at %v", bin, left+width, next)
		}
	}
}

func TestDecimalQuantilesOfOneBin(t *testing.T) {
	var h decimalHistogram
	for range 4 {
		h.add(5000)
	}
	for share, want := range map[float64]float64{0: 5000, 0.25: 5025, 0.5: 5050, 1: 5100} {
		if got := h.quantile(share); got != want {
			t.Errorf("quantile %v: got %v, want %v", share, got, want)
		}
	}
	h.clear()
	h.add(0)
	if got := h.quantile(0.5); got != 0 {
		t.Errorf("the median of 0 is %v", got)
	}
}

// A quantile is never off by more than a bin, a tenth of the value.
func TestDecimalQuantilesAreNear(t *testing.T) {
	chance := sim.Seed(1).Stream("quantiles")
	var h decimalHistogram
	var all []int64
	for range 5000 {
		x := 10 + int64(chance.Exp()*20_000)
		all = append(all, x)
		h.add(x)
	}
	slices.Sort(all)
	for _, share := range []float64{0.01, 0.5, 0.9, 0.99} {
		want := float64(all[int(share*float64(len(all)))])
		if got := h.quantile(share); math.Abs(got-want) > want/10 {
			t.Errorf("quantile %v: got %v, want %v", share, got, want)
		}
	}
}
