package main

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"cascadesim/experiments/report"
	"cascadesim/model/load"
	"cascadesim/policies"
	"cascadesim/topologies"

	"github.com/spf13/cobra"
)

func showCommand(env Env) *cobra.Command {
	var f choice
	var resolved bool
	c := &cobra.Command{
		Use:   "show NAME | NAME/SCENARIO | FILE | policy NAME | preset NAME [NAME] | experiment NAME",
		Short: "Show a topology, a scenario, a policy, a preset or an experiment",
		Long: "show prints what ships with cascadesim as it was written, or with all short forms\n" +
			"and defaults written out (--resolved), with --variant and --set in it. The name of a\n" +
			"topology shows its page, the topology and its default scenario; what --resolved prints\n" +
			"is one file that runs. Of a preset it prints what the product does and what may be set,\n" +
			"of two in what they differ.",
		Example: "  cascadesim show two-tier/outage\n" +
			"  cascadesim show two-tier --resolved --variant no-budget\n" +
			"  cascadesim show policy ratio_budget\n" +
			"  cascadesim show preset aws-sdk-standard aws-sdk-standard@2.0",
		Args: cobra.RangeArgs(1, 3), ValidArgsFunction: completeShow,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			switch {
			case args[0] == "policy" && len(args) == 2:
				return showPolicy(env, args[1])
			case args[0] == "experiment" && len(args) == 2:
				return showExperiment(env, args[1])
			case args[0] == "preset" && len(args) == 2:
				return showPreset(env, args[1])
			case args[0] == "preset" && len(args) == 3:
				return showDifference(env, args[1], args[2])
			case len(args) > 1:
				return fmt.Errorf("show %s: expected one name, policy NAME, experiment NAME, preset "+
					"NAME or preset NAME NAME", strings.Join(args, " "))
			case args[0] == "preset" && !exists(args[0]):
				return errors.New("show preset which? cascadesim list presets names them")
			case args[0] == "policy" && !exists(args[0]):
				return errors.New("show policy which? cascadesim list policies names them")
			case resolved || f.variant != "" || len(f.sets) > 0:
				return showResolved(env, f, args[0])
			}
			return showSource(env, args[0])
		},
	}
	f.register(c)
	c.Flags().BoolVar(&resolved, "resolved", false, "with all short forms and defaults written out")
	return c
}

// showSource prints a file as it was written; of a topology by its name, its page first and the
// files that the name means.
func showSource(env Env, name string) error {
	src, _, err := source(name)
	if err != nil {
		return err
	}
	sources := []load.Source{src}
	page := topologies.Readme(name)
	if exists(name) {
		page = ""
	}
	if page != "" {
		fmt.Fprintf(env.Stdout, "%s\n", strings.TrimSpace(page))
		// The scenario that the name means may stand beside the topology, in a file of its own.
		if topology, _, err := source(name + "/topology"); err == nil && topology.Name != src.Name {
			sources = []load.Source{topology, src}
		}
	}
	for _, one := range sources {
		text, err := readSource(one)
		if err != nil {
			return err
		}
		if page != "" {
			fmt.Fprintf(env.Stdout, "\n--- %s ---\n", one.Name)
		}
		if err := writeSource(env, text); err != nil {
			return err
		}
	}
	if document, _, err := open(name); err == nil && document.Runs() {
		fmt.Fprintf(env.Stderr, "one file that runs: cascadesim show %s --resolved > my.yaml\n",
			visible(quoted(name)))
	}
	return nil
}

// writeSource writes a file as it is, or harmless to look at when somebody does.
func writeSource(env Env, text []byte) error {
	if terminal(env.Stdout) != nil {
		text = []byte(visible(string(text)))
	}
	_, err := env.Stdout.Write(text)
	return err
}

func showResolved(env Env, f choice, name string) error {
	document, _, err := open(name)
	if err != nil {
		return err
	}
	o, err := f.loading()
	if err != nil {
		return err
	}
	text, problems := document.Resolved(o)
	if len(problems.Errors()) > 0 {
		return problems
	}
	return writeSource(env, text)
}

// showPolicy prints what a policy does and what may be set.
func showPolicy(env Env, name string) error {
	kind, ok := policies.Builtins().Lookup(name)
	if !ok {
		var names []string
		for _, k := range policies.Builtins().Kinds() {
			names = append(names, k.Name)
		}
		return fmt.Errorf("there is no policy %q%s", name, load.Suggest(name, names))
	}
	width := textWidth(env)
	fmt.Fprintf(env.Stdout, "%s\n\n%s\n\n%s\n%s\n",
		wrap(kind.Name+": "+strings.Join(kind.Does(), "; "), width), wrap(kind.Doc, width),
		wrap(fmt.Sprintf("Source: %s (%s)", kind.Source, kind.Sure.Says()), width),
		wrap(fmt.Sprintf("Example: %s: %s", kind.Name, kind.Example), width))
	settings := report.Table{Head: []report.Column{
		{Name: "setting"}, {Name: "default"}, {Name: "unit"}, {Name: "meaning"},
	}}
	for _, field := range kind.Fields() {
		settings.Rows = append(settings.Rows, report.Row{Cells: []string{field.Name, field.Default(),
			load.UnitOf(field.Type), field.Meaning()}})
	}
	fmt.Fprintln(env.Stdout)
	return settings.WriteText(env.Stdout, terminalOf(env))
}

// firstSentence is a doc's first sentence.
func firstSentence(doc string) string {
	text := strings.Join(strings.Fields(doc), " ")
	if end := strings.Index(text, ". "); end >= 0 {
		return text[:end+1]
	}
	return text
}

// textWidth is how wide sentences are: easy to read, and within the terminal.
func textWidth(env Env) int {
	const easy = 96
	if width := env.width(env.Stdout); width > 0 {
		return min(width, easy)
	}
	return easy
}

// wrap breaks text into lines of at most n columns.
func wrap(text string, n int) string {
	var out strings.Builder
	col := 0
	for _, word := range strings.Fields(text) {
		long := utf8.RuneCountInString(word)
		switch {
		case col == 0:
		case col+1+long > n:
			out.WriteString("\n")
			col = 0
		default:
			out.WriteString(" ")
			col++
		}
		out.WriteString(word)
		col += long
	}
	return out.String()
}
