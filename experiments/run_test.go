package experiments

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"cascadesim/model"
	"cascadesim/sim"
)

func progressAt(now, end sim.Time, events uint64) model.Progress {
	return model.Progress{Now: now * sim.Second, End: end * sim.Second, Events: events}
}

func TestEachFillsEveryPlaceWhateverTheWorkers(t *testing.T) {
	for _, workers := range []int{0, 1, 2, 7, 100} {
		places := make([]int, 50)
		err := Each(context.Background(), len(places), workers, func(_ context.Context, i int) error {
			places[i] += i + 1
			return nil
		})
		if err != nil {
			t.Fatalf("%d workers: %v", workers, err)
		}
		for i, v := range places {
			if v != i+1 {
				t.Errorf("%d workers: place %d holds %d, want %d", workers, i, v, i+1)
			}
		}
	}
}

func TestEachReportsTheErrorOfTheWorkNotItsEchoes(t *testing.T) {
	broken := errors.New("broken")
	started := make(chan struct{})
	err := Each(context.Background(), 2, 2, func(ctx context.Context, i int) error {
		if i == 1 {
			<-started
			return broken
		}
		close(started)
		<-ctx.Done() // index 0 is only cancelled: its error must not hide the other
		return fmt.Errorf("run: %w", ctx.Err())
	})
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want %v", err, broken)
	}
}

func TestEachStopsWhenCancelledAndKeepsWhatIsDone(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var done atomic.Int32
	err := Each(ctx, 1000, 2, func(context.Context, int) error {
		if done.Add(1) == 10 {
			cancel()
		}
		return nil
	})
	if n := done.Load(); n < 10 || n > 12 {
		t.Errorf("%d were done; after the tenth at most the two that were under way", n)
	}
	if err != nil {
		t.Errorf("got %v; what was done had no error", err)
	}
}

func TestSeedsFollowEachOther(t *testing.T) {
	got := Seeds(7, 3)
	if len(got) != 3 || got[0] != 7 || got[1] != 8 || got[2] != 9 {
		t.Errorf("Seeds(7, 3) = %v, want 7, 8, 9", got)
	}
}

func TestMeterAddsUpReplications(t *testing.T) {
	var last Progress
	calls := 0
	m := newMeter(2, func(p Progress) { last = p; calls++ })
	m.tell(0, progressAt(25, 100, 40))
	m.tell(1, progressAt(75, 100, 60))
	if last.Share != 0.5 || last.Events != 100 || last.Done != 0 {
		t.Errorf("half of the time is simulated: got %+v", last)
	}
	m.done(1, 80)
	if last.Share != 0.625 || last.Events != 120 || last.Done != 1 || last.Total != 2 {
		t.Errorf("one of two is done: got %+v", last)
	}
	if calls != 3 {
		t.Errorf("told %d times, want 3", calls)
	}
}
