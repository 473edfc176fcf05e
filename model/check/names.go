package check

import (
	"fmt"
	"strings"
)

// matches says whether name is what pattern writes; each * stands for any characters or none.
func matches(pattern, name string) bool {
	first, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	if !strings.HasPrefix(name, first) {
		return false
	}
	for i := len(first); i <= len(name); i++ {
		if matches(rest, name[i:]) {
			return true
		}
	}
	return false
}

// didYouMean suggests the known name that is nearest to what was written, or lists them when
// they are few, or says nothing.
func didYouMean(written string, known []string) string {
	best, least := "", 0
	for _, name := range known {
		if d := edits(written, name); best == "" || d < least {
			best, least = name, d
		}
	}
	switch {
	case best != "" && least <= max(2, len(written)/3):
		return fmt.Sprintf("did you mean %q?", best)
	case len(known) == 0:
		return ""
	case len(known) <= 24:
		return "there are " + strings.Join(known, ", ")
	}
	return ""
}

// edits is how many characters must be put in, taken out or changed to make b of a.
func edits(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			changed := diagonal
			if a[i] != b[j] {
				changed++
			}
			diagonal = row[j+1]
			row[j+1] = min(changed, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
