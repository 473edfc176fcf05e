package model

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestBrowsersCanBuildIt builds what a simulator in a web page needs.
func TestBrowsersCanBuildIt(t *testing.T) {
	cmd := exec.Command("go", "build", "./model", "./sim/...", "./policies")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestOnlyTheStandardLibrary keeps what a result follows from within reach of one reading.
func TestOnlyTheStandardLibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range strings.Fields(string(out)) {
		if !strings.HasPrefix(path, "cascadesim/") {
			t.Errorf("model needs %s", path)
		}
		if path == "cascadesim/model/load" {
			t.Errorf("model needs the reader of files")
		}
	}
}
