package experiments

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"cascadesim/model"
)

// Options say which replications are run and by how many workers.
type Options struct {
	Seeds []uint64
	// Workers is how many replications run side by side; 0: as many as there are processors.
	Workers int
	// Progress is told now and then how far all replications are. It is never called by two
	// goroutines at once, and must be quick; nil: nobody is told.
	Progress func(Progress)
}

// Progress says how far a batch is.
type Progress struct {
	Done, Total int     // replications
	Share       float64 // of the simulated time of all replications, 0 to 1
	Events      uint64
}

// Replication is one finished run of a plan.
type Replication struct {
	Seed   uint64
	Result *model.Result
}

// Batch is what came out of running a plan: the finished replications in the order of their seeds.
type Batch struct {
	Runs  []Replication
	Asked int           // how many were wanted; more than len(Runs) when it was cancelled
	Wall  time.Duration // of all of them together; no part of a result
}

// Broken is a replication that panicked: a conservation law did not hold, so that no number of it
// can be trusted.
type Broken struct {
	Seed     uint64
	Sentence string // what the panic said
	Event    uint64 // the event that it happened in; 0: before the first
	Stack    string
}

// Error says which law was broken, for which seed.
func (b *Broken) Error() string {
	return fmt.Sprintf("seed %d broke a law of the simulation: %s", b.Seed, b.Sentence)
}

// Run simulates a plan once for each seed. When ctx is cancelled it returns the replications that
// were finished, along with ctx's error. Any other error leaves nothing, cancelled or not: it is a
// *Broken, or what the plan's own Run said, for the earliest seed that had one.
func Run(ctx context.Context, plan *model.Plan, o Options) (*Batch, error) {
	began := time.Now()
	meter := newMeter(len(o.Seeds), o.Progress)
	places := make([]*model.Result, len(o.Seeds))
	err := Each(ctx, len(o.Seeds), o.Workers, func(ctx context.Context, i int) error {
		result, err := replicate(ctx, plan, o.Seeds[i], func(p model.Progress) { meter.tell(i, p) })
		if err != nil {
			return err
		}
		places[i] = result
		meter.done(i, result.Events)
		return nil
	})
	batch := &Batch{Asked: len(o.Seeds), Wall: time.Since(began)}
	// Without a cancelled ctx there are no echoes: whatever came is the work's own.
	if err != nil && (ctx.Err() == nil || !echo(err)) {
		return nil, err
	}
	for i, result := range places {
		if result != nil {
			batch.Runs = append(batch.Runs, Replication{o.Seeds[i], result})
		}
	}
	return batch, ctx.Err()
}

// Seeds are n seeds from first on.
func Seeds(first uint64, n int) []uint64 {
	out := make([]uint64, n)
	for i := range out {
		out[i] = first + uint64(i)
	}
	return out
}

// Each calls do for 0 to n-1, by workers side by side (0: one for each processor). It stops at the
// first error, lets what is running see a cancelled context, and returns the error of the smallest
// index among those that had one. do must write only to places of its own index.
func Each(
	ctx context.Context, n, workers int, do func(ctx context.Context, i int) error,
) error {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	errs := make([]error, n)
	indices := make(chan int)
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := range indices {
				if errs[i] = do(ctx, i); errs[i] != nil {
					stop()
				}
			}
		})
	}
	for i := 0; i < n && ctx.Err() == nil; i++ {
		select {
		case indices <- i:
		case <-ctx.Done():
		}
	}
	close(indices)
	all.Wait()
	return first(errs)
}

// first prefers an error of the work itself to the echoes of its cancelling.
func first(errs []error) error {
	var echoed error
	for _, err := range errs {
		switch {
		case err == nil:
		case echo(err):
			if echoed == nil {
				echoed = err
			}
		default:
			return err
		}
	}
	return echoed
}

// echo says whether an error is only that of a context which has ended.
func echo(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// replicate turns a panic of the simulation into an error, so that the other goroutines and the
// terminal are left in order.
func replicate(
	ctx context.Context, plan *model.Plan, seed uint64, tell func(model.Progress),
) (result *model.Result, err error) {
	var event uint64
	defer func() {
		if p := recover(); p != nil {
			result, err = nil, &Broken{seed, fmt.Sprint(p), event, string(debug.Stack())}
		}
	}()
	return plan.Run(ctx, seed, model.RunOptions{Progress: func(p model.Progress) {
		event = p.Events
		tell(p)
	}})
}
