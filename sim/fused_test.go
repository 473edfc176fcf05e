package sim_test

import (
	"bufio"
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// deterministic are the trees whose results must not depend on the machine;
// reading files (model/load) comes before the run and is not among them.
var deterministic = []string{"sim", "policies", "model"}

const exempt = "cascadesim/model/load"

// fusedOp matches an instruction that multiplies and adds with one rounding,
// and captures where it comes from.
var fusedOp = regexp.MustCompile(`\(([^()]+\.go:\d+)\)\tFN?M(?:ADD|SUB)`)

// complaint matches what the go command says of broken code, in a listing.
var complaint = regexp.MustCompile(`(?m)^(\S+\.go:\d+:\d+: |go: ).*$`)

// arm64 runs the go command for a machine that fuses, from the module's root,
// and returns both outputs. The compiler's listing is kept in the build cache
// and printed again from there, so a second build costs next to nothing.
func arm64(t *testing.T, args ...string) (stdout, stderr []byte) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOARCH=arm64", "GOOS=linux", "GOFLAGS=", "CGO_ENABLED=0")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		said := bytes.Join(complaint.FindAll(errs.Bytes(), 20), []byte("\n"))
		t.Fatalf("go %s: %v\n%s", args[0], err, said)
	}
	return out.Bytes(), errs.Bytes()
}

// A fused multiply-add rounds once where amd64 rounds twice, and one bit is
// enough to send a run another way. Every product that feeds a sum or a
// difference must therefore stand in a conversion, float64(x*y) + z, in all
// packages that reach results. The compiler for arm64 says where one does not.
func TestNoFusedOperations(t *testing.T) {
	look(t)
	noneFused(t)
	if os.Getenv("CASCADESIM_SIZE") == "all" {
		// Where the profile inlines a function, its product may meet another's sum.
		noneFused(t, "-pgo=cmd/cascadesim/cascadesim.pgo")
	}
}

// noneFused builds what results depend on, with some flags, and looks for fused operations.
func noneFused(t *testing.T, flags ...string) {
	list := []string{"list"}
	for _, tree := range deterministic {
		list = append(list, "./"+tree+"/...")
	}
	out, _ := arm64(t, list...)
	build := append([]string{"build"}, flags...)
	packages := strings.Fields(string(out))
	packages = slices.DeleteFunc(packages, func(p string) bool {
		return p == exempt || strings.HasPrefix(p, exempt+"/")
	})
	packages = append(packages, "cascadesim/sim/testdata/fused")
	for _, p := range packages {
		build = append(build, "-gcflags="+p+"=-S")
	}
	_, listing := arm64(t, append(build, packages...)...)

	seen := map[string]bool{}
	var found []string
	lines := bufio.NewScanner(bytes.NewReader(listing))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "# "); ok {
			seen[name] = true
		}
		if m := fusedOp.FindStringSubmatch(lines.Text()); m != nil {
			found = append(found, m[1])
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	for _, p := range packages {
		if !seen[p] {
			t.Errorf("%s: the compiler listed nothing", p)
		}
	}
	// A check that finds nothing must show that it can find something.
	control := func(at string) bool { return strings.HasSuffix(at, "fused.go:6") }
	if !slices.ContainsFunc(found, control) {
		t.Error("the fused operation in testdata was not found: the check is blind")
	}
	for _, at := range slices.Compact(slices.Sorted(slices.Values(found))) {
		if !control(at) {
			t.Errorf("%s: a product feeds a sum or difference without float64() around it", at)
		}
	}
}

// look stats every source file that is checked. The go command remembers a
// passed test together with the files it has looked at, and would otherwise
// not run it again when another package changes.
func look(t *testing.T) {
	for _, tree := range deterministic {
		visit := func(path string, _ fs.DirEntry, err error) error {
			if err == nil && filepath.Ext(path) == ".go" {
				_, err = os.Stat(path)
			}
			return err
		}
		err := filepath.WalkDir(filepath.Join("..", tree), visit)
		if err != nil {
			t.Fatal(err)
		}
	}
}
