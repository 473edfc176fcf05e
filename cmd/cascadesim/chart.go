package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cascadesim/experiments/report/figure"

	"github.com/spf13/cobra"
)

// chartFlags are what chart takes beside the choice of a scenario.
type chartFlags struct {
	choice
	kind   string
	files  []string
	dark   bool
	chosen []string // which of ofRuns were given
	beside
}

// ofRuns are the flags that choose or change what is run.
var ofRuns = []string{"variant", "set", "scale", "until", "seed", "replications", "variant-b",
	"set-b"}

func chartCommand(env Env) *cobra.Command {
	var f chartFlags
	kinds, words := everyKind()
	c := &cobra.Command{
		Use:   "chart RUN | SWEEP | MAP | NAME | NAME/SCENARIO | FILE [B …]",
		Short: "Draw a run for a document: SVG, PNG, HTML or Markdown",
		Long: "chart draws one figure of a run, as files that stand alone. RUN is a directory that\n" +
			"run -o wrote; it is run again from the scenario and the seed in it, which gives the\n" +
			"same numbers. SWEEP is a directory of sweep -o or its sweep.json, MAP what limit --map\n" +
			"--json wrote. The kinds of a run are\n\n" +
			strings.Join(kinds, "\n") + "\n\n" +
			"The ending of each -o says what is written: .svg, .png (twice the size), .html (a page\n" +
			"without a network), .frag.html (a part of a page) or .md, which names an SVG that is\n" +
			"written beside it. Equal results give equal bytes.\n\n" +
			"A second run, or --variant-b and --set-b, stands beside the first on the same scales and\n" +
			"on the same luck; three or more lie over each other, a line for each. With\n" +
			"--replications lines are means with their 95 % intervals.",
		Example: "  cascadesim chart two-tier --kind timeline -o fig.svg\n" +
			"  cascadesim chart github-2026-08-17 --scale 1/400 --kind capacity -o fig.png -o fig.md\n" +
			"  cascadesim chart out --kind latency -o fig.html\n" +
			"  cascadesim chart two-tier --variant-b no-budget --replications 10 -o fig.svg\n" +
			"  cascadesim limit hysteresis --map --json >map.json && cascadesim chart map.json -o fig.svg",
		Args: cobra.RangeArgs(1, mostBeside), ValidArgsFunction: completeNames,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			f.chosen = slices.DeleteFunc(slices.Clone(ofRuns), func(name string) bool {
				return !c.Flags().Changed(name)
			})
			if err := bounded(c, least{"replications", 1}); err != nil {
				return err
			}
			return chart(c.Context(), env, f, args)
		},
	}
	f.choice.register(c)
	c.Flags().IntVar(&f.replications, "replications", 1, "so many, with seeds from --seed on")
	f.beside.register(c)
	c.Flags().StringVar(&f.kind, "kind", "", "what is drawn: "+strings.Join(words, ", ")+
		" (default: timeline of a run, curves of a sweep, samples of a sampled one)")
	completesFlag(c, "kind", cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
	c.Flags().StringArrayVarP(&f.files, "output", "o", nil,
		"file to write: .svg, .png, .html, .frag.html or .md; may be given again")
	c.Flags().BoolVar(&f.dark, "dark", false, "for a dark background")
	return c
}

// everyKind is what help says of the kinds of charts, and their names.
func everyKind() (kinds, words []string) {
	for _, k := range figure.Kinds() {
		kinds = append(kinds, fmt.Sprintf("  %-14s %s", k.Name, k.Doc))
		words = append(words, k.Name)
	}
	kinds = append(kinds, "", "and of a sweep", "")
	for _, k := range figure.SweepKinds() {
		kinds = append(kinds, fmt.Sprintf("  %-14s %s", k.Name, k.Doc))
		words = append(words, k.Name)
	}
	kinds = append(kinds, "", "and of a map", "")
	for _, k := range figure.MapKinds() {
		kinds = append(kinds, fmt.Sprintf("  %-14s %s", k.Name, k.Doc))
		if !slices.Contains(words, k.Name) {
			words = append(words, k.Name)
		}
	}
	return kinds, words
}

