package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func manCommand(env Env) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages of all commands, for man",
		Long: "man writes a page of section 1 for each command into a directory, such as\n" +
			"/usr/local/share/man/man1. Scripts for shells come from completion.",
		Example: "  cascadesim man man1 && man -l man1/cascadesim-run.1",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("man takes the directory to write into, got %d words", len(args))
			}
			return nil
		},
		ValidArgsFunction: directories,
		RunE: func(c *cobra.Command, args []string) error {
			pages := manPages(c.Root())
			if err := writeDir(args[0], pages); err != nil {
				return err
			}
			fmt.Fprintf(env.Stderr, "wrote %d pages to %s\n", len(pages), args[0])
			return nil
		},
	}
}

// manPages are the pages of a command and of all below it. They carry the month of the release and
// no day, so that the same version gives the same bytes.
func manPages(c *cobra.Command) []output {
	name := strings.ReplaceAll(c.CommandPath(), " ", "-") + ".1"
	out := []output{{name, func(w io.Writer) error {
		c.DisableAutoGenTag = true
		month := released
		var page bytes.Buffer
		err := doc.GenMan(c, &doc.GenManHeader{
			Section: "1", Date: &month, Source: "cascadesim " + version, Manual: "cascadesim",
		}, &page)
		if err != nil {
			return fmt.Errorf("make the page of %s: %w", c.CommandPath(), err)
		}
		_, err = page.WriteTo(w)
		return err
	}}}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && !below.IsAdditionalHelpTopicCommand() {
			out = append(out, manPages(below)...)
		}
	}
	return out
}
