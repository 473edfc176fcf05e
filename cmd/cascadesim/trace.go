package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"cascadesim/experiments"
	"cascadesim/experiments/report"
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
}

func traceCommand(env Env) *cobra.Command {
	var f traceFlags
	c := &cobra.Command{
		Use:   "trace NAME | NAME/SCENARIO | FILE",
		Short: "Follow one request through a run",
		Long: "trace runs a scenario and shows the life of one request: every try, at every tier,\n" +
			"with times from its start. --failed looks for one that failed, --after for a later one.\n" +
			"--until-event shows instead the last things that happened before an event of the engine.",
		Example: "  cascadesim trace two-tier --failed\n" +
			"  cascadesim trace two-tier --after 2m30s --request 3",
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
	return c
}

func trace(ctx context.Context, env Env, f traceFlags, name string) error {
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
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	tracer := report.NewTrace(p.plan, wanted, stop)
	err = p.replay(ctx, model.RunOptions{Tracer: tracer})
	if err != nil && !(errors.Is(err, context.Canceled) && tracer.Ended) {
		return interrupted(env, err, "the request was not followed to its end")
	}
	if len(tracer.Records) == 0 {
		fmt.Fprintf(env.Stderr, "no such request: %s\n", f.missing())
		return errMissing
	}
	return tracer.WriteText(env.Stdout, report.Clock{Epoch: p.scenario.Epoch}, f.limit)
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
