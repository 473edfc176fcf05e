package docs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// files are the experiments that a page shows, each with its name first.
var files = regexp.MustCompile("(?s)```yaml\n# (\\S+\\.yaml)\n.*?```")

// TestConsolesTellTheTruth runs every command that these pages show and compares what it prints.
// With -update the pages are rewritten.
func TestConsolesTellTheTruth(t *testing.T) {
	dir := t.TempDir()
	program := build(t, dir)
	for _, file := range []string{"lint.md", "explain.md", "experiments.md"} {
		page := read(t, file)
		for _, m := range files.FindAllStringSubmatch(page, -1) {
			text := strings.TrimSuffix(strings.TrimPrefix(m[0], "```yaml\n"), "```")
			if err := os.WriteFile(filepath.Join(dir, m[1]), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		blocks := consoles.FindAllStringSubmatch(page, -1)
		if len(blocks) == 0 {
			t.Errorf("%s shows no command", file)
		}
		for _, block := range blocks {
			prompt, shown, _ := strings.Cut(block[1], "\n")
			args, ok := strings.CutPrefix(prompt, "$ cascadesim ")
			if !ok {
				t.Errorf("%s: a block begins with %q, not with a command", file, prompt)
				continue
			}
			cmd := exec.Command(program, strings.Fields(args)...)
			cmd.Dir = dir
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			// Status 1 says that something was found, which is what some of them show.
			if err != nil && cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("%s: %v\n%s", prompt, err, stderr.String())
			}
			now, err := excerpt(string(out), shown)
			if err != nil {
				t.Errorf("%s: %s\n%v", file, prompt, err)
				continue
			}
			page = strings.Replace(page, block[1], prompt+"\n"+now, 1)
		}
		golden(t, file, page)
	}
}
