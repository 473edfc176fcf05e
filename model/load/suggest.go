package load

import "cascadesim/model/internal/words"

// nearest is a hint that names the known word nearest to a misspelt one, or lists a few.
func nearest(word string, known []string) string { return words.Nearest(word, known, 24) }

// closest is nearest without the list.
func closest(word string, known []string) string { return words.Closest(word, known) }

// Suggest ends a sentence about an unknown word with the known word that was probably meant.
func Suggest(word string, known []string) string {
	if hint := nearest(word, known); hint != "" {
		return "; " + hint
	}
	return ""
}
