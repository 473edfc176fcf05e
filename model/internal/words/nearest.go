package words

import (
	"fmt"
	"strings"
)

// Nearest is a hint that names the known word nearest to a misspelt one, or, when none is near,
// lists them if there are at most few.
func Nearest(word string, known []string, few int) string {
	if hint := Closest(word, known); hint != "" || len(known) == 0 || len(known) > few {
		return hint
	}
	return "known: " + strings.Join(known, ", ")
}

// Closest is Nearest without the list.
func Closest(word string, known []string) string {
	best, least := "", len(word)/3+2
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %q?", best)
}

// longest is how long a name may be; longer texts are no misspelt names and count as far apart.
const longest = 80

// distance is the number of letters to insert, remove, replace or swap with the neighbour.
func distance(a, b string) int {
	if len(a) > longest || len(b) > longest {
		return len(a) + len(b)
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
