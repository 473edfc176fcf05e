package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"cascadesim/experiments/sweep"
	"cascadesim/model/load"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Worker takes tasks from an engine, one at a time.
type Worker struct {
	q        *queue
	version  string
	patience time.Duration
	// Done is told after each task; nil: nobody is. It may be called by several goroutines.
	Done func()

	mu          sync.Mutex
	experiments map[string]*load.Experiment
	cells       map[string]*sweep.Cell
	buckets     map[string]jetstream.KeyValue // of results, by experiment
}

// NewWorker gets ready to work for whoever coordinates by the engine.
func NewWorker(ctx context.Context, conn *nats.Conn, version string) (*Worker, error) {
	q, err := join(ctx, conn)
	if err != nil {
		return nil, err
	}
	return &Worker{q: q, version: version, patience: Patience,
		experiments: map[string]*load.Experiment{}, cells: map[string]*sweep.Cell{},
		buckets: map[string]jetstream.KeyValue{}}, nil
}

// Work takes tasks, so many at a time, until ctx ends. A task that it is at then is given back.
func (w *Worker) Work(ctx context.Context, hands int) error {
	c, err := w.q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{Durable: consumer,
		AckPolicy: jetstream.AckExplicitPolicy, AckWait: w.patience, MaxAckPending: 100_000})
	if err != nil {
		return fmt.Errorf("take tasks: %w", err)
	}
	var all sync.WaitGroup
	errs := make([]error, hands)
	for i := range hands {
		all.Go(func() { errs[i] = w.hand(ctx, c) })
	}
	all.Wait()
	return errors.Join(errs...)
}

// hand takes one task after the other.
func (w *Worker) hand(ctx context.Context, c jetstream.Consumer) error {
	for ctx.Err() == nil {
		messages, err := c.Fetch(1, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			if ctx.Err() == nil && !w.q.conn.IsConnected() {
				time.Sleep(time.Second) // the connection comes back by itself
				continue
			}
			return err
		}
		for m := range messages.Messages() {
			w.do(ctx, m)
			if w.Done != nil {
				w.Done()
			}
		}
	}
	return nil
}

// do runs one task, stores what it read, and acknowledges then.
func (w *Worker) do(ctx context.Context, m jetstream.Msg) {
	var o order
	if err := json.Unmarshal(m.Data(), &o); err != nil {
		_ = m.Term()
		return
	}
	stop := w.busy(m)
	defer stop()
	err := w.run(ctx, o)
	switch {
	case err == nil:
		_ = m.DoubleAck(ctx)
	case ctx.Err() != nil:
		_ = m.Nak()
	default:
		_ = m.Term()
		_ = w.q.conn.Publish(failures+o.Bundle, []byte(fmt.Sprintf("%s: %v", o.Key, err)))
	}
}

// busy says that a task is being worked on, until it is stopped.
func (w *Worker) busy(m jetstream.Msg) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		tick := time.NewTicker(w.patience / 3)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				_ = m.InProgress()
			}
		}
	}()
	return cancel
}

// run simulates a task and stores what was read. A result that is there already must be the same.
func (w *Worker) run(ctx context.Context, o order) error {
	kv, err := w.bucket(ctx, o.Bundle)
	if err != nil {
		return err
	}
	cell, err := w.cell(ctx, o)
	if err != nil {
		return err
	}
	sample, err := cell.Simulate(ctx, o.Seed, o.Key)
	if err != nil {
		return err
	}
	text, err := json.Marshal(sample)
	if err != nil {
		return err
	}
	_, err = kv.Create(ctx, o.Key, text)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	other, err := kv.Get(ctx, o.Key)
	if err == nil && !bytes.Equal(other.Value(), text) {
		err = errors.New("two workers have different results: their programs or machines differ, " +
			"and none of the results can be trusted")
	}
	return err
}

// bucket holds the results of an experiment. It is made or found once.
func (w *Worker) bucket(ctx context.Context, bundle string) (jetstream.KeyValue, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if kv := w.buckets[bundle]; kv != nil {
		return kv, nil
	}
	kv, err := w.q.bucket(ctx, bundle)
	if err == nil {
		w.buckets[bundle] = kv
	}
	return kv, err
}

// mostCells bounds what a worker remembers of compiled worlds.
const mostCells = 256

// cell compiles what a task is about, or remembers it.
func (w *Worker) cell(ctx context.Context, o order) (*sweep.Cell, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	name := fmt.Sprint(o.Bundle, "\x00", o.Case, "\x00", o.Labels, "\x00", o.Change)
	if c := w.cells[name]; c != nil {
		return c, nil
	}
	e := w.experiments[o.Bundle]
	if e == nil {
		entry, err := w.q.bundles.Get(ctx, o.Bundle)
		if err != nil {
			return nil, fmt.Errorf("get the experiment: %w", err)
		}
		var b Bundle
		if err := json.Unmarshal(entry.Value(), &b); err != nil {
			return nil, fmt.Errorf("get the experiment: %w", err)
		}
		if b.Version != w.version {
			return nil, fmt.Errorf("the coordinator is version %s and this worker %s", b.Version, w.version)
		}
		if e, err = b.Open(); err != nil {
			return nil, err
		}
		w.experiments[o.Bundle] = e
	}
	c, err := sweep.Find(e, w.version, o.task())
	if err != nil {
		return nil, err
	}
	if len(w.cells) >= mostCells {
		clear(w.cells)
	}
	w.cells[name] = c
	return c, nil
}
