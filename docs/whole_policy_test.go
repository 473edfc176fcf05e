package docs

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTheWholePolicyIsOne puts the file of add-a-policy.md into package policies, and nothing else,
// and plays it through that package's conformance test.
func TestTheWholePolicyIsOne(t *testing.T) {
	var text string
	for _, q := range excerpts.FindAllStringSubmatch(read(t, "add-a-policy.md"), -1) {
		if strings.HasPrefix(q[1], "package policies") {
			text = q[1]
		}
	}
	if text == "" {
		t.Fatal("add-a-policy.md has no whole file")
	}
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		filepath.Join(root, "policies", "cooldown.go"): write("cooldown.go", []byte(text)),
	}})
	if err != nil {
		t.Fatal(err)
	}
	tests := conformanceTests(t)
	cmd := exec.Command("go", "test", "-v", "-overlay", write("overlay.json", overlay),
		"-run", "^("+strings.Join(tests, "|")+")$/^cooldown$", "./policies")
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range tests {
		if !strings.Contains(string(out), "--- PASS: "+name+"/cooldown") {
			t.Errorf("%s did not ask the policy", name)
		}
	}
}

var conformanceTest = regexp.MustCompile(
	`(?s)func (Test\w+)\(t \*testing\.T\) \{\n\tevery(Kind|Variant)\(`)

// conformanceTests are the tests that ask every policy.
func conformanceTests(t *testing.T) []string {
	var names []string
	for _, file := range []string{"conformance_test.go", "conformance_roles_test.go"} {
		for _, m := range conformanceTest.FindAllStringSubmatch(read(t, "../policies/"+file), -1) {
			names = append(names, m[1])
		}
	}
	if len(names) < 8 {
		t.Fatalf("found only %v", names)
	}
	return names
}
