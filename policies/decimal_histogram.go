package policies

// decimalHistogram counts whole numbers up to 10^12 in bins of two decimal digits: 0, then 1.0,
// 1.1 ... 9.9, 10, 11 ... 99, 100, 110 ... It is the log-linear histogram of libcircllhist, for the
// numbers that its users put in here.
type decimalHistogram struct {
	count int64
	bins  [1 + 90*decimalDecades]uint32
}

const decimalDecades = 12

// decimalBin is the bin of a number.
func decimalBin(x int64) int {
	if x <= 0 {
		return 0
	}
	decade := 0
	if x < 10 {
		x *= 10
	} else {
		for decade = 1; x >= 100; decade++ {
			x /= 10
		}
	}
	return min(1+90*decade+int(x-10), 90*decimalDecades)
}

// decimalEdge is where a bin begins, and how wide it is.
func decimalEdge(bin int) (left, width float64) {
	if bin == 0 {
		return 0, 0
	}
	digits, decade := 10+(bin-1)%90, (bin-1)/90
	if decade == 0 {
		return float64(digits) / 10, 0.1
	}
	whole := 1
	for range decade - 1 {
		whole *= 10
	}
	return float64(digits * whole), float64(whole)
}

func (h *decimalHistogram) add(x int64) {
	h.bins[decimalBin(x)]++
	h.count++
}

func (h *decimalHistogram) clear() { *h = decimalHistogram{} }

// quantile reads the value below which a share of the numbers lies, as if those of a bin lay evenly
// in it. There must be a number.
func (h *decimalHistogram) quantile(share float64) float64 {
	want := float64(float64(h.count) * share)
	var lower, upper float64
	bin := -1
	for i, n := range h.bins {
		if n == 0 {
			continue
		}
		bin, lower = i, upper
		if upper += float64(n); upper >= want {
			break
		}
	}
	left, width := decimalEdge(bin)
	switch want {
	case lower:
		return left
	case upper:
		return left + width
	}
	return left + float64((want-lower)/(upper-lower)*width)
}
