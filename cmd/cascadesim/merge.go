package main

import (
	"fmt"
	"os"

	"cascadesim/experiments/sweep"

	"github.com/spf13/cobra"
)

func mergeCommand(env Env) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "merge NAME | FILE  DIR ...",
		Short: "Put the parts of a sweep together",
		Long: "merge reads the replications that the parts of a sweep (sweep --shard I/N -o DIR) have\n" +
			"left in their directories, runs here what is missing to decide, and writes the same\n" +
			"bytes as a sweep on one machine. Parts that contradict each other are an error.",
		Example: "  cascadesim sweep budget-ratio --shard 1/2 -o part-1\n" +
			"  cascadesim sweep budget-ratio --shard 2/2 -o part-2\n" +
			"  cascadesim merge budget-ratio part-* -o out",
		Args: cobra.MinimumNArgs(2), ValidArgsFunction: completeExperiments,
		RunE: func(c *cobra.Command, args []string) error {
			if err := bounded(c, least{"workers", 0}); err != nil {
				return err
			}
			f.given = args[0]
			e, err := openExperiment(f.given)
			if err != nil {
				return err
			}
			known := map[string]sweep.Sample{}
			for _, dir := range args[1:] {
				if info, err := os.Stat(dir); err != nil || !info.IsDir() {
					return fmt.Errorf("%s is no directory of a part", dir)
				}
				if err := sweep.ReadStore(dir, known); err != nil {
					return err
				}
			}
			fmt.Fprintf(env.Stderr, "%d replications were run by %d parts\n", len(known), len(args)-1)
			return execute(c.Context(), env, f, e, sweep.Options{
				Version: version, Run: sweep.Local(f.workers), Known: known})
		},
	}
	c.Flags().BoolVar(&f.json, "json", false, "write the result as JSON")
	c.Flags().StringVarP(&f.dir, "output", "o", "", "write all results into this directory")
	completesFlag(c, "output", directories)
	c.Flags().IntVar(&f.workers, "workers", 0,
		"replications side by side; changes no result (default: one for each processor)")
	return c
}
