package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cascadesim/experiments"
	"cascadesim/model"
)

// quiet is an environment that keeps what is written.
func quiet() (env Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return Env{
		Stdin: strings.NewReader(""), Stdout: stdout, Stderr: stderr,
		Getenv: func(string) string { return "" },
	}, stdout, stderr
}

func TestAnInterruptedRunSaysWhatItKept(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env, stdout, stderr := quiet()
	if got := run(ctx, env, []string{"run", "two-tier", "--replications", "4"}); got != exitFailed {
		t.Errorf("status %d, want %d", got, exitFailed)
	}
	want := "interrupted: 0 of 4 replications were finished"
	if !strings.Contains(stderr.String(), want) {
		t.Errorf("stderr is %q, want %q in it", stderr, want)
	}
	if stdout.Len() > 0 {
		t.Errorf("results of nothing: %q", stdout)
	}
}

func TestABrokenLawPrintsTheCommandThatReplaysIt(t *testing.T) {
	env, stdout, stderr := quiet()
	p := &picked{name: "my world.yaml", choice: choice{sets: []string{"tiers.db.slots=3"}}}
	b := &experiments.Broken{Seed: 7, Sentence: "kernel: slots of db below zero", Event: 4096}
	err := fmt.Errorf("check: %w", &broken{b, p.replayTrace(b)})
	if got := statusOf(env, err); got != exitInternal {
		t.Errorf("status %d, want %d", got, exitInternal)
	}
	for _, want := range []string{
		"seed 7 broke a law of the simulation: kernel: slots of db below zero",
		"cascadesim trace 'my world.yaml' --set tiers.db.slots=3 --seed 7 --until-event 4096",
	} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("stderr is %q, want %q in it", stderr, want)
		}
	}
	if stdout.Len() > 0 {
		t.Errorf("stdout is %q; a broken run has no results", stdout)
	}
}

func TestCaretsStandBelowTheMistake(t *testing.T) {
	var out bytes.Buffer
	lines := []string{"name: x", "\ttiers: {web: {slots: many}}"}
	writeCaret(&out, lines, model.Problem{Line: 2, Col: 23})
	want := "     tiers: {web: {slots: many}}\n" + "    " + strings.Repeat(" ", 22) + "^\n"
	if out.String() != want {
		t.Errorf("got\n%q, want\n%q", out.String(), want)
	}
	if i, j := strings.Index(want, "many"), strings.Index(strings.Split(want, "\n")[1], "^"); i != j {
		t.Errorf("the word begins in column %d, the caret stands in %d", i, j)
	}
}

func TestFilesOfStrangersCannotSteerTheTerminal(t *testing.T) {
	env, _, stderr := quiet()
	statusOf(env, model.Problems{{File: "a\x1b[2Jb", Line: 1, Col: 1, Text: "x\ry\u009bz"}})
	if strings.ContainsAny(stderr.String(), "\x1b\r\u009b") {
		t.Errorf("control characters reach the terminal: %q", stderr)
	}
}

func TestADirectoryOfResultsIsWholeOrUntouched(t *testing.T) {
	dir := t.TempDir()
	text := func(s string) output {
		return output{s + ".txt", func(w io.Writer) error { return writeString(w, s) }}
	}
	if err := writeDir(dir, []output{text("one")}); err != nil {
		t.Fatal(err)
	}
	broken := output{"two.txt", func(io.Writer) error { return errors.New("disk full") }}
	changed := output{"one.txt", func(w io.Writer) error { return writeString(w, "changed") }}
	if err := writeDir(dir, []output{changed, broken}); err == nil {
		t.Error("a file that cannot be written is no error")
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the directory holds %v, want one.txt alone", entries)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "one.txt")); string(got) != "one" {
		t.Errorf("one.txt holds %q; a failed run must leave it", got)
	}
}

func TestWordsAreQuotedForTheShell(t *testing.T) {
	for in, want := range map[string]string{
		"two-tier": "two-tier", "web:db": "web:db", "": "''",
		"my file": "'my file'", "it's": `'it'\''s'`, "a->b": "'a->b'",
	} {
		if got := quoted(in); got != want {
			t.Errorf("quoted(%q) = %s, want %s", in, got, want)
		}
	}
}
