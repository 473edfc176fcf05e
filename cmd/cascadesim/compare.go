package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"cascadesim/experiments"
	"cascadesim/experiments/compare"

	"github.com/spf13/cobra"
)

// compareFlags are what compare takes.
type compareFlags struct {
	a, b     choice
	sets     []string
	measures []string
	json     bool
	workers  int
}

func compareCommand(env Env) *cobra.Command {
	var f compareFlags
	c := &cobra.Command{
		Use:   "compare A [B]",
		Short: "Say in what two scenarios, or a scenario and a change of it, differ",
		Long: "compare runs two scenarios on the same luck and shows in what they differ, with 95 %\n" +
			"intervals. A scenario is a name or a file; --variant and --set change both, --variant-b\n" +
			"and --set-b the second alone. Without B it is A with those changes.",
		Example: "  cascadesim compare two-tier --variant-b no-budget\n" +
			"  cascadesim compare two-tier --set-b edges.web:db.timeout.try=1s --replications 20",
		Args: cobra.RangeArgs(1, 2), ValidArgsFunction: completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			f.a.seedGiven = c.Flags().Changed("seed")
			if err := bounded(c, least{"replications", 2}, least{"workers", 0}); err != nil {
				return err
			}
			if len(args) == 1 && f.b.variant == "" && len(f.sets) == 0 {
				return errors.New("compare with what? Give a second scenario, --variant-b or --set-b")
			}
			return runCompare(c.Context(), env, f, args)
		},
	}
	f.a.register(c)
	fs := c.Flags()
	fs.StringVar(&f.b.variant, "variant-b", "", "a variant of the second")
	fs.StringArrayVar(&f.sets, "set-b", nil, "PATH=VALUE for the second alone")
	fs.StringArrayVar(&f.measures, "measure", nil, "compare this measure; may be given again")
	fs.IntVar(&f.a.replications, "replications", 10, "pairs of replications")
	fs.BoolVar(&f.json, "json", false, "write the result as JSON")
	fs.IntVar(&f.workers, "workers", 0,
		"replications side by side; changes no result (default: one for each processor)")
	return c
}

func runCompare(ctx context.Context, env Env, f compareFlags, args []string) error {
	second := f.a
	second.setsB = f.sets
	if f.b.variant != "" {
		second.variant = f.b.variant
	}
	a, err := pick(f.a, args[0])
	if err != nil {
		return err
	}
	b, err := pick(second, args[len(args)-1])
	if err != nil {
		return err
	}
	measures := f.measures
	if measures == nil {
		measures = compare.Measures(a.plan.World)
	}
	bar := newBar(env)
	o := experiments.Options{Workers: f.workers, Progress: env.told(bar),
		Seeds: experiments.Seeds(a.scenario.Seed, f.a.replications)}
	r, err := compare.Run(ctx, compare.Side{Name: nameOf(a), Plan: a.plan},
		compare.Side{Name: nameOf(b), Plan: b.plan}, measures, o)
	bar.stop()
	var lawless *experiments.Broken
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(env.Stderr, "interrupted; nothing can be said yet")
		return errStopped
	case errors.As(err, &lawless):
		return &broken{lawless, a.replayTrace(lawless)}
	case err != nil:
		return err
	case f.json:
		return r.WriteJSON(env.Stdout)
	}
	return r.WriteText(env.Stdout, terminalOf(env), func(s string) string {
		return wrap(s, textWidth(env))
	})
}

// nameOf is a scenario with what is changed in it.
func nameOf(p *picked) string {
	words := []string{p.name}
	if p.variant != "" {
		words = append(words, "("+p.variant+")")
	}
	return strings.Join(slices.Concat(words, p.sets, p.setsB), " ")
}
