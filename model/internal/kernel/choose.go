package kernel

import "sort"

// few sums are faster walked along than searched.
const few = 8

// choose is the first index whose running sum exceeds draw times the whole; the last if none does.
func choose(sum []float64, draw float64) int {
	x := draw * sum[len(sum)-1]
	if len(sum) > few {
		return chooseOfMany(sum, draw, x)
	}
	for i, s := range sum {
		if s > x {
			return i
		}
	}
	return len(sum) - 1
}

func chooseOfMany(sum []float64, draw, x float64) int {
	n := len(sum)
	i := min(int(draw*float64(n)), n-1) // where all weigh the same
	if sum[i] > x && (i == 0 || !(sum[i-1] > x)) {
		return i
	}
	return min(firstAbove(sum, x), n-1)
}

// firstAbove is the first index whose running sum exceeds x; their number if none does.
func firstAbove(sum []float64, x float64) int {
	return sort.Search(len(sum), func(i int) bool { return sum[i] > x })
}

// weighed picks from the rotation by weight, leaving out place skip.
func (t *tier) weighed(draw float64, skip int) *replica {
	if skip < 0 {
		return t.rotation[choose(t.rotSum, draw)]
	}
	before := 0.0
	if skip > 0 {
		before = t.rotSum[skip-1]
	}
	gap := t.rotSum[skip] - before
	x := draw * (t.rotSum[len(t.rotSum)-1] - gap)
	if before > x {
		return t.rotation[firstAbove(t.rotSum[:skip], x)]
	}
	after := t.rotSum[skip+1:]
	k := sort.Search(len(after), func(i int) bool { return after[i]-gap > x })
	if k == len(after) {
		k = 0
	}
	return t.rotation[(skip+1+k)%len(t.rotation)]
}
