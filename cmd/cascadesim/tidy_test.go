//go:build !race

package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// The rules of the house, of which each is cheap to keep and dear to win back. None has a list of
// exceptions.
const (
	maxFileLines     = 400
	maxFunctionLines = 60
	maxColumns       = 100 // a tab counts as one
)

// layers are the packages from left to right: each may import what stands before it and nothing
// that stands after it. A folder stands for all below it, unless that has an entry of its own.
var layers = []string{
	"sim/internal", "sim/huge", "sim", "sim/unit", "sim/queue", "sim/stats",
	"policies", "policies/oracles",
	"model/internal/kernel", "model/internal/oracle", "model",
	"model/check", "model/lint", "model/load",
	"topologies",
	"experiments", "experiments/statistics", "experiments/splitting", "experiments/selftest",
	"experiments/explain",
	"experiments/report", "experiments/report/figure", "experiments/sweep", "experiments/limit",
	"experiments/engine", "experiments/compare",
	"docs", "cmd/cascadesim/early", "cmd/cascadesim", "notebooks",
}

// pure are the folders whose results may depend on their arguments alone.
var pure = []string{"sim", "policies", "model"}

// apart is a module of its own below them, which drives genuine products.
const apart = "policies/oracles"

// sourceFile is one parsed Go file.
type sourceFile struct {
	path string // from the root, with slashes
	text []byte
	tree *ast.File
	set  *token.FileSet
}

func (s sourceFile) test() bool { return strings.HasSuffix(s.path, "_test.go") }

// at is the place of a node, as messages show it.
func (s sourceFile) at(p token.Pos) string {
	return fmt.Sprintf("%s:%d", s.path, s.set.Position(p).Line)
}

// under says whether a file or package lies in one of the folders.
func under(name string, folders ...string) bool {
	for _, f := range folders {
		if name == f || strings.HasPrefix(name, f+"/") {
			return true
		}
	}
	return false
}

// root is the folder of the module, folders those that hold its source.
const root = "../.."

var folders = []string{
	"sim", "policies", "model", "topologies", "experiments", "notebooks", "docs", "cmd",
}

// sources parses every Go file of the module.
func sources(t *testing.T) []sourceFile {
	t.Helper()
	var out []sourceFile
	read := func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if filepath.Ext(name) != ".go" {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, name, text, parser.ParseComments)
		if err != nil {
			return err
		}
		out = append(out, sourceFile{filepath.ToSlash(rel), text, tree, set})
		return nil
	}
	for _, folder := range folders {
		err := filepath.WalkDir(filepath.Join(root, folder), read)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if len(out) < 50 {
		t.Fatalf("found %d Go files; the module has more", len(out))
	}
	return out
}

// layer is the place of a package among the layers, -1 when it has none.
func layer(pkg string) int {
	best := -1
	for i, l := range layers {
		if under(pkg, l) && (best < 0 || len(l) > len(layers[best])) {
			best = i
		}
	}
	return best
}

func TestImportsPointLeft(t *testing.T) {
	for _, s := range sources(t) {
		pkg := path.Dir(s.path)
		here := layer(pkg)
		if here < 0 {
			t.Errorf("%s: package %s has no place among the layers", s.path, pkg)
			continue
		}
		for _, spec := range s.tree.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			to, own := strings.CutPrefix(name, "cascadesim/")
			// A test may look at its whole world; the program itself may not.
			if !own || s.test() {
				continue
			}
			if there := layer(to); there > here || there == here && to != pkg && !under(to, pkg) {
				t.Errorf("%s: %s must not import %s", s.at(spec.Pos()), pkg, to)
			}
		}
	}
}

func TestPurePackagesUseTheStandardLibraryAlone(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || !under(s.path, pure...) || under(s.path, "model/load", apart) {
			continue
		}
		for _, spec := range s.tree.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			first, _, _ := strings.Cut(name, "/")
			if strings.Contains(first, ".") {
				t.Errorf("%s: imports %s, which is not in the standard library", s.at(spec.Pos()), name)
			}
			if name == "math/rand" || name == "math/rand/v2" || name == "crypto/rand" {
				t.Errorf("%s: imports %s; chance comes from sim.Stream", s.at(spec.Pos()), name)
			}
			if s.tree.Name.Name != "load" && (name == "os" || name == "net" || name == "io/ioutil") {
				t.Errorf("%s: imports %s; the simulation touches no file and no network",
					s.at(spec.Pos()), name)
			}
		}
	}
}

func TestPurePackagesHaveNoClockAndNoGoroutines(t *testing.T) {
	wall := map[string]bool{"Now": true, "Since": true, "Until": true, "Sleep": true, "After": true,
		"Tick": true, "NewTimer": true, "NewTicker": true, "AfterFunc": true}
	for _, s := range sources(t) {
		if s.test() || !under(s.path, pure...) || under(s.path, apart) {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine", s.at(n.Pos()))
			case *ast.SelectStmt:
				t.Errorf("%s: a select", s.at(n.Pos()))
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && x.Name == "time" && wall[n.Sel.Name] {
					t.Errorf("%s: time.%s; time is an argument", s.at(n.Pos()), n.Sel.Name)
				}
			}
			return true
		})
	}
}

// concurrent are the packages that may have goroutines, which the race detector looks at.
var concurrent = []string{
	"experiments", "experiments/sweep", "experiments/engine", "cmd/cascadesim",
}

