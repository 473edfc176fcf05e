package model

import (
	"fmt"
	"strings"
)

// Problem is one mistake in what was declared, with the place and a way out.
type Problem struct {
	Path    string // as paths write it, such as tiers.db.slots; empty: the whole document
	Text    string // what is wrong and what was expected
	Hint    string // a suggestion, such as: did you mean "sidecar"?
	Warning bool   // a doubt, not a mistake: the run goes on and says so
	// Place in a file, filled in by the loader; Line 0: unknown.
	File      string
	Line, Col int
	Override  string // the --set, variant or axis that wrote the value, if one did
}

// String is the problem on one line.
func (p Problem) String() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File)
		if p.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", p.Line, p.Col)
		}
		b.WriteString(": ")
	}
	if p.Override != "" {
		fmt.Fprintf(&b, "%s: ", p.Override)
	}
	if p.Path != "" {
		fmt.Fprintf(&b, "%s: ", p.Path)
	}
	b.WriteString(p.Text)
	if p.Hint != "" {
		fmt.Fprintf(&b, "; %s", p.Hint)
	}
	return b.String()
}

// Problems is all that is wrong, in the order of the file where that is known.
type Problems []Problem

// Errors are the problems that stop a run.
func (ps Problems) Errors() Problems { return ps.filter(false) }

// Warnings are the problems that a result carries along.
func (ps Problems) Warnings() Problems { return ps.filter(true) }

func (ps Problems) filter(warning bool) Problems {
	var out Problems
	for _, p := range ps {
		if p.Warning == warning {
			out = append(out, p)
		}
	}
	return out
}

// Error makes Problems an error: one line each.
func (ps Problems) Error() string {
	lines := make([]string, len(ps))
	for i, p := range ps {
		lines[i] = p.String()
	}
	return strings.Join(lines, "\n")
}
