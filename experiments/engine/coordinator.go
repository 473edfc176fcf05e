package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"cascadesim/experiments/sweep"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Coordinator offers the replications of one experiment and collects their results.
type Coordinator struct {
	q      *queue
	hash   string
	kv     jetstream.KeyValue
	failed chan error
	sub    *nats.Subscription
	offers int
}

// Coordinate gets ready to run an experiment by an engine. What an earlier coordinator of the same
// experiment has left in the queue is taken back: it is offered again as it is wanted.
func Coordinate(ctx context.Context, conn *nats.Conn, b *Bundle) (*Coordinator, error) {
	q, err := join(ctx, conn)
	if err != nil {
		return nil, err
	}
	c := &Coordinator{q: q, hash: b.hash(), failed: make(chan error, 1)}
	if c.kv, err = q.bucket(ctx, c.hash); err != nil {
		return nil, err
	}
	if err := q.publish(ctx, b); err != nil {
		return nil, err
	}
	if err := c.takeBack(ctx); err != nil {
		return nil, err
	}
	c.sub, err = conn.Subscribe(failures+c.hash, func(m *nats.Msg) {
		select {
		case c.failed <- errors.New(string(m.Data)):
		default: // one is enough
		}
	})
	if err != nil {
		return nil, fmt.Errorf("listen to workers: %w", err)
	}
	return c, nil
}

func (c *Coordinator) takeBack(ctx context.Context) error {
	err := c.q.stream.Purge(ctx, jetstream.WithPurgeSubject(subjects+c.hash))
	if err != nil {
		return fmt.Errorf("take tasks back: %w", err)
	}
	return nil
}

// Close stops listening. Results stay in the engine.
func (c *Coordinator) Close() error { return c.sub.Unsubscribe() }

// lull is how long nothing may come before the coordinator looks whether tasks were lost.
const lull = 2 * time.Second

// Run runs replications by whoever works for the engine: it is a sweep.Runner.
func (c *Coordinator) Run(
	ctx context.Context, tasks []sweep.Task, done func(i int, s sweep.Sample) error,
) (err error) {
	missing := map[string]int{}
	for i, t := range tasks {
		missing[t.Key] = i
	}
	watch, err := c.kv.WatchAll(ctx)
	if err != nil {
		return fmt.Errorf("watch results: %w", err)
	}
	defer func() {
		_ = watch.Stop()
		// Who stops early leaves no work behind that nobody waits for.
		if err != nil {
			clean, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			_ = c.takeBack(clean)
		}
	}()
	offered := false
	for len(missing) > 0 {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-c.failed:
			return err
		case entry := <-watch.Updates():
			if entry == nil { // all that was there before has been told
				if err := c.offer(ctx, tasks, missing); err != nil {
					return err
				}
				offered = true
				continue
			}
			if err := c.take(entry, missing, done); err != nil {
				return err
			}
		case <-time.After(lull):
			if err := c.again(ctx, offered, tasks, missing); err != nil {
				return err
			}
		}
	}
	return nil
}

// take hands a result on, if it is wanted.
func (c *Coordinator) take(
	entry jetstream.KeyValueEntry, missing map[string]int, done func(int, sweep.Sample) error,
) error {
	i, wanted := missing[entry.Key()]
	if !wanted {
		return nil
	}
	var s sweep.Sample
	if err := json.Unmarshal(entry.Value(), &s); err != nil || s.Key != entry.Key() {
		return fmt.Errorf("the engine holds no result under %s", entry.Key())
	}
	delete(missing, entry.Key())
	return done(i, s)
}

// again offers what is missing once more when the queue holds nothing of it: a message is in the
// queue until its result is stored.
func (c *Coordinator) again(
	ctx context.Context, offered bool, tasks []sweep.Task, missing map[string]int,
) error {
	if !offered {
		return nil
	}
	info, err := c.q.stream.Info(ctx, jetstream.WithSubjectFilter(subjects+c.hash))
	switch {
	case err != nil && c.q.conn.IsReconnecting():
		return nil
	case err != nil:
		return fmt.Errorf("look into the queue: %w", err)
	case info.State.Subjects[subjects+c.hash] > 0:
		return nil
	}
	return c.offer(ctx, tasks, missing)
}

// mostOffered is how many tasks may be on their way into the queue: of more the client loses
// patience with a server that is busy.
const mostOffered = 1000

// offer puts the missing tasks into the queue, in their order.
func (c *Coordinator) offer(
	ctx context.Context, tasks []sweep.Task, missing map[string]int,
) error {
	c.offers++
	offered := 0
	for _, t := range tasks {
		if _, ok := missing[t.Key]; !ok {
			continue
		}
		text, err := json.Marshal(order{c.hash, t.Key, t.Case, t.Labels, t.Change, t.Seed})
		if err != nil {
			return err
		}
		_, err = c.q.js.PublishAsync(subjects+c.hash, text,
			jetstream.WithMsgID(t.Key+"-"+strconv.Itoa(c.offers)+"-"+c.sub.Subject+nonce))
		if err != nil {
			return fmt.Errorf("offer a task: %w", err)
		}
		if offered++; offered%mostOffered == 0 {
			if err := c.arrived(ctx); err != nil {
				return err
			}
		}
	}
	return c.arrived(ctx)
}

// arrived waits until the queue has what was offered.
func (c *Coordinator) arrived(ctx context.Context) error {
	select {
	case <-c.q.js.PublishAsyncComplete():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// nonce tells the offers of this program from those of one that was killed.
var nonce = strconv.FormatInt(time.Now().UnixNano(), 36)
