package main

import (
	"io/fs"

	"cascadesim/model/load"

	"github.com/spf13/cobra"
)

func schemaCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of topologies and scenarios, for editors",
		Long: "schema prints the JSON Schema with which editors complete and check files. Put\n" +
			"  # yaml-language-server: $schema=cascadesim.schema.json\n" +
			"into the first line of a file that lies beside what\n" +
			"  cascadesim schema > cascadesim.schema.json\n" +
			"wrote. run and check find more than a schema can say.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := env.Stdout.Write(load.Schema(nil))
			return err
		},
	}
}

// readSource is a file as it was written.
func readSource(src load.Source) ([]byte, error) {
	return fs.ReadFile(src.FS, src.Name)
}
