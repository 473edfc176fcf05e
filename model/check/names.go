package check

import (
	"strings"

	"cascadesim/model/internal/words"
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

// matcher is matches for one pattern and many names.
func matcher(pattern string) func(name string) bool {
	if !strings.Contains(pattern, "*") {
		return func(name string) bool { return name == pattern }
	}
	return func(name string) bool { return matches(pattern, name) }
}

// didYouMean suggests the known name that is nearest to what was written, or lists them when
// they are few, or says nothing.
func didYouMean(written string, known []string) string { return words.Nearest(written, known, 24) }
