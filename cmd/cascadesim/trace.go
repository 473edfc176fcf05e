package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
	"cascadesim/experiments/report/figure"
	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/sim/unit"

	"github.com/spf13/cobra"
)

// traceFlags are what trace takes beside the choice of a scenario.
type traceFlags struct {
	choice
	request    int
	client     string
	after      string
	failed     bool
	untilEvent uint64
	limit      int
	files      []string
	dark       bool
}

func traceCommand(env Env) *cobra.Command {
	var f traceFlags
	c := &cobra.Command{
		Use:   "trace NAME | NAME/SCENARIO | FILE",
		Short: "Follow one request through a run",
		Long: "trace runs a scenario and shows the life of one request: every try, at every tier,\n" +
			"with times from its start. --failed looks for one that failed, --after for a later one.\n" +
			"-o draws it, or with .json writes it as Chrome trace JSON, for Perfetto or speedscope.\n" +
			"--until-event shows instead the last things that happened before an event of the engine.",
		Example: "  cascadesim trace two-tier --failed\n" +
			"  cascadesim trace two-tier --after 2m30s --request 3 -o life.svg -o life.json",
		Args: exactlyOne, ValidArgsFunction: completeOne,
		RunE: func(c *cobra.Command, args []string) error {
			f.seedGiven = c.Flags().Changed("seed")
			if err := bounded(c, least{"limit", 0}); err != nil {
				return err
			}
			return trace(c.Context(), env, f, args[0])
		},
	}
	f.register(c)
	flags := c.Flags()
	flags.IntVar(&f.request, "request", 1, "which of the requests that match, counted from 1")
	flags.StringVar(&f.client, "client", "", "a request of this client")
	flags.StringVar(&f.after, "after", "",
		"a request that starts at or after this time, such as 2m30s or 14:30")
	flags.BoolVar(&f.failed, "failed", false, "a request that failed")
	flags.Uint64Var(&f.untilEvent, "until-event", 0, "show what happened before this event")
	flags.IntVar(&f.limit, "limit", 200, "at most so many lines; 0: all")
	flags.StringArrayVarP(&f.files, "output", "o", nil,
		"file to write: .json, or a picture as chart writes them; may be given again")
	flags.BoolVar(&f.dark, "dark", false, "a picture for a dark background")
	return c
}

func trace(ctx context.Context, env Env, f traceFlags, name string) error {
	for _, file := range f.files {
		if endingOf(file) == "" && filepath.Ext(file) != ".json" {
			return fmt.Errorf("-o %s: expected a name that ends in .json, .svg, .png, .html, .frag.html "+
				"or .md", file)
		}
	}
	p, err := pick(f.choice, name)
	if err != nil {
		return err
	}
	if f.untilEvent > 0 {
		return traceTail(ctx, env, f, p)
	}
	wanted := report.Wanted{Client: f.client, Number: f.request, Failed: f.failed}
	if wanted.After, err = f.start(p); err != nil {
		return err
	}
	inner, stop := context.WithCancel(ctx)
	defer stop()
	tracer := report.NewTrace(p.plan, wanted, stop)
	err = p.replay(inner, model.RunOptions{Tracer: tracer})
	if err != nil && !(errors.Is(err, context.Canceled) && tracer.Ended) {
		return interrupted(env, err, "the request was not followed to its end")
	}
	if len(tracer.Records) == 0 {
		fmt.Fprintf(env.Stderr, "no such request: %s\n", f.missing())
		return errMissing
	}
	clock := report.Clock{Epoch: p.scenario.Epoch}
	if err := f.write(ctx, env, p, tracer.Life(), clock); err != nil {
		return err
	}
	return tracer.WriteText(env.Stdout, clock, f.limit)
}

