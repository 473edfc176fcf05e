package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing/fstest"

	"cascadesim/model/load"
	"cascadesim/topologies"
)

// Bundle is an experiment with the files that it names, complete for a program elsewhere.
type Bundle struct {
	Version string            `json:"version"` // of the program; others give other results
	Name    string            `json:"name"`    // of the experiment's file
	Files   map[string]string `json:"files"`
}

// Pack reads an experiment from its folder, with the scenarios and topologies that lie there. An
// experiment that ships has nothing beside it.
func Pack(version, dir string, e *load.Experiment) (*Bundle, error) {
	b := &Bundle{Version: version, Name: e.Name + ".yaml", Files: map[string]string{}}
	b.Files[b.Name] = string(e.Text)
	for _, c := range e.Cases {
		if dir == "" || !strings.HasSuffix(c.Scenario, ".yaml") {
			continue
		}
		if !filepath.IsLocal(c.Scenario) {
			return nil, fmt.Errorf("case %s: %s lies outside of the experiment's folder, so it cannot "+
				"be sent to workers", c.Name, c.Scenario)
		}
		if err := b.add(dir, path.Dir(filepath.ToSlash(c.Scenario))); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// add reads the scenarios and topologies of a folder, and the topologies in those below it.
func (b *Bundle) add(dir, folder string) error {
	root := os.DirFS(dir)
	for _, pattern := range []string{"*.yaml", "*/topology.yaml"} {
		names, err := fs.Glob(root, path.Join(folder, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			text, err := fs.ReadFile(root, name)
			if err != nil {
				return fmt.Errorf("pack the experiment: %w", err)
			}
			b.Files[name] = string(text)
		}
	}
	return nil
}

// hash names the bundle by what it holds.
func (b *Bundle) hash() string {
	text, err := json.Marshal(b)
	if err != nil {
		panic("engine: a bundle of texts cannot be written: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// Open reads the experiment of the bundle.
func (b *Bundle) Open() (*load.Experiment, error) {
	files := fstest.MapFS{}
	for name, text := range b.Files {
		files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	source := func(name string) load.Source {
		return load.Source{FS: files, Name: name, Catalogue: topologies.Files()}
	}
	e, problems := load.OpenExperiment(source(b.Name), func(scenario string) (load.Source, error) {
		if _, ok := files[path.Clean(filepath.ToSlash(scenario))]; ok {
			return source(path.Clean(filepath.ToSlash(scenario))), nil
		}
		return topologies.Open(scenario)
	})
	if e == nil {
		return nil, problems
	}
	return e, nil
}
