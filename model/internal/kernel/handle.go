package kernel

import (
	"context"
	"fmt"

	"cascadesim/sim"
)

// Kinds of event; ids are indices of what the comment names.
const (
	evArrival    sim.Kind = iota // client: an open-loop request starts
	evThink                      // identity: a closed-loop client has thought
	evArrive                     // attempt: reaches its replica
	evWork                       // attempt: a work step ends
	evBegin                      // attempt: work starts that waited for the end of a pause
	evBranch                     // call record of a branch: its work ends
	evPatience                   // attempt: waited in line long enough
	evSlots                      // replica: its sizer may have more slots
	evShared                     // replica that shares its slots: the first who shares is done
	evReject                     // attempt: the work of rejecting it ends
	evOpened                     // attempt: its connection is open
	evResend                     // attempt: it got lost, and is sent again
	evAnswer                     // attempt: its delayed answer leaves
	evReply                      // attempt: its answer reaches the caller
	evTimeout                    // attempt: its caller's per-try timer
	evDeadline                   // call: its deadline
	evRetry                      // call: the backoff ends
	evLine                       // line of tries at their caller: it is looked at
	evHedge                      // call: the next copy is due
	evCancel                     // attempt: the message that its caller has gone
	evReseed                     // index into Reseeds
	evChange                     // index into Changes
	evPause                      // index into Pauses
	evUnpause                    // index into Pauses
	evScale                      // scaler: looks at its gauge
	evState                      // client: the state of its arrivals ends
	evAgain                      // operation that waits: it is repeated
	evJoined                     // fetch of a cache: those who wait for it go on
	evScaled                     // scaler: its oldest decision takes effect
	evCrashLook                  // index into Crashes: its replicas are looked at
	evFull                       // replica: it may hold more than it has memory for
	evUp                         // replica: it is back from a crash
	evLook                       // trigger: its condition is looked at
	evFire                       // trigger: it fires
	evControl                    // control: it begins, or its cool-down or observation is over
	evControlEnd                 // control: it ends
	evProbe                      // watcher: its next probe is due
	evConnected                  // watcher: it is known whether there was a door
)

// Handle reacts to one event.
func (w *world) Handle(ev sim.Event) {
	w.now, w.depth = ev.At, 0
	if ev.At >= w.winEnd {
		w.roll(ev.At)
	}
	switch ev.Kind {
	case evArrival:
		w.onArrival(ev.ID)
	case evThink:
		w.onThink(ev.ID)
	case evArrive:
		w.arrives(w.attempts.at(ev.ID))
	case evWork:
		w.onWork(w.attempts.at(ev.ID), ev.Key)
	case evBegin:
		w.onBegin(w.attempts.at(ev.ID), ev.Key)
	case evBranch:
		w.onBranch(w.calls.at(ev.ID), ev.Key)
	case evPatience:
		w.onPatience(w.attempts.at(ev.ID))
	case evSlots:
		w.onSlots(&w.replicas[ev.ID])
	case evShared:
		w.onShared(&w.replicas[ev.ID])
	case evReject:
		w.onRejected(w.attempts.at(ev.ID), ev.Key)
	case evOpened:
		w.onOpened(w.attempts.at(ev.ID), ev.Key)
	case evResend:
		w.onResend(w.attempts.at(ev.ID), ev.Key)
	case evAnswer:
		w.onAnswer(w.attempts.at(ev.ID), ev.Key)
	case evReply:
		w.replied(w.attempts.at(ev.ID))
	case evTimeout:
		w.onTimeout(w.attempts.at(ev.ID))
	case evDeadline:
		w.onDeadline(w.calls.at(ev.ID))
	case evRetry:
		w.onRetry(w.calls.at(ev.ID), ev.Key)
	case evLine:
		w.onLine(ev.ID)
	case evHedge:
		w.onHedge(w.calls.at(ev.ID), ev.Key)
	case evCancel:
		w.onCancel(w.attempts.at(ev.ID), ev.Key)
	default:
		w.befall(ev)
	}
	if w.draining && w.calls.live == 0 && w.attempts.live == 0 {
		w.en.Stop()
	}
}

