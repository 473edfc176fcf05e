package model

import "cascadesim/model/internal/words"

// nearest is a hint that names the known word nearest to a misspelt one, or lists a few.
func nearest(word string, known []string) string { return words.Nearest(word, known, 12) }
