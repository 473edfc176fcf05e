package load

import (
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"cascadesim/policies"
)

// Source says where a document is. Tests, the catalogue and the disk share it.
type Source struct {
	FS   fs.FS
	Name string // path of the file in FS, with slashes
	// Catalogue is where topologies are looked for that the file's own folder lacks, as
	// NAME/topology.yaml; nil: nowhere.
	Catalogue fs.FS
	// Dir is put before names of files in messages; empty: nothing.
	Dir string
	// Policies are the policies that files may name; nil: those of package policies.
	Policies *policies.Registry
	// Checked says that all variants are known to be right: building one of them is then not held up
	// by building all.
	Checked bool
}

// File is the source of a file on disk. Topologies that it names are looked for beside it and
// then in catalogue, which may be nil.
func File(name string, catalogue fs.FS) Source {
	dir := filepath.Dir(name)
	s := Source{FS: os.DirFS(dir), Name: filepath.Base(name), Catalogue: catalogue}
	if dir != "." {
		s.Dir = dir
	}
	return s
}

// shown is a file's name as messages show it.
func (s Source) shown(name string) string {
	if s.Dir == "" {
		return name
	}
	return filepath.ToSlash(filepath.Join(s.Dir, name))
}

// read reads a file, without reading more than is needed to know that it is too large.
func read(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, maxBytes+1)
}

// besides are the files in which a topology named by the document may be, nearest first.
func (s Source) besides(topology string) []string {
	dir := path.Dir(s.Name)
	return []string{
		path.Join(dir, topology+".yaml"),
		path.Join(dir, "topology.yaml"),
		path.Join(dir, topology, "topology.yaml"),
		path.Join(dir, "..", topology, "topology.yaml"),
	}
}

// readAtMost reads at most so many bytes.
func readAtMost(r io.Reader, most int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(r, most))
}
