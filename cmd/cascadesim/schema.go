package main

import (
	"io/fs"

	"cascadesim/model/load"

	"github.com/spf13/cobra"
)

func schemaCommand(env Env) *cobra.Command {
	var experiment bool
	c := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenarios or experiments, for editors",
		Long: "schema prints the JSON Schema with which editors complete and check files. Put\n" +
			"  # yaml-language-server: $schema=cascadesim.schema.json\n" +
			"into the first line of a file that lies beside what\n" +
			"  cascadesim schema > cascadesim.schema.json\n" +
			"wrote. run and check find more than a schema can say. --experiment prints that of experiments.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema := load.Schema(nil)
			if experiment {
				schema = load.ExperimentSchema()
			}
			_, err := env.Stdout.Write(schema)
			return err
		},
	}
	c.Flags().BoolVar(&experiment, "experiment", false, "that of experiments")
	return c
}

// readSource is a file as it was written.
func readSource(src load.Source) ([]byte, error) {
	return fs.ReadFile(src.FS, src.Name)
}
