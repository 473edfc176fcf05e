package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"cascadesim/experiments/report"

	"github.com/spf13/cobra"
)

// checkFlags are what check takes beside the choice of a scenario.
type checkFlags struct {
	choice
	seeds       string
	allVariants bool
	junit       string
	workers     int
}

func checkCommand(env Env) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check NAME | NAME/SCENARIO | FILE ...",
		Short: "Simulate scenarios and judge their checks",
		Long: "check runs scenarios and compares what their checks measure with their bounds. It ends\n" +
			"with status 1 when one fails. Where a check knows the figure of a real incident, that\n" +
			"stands beside the simulated one.",
		Example: "  cascadesim check two-tier\n" +
			"  cascadesim check github-2026-08-17 --scale 1/200 --all-variants\n" +
			"  cascadesim check my.yaml --seeds 1-10 --junit checks.xml",
		Args: cobra.MinimumNArgs(1), ValidArgsFunction: completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			switch {
			case f.seedGiven && f.seeds != "":
				return errors.New("--seed and --seeds say different things; give one of them")
			case f.allVariants && f.variant != "":
				return errors.New("--variant asks for one and --all-variants for all; give one of them")
			}
			if err := bounded(c, least{"workers", 0}); err != nil {
				return err
			}
			return checkAll(c.Context(), env, f, args)
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.seeds, "seeds", "", "replications with these seeds, such as 1-10")
	c.Flags().BoolVar(&f.allVariants, "all-variants", false,
		"the scenario and every variant of it that has checks")
	c.Flags().StringVar(&f.junit, "junit", "", "write the outcome as JUnit XML into this file")
	completesFlag(c, "junit", xmlFiles)
	c.Flags().IntVar(&f.workers, "workers", 0,
		"replications side by side; changes no result (default: one for each processor)")
	return c
}

// parseSeeds reads 1-10, or 7 for one seed: the first, and how many.
func parseSeeds(text string) (first uint64, n int, err error) {
	from, to, ranged := strings.Cut(text, "-")
	if !ranged {
		to = from
	}
	a, err := strconv.ParseUint(strings.TrimSpace(from), 10, 63)
	if err == nil {
		var b uint64
		b, err = strconv.ParseUint(strings.TrimSpace(to), 10, 63)
		if err == nil && b >= a && b-a < 1_000_000 {
			return a, int(b-a) + 1, nil
		}
	}
	return 0, 0, fmt.Errorf("--seeds %s: expected a first and a last seed, such as 1-10", text)
}

// checkAll picks everything before anything runs, so that a mistake in the last file is found
// first.
func checkAll(ctx context.Context, env Env, f checkFlags, names []string) error {
	if f.seeds != "" {
		var err error
		if f.seed, f.replications, err = parseSeeds(f.seeds); err != nil {
			return err
		}
		f.seedGiven = true
	}
	var all []*picked
	var skipped []string
	for _, name := range names {
		more, unjudged, err := f.variants(name)
		if err != nil {
			return err
		}
		all, skipped = append(all, more...), append(skipped, unjudged...)
	}
	suites, err := judgeAll(ctx, env, f, all)
	stopped := errors.Is(err, errStopped)
	if err != nil && !stopped {
		return err
	}
	if f.junit != "" {
		junit := func(w io.Writer) error { return report.WriteJUnit(w, suites) }
		if err := writeFile(f.junit, junit); err != nil {
			return err
		}
	}
	if stopped {
		judged := 0
		for _, s := range suites {
			if s.Failure == "" {
				judged++
			}
		}
		fmt.Fprintf(env.Stderr, "interrupted: %d of %d scenarios were judged\n", judged, len(all))
		return errStopped
	}
	if len(skipped) > 0 {
		fmt.Fprintf(env.Stderr, "not run, having no checks: %s\n",
			visible(strings.Join(skipped, ", ")))
	}
	return verdict(env, suites)
}

// variants are what one name stands for: a scenario, and all of its variants if they are asked for.
// Variants without checks are left out and named.
func (f checkFlags) variants(name string) (all []*picked, unjudged []string, err error) {
	document, short, err := open(name)
	if err != nil {
		return nil, nil, err
	}
	names := []string{f.variant}
	if f.allVariants {
		for _, v := range document.Variants() {
			if v.Judged {
				names = append(names, v.Name)
				continue
			}
			unjudged = append(unjudged, fmt.Sprintf("%s (%s)", name, v.Name))
		}
	}
	for _, variant := range names {
		c := f.choice
		c.variant = variant
		p, err := c.of(document, name, short)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, p)
	}
	return all, unjudged, nil
}

// judgeAll runs scenarios one after the other and shows each as soon as it is judged. When it is
// interrupted it returns errStopped, and a suite for every scenario all the same: those that were
// not judged by all that was asked for say so, or a build server would take silence for success.
func judgeAll(
	ctx context.Context, env Env, f checkFlags, all []*picked,
) ([]report.Suite, error) {
	var suites []report.Suite
	stopped := false
	for _, p := range all {
		suite := report.Suite{Name: p.label().Name(p.plan)}
		if stopped {
			suite.Failure = "interrupted before it began; nothing was judged"
			suites = append(suites, suite)
			continue
		}
		batch, err := simulate(ctx, env, p, f.workers)
		if stopped = errors.Is(err, context.Canceled); err != nil && !stopped {
			return suites, err
		}
		if stopped {
			suite.Failure = report.Interrupted(len(batch.Runs), batch.Asked)
		}
		if len(batch.Runs) > 0 {
			run := p.report(batch)
			if err := run.WriteChecks(env.Stdout, terminalOf(env)); err != nil {
				return suites, err
			}
			suite.Verdicts = run.Verdicts
		}
		suites = append(suites, suite)
	}
	if stopped {
		return suites, errStopped
	}
	return suites, nil
}

// errUnjudged is a check of scenarios that have none: a build that passes by it would be no test.
func errUnjudged(suites []report.Suite) error {
	var names []string
	for _, s := range suites {
		names = append(names, s.Name)
	}
	has := "has"
	if len(names) > 1 {
		has = "have"
	}
	return fmt.Errorf("nothing was judged: %s %s no checks", strings.Join(names, ", "), has)
}

// verdict says in one line how many checks there were, and fails when one of them did, or when
// there were none.
func verdict(env Env, suites []report.Suite) error {
	checks, failed := 0, 0
	for _, s := range suites {
		for _, v := range s.Verdicts {
			checks++
			if !v.OK {
				failed++
			}
		}
	}
	switch {
	case checks == 0:
		return errUnjudged(suites)
	case failed > 0:
		fmt.Fprintf(env.Stdout, "%d of %d checks failed\n", failed, checks)
		return errFailed
	}
	if checks == 1 {
		fmt.Fprintln(env.Stdout, "the check holds")
		return nil
	}
	fmt.Fprintf(env.Stdout, "all %d checks hold\n", checks)
	return nil
}
