package report

import (
	"strings"

	gotext "github.com/jedib0t/go-pretty/v6/text"
)

// wrapped breaks text into lines of at most n columns: at spaces, and within words that are longer
// than a line only behind what joins their parts.
func wrapped(text string, n int) string {
	var lines []string
	for line := range strings.SplitSeq(text, "\n") {
		lines = append(lines, wrappedLine(line, n)...)
	}
	return strings.Join(lines, "\n")
}

func wrappedLine(text string, n int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		parts, gap := []string{word}, " "
		for _, split := range splits[1:] {
			if longest(parts) > n {
				parts = split(word)
			}
		}
		for _, part := range parts {
			switch {
			case line == "":
				line = part
			case columnsOf(line)+len(gap)+columnsOf(part) > n:
				lines = append(lines, line)
				line = part
			default:
				line += gap + part
			}
			gap = ""
		}
	}
	return append(lines, line)
}

// splits are ways to break text, each for what the one before leaves too wide: at spaces, behind
// the arrows of edges, and so on.
var splits = []func(string) []string{strings.Fields,
	func(word string) []string { return pieces(word, ">") },
	func(word string) []string { return pieces(word, ">.-/") },
	func(word string) []string { return pieces(word, ">.-/_") },
}

// pieces are the parts of a word that may stand on lines of their own: those of an edge, of a path,
// of a word with hyphens or, with an underscore among the joints, of a long name. An arrow stays
// whole.
func pieces(word, joints string) []string {
	var out []string
	start := 0
	for i, c := range word {
		arrow := c == '-' && strings.HasPrefix(word[i:], "->")
		if !arrow && strings.ContainsRune(joints, c) && i+1 < len(word) {
			out = append(out, word[start:i+1])
			start = i + 1
		}
	}
	return append(out, word[start:])
}

// longest is the most columns that one of some texts needs.
func longest(texts []string) int {
	n := 0
	for _, t := range texts {
		n = max(n, columnsOf(t))
	}
	return n
}

func columnsOf(text string) int { return gotext.StringWidthWithoutEscSequences(text) }
