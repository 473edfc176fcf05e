package presets

import (
	"embed"
	"io/fs"
	"sort"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// File is one preset as it is written.
type File struct {
	Name    string // of the product, as files name it
	Version string // of an older one; empty: the newest
	Path    string // in the repository, for messages
	Text    []byte
}

// Files are all presets, sorted by name; of one name the newest first.
func Files() []File {
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		panic("presets: " + err.Error())
	}
	var out []File
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			panic("presets: " + err.Error())
		}
		name, version, _ := strings.Cut(strings.TrimSuffix(e.Name(), ".yaml"), "@")
		out = append(out, File{name, version, "policies/presets/" + e.Name(), text})
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		switch {
		case a.Name != b.Name:
			return a.Name < b.Name
		case (a.Version == "") != (b.Version == ""):
			return a.Version == ""
		}
		return a.Version > b.Version
	})
	return out
}
