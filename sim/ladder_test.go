package sim

import "testing"

// mixed delays are what a retry storm schedules: short service, long backoff,
// timeouts of one constant, and now and then many events for one instant.
func mixedDelay(luck *Stream, now Time) Time {
	switch u := luck.Intn(100); {
	case u < 75:
		return Time(luck.Exp() * float64(2*Millisecond))
	case u < 90:
		return Time(luck.Exp() * float64(200*Millisecond))
	case u < 95:
		return 10 * Second
	}
	return Second - now%Second // a clump at each full second
}

// pair drives the ladder and the heap alike.
type pair struct {
	l    ladder
	h    heap
	seq  uint64
	luck Stream
}

func newPair() *pair {
	p := &pair{luck: Seed(3).Stream("pair")}
	p.l.init()
	return p
}

func (p *pair) push(t Time) {
	p.seq += seqStep
	e := entry{hi: uint64(t)<<tickShift | p.seq>>seqLowBits, lo: p.seq << tagBits}
	p.l.push(e)
	p.h.push(e)
}

// pop takes the earliest of both, which must be the same.
func (p *pair) pop(t *testing.T) Time {
	t.Helper()
	got, want := p.l.min(nil), p.h.pop()
	if got != want {
		t.Fatalf("after %d events: ladder gave %v, heap %v", p.seq/seqStep, got.event(), want.event())
	}
	p.l.pop()
	if p.l.n != len(p.h) {
		t.Fatalf("after %d events: ladder holds %d, heap %d", p.seq/seqStep, p.l.n, len(p.h))
	}
	return want.event().At
}

func TestLadderOrdersMixedScales(t *testing.T) {
	for _, n := range []int{1, smallMax, 1000, 50_000} {
		p := newPair()
		for range n {
			p.push(mixedDelay(&p.luck, 0))
		}
		for range 3*n + 1000 {
			now := p.pop(t)
			p.push(now + mixedDelay(&p.luck, now))
		}
		for len(p.h) > 0 {
			p.pop(t)
		}
	}
}

func TestLadderEmptiedAndRefilled(t *testing.T) {
	p := newPair()
	var now Time
	for _, n := range []int{3, 2000, 1, 60, 500, 0, 30_000, 49, 10} {
		for range n {
			p.push(now + mixedDelay(&p.luck, now))
		}
		for range n {
			now = p.pop(t)
		}
	}
}

// After a look at the next event its slot is open, and what is scheduled
// before it, or in it, must still come first.
func TestLadderTakesEarlierEventsAfterALookAhead(t *testing.T) {
	p := newPair()
	for i := range 3000 {
		p.push(Hour + Time(i)*Second)
	}
	for i := range Time(500) {
		p.l.min(nil)
		p.push(Hour - i)
		p.push(Hour - i + Time(p.luck.Intn(1000)))
	}
	for len(p.h) > 0 {
		p.pop(t)
	}
}

// Many events of one instant, pushed one by one behind those that are already
// sorted: each must not cost a walk past all of them. This test is a matter of
// a tenth of a second, or of minutes.
func TestLadderTakesAClumpInItsStride(t *testing.T) {
	p := newPair()
	for range 300_000 {
		p.push(Second)
	}
	for range 300_000 {
		now := p.pop(t)
		p.push(now)
	}
	for len(p.h) > 0 {
		p.pop(t)
	}
}

// judge calls every timer dead that is due at an odd time.
type judge struct{}

func (judge) Handle(Event)       {}
func (judge) Live(ev Event) bool { return ev.At%2 == 0 }

func TestLadderDropsDeadTimersOnTheWay(t *testing.T) {
	var l ladder
	l.init()
	luck := Seed(4).Stream("timers")
	const n = 20_000
	for i := range uint64(n) {
		at := 1 + 2*luck.Intn(1<<40)
		l.push(entry{hi: at << tickShift, lo: (i*seqStep | timerMark) << tagBits})
	}
	l.push(entry{hi: 1 << (41 + tickShift)})
	if m := l.min(judge{}); m.tick() != 1<<41 || l.n != 1 {
		t.Errorf("first live entry at %d, %d left; want %d, 1", m.tick(), l.n, 1<<41)
	}
	l.pop()
	if l.min(judge{}) != idle {
		t.Error("the empty ladder has a first entry")
	}
}
