package docs

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"cascadesim/experiments/selftest"
)

// What the page of mechanisms calls as a witness exists: cases of the self-test (those in brackets
// are said by the test before them) and tests of package model.
func TestWitnessesOfMechanismsExist(t *testing.T) {
	page, err := os.ReadFile("mechanisms.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range selftest.Cases() {
		known[c.ID] = true
	}
	bracketed := regexp.MustCompile(`\(C[0-9]+\)`)
	cases := regexp.MustCompile(`\b[CVX][0-9]+[a-d]?\b`).FindAllString(
		bracketed.ReplaceAllString(string(page), ""), -1)
	if len(cases) < 20 {
		t.Errorf("the page names %d cases", len(cases))
	}
	for _, id := range cases {
		if !known[id] {
			t.Errorf("the page names %s, which the self-test does not know", id)
		}
	}
	tests := testsOf(t, "../model")
	for _, m := range regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(tests, "func "+m[1]+"(") {
			t.Errorf("the page names %s, which is no test of package model", m[1])
		}
	}
}

// testsOf is the text of all test files below a folder.
func testsOf(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}
