package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"cascadesim/experiments/engine"
	"cascadesim/experiments/sweep"
	"cascadesim/model/load"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
)

// embedded is the engine that needs no set-up: one in this process.
const embedded = "embedded"

// engineFlags are where a sweep's replications run.
type engineFlags struct {
	engine, listen, token string
	only                  bool
}

func (f *engineFlags) register(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.engine, "engine", "",
		"run by NATS JetStream: alone, an engine within this program; or the URL of a server")
	fs.Lookup("engine").NoOptDefVal = embedded
	fs.StringVar(&f.listen, "listen", "127.0.0.1:0", "where the engine within listens for workers")
	fs.StringVar(&f.token, "token", "", "what workers must know; needed where others can connect")
	fs.BoolVar(&f.only, "coordinate-only", false, "leave all work to workers")
}

// runner is what runs the replications: this machine, or an engine. close ends
// what it started.
func (f engineFlags) runner(
	ctx context.Context, env Env, name string, e *load.Experiment, workers int,
) (run sweep.Runner, close func(), err error) {
	if f.engine == "" {
		return sweep.Local(workers), func() {}, nil
	}
	var ends []func()
	all := func() {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
	}
	defer func() {
		if err != nil {
			all()
		}
	}()
	conn, err := f.connect(env, &ends)
	if err != nil {
		return nil, nil, err
	}
	ends = append(ends, conn.Close)
	dir := ""
	if exists(name) {
		dir = filepath.Dir(name)
	}
	bundle, err := engine.Pack(version, dir, e)
	if err != nil {
		return nil, nil, err
	}
	c, err := engine.Coordinate(ctx, conn, bundle)
	if err != nil {
		return nil, nil, err
	}
	ends = append(ends, func() { _ = c.Close() })
	if !f.only {
		w, err := engine.NewWorker(ctx, conn, version)
		if err != nil {
			return nil, nil, err
		}
		ends = append(ends, employ(ctx, w, workers))
	}
	return c.Run, all, nil
}

// employ lets a worker work beside the coordinator until the function that it returns is called.
func employ(ctx context.Context, w *engine.Worker, workers int) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = w.Work(ctx, hands(workers)) // its tasks are given to others when it cannot go on
	}()
	return func() {
		cancel()
		<-ended
	}
}

func hands(workers int) int {
	if workers > 0 {
		return workers
	}
	return runtime.GOMAXPROCS(0)
}

// connect starts the engine within or dials another.
func (f engineFlags) connect(env Env, ends *[]func()) (*nats.Conn, error) {
	if f.engine != embedded {
		return engine.Dial(f.engine, f.token)
	}
	s, err := engine.Serve(f.listen, f.token, "")
	if err != nil {
		return nil, err
	}
	*ends = append(*ends, func() { _ = s.Close() })
	fmt.Fprintf(env.Stderr, "workers: cascadesim worker --engine %s\n", s.URL())
	return s.Connect()
}

func workerCommand(env Env) *cobra.Command {
	var f engineFlags
	var workers int
	c := &cobra.Command{
		Use:   "worker --engine URL",
		Short: "Run replications of sweeps that an engine coordinates",
		Long: "worker takes replications from the engine of a sweep, runs them and gives back what\n" +
			"was read, until it is interrupted. It can be started and killed at any time: what it was at\n" +
			"is given to another. It must be of the same version as the sweep.",
		Example: "  cascadesim sweep budget-ratio --engine --listen 127.0.0.1:4222 -o out\n" +
			"  cascadesim worker --engine nats://127.0.0.1:4222",
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.engine == "" || f.engine == embedded {
				return errors.New("worker for which engine? Give --engine URL, which sweep --engine shows")
			}
			if err := bounded(c, least{"workers", 0}); err != nil {
				return err
			}
			return work(c.Context(), env, f, workers)
		},
	}
	c.Flags().StringVar(&f.engine, "engine", "", "URL of the engine")
	c.Flags().StringVar(&f.token, "token", "", "what the engine wants to know")
	c.Flags().IntVar(&workers, "workers", 0,
		"replications side by side (default: one for each processor)")
	return c
}

// work works until it is interrupted, which is how workers end.
func work(ctx context.Context, env Env, f engineFlags, workers int) error {
	conn, err := engine.Dial(f.engine, f.token)
	if err != nil {
		return err
	}
	defer conn.Close()
	w, err := engine.NewWorker(ctx, conn, version)
	if err != nil {
		return err
	}
	var done atomic.Int64
	w.Done = func() { done.Add(1) }
	fmt.Fprintf(env.Stderr, "working for %s\n", conn.ConnectedUrlRedacted())
	err = w.Work(ctx, hands(workers))
	fmt.Fprintf(env.Stderr, "worked on %d replications\n", done.Load())
	if ctx.Err() != nil {
		return nil
	}
	return err
}
