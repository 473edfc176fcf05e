package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"cascadesim/experiments"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/topologies"

	"github.com/spf13/cobra"
)

// sweepFlags are what sweep takes.
type sweepFlags struct {
	given   string // the experiment, as on the command line
	json    bool
	dir     string
	workers int
	shard   string
	engineFlags
}

func sweepCommand(env Env) *cobra.Command {
	var f sweepFlags
	c := &cobra.Command{
		Use:   "sweep NAME | FILE",
		Short: "Run an experiment and recommend a setting",
		Long: "sweep runs every setting of an experiment in every case, more often where that decides\n" +
			"something, and ends with a sentence: which setting, why, how sure, what it costs. list\n" +
			"experiments names those that ship.\n\n" +
			"-o writes sweep.json, sweep.csv, experiment.yaml, manifest.json and report.html, a page\n" +
			"that opens without a network. It keeps every replication as soon as it is finished: the\n" +
			"same command goes on where it was stopped.",
		Example: "  cascadesim sweep budget-ratio -o out\n" +
			"  cascadesim sweep mine.yaml --json",
		Args: exactlyOne, ValidArgsFunction: completeExperiments,
		RunE: func(c *cobra.Command, args []string) error {
			if err := bounded(c, least{"workers", 0}); err != nil {
				return err
			}
			f.given = args[0]
			return runSweep(c.Context(), env, f)
		},
	}
	c.Flags().BoolVar(&f.json, "json", false, "write the result as JSON")
	c.Flags().StringVarP(&f.dir, "output", "o", "", "write all results into this directory, and "+
		"go on with what is there")
	completesFlag(c, "output", directories)
	c.Flags().IntVar(&f.workers, "workers", 0,
		"replications side by side; changes no result (default: one for each processor)")
	f.engineFlags.register(c)
	c.Flags().StringVar(&f.shard, "shard", "",
		"run part I of N (such as 1/4) into -o, for merge to put together")
	return c
}

// openExperiment reads an experiment by its name or file.
func openExperiment(name string) (*load.Experiment, error) {
	src, err := experimentSource(name)
	if err != nil {
		return nil, err
	}
	var dirs []string
	if src.Dir != "" || exists(name) {
		dirs = []string{filepath.Dir(name)}
	}
	return readExperiment(src, dirs...)
}

// readExperiment reads an experiment, whose scenarios are files in one of the directories, or ship.
func readExperiment(src load.Source, dirs ...string) (*load.Experiment, error) {
	e, problems := load.OpenExperiment(src, func(scenario string) (load.Source, error) {
		for _, dir := range dirs {
			if beside := filepath.Join(dir, scenario); exists(beside) {
				return load.File(beside, topologies.Files()), nil
			}
		}
		return topologies.Open(scenario)
	})
	if e == nil {
		return nil, problems
	}
	return e, nil
}

// experimentSource finds what the name of an experiment means: a file, or one that ships.
func experimentSource(name string) (load.Source, error) {
	if exists(name) {
		return load.File(name, topologies.Files()), nil
	}
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		return load.Source{}, fmt.Errorf("there is no file %s", name)
	}
	src, err := experiments.Source(name)
	if err != nil {
		err = fmt.Errorf("%w; cascadesim list experiments shows them, and there is no such file", err)
	}
	return src, err
}

// parseShard reads 2/8.
func parseShard(text string) (*sweep.Shard, error) {
	if text == "" {
		return nil, nil
	}
	i, n, ok := strings.Cut(text, "/")
	a, errA := strconv.Atoi(i)
	b, errB := strconv.Atoi(n)
	if !ok || errA != nil || errB != nil || a < 1 || a > b {
		return nil, fmt.Errorf("--shard %s: expected part I of N, such as 1/4", text)
	}
	return &sweep.Shard{I: a, N: b}, nil
}

