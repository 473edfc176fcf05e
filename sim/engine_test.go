package sim

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// diary is a handler that notes what comes and does what it is told to.
type diary struct {
	got  []Event
	then func(ev Event) // may be nil
	dead map[Key]bool
}

func (d *diary) Handle(ev Event) {
	d.got = append(d.got, ev)
	if d.then != nil {
		d.then(ev)
	}
}

func (d *diary) Live(ev Event) bool { return !d.dead[ev.Key] }

// ids lists who came, in order.
func (d *diary) ids() []uint32 {
	var ids []uint32
	for _, ev := range d.got {
		ids = append(ids, ev.ID)
	}
	return ids
}

// both runs a test on the engine and on its plain twin.
func both(t *testing.T, test func(t *testing.T, en *Engine)) {
	t.Run("engine", func(t *testing.T) { test(t, NewEngine()) })
	t.Run("plain", func(t *testing.T) { test(t, NewPlain()) })
}

func expect(t *testing.T, got, want []uint32) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("delivered %v, want %v", got, want)
	}
}

func TestEventsOfOneInstantComeInTheOrderScheduled(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		lane, timers, source := en.Lane(10), en.TimerLane(10), en.Source(0, 3)
		en.At(10, 9, 1)
		en.After(lane, 5, 2)
		en.Set(source, 10)
		en.Arm(timers, 1, 4)
		en.ArmAt(10, 7, 5)
		en.After(lane, 0, 6)
		en.At(10, 0, 7)
		en.At(9, 0, 8)
		d := &diary{}
		d.then = func(ev Event) {
			if ev.ID == 2 {
				en.At(10, 0, 9)
				en.After(en.Lane(0), 0, 10)
			}
		}
		en.Run(Never, 0, d)
		expect(t, d.ids(), []uint32{8, 1, 2, 3, 4, 5, 6, 7, 9, 10})
	})
}

func TestEventsCarryWhatTheyWereScheduledWith(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		d := &diary{}
		var want []Event
		en.Run(3, 0, d)
		want = append(want, Event{At: MaxTime, Kind: 63, ID: 1<<30 - 1, Key: en.At(MaxTime, 63, 1<<30-1)})
		want = slices.Insert(want, 0, Event{At: 7, Kind: 1, ID: 2, Key: en.ArmAt(7, 1, 2)})
		want = slices.Insert(want, 1, Event{At: 8, Kind: 62, Key: en.Arm(en.TimerLane(5), 62, 0)})
		want = slices.Insert(want, 2, Event{At: 9, ID: 5, Key: en.After(en.Lane(6), 0, 5)})
		en.Run(Never, 0, d)
		if !slices.Equal(d.got, want) {
			t.Errorf("delivered %v, want %v", d.got, want)
		}
		if en.Now() != MaxTime || en.Events() != 4 || en.Pending() != 0 {
			t.Errorf("now %d, %d events, %d pending; want %d, 4, 0",
				en.Now(), en.Events(), en.Pending(), MaxTime)
		}
	})
}

// A wait that was drawn from a long tail may end after the clock does.
func TestEventsAfterMaxTimeComeThen(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		d := &diary{}
		en.Run(100, 0, d)
		en.At(MaxTime+1, 0, 1)
		en.After(en.Lane(MaxTime), 0, 2)
		en.Arm(en.TimerLane(MaxTime-10), 0, 3)
		en.ArmAt(2*MaxTime, 0, 4)
		en.At(MaxTime, 0, 5)
		if en.Run(MaxTime, 0, d); len(d.got) != 0 {
			t.Errorf("delivered %v before MaxTime", d.got)
		}
		en.Run(Never, 0, d)
		expect(t, d.ids(), []uint32{1, 2, 3, 4, 5})
		if en.Now() != MaxTime {
			t.Errorf("now %d, want %d", en.Now(), MaxTime)
		}
	})
}

func TestMisuseIsRefused(t *testing.T) {
	cases := map[string]func(en *Engine){
		"before now":                    func(en *Engine) { en.At(99, 0, 0) },
		"below 64":                      func(en *Engine) { en.At(100, 64, 0) },
		"below 1<<30":                   func(en *Engine) { en.ArmAt(100, 0, 1<<30) },
		"(100 ns)":                      func(en *Engine) { en.Set(en.Source(0, 0), 99) },
		"before now (1":                 func(en *Engine) { en.At(math.MinInt64, 0, 0) },
		"kind 64":                       func(en *Engine) { en.Source(64, 0) },
		"id 1073741824":                 func(en *Engine) { en.Source(0, 1<<30) },
		"[0, MaxTime]":                  func(en *Engine) { en.Lane(-1) },
		"TimerLane with":                func(en *Engine) { en.TimerLane(Never) },
		"After called with a TimerLane": func(en *Engine) { en.After(en.TimerLane(1), 0, 0) },
		"Arm called with a Lane":        func(en *Engine) { en.Arm(en.Lane(1), 0, 0) },
		"Set called with a Lane":        func(en *Engine) { en.Set(Source(en.Lane(1)), 100) },
		"be numbered (2^42)": func(en *Engine) {
			en.seq = 1<<seqBits - seqStep
			en.At(100, 0, 0)
		},
		"another Run": func(en *Engine) {
			en.At(100, 0, 0)
			en.Run(Never, 0, &diary{then: func(Event) { en.Run(Never, 0, &diary{}) }})
		},
	}
	for want, do := range cases {
		both(t, func(t *testing.T, en *Engine) {
			en.Run(100, 0, &diary{})
			defer func() {
				said, _ := recover().(string)
				if !strings.HasPrefix(said, "sim: ") || !strings.Contains(said, want) {
					t.Errorf("panic %q, want one with %q", said, want)
				}
			}()
			do(en)
		})
	}
}

