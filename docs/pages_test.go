package docs

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated files: read the diff")

// golden compares a file of this folder with what it should be, or writes it.
func golden(t *testing.T, file, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; make docs writes it", err)
	}
	is, should := strings.Split(string(got), "\n"), strings.Split(want, "\n")
	for i := range max(len(is), len(should)) {
		if i >= len(is) || i >= len(should) || is[i] != should[i] {
			t.Errorf("%s:%d is not what the program says; make docs rewrites it\ngot  %q\nwant %q", file,
				i+1, is[min(i, len(is)-1)], should[min(i, len(should)-1)])
			return
		}
	}
}

func TestPagesSayWhatTheProgramSays(t *testing.T) {
	for _, p := range Pages() {
		if p.File == validationFile && !*update {
			continue // the self-test's own test compares it with what it has worked out anyway
		}
		t.Run(p.File, func(t *testing.T) {
			text, err := p.Text()
			if err != nil {
				t.Fatal(err)
			}
			golden(t, p.File, text)
		})
	}
}

// links matches the target of a Markdown link or picture.
var links = regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`)

func TestLinksLeadSomewhere(t *testing.T) {
	var pages []string
	for _, pattern := range []string{
		"*.md", "../*.md", "../topologies/*/README.md", "../notebooks/*.md",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, found...)
	}
	if len(pages) < 8 {
		t.Fatalf("found only %v", pages)
	}
	index := read(t, "README.md")
	for _, page := range pages {
		for _, link := range links.FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, link[1], err)
			}
		}
		if filepath.Dir(page) == "." && page != "README.md" && !strings.Contains(index, page) {
			t.Errorf("the index does not list %s", page)
		}
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// excerpts matches the blocks of a page that quote a Go file.
var excerpts = regexp.MustCompile("(?s)```go\n(.*?)```")

func TestExcerptsAreInTheFile(t *testing.T) {
	quoted := excerpts.FindAllStringSubmatch(read(t, "add-a-policy.md"), -1)
	if len(quoted) < 5 {
		t.Fatalf("found %d excerpts; the page has more", len(quoted))
	}
	source := read(t, "../policies/token_budget.go")
	for _, q := range quoted {
		if strings.HasPrefix(q[1], "package policies") {
			continue // a file of its own, which TestTheWholePolicyIsOne compiles
		}
		if !strings.Contains(source, q[1]) {
			t.Errorf("policies/token_budget.go does not hold\n%s", q[1])
		}
	}
}
