package main

import (
	"os"
	"path/filepath"
	"strings"

	"cascadesim/model/load"
	"cascadesim/policies"
	"cascadesim/topologies"

	"github.com/spf13/cobra"
)

// completeOne completes the one scenario that a command takes.
func completeOne(
	_ *cobra.Command, args []string, word string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeNames(nil, nil, word)
}

// completeShow completes what show takes: a scenario, policy NAME, or one or two presets.
func completeShow(
	_ *cobra.Command, args []string, word string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	switch {
	case len(args) > 0 && len(args) < 3 && args[0] == "preset":
		var out []cobra.Completion
		for _, p := range load.Presets() {
			out = offer(out, word, presetName(p), p.Product)
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	case len(args) == 1 && args[0] == "policy":
		var out []cobra.Completion
		for _, k := range policies.Builtins().Kinds() {
			out = offer(out, word, k.Name, firstSentence(k.Doc))
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	case len(args) > 0:
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	out, directive := completeNames(nil, nil, word)
	out = offer(out, word, "policy", "what a policy does and what may be set")
	return offer(out, word, "preset", "what a product does, or in what two differ"), directive
}

// completeNames completes what a scenario can be named by: a topology, one of its scenarios, or a
// file.
func completeNames(
	_ *cobra.Command, _ []string, word string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, topology := range topologies.Names() {
		for _, s := range topologies.Scenarios(topology) {
			if s.Default || s.Name == topology {
				out = offer(out, word, topology, s.Doc)
			}
			if s.Name != topology {
				out = offer(out, word, s.Name, s.Doc)
			}
		}
	}
	return completeFiles(out, word)
}

// completeFiles adds the YAML files and the folders that a word may become. Shells would complete
// either names that we give or files, not both.
func completeFiles(
	out []cobra.Completion, word string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	folder, start := filepath.Split(word)
	entries, err := os.ReadDir(filepath.Clean(folder)) // of no folder: where we are
	if err != nil {
		return out, directive
	}
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, start) || start == "" && strings.HasPrefix(name, ".") {
			continue
		}
		info, err := os.Stat(filepath.Join(folder, name))
		switch ext := filepath.Ext(name); {
		case err != nil:
		case info.IsDir():
			// The word goes on within the folder.
			out = append(out, folder+name+"/")
			directive |= cobra.ShellCompDirectiveNoSpace
		case ext == ".yaml", ext == ".yml":
			out = append(out, folder+name)
		}
	}
	return out, directive
}

// completeVariants completes a variant of the scenario that the line has named already.
func completeVariants(
	_ *cobra.Command, args []string, word string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	document, _, err := open(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, v := range document.Variants() {
		out = offer(out, word, v.Name, v.Doc)
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// offer adds a name that begins like the word, with one line on what it is.
func offer(out []cobra.Completion, word, name, doc string) []cobra.Completion {
	if !strings.HasPrefix(name, word) {
		return out
	}
	doc = visible(strings.Join(strings.Fields(doc), " "))
	return append(out, cobra.CompletionWithDesc(name, doc))
}

// completesFlag says how the values of a flag are completed. The flag has just been registered, so
// an error is a mistake in this package.
func completesFlag(c *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := c.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("cascadesim: " + err.Error())
	}
}

// directories and xmlFiles are completions of flags that name what is to be written.
func directories(
	*cobra.Command, []string, string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func xmlFiles(
	*cobra.Command, []string, string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	return []cobra.Completion{"xml"}, cobra.ShellCompDirectiveFilterFileExt
}
