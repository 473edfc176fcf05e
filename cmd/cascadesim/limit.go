package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing/fstest"

	"cascadesim/experiments"
	"cascadesim/experiments/limit"
	"cascadesim/experiments/report"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/sim/unit"

	"github.com/spf13/cobra"
)

// limitFlags are what limit takes.
type limitFlags struct {
	choice
	path, from, to, holds string
	log, chart, lifetime  bool
	splitting             bool
	dwell, settle         string
	horizon               string
	share, tolerance      float64
	steps, most, workers  int
	paths, runs           int
	json                  bool
}

func limitCommand(env Env) *cobra.Command {
	var f limitFlags
	c := &cobra.Command{
		Use:   "limit EXPERIMENT | SCENARIO --path PATH --from A --to B",
		Short: "Find the value at which a world stops to recover",
		Long: "limit searches the range of an experiment's one axis for the value at which its\n" +
			"constraints stop to hold: the largest load, the longest outage, the smallest budget. Of\n" +
			"a scenario it takes the axis from --path, --from and --to, and what must hold from\n" +
			"--holds (default: it recovers).\n\n" +
			"Values are tried in the middle of what is left, each as often as it takes to tell on\n" +
			"which side it lies. --map shows an experiment's two axes instead, with a sign for each\n" +
			"case, and --lifetime the mean time to a collapse that comes by chance: from plain runs,\n" +
			"and where these hardly see one from runs that are branched where they come near it.\n\n" +
			"--dwell, of a scenario, or up_and_down, of an experiment, lets one run go through the\n" +
			"values, up and down again, and shows where it tips and where it recovers: between the\n" +
			"two the world has two stable states.",
		Example: "  cascadesim limit budget-limit\n" +
			"  cascadesim limit two-tier --path timeline.outage.for --from 10s --to 5m\n" +
			"  cascadesim limit hysteresis --map\n" +
			"  cascadesim limit tipping --lifetime\n" +
			"  cascadesim limit up-and-down --map\n" +
			"  cascadesim limit mm1 --path clients.users.arrivals.rate --from 10/s --to 150/s --dwell 60s",
		Args: exactlyOne, ValidArgsFunction: completeExperiments,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			if err := bounded(c, least{"workers", 0}, least{"most", 1}, least{"steps", 2},
				least{"replications", 1}, least{"paths", 2}, least{"runs", 1}); err != nil {
				return err
			}
			if f.dwell != "" && !c.Flags().Changed("holds") {
				f.holds = "{measure: clients.*.ok_share, min: 97%}"
			}
			return runLimit(c.Context(), env, f, args[0])
		},
	}
	f.register(c)
	f.registerLifetimes(c)
	fs := c.Flags()
	fs.StringVar(&f.path, "path", "", "what is varied in a scenario")
	fs.StringVar(&f.from, "from", "", "its first value")
	fs.StringVar(&f.to, "to", "", "its last value")
	fs.BoolVar(&f.log, "log", false, "halve the way by its logarithm")
	fs.StringVar(&f.holds, "holds", "{measure: recovery.verdict, is: recovered}",
		"what must hold, as a check; with --dwell 97% of the requests")
	fs.StringVar(&f.dwell, "dwell", "",
		"go through the values in one run, up and down, each for so long")
	fs.StringVar(&f.settle, "settle", "", "how much of a dwell is not looked at (default: half)")
	fs.IntVar(&f.steps, "steps", 10, "how many values --dwell has")
	fs.IntVar(&f.replications, "replications", 1, "how many runs --dwell has")
	fs.BoolVar(&f.chart, "map", false, "show which cases hold at each value of two axes")
	fs.Float64Var(&f.share, "share", limit.Default.Share,
		"the share of replications in which it must hold")
	fs.Float64Var(&f.tolerance, "tolerance", limit.Default.Tolerance,
		"how narrow the answer is to be, as a part of the value")
	fs.IntVar(&f.most, "most", limit.Default.Most, "replications of one value at most")
	fs.BoolVar(&f.json, "json", false, "write the result as JSON")
	fs.IntVar(&f.workers, "workers", 0,
		"replications side by side; changes no result (default: one for each processor)")
	return c
}

// registerLifetimes adds the flags of lifetimes.
func (f *limitFlags) registerLifetimes(c *cobra.Command) {
	fs := c.Flags()
	fs.BoolVar(&f.lifetime, "lifetime", false, "show the mean time to the first objective's time")
	fs.BoolVar(&f.splitting, "splitting", false, "--lifetime by branched runs at every value")
	fs.StringVar(&f.horizon, "horizon", "", "how long a branched run is, long against what the "+
		"world forgets and short against its lifetime (default: what suits the objective)")
	fs.IntVar(&f.paths, "paths", limit.Default.Paths, "branched runs side by side: four times as "+
		"many make intervals half as wide")
	fs.IntVar(&f.runs, "runs", limit.Default.Runs, "branched runs of one value at most")
}

// shown is a result that can be written.
type shown interface {
	WriteJSON(io.Writer) error
	WriteText(io.Writer, report.Terminal, func(string) string) error
}

