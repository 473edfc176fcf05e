package model_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// machine is another machine on which the same table of fingerprints must come out.
type machine struct {
	env      []string
	emulator string // program that runs its binaries; empty: this processor does
	install  string
}

// Both fuse multiplications with additions where they can, which rounds once instead of twice.
var machines = map[string]machine{
	"arm64": {
		env:      []string{"GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0"},
		emulator: "qemu-aarch64",
		install:  "apt-get update && apt-get install -y qemu-user",
	},
	"amd64-v3": {env: []string{"GOOS=linux", "GOARCH=amd64", "GOAMD64=v3", "CGO_ENABLED=0"}},
}

// A run that depends on the machine cannot be checked by anybody else, so this test fails, and does
// not skip, where it cannot be made.
func TestOtherMachinesGiveTheSameFingerprints(t *testing.T) {
	for name, m := range machines {
		t.Run(name, func(t *testing.T) {
			binary := m.build(t, filepath.Join(t.TempDir(), "model.test"))
			args := []string{binary, "-test.v", "-test.run", "^TestFingerprints$/^everywhere$"}
			if m.emulator != "" {
				emulator, err := exec.LookPath(m.emulator)
				if err != nil {
					t.Fatalf("%v; install it: %s", err, m.install)
				}
				args = append([]string{emulator}, args...)
			}
			out, err := exec.Command(args[0], args[1:]...).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			// A pattern that matches no test passes too.
			if !strings.Contains(string(out), "--- PASS: TestFingerprints/everywhere") {
				t.Errorf("the fingerprints were not compared:\n%s", out)
			}
		})
	}
}

// build makes this package's tests for the machine.
func (m machine) build(t *testing.T, to string) string {
	t.Helper()
	cmd := exec.Command("go", "test", "-c", "-o", to, ".")
	cmd.Env = append(append(os.Environ(), "GOFLAGS="), m.env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	return to
}
