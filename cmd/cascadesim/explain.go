package main

import (
	"context"
	"errors"
	"fmt"

	"cascadesim/experiments"
	"cascadesim/experiments/explain"
	"cascadesim/experiments/report"

	"github.com/spf13/cobra"
)

// explainFlags are what explain takes beside the choice of a scenario.
type explainFlags struct {
	choice
	json    bool
	once    bool
	workers int
}

func explainCommand(env Env) *cobra.Command {
	var f explainFlags
	c := &cobra.Command{
		Use:   "explain NAME | NAME/SCENARIO | FILE",
		Short: "Say what happened in a run, which loop kept it and which layer did it",
		Long: "explain simulates a scenario and tells what was measured in order of time: limits that\n" +
			"were reached, lines that grew longer than callers wait, edges that multiplied, the loop\n" +
			"that kept an outage going with its gain, and what ended it. Then it runs the same luck\n" +
			"again with the retries of each edge switched off: the edge without which an outage ends\n" +
			"is the one that kept it. A ledger accounts for every attempt.",
		Example: "  cascadesim explain two-tier --variant no-budget\n" +
			"  cascadesim explain github-2026-08-17 --scale 1/400\n" +
			"  cascadesim explain my.yaml --json --once",
		Args: exactlyOne, ValidArgsFunction: completeOne,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			if err := bounded(c, least{"workers", 0}); err != nil {
				return err
			}
			return explainScenario(c.Context(), env, f, args[0])
		},
	}
	f.register(c)
	c.Flags().BoolVar(&f.json, "json", false, "write everything as JSON")
	c.Flags().BoolVar(&f.once, "once", false, "run once, without switching any layer off")
	c.Flags().IntVar(&f.workers, "workers", 0,
		"runs side by side; changes no result (default: one for each processor)")
	return c
}

func explainScenario(ctx context.Context, env Env, f explainFlags, name string) error {
	p, err := pick(f.choice, name)
	if err != nil {
		return err
	}
	bar := newBar(env)
	x, err := explain.Explain(ctx, p.plan, p.scenario.Seed, explain.Options{
		Workers: f.workers, Keep: f.once, Progress: env.told(bar),
	})
	bar.stop()
	var lawless *experiments.Broken
	switch {
	case errors.As(err, &lawless):
		return &broken{lawless, p.replayTrace(lawless)}
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(env.Stderr, "interrupted: nothing was explained")
		return errStopped
	case err != nil:
		return err
	}
	out := report.Explained{Explanation: x, Name: p.label().Name(p.plan)}
	if f.json {
		return out.WriteJSON(env.Stdout)
	}
	return out.WriteText(env.Stdout, terminalOf(env))
}
