package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheGalleryIsWhatTheProgramDraws runs every command of the gallery and compares its picture.
func TestTheGalleryIsWhatTheProgramDraws(t *testing.T) {
	dir := t.TempDir()
	program := build(t, dir)
	blocks := consoles.FindAllStringSubmatch(read(t, "charts.md"), -1)
	if len(blocks) < 7 {
		t.Fatalf("the gallery shows %d commands", len(blocks))
	}
	for _, path := range []string{filepath.Join(dir, "charts"), "charts"} {
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, found := range []string{"charts/hysteresis.json", "charts/up-and-down.json",
		"charts/breaker-or-budget.json"} {
		err := os.WriteFile(filepath.Join(dir, found), []byte(read(t, found)), 0o644)
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, block := range blocks {
		args := strings.Fields(strings.TrimPrefix(strings.TrimSpace(block[1]), "$ cascadesim "))
		cmd := exec.Command(program, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", strings.Join(args, " "), err, out)
			continue
		}
		file := args[len(args)-1]
		golden(t, file, read(t, filepath.Join(dir, file)))
	}
}
