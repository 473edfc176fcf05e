//go:build !race

package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// The race detector has the scripts, which run the same commands; it is for goroutines, and what is
// said below is said by one.

// example is one command of the manual and what stands below it.
type example struct {
	first, last int // lines of its output in doc.go
	args        []string
	output      []string
}

// examples finds the blocks that begin with $ cascadesim.
func examples(lines []string) []example {
	var out []example
	const prompt = "//\t$ cascadesim "
	for i := 0; i < len(lines); i++ {
		command, ok := strings.CutPrefix(lines[i], prompt)
		if !ok {
			continue
		}
		e := example{first: i + 1, args: strings.Fields(command)}
		for i++; i < len(lines) && (strings.HasPrefix(lines[i], "//\t") || lines[i] == "//"); i++ {
			// A blank line belongs to the output only when more of it follows.
			if lines[i] == "//" && !(i+1 < len(lines) && strings.HasPrefix(lines[i+1], "//\t")) {
				break
			}
			text := strings.TrimPrefix(strings.TrimPrefix(lines[i], "//"), "\t")
			e.output = append(e.output, text)
		}
		e.last = i
		out = append(out, e)
	}
	return out
}

// said is what a command writes: its results, or what it says when it fails.
func said(args []string) string {
	var stdout, stderr bytes.Buffer
	env := Env{
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr,
		Getenv: func(name string) string {
			if name == "COLUMNS" {
				return "96" // as wide as a comment can be
			}
			return ""
		},
	}
	if run(context.Background(), env, args) == exitUsage {
		return stderr.String()
	}
	return stdout.String()
}

func TestTheManualTellsTheTruth(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	found := examples(lines)
	if len(found) < 6 {
		t.Fatalf("found %d examples in doc.go", len(found))
	}
	for i := len(found) - 1; i >= 0; i-- {
		e := found[i]
		got := strings.Split(strings.TrimRight(said(e.args), "\n"), "\n")
		if *update {
			lines = append(lines[:e.first], append(comment(got), lines[e.last:]...)...)
			continue
		}
		if strings.Join(got, "\n") != strings.Join(e.output, "\n") {
			t.Errorf("doc.go:%d: cascadesim %s writes\n%s\nand not\n%s", e.first,
				strings.Join(e.args, " "), strings.Join(got, "\n"), strings.Join(e.output, "\n"))
		}
	}
	if *update {
		if err := os.WriteFile("doc.go", []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// comment makes output lines a block of the doc comment.
func comment(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight("//\t"+l, "\t ")
	}
	return out
}
