package docs

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// consoles matches the blocks of a page that show a command and what it prints.
var consoles = regexp.MustCompile("(?s)```console\n(.*?)```")

// leftOut stands for any number of lines of output.
const leftOut = "…"

// TestReadmeTellsTheTruth runs every command of the README, looks for the output that it shows, and
// draws its picture anew from the files that its first command wrote.
func TestReadmeTellsTheTruth(t *testing.T) {
	dir := t.TempDir()
	program := build(t, dir)
	blocks := consoles.FindAllStringSubmatch(read(t, "../README.md"), -1)
	if len(blocks) < 5 {
		t.Fatalf("the README shows %d commands; it should show five", len(blocks))
	}
	for _, block := range blocks {
		prompt, shown, _ := strings.Cut(block[1], "\n")
		args, ok := strings.CutPrefix(prompt, "$ cascadesim ")
		if !ok {
			t.Errorf("the block begins with %q, not with a command", prompt)
			continue
		}
		cmd := exec.Command(program, strings.Fields(args)...)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%s: %v\n%s", prompt, err, stderr.String())
		}
		contains(t, prompt, string(out), shown)
	}
	windows, err := os.Open(filepath.Join(dir, "out", "windows.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer windows.Close()
	var chart bytes.Buffer
	if err := Chart(&chart, windows); err != nil {
		t.Fatal(err)
	}
	golden(t, "replay.svg", chart.String())
}

// build makes the program. The sources that this package does not import are looked at, for the go
// command remembers a passed test together with the files that it read.
func build(t *testing.T, dir string) string {
	t.Helper()
	err := filepath.WalkDir("../cmd/cascadesim", func(path string, _ fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".go" {
			_, err = os.Stat(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "cascadesim")
	cmd := exec.Command("go", "build", "-o", program, "../cmd/cascadesim")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return program
}

// contains fails when the shown lines are not in the output, in order and, unless something is left
// out between two, one after the other. Runs of spaces count as one: columns grow with their rows.
func contains(t *testing.T, prompt, output, shown string) {
	t.Helper()
	lines := strings.Split(output, "\n")
	gap, at := false, 0
	for _, want := range strings.Split(strings.TrimRight(shown, "\n"), "\n") {
		if want == leftOut {
			gap = true
			continue
		}
		next := at
		for gap && next < len(lines) && !alike(lines[next], want) {
			next++
		}
		if next >= len(lines) || !alike(lines[next], want) {
			t.Errorf("%s\nshows %q\nwhich is not in what follows line %d of\n%s", prompt, want, at, output)
			return
		}
		gap, at = false, next+1
	}
}

func alike(a, b string) bool {
	return strings.Join(strings.Fields(a), " ") == strings.Join(strings.Fields(b), " ")
}
