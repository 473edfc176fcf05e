package model

import "fmt"

// found is a problem just reported, for a hint to be added.
type found struct{ p *Problem }

// hint adds a way out.
func (f found) hint(text string) { f.p.Hint = text }

// errorf reports a mistake.
func (n *names) errorf(path, format string, args ...any) found {
	n.problems = append(n.problems, Problem{Path: path, Text: fmt.Sprintf(format, args...)})
	return found{&n.problems[len(n.problems)-1]}
}

// warnf reports a doubt.
func (n *names) warnf(path, format string, args ...any) found {
	f := n.errorf(path, format, args...)
	f.p.Warning = true
	return f
}
