package topologies

import (
	"bytes"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"cascadesim/model/load"
)

//go:embed aws-dynamodb-2015 aws-us-east-1-2025 chain-3x5
//go:embed drill-cold-restart drill-degraded-dependency drill-health-checks
//go:embed drill-lost-responses drill-memory drill-noisy-neighbour drill-region-failover
//go:embed github-2026-07-29 github-2026-08-06 github-2026-08-17 google-service-control-2025
//go:embed hotos21 mm1 osdi22-retry pokemon-go-2016 square-2017 sre-cascade
//go:embed slack-2021 sregym-946 two-tier
var files embed.FS

// Files are the folders of the catalogue, NAME/topology.yaml and so on: the catalogue in which a
// scenario's topology is looked for.
func Files() fs.FS { return files }

// Names lists the topologies in alphabetical order.
func Names() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic(fmt.Sprintf("topologies: the catalogue cannot be read: %v", err))
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Scenario is one thing that can be run.
type Scenario struct {
	Name    string // NAME or NAME/SCENARIO, as Open takes it
	Doc     string
	Default bool // what NAME alone means
}

// Scenarios lists what can be run with a topology, the default first.
func Scenarios(topology string) []Scenario {
	entries, err := files.ReadDir(topology)
	if err != nil {
		return nil
	}
	var out []Scenario
	for _, e := range entries {
		file, isYAML := strings.CutSuffix(e.Name(), ".yaml")
		if !isYAML {
			continue
		}
		doc, _ := load.Open(source(topology + "/" + e.Name()))
		if doc == nil || !doc.Runs() {
			continue
		}
		name := topology
		if file != "topology" {
			name += "/" + file
		}
		out = append(out, Scenario{name, doc.Doc(), doc.IsDefault()})
	}
	slices.SortStableFunc(out, func(a, b Scenario) int {
		switch {
		case a.Default == b.Default:
			return strings.Compare(a.Name, b.Name)
		case a.Default:
			return -1
		}
		return 1
	})
	return out
}

// Open finds NAME/SCENARIO, or the default scenario of NAME. NAME/topology is the topology alone.
func Open(name string) (load.Source, error) {
	topology, scenario, one := strings.Cut(name, "/")
	if !slices.Contains(Names(), topology) {
		return load.Source{}, fmt.Errorf("there is no topology %q%s", topology,
			load.Suggest(topology, Names()))
	}
	if one {
		file := topology + "/" + scenario + ".yaml"
		if _, err := fs.Stat(files, file); err != nil || !fs.ValidPath(file) {
			var known []string
			for _, s := range Scenarios(topology) {
				known = append(known, path.Base(s.Name))
			}
			return load.Source{}, fmt.Errorf("%s has no scenario %q%s", topology, scenario,
				load.Suggest(scenario, known))
		}
		return source(file), nil
	}
	return source(topology + "/" + byDefault(topology)), nil
}

// byDefault is the file that a topology's name alone stands for, which says so. The words are
// looked for in the text: a run begins with this, and to read all scenarios would take as long as
// everything else before its first event.
func byDefault(topology string) string {
	entries, _ := files.ReadDir(topology)
	for _, e := range entries {
		text, _ := files.ReadFile(topology + "/" + e.Name())
		if bytes.Contains(text, []byte("\ndefault: true\n")) {
			return e.Name()
		}
	}
	panic("topologies: " + topology + " has no scenario by default")
}

// Readme is the page about a topology: what is known, what is assumed; empty when there is none.
func Readme(topology string) string {
	text, err := files.ReadFile(topology + "/README.md")
	if err != nil {
		return ""
	}
	return string(text)
}

// source is a file of the catalogue, all of whose variants this package's tests build.
func source(file string) load.Source {
	return load.Source{FS: files, Name: file, Catalogue: files, Checked: true}
}
