package experiments

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"cascadesim/model/load"
	"cascadesim/topologies"
)

//go:embed *.yaml
var files embed.FS

// Names lists the experiments that ship, in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("experiments: the catalogue cannot be read: %v", err))
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".yaml"))
	}
	return names
}

// Source is the file of an experiment that ships.
func Source(name string) (load.Source, error) {
	if !slices.Contains(Names(), name) {
		return load.Source{}, fmt.Errorf("there is no experiment %q%s", name,
			load.Suggest(name, Names()))
	}
	return load.Source{FS: files, Name: name + ".yaml", Catalogue: topologies.Files()}, nil
}

// Question is the question of an experiment that ships: its first line.
func Question(name string) string {
	text, err := fs.ReadFile(files, name+".yaml")
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "question:"))
}
