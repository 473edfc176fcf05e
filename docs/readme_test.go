package docs

import (
	"bytes"
	"fmt"
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
// draws its picture anew from the files that its first command wrote. With -update, both are
// written.
func TestReadmeTellsTheTruth(t *testing.T) {
	dir := t.TempDir()
	program := build(t, dir)
	const file = "../README.md"
	page := read(t, file)
	blocks := consoles.FindAllStringSubmatch(page, -1)
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
		now, err := excerpt(string(out), shown)
		if err != nil {
			t.Errorf("%s\n%v", prompt, err)
			continue
		}
		page = strings.Replace(page, block[1], prompt+"\n"+now, 1)
	}
	golden(t, file, page)
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

// excerpt is what a page should show of an output: the lines it shows, each as it is now. After
// something left out a line is found by its first word; others follow one another.
func excerpt(output, shown string) (string, error) {
	lines := strings.Split(output, "\n")
	var b strings.Builder
	gap, at := false, 0
	for _, want := range strings.Split(strings.TrimRight(shown, "\n"), "\n") {
		if want == leftOut {
			gap = true
			b.WriteString(leftOut + "\n")
			continue
		}
		next := at
		for gap && next < len(lines) && first(lines[next]) != first(want) {
			next++
		}
		if next >= len(lines) {
			return "", fmt.Errorf("no line like %q follows line %d of\n%s", want, at, output)
		}
		b.WriteString(strings.TrimRight(lines[next], " ") + "\n")
		gap, at = false, next+1
	}
	return b.String(), nil
}

func first(line string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return word
}