// The last events that can be numbered, at the last instant, are still told from none.
func TestTheVeryLastEventsCome(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		en.seq = 1<<seqBits - 3*seqStep
		d := &diary{}
		en.At(MaxTime, 0, 1)
		en.Set(en.Source(0, 2), MaxTime)
		en.Run(Never, 0, d)
		expect(t, d.ids(), []uint32{1, 2})
	})
}

func TestRunStopsBeforeUntil(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		en.At(4, 0, 1)
		en.At(5, 0, 2)
		en.After(en.Lane(5), 0, 3)
		d := &diary{}
		if !en.Run(5, 0, d) || en.Now() != 5 {
			t.Errorf("Run(5) left something before 5, or the clock at %d", en.Now())
		}
		expect(t, d.ids(), []uint32{1})
		if !en.Run(3, 0, d) || en.Now() != 5 {
			t.Errorf("Run(3) at 5 turned the clock to %d", en.Now())
		}
		if !en.Run(6, 0, d) {
			t.Error("Run(6) left something before 6")
		}
		expect(t, d.ids(), []uint32{1, 2, 3})
	})
}

func TestRunKeepsToItsLimit(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		for i := range 5 {
			en.At(Time(i), 0, uint32(i))
		}
		d := &diary{}
		if en.Run(4, 3, d) || en.Now() != 2 {
			t.Errorf("3 of 4 events delivered: said to be all, or the clock at %d", en.Now())
		}
		if !en.Run(4, 1, d) || en.Now() != 4 {
			t.Errorf("the last before 4 delivered: said not to be, or the clock at %d", en.Now())
		}
		expect(t, d.ids(), []uint32{0, 1, 2, 3})
	})
}

// What a limited run leaves must not hide behind a dead timer.
func TestDeadTimersAreNotWhatIsLeft(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		en.At(1, 0, 1)
		d := &diary{dead: map[Key]bool{}}
		d.dead[en.ArmAt(2, 0, 2)] = true
		d.dead[en.Arm(en.TimerLane(3), 0, 3)] = true
		if !en.Run(9, 1, d) || en.Events() != 1 || en.Pending() != 0 {
			t.Errorf("%d events delivered, %d pending; want 1, 0", en.Events(), en.Pending())
		}
	})
}

func TestStopEndsRunAfterTheEvent(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		source := en.Source(0, 1)
		en.Set(source, 1)
		en.At(2, 0, 2)
		d := &diary{}
		d.then = func(Event) { en.Stop() }
		for i := range 2 {
			if en.Run(9, 0, d) || len(d.got) != i+1 || en.Now() != Time(i+1) {
				t.Errorf("after Stop in event %d: %d delivered, now %d", i+1, len(d.got), en.Now())
			}
		}
		if !en.Run(9, 0, d) {
			t.Error("Run without Stop did not finish")
		}
	})
}

func TestASourceHasOneEvent(t *testing.T) {
	both(t, func(t *testing.T, en *Engine) {
		a, b := en.Source(1, 1), en.Source(2, 2)
		en.Set(a, 5)
		en.Set(b, 6)
		en.Set(a, 7) // put off, behind b
		en.Set(b, 3) // and brought forward
		d := &diary{}
		d.then = func(ev Event) {
			switch len(d.got) {
			case 1: // b at 3: again at once, and a not at all
				en.Set(b, 3)
				en.Set(a, Never)
			case 2: // b sets itself twice
				en.Set(b, 9)
				en.Set(b, 8)
				en.Set(a, 8)
			}
		}
		en.Run(Never, 0, d)
		expect(t, d.ids(), []uint32{2, 2, 2, 1})
		if en.Now() != 8 || en.Pending() != 0 {
			t.Errorf("now %d, %d pending; want 8, 0", en.Now(), en.Pending())
		}
	})
}

func TestLanesOfOneDelayAreOne(t *testing.T) {
	en := NewEngine()
	lane, timers := en.Lane(5), en.TimerLane(5)
	if en.Lane(5) != lane || en.TimerLane(5) != timers {
		t.Error("the same delay gave two lanes")
	}
	if lane == en.Lane(6) || lane == timers {
		t.Error("two delays, or events and timers, share a lane")
	}
}