func runSweep(ctx context.Context, env Env, f sweepFlags) error {
	shard, err := parseShard(f.shard)
	if err != nil {
		return err
	}
	if shard != nil && f.dir == "" {
		return errors.New("--shard writes into a directory: give -o DIR")
	}
	e, err := openExperiment(f.given)
	if err != nil {
		return err
	}
	run, close, err := f.runner(ctx, env, f.given, e, f.workers)
	if err != nil {
		return err
	}
	defer close()
	return execute(ctx, env, f, e, sweep.Options{Version: version, Run: run, Shard: shard})
}

// execute runs an experiment and writes what it found. What was finished when it is interrupted is
// kept, shown and said to be a part.
func execute(
	ctx context.Context, env Env, f sweepFlags, e *load.Experiment, o sweep.Options,
) error {
	if f.dir != "" {
		if o.Known == nil {
			o.Known = map[string]sweep.Sample{}
		}
		if err := sweep.ReadStore(f.dir, o.Known); err != nil {
			return err
		}
	}
	bar := newBar(env)
	o.Progress = env.told(bar)
	began := time.Now()
	s, err := sweep.New(e, o)
	if err == nil {
		err = keeping(ctx, f.dir, s)
	}
	bar.stop()
	stopped := errors.Is(err, context.Canceled)
	var lawless *experiments.Broken
	switch {
	case errors.As(err, &lawless):
		return &broken{lawless, f.again()}
	case err != nil && !stopped:
		return err
	case o.Shard != nil && !stopped:
		fmt.Fprintf(env.Stderr, "part %d of %d is in %s; cascadesim merge puts parts together\n",
			o.Shard.I, o.Shard.N, f.dir)
		return nil
	}
	result := s.Result(!stopped)
	if err := writeSweep(env, f, e, result); err != nil {
		return err
	}
	if stopped {
		fmt.Fprintf(env.Stderr, "interrupted after %d replications%s\n", result.Runs, resumes(f.dir))
		return errStopped
	}
	fmt.Fprintf(env.Stderr, "%d replications in %s\n", result.Runs,
		time.Since(began).Round(time.Second))
	return nil
}

// again is the command that gives the result again.
func (f sweepFlags) again() string { return "cascadesim sweep " + quoted(f.given) }

// resumes says how to go on.
func resumes(dir string) string {
	if dir == "" {
		return ", which are not kept; with -o DIR they would be"
	}
	return "; the same command goes on from there"
}

// keeping executes a sweep and keeps what it runs in a directory, if there is one.
func keeping(ctx context.Context, dir string, s *sweep.Sweep) (err error) {
	if dir == "" {
		return s.Execute(ctx, nil)
	}
	store, err := sweep.OpenStore(dir)
	if err != nil {
		return err
	}
	defer func() {
		if closing := store.Close(); err == nil {
			err = closing
		}
	}()
	return s.Execute(ctx, store.Keep)
}

// writeSweep writes a result where the flags say.
func writeSweep(env Env, f sweepFlags, e *load.Experiment, r *sweep.Result) error {
	if f.dir != "" {
		page, err := sweepPage(e, r, f.again())
		if err != nil {
			return err
		}
		err = writeDir(f.dir, []output{
			{"sweep.json", r.WriteJSON},
			{"sweep.csv", r.WriteCSV},
			{"experiment.yaml", func(w io.Writer) error { return writeString(w, string(e.Text)) }},
			{"manifest.json", r.WriteManifest},
			{"report.html", page.WriteHTML},
		})
		if err != nil {
			return err
		}
	}
	if f.json {
		return r.WriteJSON(env.Stdout)
	}
	return r.WriteText(env.Stdout, terminalOf(env), func(s string) string {
		return wrap(s, textWidth(env))
	})
}

func completeExperiments(
	_ *cobra.Command, args []string, word string,
) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var out []cobra.Completion
	for _, name := range experiments.Names() {
		out = offer(out, word, name, experiments.Question(name))
	}
	return completeFiles(out, word)
}

// showExperiment prints an experiment as it was written.
func showExperiment(env Env, name string) error {
	src, err := experimentSource(name)
	if err != nil {
		return err
	}
	text, err := readSource(src)
	if err != nil {
		return err
	}
	return writeSource(env, text)
}