func chart(ctx context.Context, env Env, f chartFlags, args []string) error {
	if len(f.files) == 0 {
		return errors.New("chart needs -o, such as -o fig.svg")
	}
	for _, file := range f.files {
		if endingOf(file) == "" {
			return fmt.Errorf("-o %s: expected a name that ends in .svg, .png, .html, .frag.html or .md",
				file)
		}
	}
	name := args[0]
	for _, file := range []string{filepath.Join(name, "sweep.json"), name} {
		data, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		if kinds := figure.KindsOf(data); kinds != nil {
			if err := f.drawnAsFound(args); err != nil {
				return err
			}
			return f.found(ctx, env, name, data, kinds)
		}
	}
	return f.ofRuns(ctx, env, args)
}

// drawnAsFound refuses what would choose or change a run: a sweep and a map have been run.
func (f chartFlags) drawnAsFound(args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("%s stands alone in a figure; draw %s in one of its own", visible(args[0]),
			visible(args[1]))
	}
	if len(f.chosen) > 0 {
		return fmt.Errorf("--%s: %s is drawn as it was found; it can only be chosen where that is run",
			f.chosen[0], visible(args[0]))
	}
	return nil
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
	return fmt.Errorf("--kind: %w", figure.Missing(f.kind, visible(name), names))
}

// ofRuns simulates a scenario, or several, and draws what came out.
func (f chartFlags) ofRuns(ctx context.Context, env Env, args []string) error {
	if f.kind == "" {
		f.kind = figure.Kinds()[0].Name
	}
	kind, err := figure.KindNamed(f.kind)
	if err != nil {
		return fmt.Errorf("--kind: %w", err)
	}
	sides := f.sides(f.choice, args)
	figures := make([]figure.Figure, len(sides))
	var first *picked
	for i := range sides {
		side := &sides[i]
		if i > 0 {
			side.sameLuck(first)
		}
		fig, p, err := f.ofRun(ctx, env, kind, side)
		if err != nil {
			return err
		}
		if len(sides) > 1 && !fig.Plotted() {
			return fmt.Errorf("--kind %s: it has no lines over time that could stand beside others", f.kind)
		}
		fig.Name = side.label(p)
		figures[i] = fig
		if i == 0 {
			first = p
		}
	}
	told(figures)
	fig := figures[0]
	switch {
	case len(figures) == 2:
		fig = figure.Beside(figures[0], figures[1])
	case len(figures) > 2:
		fig = figure.Over(figures)
	}
	fig.Dark, fig.Command = f.dark, f.again(sides[0], args)+f.outputs()
	return writeFigure(ctx, env, fig, f.files)
}

// ofRun simulates a scenario and makes its figure, which has no command yet.
func (f chartFlags) ofRun(
	ctx context.Context, env Env, kind figure.Kind, s *side,
) (fig figure.Figure, p *picked, err error) {
	s.latencies = kind.Needs
	if p, err = s.pick(); err != nil {
		return fig, nil, err
	}
	batch, err := simulate(ctx, env, p, 0)
	if err != nil {
		return fig, nil, err
	}
	var all []figure.Figure
	for _, r := range batch.Runs {
		one, err := kind.Make(p.plan, r.Result)
		if err != nil {
			return fig, nil, err
		}
		all = append(all, one)
	}
	if len(all) > 1 && !all[0].Plotted() {
		return fig, nil, fmt.Errorf("--replications: %s shows one", kind.Name)
	}
	return figure.Mean(all), p, nil
}

// again is the command line that draws the figure again, without its files.
func (f chartFlags) again(first side, args []string) string {
	line := first.line("chart", args) + " --kind " + f.kind
	if f.replications > 1 {
		line += fmt.Sprintf(" --replications %d", f.replications)
	}
	return line + f.beside.line()
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
