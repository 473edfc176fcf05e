package statistics

import "slices"

// What makes two groups of a set of values: enough values, two in the smaller group, and an empty
// gap of most of the whole range. One normal, uniform or exponential group looks so less than once
// in a hundred times.
const (
	fewest   = 10
	smallest = 2
	gap      = 0.65
)

// Groups are values that fall apart: Low and High are in ascending order.
type Groups struct{ Low, High []float64 }

// Modes divides values that fall into two groups with nothing between them; ok is false when they
// do not, or are too few to tell.
func Modes(values []float64) (g Groups, ok bool) {
	if len(values) < fewest {
		return g, false
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	whole := sorted[len(sorted)-1] - sorted[0]
	for i := smallest; i <= len(sorted)-smallest; i++ {
		if whole > 0 && sorted[i]-sorted[i-1] >= gap*whole {
			return Groups{sorted[:i], sorted[i:]}, true
		}
	}
	return g, false
}

// Front says which rows no other row beats: another is at least as small in every column and
// smaller in one. Rows that are equal are both in front.
func Front(rows [][]float64) []bool {
	out := make([]bool, len(rows))
	for i := range rows {
		out[i] = true
		for j := range rows {
			if i != j && beats(rows[j], rows[i]) {
				out[i] = false
				break
			}
		}
	}
	return out
}

func beats(a, b []float64) bool {
	smaller := false
	for i := range a {
		switch {
		case a[i] > b[i]:
			return false
		case a[i] < b[i]:
			smaller = true
		}
	}
	return smaller
}
