package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cascadesim/model"
	"cascadesim/model/load"
)

// tracer is a function that is told what happens.
type tracer func(model.TraceRecord)

func (f tracer) Trace(r model.TraceRecord) { f(r) }

// batch is how many records go from a run to the comparison at once.
const batch = 1024

// records runs a plan and sends what happens; the channel is closed at the end of the run. Event
// numbers and the timeline are left out: two runs may do the same with more events and changes.
func records(ctx context.Context, p *model.Plan, seed uint64) <-chan []model.TraceRecord {
	out := make(chan []model.TraceRecord)
	go func() {
		defer close(out)
		var some []model.TraceRecord
		send := func() {
			select {
			case out <- some:
			case <-ctx.Done():
			}
			some = nil
		}
		_, _ = p.Run(ctx, seed, model.RunOptions{Tracer: tracer(func(r model.TraceRecord) {
			if r.What == "change" {
				return
			}
			r.Event = 0
			if some = append(some, r); len(some) == batch {
				send()
			}
		})})
		send()
	}()
	return out
}

// divergence runs two plans side by side and says what each did at the first point where they part,
// and what both did before. Nothing else of the runs is kept, however long they are.
func divergence(t *testing.T, a, b *model.Plan, seed uint64) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	xs, ys := records(ctx, a, seed), records(ctx, b, seed)
	var before []model.TraceRecord
	for n := 0; ; n += batch {
		x, y := <-xs, <-ys
		for i := range min(len(x), len(y)) {
			if x[i] != y[i] {
				return fmt.Sprintf("the runs part at record %d\n%s  one:   %s\n  other: %s", n+i,
					lines(a, before), line(a, x[i]), line(b, y[i]))
			}
			before = append(before, x[i])
			before = before[max(0, len(before)-5):]
		}
		if len(x) != len(y) {
			return fmt.Sprintf("one run ends at record %d, the other goes on\n%s",
				n+min(len(x), len(y)), lines(a, before))
		}
		if len(x) < batch {
			return fmt.Sprintf("the traces of %d records agree", n+len(x))
		}
	}
}

func lines(p *model.Plan, some []model.TraceRecord) string {
	var b strings.Builder
	for _, r := range some {
		fmt.Fprintf(&b, "  both:  %s\n", line(p, r))
	}
	return b.String()
}

// line is a record as a person reads it.
func line(p *model.Plan, r model.TraceRecord) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%.9fs %s", r.At.Seconds(), r.What)
	if r.Request != 0 {
		fmt.Fprintf(&b, " request %x of %s", uint64(r.Request), p.World.Clients[r.Client].Name)
	}
	if r.Attempt != 0 {
		fmt.Fprintf(&b, " attempt %x, try %d", uint64(r.Attempt), r.N)
	}
	if r.Edge >= 0 {
		fmt.Fprintf(&b, " over %s", p.World.Edges[r.Edge].Name)
	}
	if r.Replica >= 0 {
		at := p.World.Replicas[r.Replica]
		fmt.Fprintf(&b, " at %s@%s", p.World.Tiers[at.Tier].Name, at.Name)
	}
	fmt.Fprintf(&b, " class %v status %d wait %v %s", r.Class, r.Status, r.Wait, r.Text)
	return b.String()
}

func TestDivergenceFindsTheFirstDifference(t *testing.T) {
	src := file(storm)
	a := planOf(t, src, load.Options{})
	if got := divergence(t, a, a, 1); !strings.HasSuffix(got, "records agree") {
		t.Errorf("a run and itself: %s", got)
	}
	nine := planOf(t, src, load.Options{Sets: []string{"tiers.store.slots=9"}})
	got := divergence(t, a, nine, 1)
	if !strings.Contains(got, "the runs part") || !strings.Contains(got, "other: ") {
		t.Errorf("ten slots and nine: %s", got)
	}
}
