package load

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the goldens of testdata")

// Each file of testdata/bad is wrong in the ways its golden tells, all of them at once.
func TestBadFilesAreExplained(t *testing.T) {
	files, err := filepath.Glob("testdata/bad/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad files: %v", err)
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			doc, problems := Open(Source{FS: os.DirFS("testdata/bad"), Name: name})
			if doc != nil {
				problems = doc.Check()
			}
			if len(problems.Errors()) == 0 {
				t.Fatal("no error was found")
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", problems.Error()+"\n")
		})
	}
}

// golden compares with a file, or rewrites it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s\ngot:\n%s\nwant:\n%s", file, got, want)
	}
}
