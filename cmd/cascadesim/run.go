package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/model"
	"cascadesim/model/check"

	"github.com/spf13/cobra"
)

// runFlags are what run takes beside the choice of a scenario.
type runFlags struct {
	choice
	json    bool
	dir     string
	also    []string
	workers int
	spent   profiles
}

// moreFiles are what run -o writes only when asked: --also's words and the files.
var moreFiles = []struct {
	word, file string
	write      func(io.Writer, *model.Plan, []*model.Result) error
}{
	{"openmetrics", "windows.openmetrics", report.WriteOpenMetrics},
	{"dashboard", "dashboard.json", report.WriteDashboard},
	{"parquet", "windows.parquet", func(w io.Writer, p *model.Plan, r []*model.Result) error {
		return report.WriteParquet(w, p, r, version)
	}},
}

// checkAlso refuses words that --also does not know, and files without a directory.
func (f runFlags) checkAlso() error {
	var words []string
	for _, m := range moreFiles {
		words = append(words, m.word)
	}
	for _, word := range f.also {
		if !slices.Contains(words, word) {
			return fmt.Errorf("--also %s: there is %s", word, strings.Join(words, ", "))
		}
	}
	if len(f.also) > 0 && f.dir == "" {
		return errors.New("--also writes into a directory: give -o DIR")
	}
	return nil
}

func runCommand(env Env) *cobra.Command {
	var f runFlags
	c := &cobra.Command{
		Use:   "run NAME | NAME/SCENARIO | FILE",
		Short: "Simulate a scenario and show what happened",
		Long: "run simulates a scenario, by the name of a topology that ships with cascadesim or of a\n" +
			"file. It ends with status 0 whatever the scenario's checks say; check judges them.\n\n" +
			"Tables show the real system: counts and rates are divided by the scale. The JSON keeps\n" +
			"simulated counts; each of its _per_s is real. -o writes summary.json, windows.csv,\n" +
			"scenario.yaml and report.html, a page that opens without a network; --also openmetrics for\n" +
			"Prometheus or --also parquet for DuckDB and pandas what is in windows.csv once more, and\n" +
			"--also dashboard a dashboard for Grafana.",
		Example: "  cascadesim run two-tier\n" +
			"  cascadesim run two-tier/outage --variant no-budget -o out\n" +
			"  cascadesim run my.yaml --set tiers.db.slots=32 --set edges.web:db.timeout.try=1s",
		Args: exactlyOne, ValidArgsFunction: completeOne,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			if err := bounded(c, least{"replications", 1}, least{"workers", 0}); err != nil {
				return err
			}
			return f.spent.during(func() error { return runScenario(c.Context(), env, f, args[0]) })
		},
	}
	f.register(c)
	c.Flags().IntVar(&f.replications, "replications", 0,
		"so many replications, with seeds from --seed on (default: the scenario's)")
	c.Flags().BoolVar(&f.json, "json", false, "write the summary as JSON")
	c.Flags().StringVarP(&f.dir, "output", "o", "", "write all results into this directory")
	completesFlag(c, "output", directories)
	c.Flags().StringSliceVar(&f.also, "also", nil,
		"write windows in more formats: openmetrics, with a dashboard for Grafana, and parquet")
	completesFlag(c, "also", cobra.FixedCompletions([]string{"openmetrics", "dashboard", "parquet"},
		cobra.ShellCompDirectiveNoFileComp))
	c.Flags().IntVar(&f.workers, "workers", 0,
		"replications side by side; changes no result (default: one for each processor)")
	f.spent.register(c)
	return c
}

func runScenario(ctx context.Context, env Env, f runFlags, name string) error {
	if err := f.checkAlso(); err != nil {
		return err
	}
	f.latencies = f.dir != ""
	p, err := pick(f.choice, name)
	if err != nil {
		return err
	}
	wait := p.warnBeside(env)
	batch, err := simulate(ctx, env, p, f.workers)
	wait()
	stopped := errors.Is(err, context.Canceled)
	if err != nil && !stopped {
		return err
	}
	if stopped {
		fmt.Fprintf(env.Stderr, "interrupted: %d of %d replications were finished and are kept\n",
			len(batch.Runs), batch.Asked)
	}
	if len(batch.Runs) > 0 {
		run := p.report(batch)
		run.Summary.Performance = performance(p, batch)
		if err := write(env, f, run, p.beside()); err != nil {
			return err
		}
	}
	if stopped {
		return errStopped
	}
	speak(env, p, batch, f)
	return nil
}

// simulate runs the replications of a scenario, with a bar when somebody looks on. An interruption
// that came too late to keep anything from being finished is none.
func simulate(ctx context.Context, env Env, p *picked, workers int) (*experiments.Batch, error) {
	bar := newBar(env).after(p.warned)
	batch, err := experiments.Run(ctx, p.plan, experiments.Options{
		Seeds:    experiments.Seeds(p.scenario.Seed, p.scenario.Replications),
		Workers:  workers,
		Progress: env.told(bar),
	})
	bar.stop()
	if errors.Is(err, context.Canceled) && len(batch.Runs) == batch.Asked {
		err = nil
	}
	var lawless *experiments.Broken
	if errors.As(err, &lawless) {
		return nil, &broken{lawless, p.replayTrace(lawless)}
	}
	return batch, err
}