func runLimit(ctx context.Context, env Env, f limitFlags, name string) error {
	if !(f.share > 0 && f.share < 1) || !(f.tolerance > 0 && f.tolerance < 1) {
		return errors.New("--share and --tolerance lie between 0 and 1")
	}
	e, err := f.experiment(name)
	if err != nil {
		return err
	}
	horizon, err := f.longest()
	if err != nil {
		return err
	}
	bar := newBar(env)
	o := limit.Options{Version: version, Run: sweep.Local(f.workers), Share: f.share,
		Tolerance: f.tolerance, Most: f.most, Progress: env.told(bar),
		Splitting: f.splitting, Workers: f.workers, Horizon: horizon,
		Paths: f.paths, Runs: f.runs}
	var r shown
	switch {
	case f.chart || f.dwell != "":
		r, err = limit.Survey(ctx, e, o)
	case f.lifetime:
		r, err = limit.Last(ctx, e, o)
	default:
		r, err = limit.Search(ctx, e, o)
	}
	bar.stop()
	var lawless *experiments.Broken
	switch {
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(env.Stderr, "interrupted; nothing can be said yet")
		return errStopped
	case errors.As(err, &lawless):
		return &broken{lawless, "cascadesim limit " + quoted(name)}
	case err != nil:
		return err
	case f.json:
		return r.WriteJSON(env.Stdout)
	}
	return r.WriteText(env.Stdout, terminalOf(env), func(s string) string {
		return wrap(s, textWidth(env))
	})
}

// longest is how long a branched run is; 0: what suits.
func (f limitFlags) longest() (sim.Time, error) {
	switch {
	case !f.lifetime && (f.splitting || f.horizon != ""):
		return 0, errors.New("--splitting and --horizon go with --lifetime")
	case f.horizon == "":
		return 0, nil
	}
	t, err := unit.ParseDuration(f.horizon)
	switch {
	case err != nil:
		return 0, fmt.Errorf("--horizon: %w", err)
	case t <= 0 || t == sim.Never:
		return 0, errors.New("--horizon is a time above 0, such as 1000s")
	}
	return t, nil
}

// experiment is the one that is named, or one made of a scenario and the flags.
func (f limitFlags) experiment(name string) (*load.Experiment, error) {
	given := 0
	for _, text := range []string{f.path, f.from, f.to} {
		if text != "" {
			given++
		}
	}
	if f.settle != "" && f.dwell == "" {
		return nil, errors.New("--settle goes with --dwell")
	}
	switch {
	case given == 0:
		if f.dwell != "" {
			return nil, errors.New("--dwell is for a scenario, with --path, --from and --to; an " +
				"experiment says up_and_down")
		}
		if f.variant != "" || len(f.sets) > 0 || f.scale != "" || f.until != "" || f.seedGiven {
			return nil, errors.New("an experiment says all that itself; of a scenario limit takes " +
				"--path, --from and --to too")
		}
		return openExperiment(name)
	case given < 3:
		return nil, errors.New("--path, --from and --to go together")
	}
	text, err := f.text()
	if err != nil {
		return nil, err
	}
	file := fstest.MapFS{"limit.yaml": {Data: []byte(text)}}
	e, problems := load.OpenExperiment(load.Source{FS: file, Name: "limit.yaml"},
		func(string) (load.Source, error) {
			src, _, err := source(name)
			return src, err
		})
	if e == nil {
		return nil, problems
	}
	e.Name = name
	return e, nil
}

// text is an experiment that asks what the flags say. Texts of JSON are texts of YAML.
func (f limitFlags) text() (string, error) {
	q := func(s string) string {
		text, _ := json.Marshal(s)
		return string(text)
	}
	var b strings.Builder
	asked := ": from where on does it fail?"
	if f.dwell != "" {
		asked = ", up and down: where does it tip and recover?"
	}
	fmt.Fprintf(&b, "question: %s\n", q(f.path+asked))
	fmt.Fprintf(&b, "cases: {it: {scenario: it, variant: %s, until: %s", q(f.variant), q(f.until))
	if f.scale != "" {
		scale, err := parseScale(f.scale)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, ", scale: %g", scale)
	}
	b.WriteString(", set: {")
	for i, set := range f.sets {
		if _, err := load.ParseSet("--set", set); err != nil {
			return "", err
		}
		path, value, _ := strings.Cut(set, "=")
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s: %s", q(strings.TrimSpace(path)), value)
	}
	fmt.Fprintf(&b, "}}}\naxes: {value: {path: %s, range: {from: %s, to: %s, steps: %d, log: %t}}}\n",
		q(f.path), q(f.from), q(f.to), f.steps, f.log)
	if f.dwell != "" {
		b.WriteString(f.upAndDown(q))
	}
	fmt.Fprintf(&b, "seed: %d\nconstraints:\n  - %s\n", max(f.seed, 1), named(f.holds))
	return b.String(), nil
}

// upAndDown is what text says of one run that goes up and down. What is well is judged; how much
// is, is drawn.
func (f limitFlags) upAndDown(q func(string) string) string {
	settle := ""
	if f.settle != "" {
		settle = ", settle: " + q(f.settle)
	}
	return fmt.Sprintf("up_and_down: {axis: value, dwell: %s%s}\nreplications: %d\n"+
		"objectives: {goodput: {measure: clients.*.ok_per_s, maximize: true}}\n", q(f.dwell), settle,
		f.replications)
}

// named gives a check its name.
func named(check string) string {
	if body, ok := strings.CutPrefix(strings.TrimSpace(check), "{"); ok {
		return "{name: it holds, " + body
	}
	return check
}
