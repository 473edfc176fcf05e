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
	order := make([]int, len(rows))
	for i := range order {
		order[i] = i
	}
	// Only a row before another in this order can beat it, and if any does then one in front does.
	slices.SortStableFunc(order, func(a, b int) int { return slices.Compare(rows[a], rows[b]) })
	var front []int
	for _, i := range order {
		out[i] = !slices.ContainsFunc(front, func(j int) bool { return beats(rows[j], rows[i]) })
		if out[i] {
			front = append(front, i)
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
