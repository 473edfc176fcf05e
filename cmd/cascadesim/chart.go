package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"cascadesim/experiments/report/figure"

	"github.com/spf13/cobra"
)

// chartFlags are what chart takes beside the choice of a scenario.
type chartFlags struct {
	choice
	kind  string
	files []string
	dark  bool
}

func chartCommand(env Env) *cobra.Command {
	var f chartFlags
	var kinds, words []string
	for _, k := range figure.Kinds() {
		kinds = append(kinds, fmt.Sprintf("  %-14s %s", k.Name, k.Doc))
		words = append(words, k.Name)
	}
	kinds = append(kinds, "", "and of a sweep", "")
	for _, k := range figure.SweepKinds() {
		kinds = append(kinds, fmt.Sprintf("  %-14s %s", k.Name, k.Doc))
		words = append(words, k.Name)
	}
	c := &cobra.Command{
		Use:   "chart RUN | SWEEP | MAP | NAME | NAME/SCENARIO | FILE",
		Short: "Draw a run for a document: SVG, PNG, HTML or Markdown",
		Long: "chart draws one figure of a run, as files that stand alone. RUN is a directory that\n" +
			"run -o wrote; it is run again from the scenario and the seed in it, which gives the\n" +
			"same numbers. SWEEP is a directory of sweep -o or its sweep.json, MAP what limit --map\n" +
			"--json wrote; it has one kind. The kinds of a run are\n\n" +
			strings.Join(kinds, "\n") + "\n\n" +
			"The ending of each -o says what is written: .svg, .png (twice the size), .html (a page\n" +
			"without a network), .frag.html (a part of a page) or .md, which names an SVG that is\n" +
			"written beside it. Equal results give equal bytes.",
		Example: "  cascadesim chart two-tier --kind timeline -o fig.svg\n" +
			"  cascadesim chart github-2026-08-17 --scale 1/400 --kind capacity -o fig.png -o fig.md\n" +
			"  cascadesim chart out --kind latency -o fig.html\n" +
			"  cascadesim limit hysteresis --map --json >map.json && cascadesim chart map.json -o fig.svg",
		Args: exactlyOne, ValidArgsFunction: completeOne,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			return chart(c.Context(), env, f, args[0])
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.kind, "kind", "", "what is drawn: "+strings.Join(words, ", ")+
		" (default: timeline of a run, curves of a sweep)")
	completesFlag(c, "kind", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringArrayVarP(&f.files, "output", "o", nil,
		"file to write: .svg, .png, .html, .frag.html or .md; may be given again")
	c.Flags().BoolVar(&f.dark, "dark", false, "for a dark background")
	return c
}

func chart(ctx context.Context, env Env, f chartFlags, name string) error {
	if len(f.files) == 0 {
		return errors.New("chart needs -o, such as -o fig.svg")
	}
	for _, file := range f.files {
		if endingOf(file) == "" {
			return fmt.Errorf("-o %s: expected a name that ends in .svg, .png, .html, .frag.html or .md",
				file)
		}
	}
	for _, file := range []string{filepath.Join(name, "sweep.json"), name} {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if kinds := figure.KindsOf(data); kinds != nil {
			return f.found(ctx, env, name, data, kinds)
		}
	}
	return f.ofRun(ctx, env, name)
}

// found draws what an experiment found.
func (f chartFlags) found(
	ctx context.Context, env Env, name string, data []byte, kinds []figure.FoundKind,
) error {
	var names []string
	for i, k := range kinds {
		names = append(names, k.Name)
		if k.Name != f.kind && (f.kind != "" || i > 0) {
			continue
		}
		fig, err := k.Make(data)
		if err != nil {
			return err
		}
		fig.Dark, fig.Command = f.dark, "cascadesim chart "+quoted(name)
		if f.kind != "" {
			fig.Command += " --kind " + f.kind
		}
		fig.Command += f.outputs()
		return writeFigure(ctx, env, fig, f.files)
	}
	return fmt.Errorf("--kind %s: of %s there is %s", f.kind, visible(name), strings.Join(names, ", "))
}

// ofRun simulates a scenario and draws it.
func (f chartFlags) ofRun(ctx context.Context, env Env, name string) error {
	if f.kind == "" {
		f.kind = figure.Kinds()[0].Name
	}
	kind, err := figure.KindNamed(f.kind)
	if err != nil {
		return fmt.Errorf("--kind: %w", err)
	}
	if name, err = f.runDirectory(name); err != nil {
		return err
	}
	f.latencies = kind.Needs
	p, err := pick(f.choice, name)
	if err != nil {
		return err
	}
	one := p.scenario.Replications
	p.scenario.Replications = 1
	batch, err := simulate(ctx, env, p, 1)
	p.scenario.Replications = one
	if err != nil {
		return err
	}
	fig, err := kind.Make(p.plan, batch.Runs[0].Result)
	if err != nil {
		return err
	}
	fig.Dark, fig.Command = f.dark, f.again(p)
	return writeFigure(ctx, env, fig, f.files)
}

// again is the command line that draws the figure again.
func (f chartFlags) again(p *picked) string {
	line := p.command("chart") + fmt.Sprintf(" --seed %d --kind %s", p.scenario.Seed, f.kind)
	return line + f.outputs()
}

// outputs is the end of that line.
func (f chartFlags) outputs() string {
	line := ""
	if f.dark {
		line += " --dark"
	}
	for _, file := range f.files {
		line += " -o " + quoted(filepath.Base(file))
	}
	return line
}

// runDirectory turns a directory that run wrote into its scenario and its seed.
func (f *chartFlags) runDirectory(name string) (string, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() {
		return name, nil
	}
	data, err := os.ReadFile(filepath.Join(name, "summary.json"))
	if err != nil {
		return "", fmt.Errorf("%s is no directory of run -o: %w", name, err)
	}
	var summary struct{ Seed uint64 }
	if err := json.Unmarshal(data, &summary); err != nil {
		return "", fmt.Errorf("read %s: %w", filepath.Join(name, "summary.json"), err)
	}
	if !f.seedGiven {
		f.seed, f.seedGiven = summary.Seed, true
	}
	return filepath.Join(name, "scenario.yaml"), nil
}

// endingOf is the ending of a file's name that says what is written; empty: an unknown one.
func endingOf(file string) string {
	for _, end := range []string{".frag.html", ".svg", ".png", ".html", ".md"} {
		if strings.HasSuffix(file, end) {
			return end
		}
	}
	return ""
}

// writeFigure draws once and writes every file.
func writeFigure(ctx context.Context, env Env, fig figure.Figure, files []string) error {
	svg, err := fig.SVG()
	if err != nil {
		return err
	}
	for _, file := range files {
		data := svg
		switch endingOf(file) {
		case ".png":
			data, err = figure.PNG(ctx, svg)
		case ".html":
			data, err = fig.HTML(svg)
		case ".frag.html":
			data, err = fig.Fragment(svg)
		case ".md":
			picture := strings.TrimSuffix(file, ".md") + ".svg"
			if err := writeFile(picture, writes(svg)); err != nil {
				return err
			}
			data = fig.Markdown(filepath.Base(picture))
		}
		if err != nil {
			return err
		}
		if err := writeFile(file, writes(data)); err != nil {
			return err
		}
		fmt.Fprintf(env.Stderr, "wrote %s\n", visible(file))
	}
	return nil
}

func writes(data []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}
