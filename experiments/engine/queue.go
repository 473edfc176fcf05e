package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"cascadesim/experiments/sweep"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Names in the engine. Everything of one sweep has the hash of its bundle in it.
const (
	stream   = "CASCADESIM_TASKS"
	subjects = "cascadesim.tasks."
	failures = "cascadesim.failures."
	bundles  = "CASCADESIM_EXPERIMENTS"
	results  = "CASCADESIM_RESULTS_"
	consumer = "workers"
)

// Patience is how long a worker may say nothing before its task is given to another.
const Patience = 30 * time.Second

// order is a task on its way.
type order struct {
	Bundle string   `json:"bundle"`
	Key    string   `json:"key"`
	Case   string   `json:"case"`
	Labels []string `json:"labels"`
	Change string   `json:"change,omitempty"`
	Seed   uint64   `json:"seed"`
}

func (o order) task() sweep.Task {
	return sweep.Task{Key: o.Key, Case: o.Case, Labels: o.Labels, Change: o.Change, Seed: o.Seed}
}

// queue is the engine as coordinator and workers use it.
type queue struct {
	conn    *nats.Conn
	js      jetstream.JetStream
	bundles jetstream.KeyValue
	stream  jetstream.Stream
}

// join makes what the engine lacks of streams and buckets.
func join(ctx context.Context, conn *nats.Conn) (*queue, error) {
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("use the engine: %w", err)
	}
	q := &queue{conn: conn, js: js}
	q.stream, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{Name: stream,
		Subjects: []string{subjects + "*"}, Retention: jetstream.WorkQueuePolicy,
		Duplicates: time.Minute})
	if err == nil {
		q.bundles, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bundles})
	}
	if err != nil {
		return nil, fmt.Errorf("use the engine (does the server run with JetStream?): %w", err)
	}
	return q, nil
}

// bucket holds the results of a sweep.
func (q *queue) bucket(ctx context.Context, hash string) (jetstream.KeyValue, error) {
	kv, err := q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: results + hash})
	if err != nil {
		return nil, fmt.Errorf("keep results in the engine: %w", err)
	}
	return kv, nil
}

// publish stores a bundle.
func (q *queue) publish(ctx context.Context, b *Bundle) error {
	text, err := json.Marshal(b)
	if err == nil {
		_, err = q.bundles.Create(ctx, b.hash(), text)
	}
	if err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
		return fmt.Errorf("send the experiment to the engine: %w", err)
	}
	return nil
}
