package notebooks

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what the cells show now: read the diff")

// notebook is a notebook as a file has it. Fields that are not named here would be lost by -update.
type notebook struct {
	Cells         []cell         `json:"cells"`
	Metadata      map[string]any `json:"metadata"`
	Nbformat      int            `json:"nbformat"`
	NbformatMinor int            `json:"nbformat_minor"`
}

type cell struct {
	CellType       string         `json:"cell_type"`
	ExecutionCount *int           `json:"execution_count,omitempty"`
	ID             string         `json:"id"`
	Metadata       map[string]any `json:"metadata"`
	Outputs        []output       `json:"outputs,omitzero"`
	Source         []string       `json:"source"`
}

// output is what a cell shows: a printed text, or data in several forms.
type output struct {
	Data       map[string][]string `json:"data,omitempty"`
	Metadata   map[string]any      `json:"metadata,omitzero"`
	Name       string              `json:"name,omitempty"`
	OutputType string              `json:"output_type"`
	Text       []string            `json:"text,omitempty"`
}

// The committed outputs are what the cells show: every number, and every figure to the byte.
func TestNotebooksShowWhatTheProgramSays(t *testing.T) {
	files, err := filepath.Glob("*.ipynb")
	if err != nil || len(files) < 4 {
		t.Fatalf("found %v, %v", files, err)
	}
	dir := t.TempDir()
	build(t, dir)
	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			kept := read(t, file)
			now := read(t, replay(t, file, dir))
			if *update {
				shown(t, kept, now)
				write(t, file, kept)
				return
			}
			compare(t, file, kept, now)
		})
	}
}

// replay runs the cells and returns the file that holds what they show. Debian's Python is asked
// for by its place, since the notebook packages are for it and others may come first on the path.
func replay(t *testing.T, file, dir string) string {
	t.Helper()
	out := filepath.Join(dir, file)
	cmd := exec.Command("/usr/bin/python3", "replay.py", file, out)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "PYTHONDONTWRITEBYTECODE=1",
		"PYDEVD_DISABLE_FILE_VALIDATION=1", "IPYTHONDIR="+dir, "JUPYTER_RUNTIME_DIR="+dir)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v; make setup installs what notebooks need\n%s", err, said)
	}
	return out
}

// build makes the program in a folder, and looks at every file that it is made of: the go command
// remembers a passed test together with the files that it saw.
func build(t *testing.T, dir string) {
	t.Helper()
	for _, part := range []string{
		"../sim", "../policies", "../model", "../topologies", "../experiments", "../cmd", "simulator.py",
	} {
		err := filepath.WalkDir(part, func(path string, _ fs.DirEntry, err error) error {
			if err == nil {
				_, err = os.Stat(path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(dir, "cascadesim")
	cmd := exec.Command("go", "build", "-o", program, "../cmd/cascadesim")
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, said)
	}
}

// read reads a notebook, with texts in lines whether they were stored so or in one.
func read(t *testing.T, file string) *notebook {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var nb notebook
	if err := json.Unmarshal(data, &nb); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for i := range nb.Cells {
		nb.Cells[i].Outputs = joined(nb.Cells[i].Outputs)
	}
	return &nb
}

// joined makes one text of what was printed in a row: how it is cut up is a matter of time.
func joined(outputs []output) []output {
	out := outputs[:0]
	for _, o := range outputs {
		if n := len(out) - 1; n >= 0 && o.OutputType == "stream" && out[n].OutputType == "stream" &&
			out[n].Name == o.Name {
			whole := strings.Join(append(slices.Clone(out[n].Text), o.Text...), "")
			out[n].Text = slices.Collect(strings.Lines(whole))
			continue
		}
		out = append(out, o)
	}
	return out
}

// shown takes over what the cells show.
func shown(t *testing.T, kept, now *notebook) {
	t.Helper()
	if len(kept.Cells) != len(now.Cells) {
		t.Fatalf("%d cells became %d", len(kept.Cells), len(now.Cells))
	}
	for i := range kept.Cells {
		kept.Cells[i].Outputs = now.Cells[i].Outputs
		kept.Cells[i].ExecutionCount = now.Cells[i].ExecutionCount
	}
}

func write(t *testing.T, file string, nb *notebook) {
	t.Helper()
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(nb); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compare names the first line that differs in each cell.
func compare(t *testing.T, file string, kept, now *notebook) {
	t.Helper()
	if len(kept.Cells) != len(now.Cells) {
		t.Fatalf("%d cells became %d", len(kept.Cells), len(now.Cells))
	}
	for i := range kept.Cells {
		was, is := kept.Cells[i].lines(), now.Cells[i].lines()
		for k := range max(len(was), len(is)) {
			if k >= len(was) || k >= len(is) || was[k] != is[k] {
				t.Errorf("%s, cell %d shows something else; make golden writes it anew\ngot  %s\nwant %s",
					file, i, line(is, k), line(was, k))
				break
			}
		}
	}
}

// lines are all that a cell shows, each line under the kind of data that it is of.
func (c cell) lines() (out []string) {
	for _, o := range c.Outputs {
		out = append(out, o.OutputType+" "+o.Name)
		out = append(out, o.Text...)
		var kinds []string
		for kind := range o.Data {
			kinds = append(kinds, kind)
		}
		slices.Sort(kinds)
		for _, kind := range kinds {
			out = append(out, kind)
			out = append(out, o.Data[kind]...)
		}
	}
	return out
}

// line is a line shortened for a message.
func line(lines []string, k int) string {
	if k >= len(lines) {
		return "nothing"
	}
	text := strings.TrimSuffix(lines[k], "\n")
	return text[:min(len(text), 300)]
}

// A notebook explains before it shows, shows figures, and says nothing of the machine it ran on.
func TestNotebooksAreForReaders(t *testing.T) {
	files, err := filepath.Glob("*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		nb, figures := read(t, file), 0
		if !strings.Contains(string(index), "("+file+")") {
			t.Errorf("README.md does not name %s", file)
		}
		for i, c := range nb.Cells {
			for _, o := range c.Outputs {
				if len(o.Data["image/svg+xml"]) > 0 {
					figures++
				}
				if o.OutputType == "error" || o.Name == "stderr" {
					t.Errorf("%s: cell %d shows %s %v", file, i, o.OutputType, o.Text)
				}
			}
			if text := strings.Join(c.lines(), ""); strings.Contains(text, os.TempDir()+"/") {
				t.Errorf("%s: cell %d shows a path of the machine", file, i)
			}
		}
		first := nb.Cells[0]
		if first.CellType != "markdown" || !strings.HasPrefix(first.Source[0], "# ") {
			t.Errorf("%s does not begin with a title", file)
		}
		info, err := os.Stat(file)
		if err != nil || info.Size() > 500_000 || figures < 2 {
			t.Errorf("%s: %d bytes and %d figures, %v", file, info.Size(), figures, err)
		}
	}
}
