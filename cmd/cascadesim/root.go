package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"
)

// run is the whole program: it returns the status to exit with.
func run(ctx context.Context, env Env, args []string) int {
	root := newRoot(env)
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	return statusOf(env, root.ExecuteContext(ctx))
}

// The groups in which help lists the commands.
const (
	groupRun  = "run"
	groupLook = "look"
)

func newRoot(env Env) *cobra.Command {
	root := &cobra.Command{
		Use:   "cascadesim",
		Short: "Simulate cascading retry storms",
		Long: "cascadesim simulates how retries, budgets, breakers and shedding behave when a tier\n" +
			"slows down: does it recover, how far does traffic amplify, which layer caused it.\n" +
			"The same files and the same seed give the same numbers, to the byte, on any machine.\n\n" +
			"Status: 0 ok, 1 a check failed or the work was interrupted, 2 a mistake on the command\n" +
			"line or in a file, 3 a law of the simulation was broken.",
		Version:       version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetVersionTemplate("cascadesim {{.Version}}\n")
	root.AddGroup(
		&cobra.Group{ID: groupRun, Title: "Simulate:"},
		&cobra.Group{ID: groupLook, Title: "Look around:"},
	)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w; see cascadesim %s --help", err, c.Name())
	})
	for _, c := range []*cobra.Command{
		runCommand(env), checkCommand(env), traceCommand(env),
	} {
		c.GroupID = groupRun
		root.AddCommand(c)
	}
	for _, c := range []*cobra.Command{
		listCommand(env), showCommand(env), schemaCommand(env), selftestCommand(env),
	} {
		c.GroupID = groupLook
		root.AddCommand(c)
	}
	// Words that name no file are not completed with files; commands say which do.
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.GroupID == "" {
			c.GroupID = groupLook
		}
	}
	return root
}
