package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"cascadesim/experiments/report"

	"github.com/spf13/cobra"
)

// reportFlags are what report takes beside the choice of a scenario.
type reportFlags struct {
	choice
	beside
	file string
}

func reportCommand(env Env) *cobra.Command {
	var f reportFlags
	c := &cobra.Command{
		Use:   "report RUN | SWEEP | NAME | NAME/SCENARIO | FILE [B …]",
		Short: "Write the page of a run or a sweep, or one page that compares several runs",
		Long: "report writes a page that opens without a network. Of one run it is the page that\n" +
			"run -o writes. Of several, up to " + strconv.Itoa(mostBeside) +
			", it compares them: verdicts, what they\n" +
			"counted, their checks, and charts in which each has a line. RUN is a directory that\n" +
			"run -o wrote; it is run again from the scenario and the seed in it. --variant and --set\n" +
			"change all, --variant-b and --set-b those beside the first. Names and files have the\n" +
			"seed of the first.\n\n" +
			"SWEEP is a directory that sweep -o wrote. Its page is written from the replications in\n" +
			"it, and nothing is run; files of scenarios are looked for in it, beside it and here.",
		Example: "  cascadesim report two-tier --variant-b no-budget -o page.html\n" +
			"  cascadesim report before after -o page.html\n" +
			"  cascadesim report hotos21 --set-b clients.users.arrivals.rate=100/s -o page.html\n" +
			"  cascadesim sweep budget-ratio -o out && cascadesim report out -o page.html",
		Args: cobra.RangeArgs(1, mostBeside), ValidArgsFunction: completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			if err := bounded(c, least{"replications", 1}); err != nil {
				return err
			}
			if !strings.HasSuffix(f.file, ".html") {
				return errors.New("report needs -o with a name that ends in .html, such as -o page.html")
			}
			if len(args) > 1 || !swept(args[0]) {
				return writeReport(c.Context(), env, f, args)
			}
			for _, name := range []string{"replications", "scale", "seed", "set", "set-b", "until",
				"variant", "variant-b"} {
				if c.Flags().Changed(name) {
					return fmt.Errorf("--%s: the page of a sweep is of what was run; only -o goes with it", name)
				}
			}
			return pageOfSweep(c.Context(), env, args[0], f.file)
		},
	}
	f.choice.register(c)
	c.Flags().IntVar(&f.replications, "replications", 0,
		"so many of each, with seeds from --seed on (default: the scenario's)")
	f.beside.register(c)
	c.Flags().StringVarP(&f.file, "output", "o", "", "the page to write, such as page.html")
	return c
}

func writeReport(ctx context.Context, env Env, f reportFlags, args []string) error {
	f.latencies = true
	var runs []report.Run
	var names []string
	var first *picked
	sides := f.sides(f.choice, args)
	for i := range sides {
		s := &sides[i]
		if i > 0 {
			s.sameLuck(first)
		}
		p, err := s.pick()
		if err != nil {
			return err
		}
		if i == 0 {
			first = p
		}
		p.warn(env)
		batch, err := simulate(ctx, env, p, 0)
		if err != nil {
			return err
		}
		runs, names = append(runs, p.report(batch)), append(names, s.label(p))
	}
	page, err := runs[0].Page()
	if len(runs) > 1 {
		page, err = report.Compared(runs, distinct(names), f.again(sides[0], args))
	}
	if err != nil {
		return err
	}
	if err := writeFile(f.file, page.WriteHTML); err != nil {
		return err
	}
	fmt.Fprintf(env.Stderr, "wrote %s\n", visible(f.file))
	return nil
}

// again is the command line that writes the page of several runs again.
func (f reportFlags) again(first side, args []string) string {
	line := first.line("report", args)
	if f.replications > 0 {
		line += fmt.Sprintf(" --replications %d", f.replications)
	}
	return line + f.beside.line() + " -o " + quoted(f.file)
}
