package main

import (
	"context"
	"fmt"
	"strings"

	"cascadesim/experiments/selftest"

	"github.com/spf13/cobra"
)

// selftestFlags are what selftest takes.
type selftestFlags struct {
	only     []string
	size     string
	markdown bool
	list     bool
	workers  int
}

func selftestCommand(env Env) *cobra.Command {
	var f selftestFlags
	c := &cobra.Command{
		Use:   "selftest",
		Short: "Compare the simulator with theory and published figures",
		Long: "selftest runs what the simulator must reproduce: closed forms of queueing theory, the\n" +
			"arithmetic of retries and budgets, storms that tip or do not. It shows what is expected,\n" +
			"what was measured and its 95 % interval, and ends with status 1 when a value is off.\n\n" +
			"A value holds when it lies within its tolerance, or when its interval holds what is\n" +
			"expected and is narrower than twice the tolerance. --size small takes seconds; all is the\n" +
			"stated number of requests and takes minutes.",
		Example: "  cascadesim selftest --only V1,V32\n" +
			"  cascadesim selftest --size all --markdown > validation.md",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.list {
				return listCases(env)
			}
			if err := bounded(c, least{"workers", 0}); err != nil {
				return err
			}
			return runSelftest(c.Context(), env, f)
		},
	}
	flags := c.Flags()
	flags.StringSliceVar(&f.only, "only", nil, "cases, such as V1,V32 (default: all)")
	flags.StringVar(&f.size, "size", selftest.SizeSmall,
		"small: as few requests as decide; all: the stated number")
	flags.BoolVar(&f.markdown, "markdown", false, "write the table as Markdown")
	flags.BoolVar(&f.list, "list", false, "list the cases and run nothing")
	flags.IntVar(&f.workers, "workers", 0,
		"runs side by side; changes no result (default: one for each processor)")
	return c
}

func runSelftest(ctx context.Context, env Env, f selftestFlags) error {
	seen := terminal(env.Stderr) != nil
	outcomes, err := selftest.Run(ctx, selftest.Options{
		Only: f.only, Size: f.size, Workers: f.workers,
		Progress: func(p selftest.Progress) {
			if seen {
				fmt.Fprintf(env.Stderr, "\r%d of %d parts, %-4s", p.Done, p.Total, p.ID)
			}
		},
	})
	if seen {
		fmt.Fprintf(env.Stderr, "\r%s\r", strings.Repeat(" ", 40))
	}
	if err != nil {
		return interrupted(env, err, "nothing was compared")
	}
	format := selftest.Text
	if f.markdown {
		format = selftest.Markdown
	}
	if err := selftest.Write(env.Stdout, outcomes, format); err != nil {
		return err
	}
	for _, o := range outcomes {
		if o.Failed() {
			return errFailed
		}
	}
	return nil
}

func listCases(env Env) error {
	for _, c := range selftest.Cases() {
		_, err := fmt.Fprintf(env.Stdout, "%-5s %s (%s; %s)\n", c.ID, c.What, c.Source, c.Tolerance)
		if err != nil {
			return err
		}
	}
	return nil
}
