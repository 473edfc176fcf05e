package main

import (
	"errors"
	"fmt"

	"cascadesim/experiments/report"
	"cascadesim/model/lint"

	"github.com/spf13/cobra"
)

// errFound is a finding at or above the level that was asked for; it has been shown already.
var errFound = errors.New("something was found")

func lintCommand(env Env) *cobra.Command {
	var f choice
	var asJSON bool
	var level string
	c := &cobra.Command{
		Use:   "lint NAME | NAME/SCENARIO | FILE",
		Short: "Say what a world can do at worst, and which settings defeat each other",
		Long: "lint runs nothing but each edge alone. It shows the most attempts that one request can\n" +
			"make at each hop and at the tiers that call nobody, with and without budgets, and how\n" +
			"long a call can block. Then it names what is dangerous, with its place and a cure.\n" +
			"docs/lint.md explains each finding. It ends with status 1 when a finding is at or\n" +
			"above --level.",
		Example: "  cascadesim lint two-tier\n" +
			"  cascadesim lint github-2026-08-17 --level danger\n" +
			"  cascadesim lint my.yaml --json",
		Args: exactlyOne, ValidArgsFunction: completeOne,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			return lintScenario(env, f, args[0], lintFlags{asJSON, level})
		},
	}
	f.register(c)
	c.Flags().BoolVar(&asJSON, "json", false, "write everything as JSON")
	c.Flags().StringVar(&level, "level", "warning",
		"fail from this level on: note, warning or danger; lower ones are shown all the same")
	completesFlag(c, "level", cobra.FixedCompletions([]string{"note", "warning", "danger"},
		cobra.ShellCompDirectiveNoFileComp))
	return c
}

// lintFlags are what lint takes beside the choice of a scenario.
type lintFlags struct {
	json  bool
	level string
}

func lintScenario(env Env, f choice, name string, flags lintFlags) error {
	level, err := lint.ParseLevel(flags.level)
	if err != nil {
		return fmt.Errorf("--level %w", err)
	}
	document, short, err := open(name)
	if err != nil {
		return err
	}
	if !document.Runs() && f.until == "" {
		// A topology alone says not how long to run, and nothing of this is about that.
		f.sets, f.until = append([]string{"duration=10m"}, f.sets...), "10m"
	}
	p, err := f.of(document, name, short)
	if err != nil {
		return err
	}
	found, err := p.lint()
	if err != nil {
		return err
	}
	out := report.Lint{Plan: p.plan, Name: p.label().Name(p.plan), Report: found}
	if flags.json {
		err = out.WriteJSON(env.Stdout)
	} else {
		err = out.WriteText(env.Stdout, terminalOf(env))
	}
	if err == nil && len(found.Worst(level)) > 0 {
		return errFound
	}
	return err
}

// lint looks at the scenario as it will run, and finds the places of what it finds.
func (p *picked) lint() (lint.Report, error) {
	found, err := lint.Check(p.plan, nil)
	if err != nil {
		return found, err
	}
	place := p.document.Placer(p.options)
	for i := range found.Findings {
		f := &found.Findings[i]
		f.Problem = place(f.Problem)
	}
	found.Join()
	return found, nil
}

// shownDangers is how many dangers run names; lint has all of them.
const shownDangers = 2

// warn says on stderr, before a scenario runs, what is dangerous in it. A world that cannot be
// looked at is no reason not to run it.
func (p *picked) warn(env Env) {
	found, err := p.lint()
	if err != nil {
		return
	}
	dangers := found.Worst(lint.Danger)
	for i, f := range dangers {
		if i == shownDangers {
			break
		}
		text := f.Problem
		text.Hint = ""
		fmt.Fprintf(env.Stderr, "danger: %s\n", visible(text.String()))
	}
	if n := len(dangers); n > 0 {
		fmt.Fprintf(env.Stderr, "%s in these settings: %s\n", counted(n, "danger"), p.command("lint"))
	}
}

// warnBeside is warn beside what follows, which is not to wait for it: looking for dangers takes
// longer than everything else before the first event. The function that it returns waits.
func (p *picked) warnBeside(env Env) (wait func()) {
	done := make(chan struct{})
	p.warned = done
	var trouble any
	go func() {
		defer close(done)
		defer func() { trouble = recover() }()
		p.warn(env)
	}()
	return func() {
		<-done
		if trouble != nil {
			panic(trouble)
		}
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
