package main

import (
	"context"
	"fmt"
	"regexp"

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

// invalidFlag is the parser's sentence about a value that a flag does not take.
var invalidFlag = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-\w, )?--([\w-]+)" flag: `)

// flagMistake says what a flag expects where the parser would speak of its own insides.
func flagMistake(c *cobra.Command, err error) error {
	m := invalidFlag.FindStringSubmatch(err.Error())
	if m == nil {
		return err
	}
	f := c.Flags().Lookup(m[2])
	if f == nil {
		return err
	}
	wanted := map[string]string{
		"uint64": "a whole number, 0 or more", "int": "a whole number", "bool": "true or false",
	}[f.Value.Type()]
	if wanted == "" {
		return err
	}
	return fmt.Errorf("--%s %s: expected %s", f.Name, m[1], wanted)
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
		Long: "cascadesim simulates how retries, retry budgets, throttles and shedding behave when a\n" +
			"tier slows down: does it recover, how far does traffic amplify, which layer caused it.\n" +
			"The same files and the same seed give the same numbers, to the byte, on any machine.\n\n" +
			"Status: 0 ok, 1 a check failed, a trace found nothing or the work was interrupted, 2 a\n" +
			"mistake on the command line or in a file, or no checks to judge, 3 a law of the\n" +
			"simulation was broken.",
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
		return fmt.Errorf("%w; see cascadesim %s --help", flagMistake(c, err), c.Name())
	})
	for _, c := range []*cobra.Command{
		runCommand(env), checkCommand(env), explainCommand(env), traceCommand(env),
		compareCommand(env), sweepCommand(env), limitCommand(env), mergeCommand(env),
		workerCommand(env),
	} {
		c.GroupID = groupRun
		root.AddCommand(c)
	}
	for _, c := range []*cobra.Command{
		chartCommand(env), reportCommand(env), lintCommand(env), listCommand(env), showCommand(env),
		schemaCommand(env), selftestCommand(env), manCommand(env),
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
