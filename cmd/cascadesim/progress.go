package main

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"cascadesim/experiments"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
)

// patience is how long a run goes on before a bar appears: short runs leave no trace.
const patience = 700 * time.Millisecond

// barSteps is the length of a bar in its own unit.
const barSteps = 1000

// bar shows on stderr how far a batch is, and how long it will take, when stderr is a terminal.
type bar struct {
	mu     sync.Mutex
	shown  *mpb.Progress
	bar    *mpb.Bar
	began  time.Time
	events atomic.Uint64
	ready  <-chan struct{} // it appears no sooner than this is closed; nil: at once
}

// newBar returns nil when nobody is there to look at it.
func newBar(env Env) *bar {
	if terminal(env.Stderr) == nil {
		return nil
	}
	return &bar{
		began: time.Now(),
		shown: mpb.New(mpb.WithOutput(env.Stderr), mpb.WithWidth(40)),
	}
}

// after keeps a bar from appearing before something is done that writes where it will be.
func (b *bar) after(done <-chan struct{}) *bar {
	if b != nil {
		b.ready = done
	}
	return b
}

// due says whether it is time for a bar to appear.
func (b *bar) due() bool {
	if time.Since(b.began) < patience {
		return false
	}
	if b.ready == nil {
		return true
	}
	select {
	case <-b.ready:
		return true
	default:
		return false
	}
}

// progress is what an experiment tells; nil when there is no bar.
func (b *bar) progress() func(experiments.Progress) {
	if b == nil {
		return nil
	}
	return b.tell
}

func (b *bar) tell(p experiments.Progress) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil {
		if !b.due() {
			return
		}
		b.bar = b.add(p.Total)
	}
	b.events.Store(p.Events)
	b.bar.SetCurrent(int64(p.Share * barSteps))
}

func (b *bar) add(total int) *mpb.Bar {
	name := "simulating"
	if total > 1 {
		name = fmt.Sprintf("simulating %d replications", total)
	}
	return b.shown.AddBar(barSteps,
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(decor.Name(name+" ")),
		mpb.AppendDecorators(
			decor.Percentage(),
			decor.Any(func(decor.Statistics) string { return "  " + b.speed() }),
			decor.Any(func(s decor.Statistics) string { return "  " + b.left(s.Current) }),
		),
	)
}

// speed reads the events without the lock of tell, which waits for the bar.
func (b *bar) speed() string {
	seconds := time.Since(b.began).Seconds()
	return fmt.Sprintf("%.1fM events/s", float64(b.events.Load())/1e6/seconds)
}

// left is the time that the rest takes at the speed so far.
func (b *bar) left(current int64) string {
	if current <= 0 {
		return ""
	}
	spent := time.Since(b.began)
	rest := time.Duration(float64(spent) * float64(barSteps-current) / float64(current))
	return "about " + rest.Round(time.Second).String() + " left"
}

// stop takes the bar off the terminal.
func (b *bar) stop() {
	if b == nil {
		return
	}
	b.mu.Lock()
	if b.bar != nil {
		b.bar.Abort(true)
	}
	b.mu.Unlock()
	b.shown.Wait()
}