// write puts a request's life into the files that were asked for.
func (f traceFlags) write(
	ctx context.Context, env Env, p *picked, life report.Life, clock report.Clock,
) error {
	var pictures []string
	for _, file := range f.files {
		if endingOf(file) != "" {
			pictures = append(pictures, file)
			continue
		}
		if err := writeFile(file, life.WriteChrome); err != nil {
			return err
		}
		fmt.Fprintf(env.Stderr, "wrote %s\n", visible(file))
	}
	if len(pictures) == 0 {
		return nil
	}
	fig, err := figure.Life(life, clock)
	if err != nil {
		return err
	}
	fig.Dark, fig.Command = f.dark, f.again(p)
	return writeFigure(ctx, env, fig, pictures)
}

// again is the command line that writes the same files.
func (f traceFlags) again(p *picked) string {
	line := p.command("trace") + fmt.Sprintf(" --seed %d --request %d", p.scenario.Seed, f.request)
	for _, flag := range [][2]string{{"client", f.client}, {"after", f.after}} {
		if flag[1] != "" {
			line += " --" + flag[0] + " " + quoted(flag[1])
		}
	}
	if f.failed {
		line += " --failed"
	}
	return line + chartFlags{files: f.files, dark: f.dark}.outputs()
}

// missing says that the run has too few requests of the kind that was asked for.
func (f traceFlags) missing() string {
	kind := "requests"
	if f.failed {
		kind += " that failed"
	}
	if f.client != "" {
		kind += " of " + f.client
	}
	if f.after != "" {
		kind += " from " + f.after + " on"
	}
	if f.request == 1 {
		return "the run has no " + kind
	}
	return fmt.Sprintf("the run has fewer than %d %s", f.request, kind)
}

// start reads --after and looks whether there is such a client.
func (f traceFlags) start(p *picked) (sim.Time, error) {
	if f.request < 1 {
		return 0, fmt.Errorf("--request %d: requests are counted from 1", f.request)
	}
	known := false
	var names []string
	for _, c := range p.plan.World.Clients {
		known = known || c.Name == f.client
		names = append(names, c.Name)
	}
	if f.client != "" && !known {
		return 0, fmt.Errorf("--client %s: there is no such client%s", f.client,
			load.Suggest(f.client, names))
	}
	if f.after == "" {
		return 0, nil
	}
	return parseTime(f.after, p.scenario.Epoch)
}

// parseTime reads a time from the start, such as 2m30s, or of the day where a scenario has one.
func parseTime(text string, epoch time.Time) (sim.Time, error) {
	for _, layout := range []string{"15:04", "15:04:05"} {
		clock, err := time.Parse(layout, text)
		if err != nil || epoch.IsZero() {
			continue
		}
		e := epoch.UTC()
		at := time.Date(e.Year(), e.Month(), e.Day(), clock.Hour(), clock.Minute(), clock.Second(), 0,
			time.UTC)
		if at.Before(e) {
			at = at.AddDate(0, 0, 1) // the run goes on past midnight
		}
		return sim.Time(at.Sub(e)), nil
	}
	after, err := unit.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("--after: %w", err)
	}
	return after, nil
}

func traceTail(ctx context.Context, env Env, f traceFlags, p *picked) error {
	tail := report.NewTail(p.plan, max(f.limit, 1))
	err := p.replay(ctx, model.RunOptions{Tracer: tail, UntilEvent: f.untilEvent})
	// What came before a broken law is what was asked for, so it is shown all the same.
	if werr := tail.WriteText(env.Stdout); werr != nil {
		return werr
	}
	return interrupted(env, err, "the run did not come as far as that event")
}

// replay runs the scenario's one seed; a broken law becomes an error.
func (p *picked) replay(ctx context.Context, o model.RunOptions) (err error) {
	defer func() {
		if sentence := recover(); sentence != nil {
			b := &experiments.Broken{Seed: p.scenario.Seed, Sentence: fmt.Sprint(sentence)}
			err = &broken{b, p.replayTrace(b)}
		}
	}()
	_, err = p.plan.Run(ctx, p.scenario.Seed, o)
	return err
}

// interrupted makes a cancelled run one that was interrupted, and says what that means.
func interrupted(env Env, err error, meaning string) error {
	if errors.Is(err, context.Canceled) {
		fmt.Fprintf(env.Stderr, "interrupted: %s\n", meaning)
		return errStopped
	}
	return err
}
