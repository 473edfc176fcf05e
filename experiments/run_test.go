package experiments

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"cascadesim/model"
	"cascadesim/model/load"
	"cascadesim/sim"
	"cascadesim/topologies"
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
	err := Each(ctx, 1000, 1, func(context.Context, int) error {
		if done.Add(1) == 10 {
			cancel()
		}
		return nil
	})
	if n := done.Load(); n < 10 || n > 11 {
		t.Errorf("%d were done; after the tenth at most one that was on its way", n)
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

// storm is a minute and a half of the two-tier outage: the fault has begun, queues are full.
func storm(t *testing.T) *model.Plan {
	t.Helper()
	src, err := topologies.Open("two-tier")
	if err != nil {
		t.Fatal(err)
	}
	document, problems := load.Open(src)
	if document == nil {
		t.Fatal(problems)
	}
	plan, problems := document.Plan(load.Options{Until: "150s"})
	if plan == nil {
		t.Fatal(problems)
	}
	return plan
}

func TestResultsAreTheSameForAnyNumberOfWorkers(t *testing.T) {
	plan := storm(t)
	var want *Batch
	for _, workers := range []int{1, 2, 5} {
		got, err := Run(context.Background(), plan, Options{Seeds: Seeds(3, 5), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if len(got.Runs) != 5 || got.Asked != 5 {
			t.Fatalf("%d workers: %d of %d replications", workers, len(got.Runs), got.Asked)
		}
		for i, r := range got.Runs {
			if r.Seed != uint64(3+i) || r.Result.Seed != r.Seed {
				t.Errorf("%d workers: place %d holds seed %d", workers, i, r.Result.Seed)
			}
			if !reflect.DeepEqual(r.Result, want.Runs[i].Result) {
				t.Errorf("%d workers: seed %d differs from one worker's", workers, r.Seed)
			}
		}
	}
	if want.Runs[0].Result.Fingerprint == want.Runs[1].Result.Fingerprint {
		t.Error("two seeds gave the same run")
	}
}

func TestCancellingKeepsFinishedReplications(t *testing.T) {
	plan := storm(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	batch, err := Run(ctx, plan, Options{
		Seeds: Seeds(1, 100), Workers: 1,
		Progress: func(p Progress) {
			if p.Done == 2 {
				cancel()
			}
		},
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got error %v, want that it was cancelled", err)
	}
	if len(batch.Runs) != 2 || batch.Runs[1].Seed != 2 || batch.Asked != 100 {
		t.Errorf("kept %d of %d, want the first 2 of 100", len(batch.Runs), batch.Asked)
	}
}

func TestAWorldThatStandsStillIsNoBrokenLaw(t *testing.T) {
	// Every try fails in no time and is sent again at once, more often than a run can bear.
	world := fstest.MapFS{"still.yaml": {Data: []byte(`name: still
tiers: {web: {steps: [{fail: {share: 100%, status: 500}}]}}
clients: {users: {arrivals: 10/s, call: web}}
edges: [{from: users, to: web, retry: {stack: [{max_attempts: {attempts: 900000}}]}}]
duration: 10s
`)}}
	document, problems := load.Open(load.Source{FS: world, Name: "still.yaml"})
	if document == nil {
		t.Fatal(problems)
	}
	plan, problems := document.Plan(load.Options{})
	if plan == nil {
		t.Fatal(problems)
	}
	batch, err := Run(context.Background(), plan, Options{Seeds: Seeds(1, 2)})
	var lawless *Broken
	if batch != nil || err == nil || errors.As(err, &lawless) {
		t.Fatalf("got %v, %v; want nothing but a sentence for the user", batch, err)
	}
	if !strings.Contains(err.Error(), "time stands still") {
		t.Errorf("the sentence is %q", err)
	}
}

func TestAPanicOfTheSimulationBecomesAnError(t *testing.T) {
	plan := storm(t)
	broken := *plan
	world := *plan.World
	world.Edges = world.Edges[:1] // an edge that steps still call: the kernel must not survive it
	broken.World = &world
	_, err := Run(context.Background(), &broken, Options{Seeds: Seeds(9, 1)})
	var lawless *Broken
	if !errors.As(err, &lawless) {
		t.Fatalf("got %v, want a *Broken", err)
	}
	if lawless.Seed != 9 || lawless.Sentence == "" || lawless.Stack == "" || lawless.Event == 0 {
		t.Errorf("got %+v; it must say which seed, what, where and in which event", lawless)
	}
}