func TestGoroutinesAreWhereTheRaceDetectorLooks(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() || slices.Contains(concurrent, path.Dir(s.path)) || under(s.path, apart) {
			continue
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				t.Errorf("%s: a goroutine", s.at(n.Pos()))
			case *ast.CallExpr:
				if x, ok := n.Fun.(*ast.SelectorExpr); ok && x.Sel.Name == "Go" {
					t.Errorf("%s: a goroutine of a group", s.at(n.Pos()))
				}
			}
			return true
		})
	}
}

func TestEveryPackageHasItsDoc(t *testing.T) {
	documented := map[string]bool{}
	packages := map[string]bool{}
	for _, s := range sources(t) {
		dir := path.Dir(s.path)
		if strings.HasSuffix(s.path, "_test.go") {
			continue // a folder of tests alone is told of by the package above it
		}
		packages[dir] = true
		if path.Base(s.path) == "doc.go" && s.tree.Doc != nil {
			documented[dir] = len(strings.Fields(s.tree.Doc.Text())) >= 40
		}
	}
	for dir := range packages {
		if !documented[dir] {
			t.Errorf("%s: no doc.go that says what the package is, how data passes and what holds", dir)
		}
	}
}

func TestFilesAndFunctionsFitOnScreens(t *testing.T) {
	for _, s := range sources(t) {
		lines := strings.Split(strings.TrimSuffix(string(s.text), "\n"), "\n")
		if len(lines) > maxFileLines {
			t.Errorf("%s: %d lines, at most %d", s.path, len(lines), maxFileLines)
		}
		tags := tagLines(s)
		for i, l := range lines {
			if n := utf8.RuneCountInString(l); n > maxColumns && !tags[i+1] {
				t.Errorf("%s:%d: %d columns, at most %d", s.path, i+1, n, maxColumns)
			}
		}
		ast.Inspect(s.tree, func(n ast.Node) bool {
			f, ok := n.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				return true
			}
			from, to := s.set.Position(f.Pos()).Line, s.set.Position(f.End()).Line
			if to-from+1 > maxFunctionLines {
				t.Errorf("%s: %s has %d lines, at most %d",
					s.at(f.Pos()), f.Name.Name, to-from+1, maxFunctionLines)
			}
			return true
		})
	}
}

// tagLines are the lines that hold a struct tag: the language has no way to break one.
func tagLines(s sourceFile) map[int]bool {
	out := map[int]bool{}
	ast.Inspect(s.tree, func(n ast.Node) bool {
		if f, ok := n.(*ast.Field); ok && f.Tag != nil {
			out[s.set.Position(f.Tag.Pos()).Line] = true
		}
		return true
	})
	return out
}

func TestSourceIsFormatted(t *testing.T) {
	for _, s := range sources(t) {
		want, err := format.Source(s.text)
		if err != nil {
			t.Errorf("%s: %v", s.path, err)
			continue
		}
		if !bytes.Equal(s.text, want) {
			t.Errorf("%s: gofmt would change it", s.path)
		}
	}
}

func TestExportedNamesHaveComments(t *testing.T) {
	for _, s := range sources(t) {
		if s.test() {
			continue
		}
		for _, d := range s.tree.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Doc == nil && d.Name.IsExported() && exportedReceiver(d) {
					t.Errorf("%s: %s has no comment", s.at(d.Pos()), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					if ts, ok := spec.(*ast.TypeSpec); ok && ts.Name.IsExported() &&
						d.Doc == nil && ts.Doc == nil {
						t.Errorf("%s: %s has no comment", s.at(ts.Pos()), ts.Name.Name)
					}
				}
			}
		}
	}
}

// exportedReceiver says whether a function is one that other packages can call by its name.
func exportedReceiver(f *ast.FuncDecl) bool {
	if f.Recv == nil {
		return true
	}
	name := ""
	ast.Inspect(f.Recv.List[0].Type, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && name == "" {
			name = id.Name
		}
		return true
	})
	return ast.IsExported(name)
}

// unfinished are words that promise work instead of doing it.
var unfinished = regexp.MustCompile(`\b(` + strings.Join([]string{
	"TO" + "DO", "FIX" + "ME", "XX" + "X", "HA" + "CK", "W" + "IP",
}, "|") + `)\b`)

func TestNothingIsLeftForLater(t *testing.T) {
	var found []string
	for _, s := range sources(t) {
		for i, l := range strings.Split(string(s.text), "\n") {
			if unfinished.MatchString(l) {
				found = append(found, fmt.Sprintf("%s:%d: %s", s.path, i+1, strings.TrimSpace(l)))
			}
		}
		name := path.Base(path.Dir(s.path))
		for _, vague := range []string{"utils", "util", "common", "helpers", "manager", "base"} {
			file := strings.TrimSuffix(strings.TrimSuffix(path.Base(s.path), ".go"), "_test")
			if name == vague || file == vague {
				t.Errorf("%s: a name that says nothing", s.path)
			}
		}
	}
	sort.Strings(found)
	for _, f := range found {
		t.Error(f)
	}
}

func TestEveryDependencyHasItsReason(t *testing.T) {
	reasons, err := os.ReadFile(filepath.Join(root, "docs", "dependencies.md"))
	if err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	direct := regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(module), -1)
	if len(direct) < 6 {
		t.Fatalf("found %d direct dependencies in go.mod", len(direct))
	}
	for _, d := range direct {
		if !strings.Contains(string(reasons), "| "+d[1]+" |") {
			t.Errorf("docs/dependencies.md has no row for %s", d[1])
		}
	}
}