// told passes progress on to the bar and to whoever watches; nil when there is neither.
func (e Env) told(b *bar) func(experiments.Progress) {
	show := b.progress()
	switch {
	case show == nil:
		return e.Watch
	case e.Watch == nil:
		return show
	}
	return func(p experiments.Progress) {
		show(p)
		e.Watch(p)
	}
}

// report summarises and judges what was finished, of which there must be something.
func (p *picked) report(batch *experiments.Batch) report.Run {
	label := p.label()
	label.Asked = batch.Asked
	return report.NewRun(p.plan, results(batch), label)
}

func results(batch *experiments.Batch) []*model.Result {
	out := make([]*model.Result, len(batch.Runs))
	for i, r := range batch.Runs {
		out[i] = r.Result
	}
	return out
}

// simulated is the time that passed in all replications of a batch together.
func (p *picked) simulated(batch *experiments.Batch) time.Duration {
	return time.Duration(p.plan.Scenario.Duration) * time.Duration(len(batch.Runs))
}

func performance(of *picked, batch *experiments.Batch) *check.Performance {
	p := &check.Performance{WallS: batch.Wall.Seconds(), PeakRSSBytes: peakMemory()}
	for _, r := range batch.Runs {
		p.Events += r.Result.Events
	}
	if p.WallS > 0 {
		p.EventsPerS = float64(p.Events) / p.WallS
		p.SimulatedPerS = of.simulated(batch).Seconds() / p.WallS
	}
	return p
}

// write puts a run where the flags say: a directory, and JSON or text on stdout.
func write(env Env, f runFlags, run report.Run, beside []output) error {
	if f.dir != "" {
		if err := writeRun(f, run, beside); err != nil {
			return err
		}
	}
	if f.json {
		return run.WriteJSON(env.Stdout)
	}
	return run.WriteText(env.Stdout, terminalOf(env))
}

func writeRun(f runFlags, run report.Run, beside []output) error {
	page, err := run.Page()
	if err != nil {
		return err
	}
	for _, m := range moreFiles {
		if slices.Contains(f.also, m.word) {
			beside = append(beside, output{m.file, func(w io.Writer) error {
				return m.write(w, run.Plan, run.Results)
			}})
		}
	}
	return writeDir(f.dir, append(beside, []output{
		{"summary.json", run.WriteJSON},
		{"windows.csv", func(w io.Writer) error { return report.WriteCSV(w, run.Plan, run.Results) }},
		{"scenario.yaml", func(w io.Writer) error { return writeString(w, run.Source) }},
		{"report.html", page.WriteHTML},
	}...))
}

func writeString(w io.Writer, s string) error {
	_, err := io.WriteString(w, s)
	return err
}

func terminalOf(env Env) report.Terminal {
	return report.Terminal{Color: env.color(env.Stdout), Width: env.width(env.Stdout)}
}

// speak says on stderr what is no result: how long it took, where files are, what to do next.
func speak(env Env, p *picked, batch *experiments.Batch, f runFlags) {
	cost := performance(p, batch)
	fmt.Fprintf(env.Stderr, "simulated %s in %s (%.0fx real time): %d events, %.1fM/s",
		p.simulated(batch), batch.Wall.Round(time.Millisecond), cost.SimulatedPerS, cost.Events,
		cost.EventsPerS/1e6)
	if cost.PeakRSSBytes > 0 {
		fmt.Fprintf(env.Stderr, "; peak memory %d MB", cost.PeakRSSBytes>>20)
	}
	fmt.Fprintln(env.Stderr)
	if f.dir != "" {
		fmt.Fprintf(env.Stderr, "wrote summary.json, windows.csv, scenario.yaml and report.html to %s\n",
			f.dir)
	}
	if terminal(env.Stderr) == nil || f.json {
		return
	}
	for _, hint := range p.hints(f) {
		fmt.Fprintf(env.Stderr, "next: %s\n", report.Visible(hint))
	}
}

// least is a flag with the smallest whole number that it takes.
type least struct {
	flag string
	n    int
}

// bounded refuses flags that were given a number below their least.
func bounded(c *cobra.Command, flags ...least) error {
	for _, l := range flags {
		n, err := c.Flags().GetInt(l.flag)
		if err != nil {
			return err
		}
		if c.Flags().Changed(l.flag) && n < l.n {
			return fmt.Errorf("--%s %d: expected %d or more", l.flag, n, l.n)
		}
	}
	return nil
}

// exactlyOne asks for one argument, in words.
func exactlyOne(c *cobra.Command, args []string) error {
	switch len(args) {
	case 1:
		return nil
	case 0:
		return fmt.Errorf("%s what? A name of cascadesim list, or a file", c.Name())
	}
	var words []string
	for _, a := range args {
		words = append(words, quoted(a))
	}
	return fmt.Errorf("%s takes one name or file, got %d: %s", c.Name(), len(args),
		strings.Join(words, " "))
}
