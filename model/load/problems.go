package load

import (
	"fmt"
	"sort"
	"strings"
	"unicode"

	"cascadesim/model"
)

// report collects problems.
type report struct{ problems model.Problems }

// problem is what add wants to know.
type problem struct {
	path string
	at   place
	hint string
	warn bool
}

func (r *report) add(p problem, format string, args ...any) {
	r.problems = append(r.problems, model.Problem{
		Path: printable(p.path), Text: printable(fmt.Sprintf(format, args...)),
		Hint: printable(p.hint), Warning: p.warn,
		File: p.at.file, Line: p.at.line, Col: p.at.col, Override: printable(p.at.by),
	})
}

// printable keeps what files hold from moving the cursor of whoever reads the message.
func printable(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return '\uFFFD'
	}, text)
}

// sorted puts problems in the order of the files, those without a place last, and drops repeats:
// a value that an anchor shares is wrong once.
func (r *report) sorted() model.Problems { return inOrder(r.problems) }

// inOrder sorts problems by their place and leaves out what was said of a place before.
func inOrder(ps model.Problems) model.Problems {
	sort.SliceStable(ps, func(i, j int) bool {
		a, b := ps[i], ps[j]
		if (a.Line == 0) != (b.Line == 0) {
			return b.Line == 0
		}
		if a.File != b.File {
			return a.File < b.File
		}
		if a.Line != b.Line {
			return a.Line < b.Line
		}
		return a.Col < b.Col
	})
	var out model.Problems
	for i, p := range ps {
		if i > 0 && (p == ps[i-1] || p.Line > 0 && p.Text == ps[i-1].Text &&
			p.File == ps[i-1].File && p.Line == ps[i-1].Line && p.Col == ps[i-1].Col) {
			continue
		}
		out = append(out, p)
	}
	return out
}
