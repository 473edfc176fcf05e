package sim

import "testing"

// keeper is a handler that lets only the ids below live come to anything.
type keeper struct {
	en      *Engine
	live    uint32
	arm     func(h *keeper)
	expired int
}

func (h *keeper) Live(ev Event) bool { return ev.ID < h.live }

func (h *keeper) Handle(ev Event) {
	if ev.Kind == 0 {
		h.arm(h)
		return
	}
	h.expired++
}

func TestATimerLaneForgetsTheDead(t *testing.T) {
	en := NewEngine()
	lane := en.TimerLane(Second)
	const armed, live = 100_000, 300
	h := &keeper{en: en, live: live}
	h.arm = func(h *keeper) {
		for i := range uint32(armed) {
			en.Arm(lane, 1, i*7919%armed)
		}
	}
	en.At(0, 0, 0)
	en.Run(Second, 0, h)
	if size := len(en.heads.all[lane].ring.buf); size > 4*live {
		t.Errorf("the ring has %d places for %d live timers", size, live)
	}
	if en.Run(Never, 0, h); h.expired != live {
		t.Errorf("%d timers fired, want %d", h.expired, live)
	}
}

// Outside Run nobody can be asked who is alive, and nothing may be lost.
func TestATimerLaneGrowsOutsideRun(t *testing.T) {
	en := NewEngine()
	h := &keeper{live: 1000}
	for i := range uint32(1000) {
		en.Arm(en.TimerLane(5), 1, i)
	}
	if en.Run(Never, 0, h); h.expired != 1000 {
		t.Errorf("%d timers fired, want 1000", h.expired)
	}
}

func TestRingKeepsOrderAcrossItsEnd(t *testing.T) {
	var r ring
	r.grow()
	r.head, r.tail = ^uint32(0)-20, ^uint32(0)-20 // so that the counters wrap on the way
	var in, out uint64
	luck := Seed(5).Stream("ring")
	for range 10_000 {
		if luck.Intn(100) < 52 {
			if r.full() {
				r.grow()
			}
			r.push(entry{lo: in})
			in++
			continue
		}
		if r.len() == 0 {
			continue
		}
		if got := r.first().lo; got != out {
			t.Fatalf("first is %d, want %d", got, out)
		}
		r.head++
		out++
	}
	if r.len() != int(in-out) || len(r.buf) < r.len() {
		t.Errorf("%d in the ring, want %d", r.len(), in-out)
	}
}
