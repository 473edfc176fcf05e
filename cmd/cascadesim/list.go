package main

import (
	"fmt"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/model/load"
	"cascadesim/policies"
	"cascadesim/topologies"

	"github.com/spf13/cobra"
)

func listCommand(env Env) *cobra.Command {
	kinds := []string{"topologies", "scenarios", "policies", "presets", "experiments"}
	return &cobra.Command{
		Use:       "list [topologies | scenarios | policies | presets | experiments]",
		Short:     "List what ships with cascadesim",
		Example:   "  cascadesim list\n  cascadesim list scenarios",
		ValidArgs: kinds,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			var tables []report.Table
			switch {
			case len(args) == 0:
				tables = []report.Table{scenariosTable(), policiesTable()}
			case args[0] == "topologies":
				tables = []report.Table{topologiesTable()}
			case args[0] == "scenarios":
				tables = []report.Table{scenariosTable()}
			case args[0] == "presets":
				tables = []report.Table{presetsTable()}
			case args[0] == "experiments":
				tables = []report.Table{experimentsTable()}
			default:
				tables = []report.Table{policiesTable()}
			}
			return writeTables(env, tables)
		},
	}
}

func writeTables(env Env, tables []report.Table) error {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(env.Stdout)
		}
		if err := t.WriteText(env.Stdout, terminalOf(env)); err != nil {
			return err
		}
	}
	return nil
}

func topologiesTable() report.Table {
	t := report.Table{Head: []report.Column{{Name: "topology"}, {Name: "what it is"}}}
	for _, name := range topologies.Names() {
		doc := ""
		if document, err := openTopology(name); err == nil {
			doc = document.Doc()
		}
		t.Rows = append(t.Rows, report.Row{Cells: []string{name, doc}})
	}
	return t
}

// openTopology reads the topology of a name, not one of its scenarios.
func openTopology(name string) (*load.Document, error) {
	document, _, err := open(name + "/topology")
	return document, err
}

// scenariosTable lists what can be run, with the variants of each.
func scenariosTable() report.Table {
	t := report.Table{Title: "Scenarios", Doc: "* is what the name of the topology alone means",
		Head: []report.Column{{Name: "scenario"}, {Name: "variant"}, {Name: "what it is"}}}
	for _, topology := range topologies.Names() {
		for _, s := range topologies.Scenarios(topology) {
			name := s.Name
			if s.Default {
				name += " *"
			}
			t.Rows = append(t.Rows, report.Row{Cells: []string{name, "", s.Doc}})
			document, _, err := open(s.Name)
			if err != nil {
				continue
			}
			for _, v := range document.Variants() {
				t.Rows = append(t.Rows, report.Row{Cells: []string{"", v.Name, v.Doc}})
			}
		}
	}
	return t
}

func policiesTable() report.Table {
	t := report.Table{Title: "Policies",
		Head: []report.Column{{Name: "policy"}, {Name: "what it does"}}}
	for _, k := range policies.Builtins().Kinds() {
		t.Rows = append(t.Rows, report.Row{Cells: []string{k.Name, firstSentence(k.Doc)}})
	}
	return t
}

// experimentsTable lists the questions that ship.
func experimentsTable() report.Table {
	t := report.Table{Title: "Experiments",
		Head: []report.Column{{Name: "experiment"}, {Name: "its question"}}}
	for _, name := range experiments.Names() {
		t.Rows = append(t.Rows, report.Row{Cells: []string{name, experiments.Question(name)}})
	}
	return t
}
