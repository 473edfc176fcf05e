package sim

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// The steps of a random script.
const (
	stepAt = iota
	stepAfter
	stepArm
	stepArmAt
	stepSet
	stepDisarm
	stepCancel
	stepWait // for the next event
	steps
)

// step is one thing done to an engine; delay and which choose how.
type step struct {
	what  int
	delay Time
	which int
}

// promise is an event that must come, and when among the others.
type promise struct {
	at    Time
	order int
	kind  Kind
	id    uint32
	timer bool
}

// actor plays a script on an engine, some steps before the run and some in
// each event, and holds every delivery against a sorted list of promises.
type actor struct {
	en       *Engine
	script   []step
	lanes    []Lane
	timers   []Lane
	delays   []Time // of both
	sources  []Source
	promises []promise // the next one last
	armed    map[uint32]Event
	order    int
	got      []Event
	fault    string
}

func newActor(en *Engine, script []step, delays []Time) *actor {
	a := &actor{en: en, script: script, delays: delays, armed: map[uint32]Event{}}
	for i, d := range delays {
		a.lanes = append(a.lanes, en.Lane(d))
		a.timers = append(a.timers, en.TimerLane(d))
		a.sources = append(a.sources, en.Source(Kind(60), uint32(i)))
	}
	return a
}

func (a *actor) Live(ev Event) bool { return a.armed[ev.ID] == ev }

func (a *actor) Handle(ev Event) {
	a.got = append(a.got, ev)
	if len(a.promises) == 0 {
		a.fail(fmt.Sprintf("event %d, %v, was never scheduled", len(a.got), ev))
		return
	}
	p := a.promises[len(a.promises)-1]
	if p.at != ev.At || p.kind != ev.Kind || p.id != ev.ID || a.en.Now() != ev.At {
		a.fail(fmt.Sprintf("event %d is %v at %d, want %v", len(a.got), ev, a.en.Now(), p))
		return
	}
	a.promises = a.promises[:len(a.promises)-1]
	delete(a.armed, p.id)
	a.play()
}

func (a *actor) fail(fault string) {
	if a.fault == "" {
		a.fault = fault
	}
	a.en.Stop()
}

// play takes steps from the script until it says to wait.
func (a *actor) play() {
	for len(a.script) > 0 {
		s := a.script[0]
		a.script = a.script[1:]
		if s.what == stepWait {
			return
		}
		a.do(s)
	}
}

func (a *actor) do(s step) {
	a.order++
	lane := s.which % len(a.delays)
	p := promise{at: a.en.Now() + s.delay, order: a.order, kind: Kind(s.what)}
	p.id = uint32(100 + a.order)
	var key Key
	switch s.what {
	case stepAt:
		a.en.At(p.at, p.kind, p.id)
	case stepAfter:
		p.at = a.en.Now() + a.delays[lane]
		a.en.After(a.lanes[lane], p.kind, p.id)
	case stepArm:
		p.at, p.timer = a.en.Now()+a.delays[lane], true
		key = a.en.Arm(a.timers[lane], p.kind, p.id)
	case stepArmAt:
		p.timer = true
		key = a.en.ArmAt(p.at, p.kind, p.id)
	case stepSet:
		p.kind, p.id = 60, uint32(lane)
		a.forget(lane)
		a.en.Set(a.sources[lane], p.at)
	case stepDisarm:
		a.forget(lane)
		a.en.Set(a.sources[lane], Never)
		return
	case stepCancel:
		a.cancel(s.which)
		return
	}
	if p.timer {
		a.armed[p.id] = Event{At: p.at, Key: key, Kind: p.kind, ID: p.id}
	}
	i, _ := slices.BinarySearchFunc(a.promises, p, later)
	a.promises = slices.Insert(a.promises, i, p)
}

// later sorts the promises.
func later(p, q promise) int {
	return cmp.Or(cmp.Compare(q.at, p.at), cmp.Compare(q.order, p.order))
}

// cancel withdraws a timer, if the promise that was hit is one.
func (a *actor) cancel(which int) {
	if len(a.promises) == 0 {
		return
	}
	i := which % len(a.promises)
	if p := a.promises[i]; p.timer {
		delete(a.armed, p.id)
		a.promises = slices.Delete(a.promises, i, i+1)
	}
}

// forget drops the promise of a source.
func (a *actor) forget(source int) {
	a.promises = slices.DeleteFunc(a.promises, func(p promise) bool {
		return p.kind == 60 && p.id == uint32(source)
	})
}

// drawDelay favours ties and spans all scales up to an hour.
func drawDelay() *rapid.Generator[Time] {
	return rapid.Custom(func(t *rapid.T) Time {
		scales := []Time{0, 1, 3, Microsecond, Millisecond, Second, Hour}
		most := rapid.SampledFrom(scales).Draw(t, "scale")
		return Time(rapid.Int64Range(0, int64(most)).Draw(t, "delay"))
	})
}

// drawScript draws a few weights and a seed, from which the steps follow: a
// slice of drawn steps would never be long enough to fill a rung.
func drawScript(t *rapid.T) []step {
	weights := rapid.SliceOfN(rapid.IntRange(0, 9), steps, steps).Draw(t, "weights")
	scales := rapid.SliceOfN(drawDelay(), 1, 5).Draw(t, "scales")
	luck := Seed(rapid.Uint64().Draw(t, "seed")).Stream("script")
	var urn []int
	for what, w := range weights {
		for range w {
			urn = append(urn, what)
		}
	}
	urn = append(urn, stepAt)
	script := make([]step, rapid.IntRange(1, 3000).Draw(t, "steps"))
	for i := range script {
		scale := scales[luck.Intn(uint64(len(scales)))]
		script[i] = step{
			what:  urn[luck.Intn(uint64(len(urn)))],
			delay: Time(luck.Intn(uint64(scale) + 1)),
			which: int(luck.Intn(1 << 20)),
		}
	}
	return script
}

// Both engines must deliver what was promised, in order, however the run is
// sliced, and the same keys.
func TestEnginesKeepEveryPromise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		script := drawScript(t)
		delays := rapid.SliceOfNDistinct(drawDelay(), 1, 7, rapid.ID).Draw(t, "lanes")
		cut := drawDelay().Draw(t, "cut")
		limit := rapid.Uint64Range(0, 50).Draw(t, "limit")
		opening := rapid.IntRange(1, 20).Draw(t, "opening")
		var got [2][]Event
		for i, en := range []*Engine{NewEngine(), NewPlain()} {
			a := newActor(en, slices.Clone(script), delays)
			for range opening {
				a.play()
			}
			for !en.Run(cut, limit, a) && a.fault == "" {
			}
			en.Run(Never, 0, a)
			if a.fault != "" {
				t.Fatalf("engine %d: %s", i, a.fault)
			}
			if len(a.promises) > 0 || en.Pending() != 0 {
				t.Fatalf("engine %d: %d pending, promises left %v", i, en.Pending(), a.promises)
			}
			got[i] = a.got
		}
		if !slices.Equal(got[0], got[1]) {
			t.Fatalf("engine delivered %v, plain %v", got[0], got[1])
		}
	})
}