// befall reacts to an event that is about no attempt or call but about the world they live in.
func (w *world) befall(ev sim.Event) {
	switch ev.Kind {
	case evReseed:
		w.onReseed(ev.ID)
	case evChange:
		w.onChange(ev.ID)
	case evPause:
		w.onPause(ev.ID)
	case evUnpause:
		w.onUnpause(ev.ID)
	case evScale:
		w.onScale(ev.ID)
	case evState:
		w.onState(ev.ID)
	case evAgain:
		w.onAgain(ev.ID)
	case evJoined:
		w.onJoined(ev.ID)
	case evScaled:
		w.onScaled(ev.ID)
	case evCrashLook:
		w.onCrashLook(ev.ID)
	case evFull:
		w.onFull(ev.ID)
	case evUp:
		w.onUp(ev.ID)
	case evLook:
		w.onLook(ev.ID)
	case evControl:
		w.onControl(ev.ID, ev.Key)
	case evControlEnd:
		w.onControlEnd(ev.ID)
	case evFire:
		w.onFire(ev.ID)
	case evProbe:
		w.onProbe(ev.ID)
	case evConnected:
		w.onConnected(ev.ID)
	default:
		panic(fmt.Sprintf("kernel: no event has kind %d", ev.Kind))
	}
}

// Live tells whether a timer still stands.
func (w *world) Live(ev sim.Event) bool {
	switch ev.Kind {
	case evTimeout:
		return w.attempts.at(ev.ID).timer == ev.Key
	case evShared:
		return w.replicas[ev.ID].shared.timer == ev.Key
	case evDeadline:
		return w.calls.at(ev.ID).timer == ev.Key
	case evPatience:
		a := w.attempts.at(ev.ID)
		return a.event == ev.Key && a.place == inLine
	default:
		panic(fmt.Sprintf("kernel: kind %d is no timer", ev.Kind))
	}
}

// slice is how many events pass between looks at the context.
const slice = 1 << 17

// Run simulates one replication of a plan. It stops early, with the context's error, when ctx is
// cancelled, with a *Standstill when time does not pass, and at Options.UntilEvent.
func Run(ctx context.Context, p *Plan, seed uint64, o Options) (res *Result, err error) {
	w := newWorld(p, seed, o)
	defer func() {
		if r := recover(); r != nil {
			still, ok := r.(*Standstill)
			if !ok {
				w.report(o) // so that whoever catches it knows which event it was
				panic(r)
			}
			res, err = nil, still
		}
	}()
	if err := w.advance(ctx, p.End, o); err != nil {
		return nil, err
	}
	if p.Drain > 0 && (w.calls.live > 0 || w.attempts.live > 0) {
		w.draining = true
		if err := w.advance(ctx, p.End+p.Drain, o); err != nil {
			return nil, err
		}
	}
	return w.finish(), nil
}

// advance runs until a time, or until the handler stops the engine.
func (w *world) advance(ctx context.Context, until sim.Time, o Options) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := uint64(slice)
		if o.UntilEvent > 0 {
			left := o.UntilEvent - min(o.UntilEvent, w.en.Events())
			if left == 0 {
				return nil
			}
			n = min(n, left)
		}
		before := w.en.Events()
		done := w.en.Run(until, n, w)
		w.report(o)
		if err := w.moves(); err != nil {
			return err
		}
		if done || w.en.Events()-before < n {
			return nil
		}
	}
}

// report tells how far the replication is.
func (w *world) report(o Options) {
	if o.Progress != nil {
		o.Progress(Progress{Now: w.en.Now(), End: w.p.End, Events: w.en.Events()})
	}
}
