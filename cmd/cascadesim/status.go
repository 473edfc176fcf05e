package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/model"
)

// What the program returns to a script.
const (
	exitOK       = 0
	exitFailed   = 1 // a check failed, nothing was found, or the work was interrupted
	exitUsage    = 2 // a mistake on the command line or in a file, or nothing to judge
	exitInternal = 3 // a law of the simulation was broken: no number can be trusted
)

// errFailed is a check that failed; what failed has been said already.
var errFailed = errors.New("a check failed")

// errMissing is a request that the run does not have; that has been said already.
var errMissing = errors.New("no such request")

// errStopped is work that was interrupted; what was kept has been said already.
var errStopped = errors.New("interrupted")

// broken is a simulation that broke a law, with the command that replays it.
type broken struct {
	*experiments.Broken
	replay string
}

// statusOf writes what went wrong and returns the status for it.
func statusOf(env Env, err error) int {
	var lawless *broken
	var problems model.Problems
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errFailed), errors.Is(err, errMissing), errors.Is(err, errStopped),
		errors.Is(err, errFound):
		return exitFailed
	case errors.As(err, &lawless):
		fmt.Fprintf(env.Stderr, "cascadesim: %s\n", visible(lawless.Error()))
		fmt.Fprintf(env.Stderr, "This is a mistake in cascadesim, not in your files; replay it with\n")
		fmt.Fprintf(env.Stderr, "  %s\n\n%s", visible(lawless.replay), lawless.Stack)
		return exitInternal
	case errors.As(err, &problems):
		writeProblems(env, problems)
		return exitUsage
	}
	fmt.Fprintf(env.Stderr, "cascadesim: %s\n", visible(err.Error()))
	return exitUsage
}

// writeProblems writes one line for each problem. On a terminal the line of the file follows, with
// a caret below the place.
func writeProblems(env Env, problems model.Problems) {
	lines := map[string][]string{}
	for _, p := range problems {
		fmt.Fprintln(env.Stderr, visible(p.String()))
		if terminal(env.Stderr) == nil || p.Line <= 0 {
			continue
		}
		if _, read := lines[p.File]; !read {
			lines[p.File] = linesOf(p.File)
		}
		writeCaret(env.Stderr, lines[p.File], p)
	}
	n := len(problems.Errors())
	if n > 1 {
		fmt.Fprintf(env.Stderr, "%d problems; nothing was run\n", n)
	}
}

// writeCaret shows the place of a problem in its file.
func writeCaret(w io.Writer, lines []string, p model.Problem) {
	if p.Line > len(lines) {
		return
	}
	// A tab is one column of the file and one blank here, so that the caret stands right.
	text := visible(lines[p.Line-1])
	fmt.Fprintf(w, "    %s\n    %s^\n", text, strings.Repeat(" ", max(p.Col-1, 0)))
}

// linesOf is a file by lines, none when it cannot be read: topologies that ship with the program
// are no files.
func linesOf(name string) []string {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	return strings.Split(string(data), "\n")
}

// visible takes control characters out: a file of a stranger must not steer the terminal.
func visible(s string) string { return report.VisibleLines(s) }
