package sim

import "testing"

// The kinds of the station model.
const (
	evArrival Kind = iota
	evFinish
	evTimeout
	evRetry
)

// The states of an attempt.
const (
	queued uint8 = iota
	served
	abandoned
	waiting // to be retried
)

// attempt is one try of one request: half a cache line.
type attempt struct {
	deadline Time
	key      Key
	start    Time
	next     uint32
	station  uint16
	tries    uint8
	state    uint8
}

// station is a server with a queue of attempts, linked through next.
type station struct{ serving, first, last uint32 }

// stations is a small model of the events that the engine is made for:
// requests in one Poisson stream, each for a random single server, which is
// busy 90 % of the time with exponential service of 1 ms; an attempt is given
// up after 30 ms and repeated at most twice after U(0, 10 ms * 2^n). An attempt
// given up in the queue is skipped there; one in service runs on.
type stations struct {
	en       *Engine
	arrivals Source
	timeout  Lane
	gap      float64
	left     int
	at       []station
	slab     []attempt
	free     uint32
	arrival  Stream
	service  Stream
	backoff  Stream
	route    Stream
	answered int
	failed   int
	attempts int
	trace    uint64
}

const serviceMean = 1e6 // ns

func newStations(en *Engine, n int) *stations {
	w := &stations{en: en, gap: serviceMean / 0.9 / float64(n), at: make([]station, n)}
	w.slab = make([]attempt, 1, 1<<20)
	w.arrivals = en.Source(evArrival, 0)
	w.timeout = en.TimerLane(30 * Millisecond)
	w.arrival = Seed(1).Stream("arrival")
	w.service = Seed(1).Stream("service")
	w.backoff = Seed(1).Stream("backoff")
	w.route = Seed(1).Stream("route")
	en.Set(w.arrivals, 0)
	return w
}

// run delivers events until n more requests have arrived.
func (w *stations) run(n int) {
	w.left = n
	w.en.Run(Never, 0, w)
}

func (w *stations) Handle(ev Event) {
	switch ev.Kind {
	case evArrival:
		w.onArrival(ev)
	case evFinish:
		w.onFinish(ev)
	case evTimeout:
		w.onTimeout(ev)
	case evRetry:
		w.enqueue(ev.ID, ev.At)
	default:
		panic("unknown kind")
	}
}

func (w *stations) Live(ev Event) bool {
	a := &w.slab[ev.ID]
	return a.key == ev.Key && a.deadline == ev.At
}

func (w *stations) take() uint32 {
	if id := w.free; id != 0 {
		w.free = w.slab[id].next
		return id
	}
	w.slab = append(w.slab, attempt{})
	return uint32(len(w.slab) - 1)
}

func (w *stations) release(id uint32) {
	w.slab[id].next = w.free
	w.slab[id].deadline = -1
	w.free = id
}

func (w *stations) onArrival(ev Event) {
	id := w.take()
	w.slab[id] = attempt{start: ev.At, station: uint16(w.route.Intn(uint64(len(w.at))))}
	w.en.Set(w.arrivals, ev.At+1+Time(w.arrival.Exp()*w.gap))
	w.enqueue(id, ev.At)
	if w.left--; w.left == 0 {
		w.en.Stop()
	}
}

func (w *stations) enqueue(id uint32, now Time) {
	w.attempts++
	a := &w.slab[id]
	a.deadline = now + 30*Millisecond
	a.key = w.en.Arm(w.timeout, evTimeout, id)
	s := &w.at[a.station]
	if s.serving == 0 {
		w.serve(s, id, now)
		return
	}
	a.state, a.next = queued, 0
	if s.last == 0 {
		s.first = id
	} else {
		w.slab[s.last].next = id
	}
	s.last = id
}

func (w *stations) serve(s *station, id uint32, now Time) {
	s.serving = id
	a := &w.slab[id]
	a.state = served
	w.en.At(now+1+Time(w.service.Exp()*serviceMean), evFinish, uint32(a.station))
}

func (w *stations) onFinish(ev Event) {
	s := &w.at[ev.ID]
	a := &w.slab[s.serving]
	if a.state == served {
		w.answered++
		w.trace = (w.trace ^ uint64(ev.At-a.start)) * 0x9e3779b97f4a7c15
	}
	w.release(s.serving)
	s.serving = 0
	for s.first != 0 {
		id := s.first
		if s.first = w.slab[id].next; s.first == 0 {
			s.last = 0
		}
		if w.slab[id].state == queued {
			w.serve(s, id, ev.At)
			return
		}
		w.release(id)
	}
}

func (w *stations) onTimeout(ev Event) {
	a := &w.slab[ev.ID]
	a.state, a.deadline = abandoned, -1
	if a.tries == 2 {
		w.failed++
		return
	}
	again := attempt{start: a.start, station: a.station, tries: a.tries + 1, state: waiting}
	jitter := w.backoff.Float64() * float64(10*Millisecond<<a.tries)
	id := w.take()
	w.slab[id] = again
	w.en.At(ev.At+1+Time(jitter), evRetry, id)
}

// hold is the classic test of an event set: whatever comes up is scheduled
// again, an exponential time later.
type hold struct {
	en   *Engine
	luck Stream
	mean Time
}

func newHold(en *Engine, pending int) *hold {
	h := &hold{en: en, luck: Seed(1).Stream("hold"), mean: Time(pending) * Microsecond}
	for i := range pending {
		en.At(h.delay(), 0, uint32(i))
	}
	en.Run(Never, uint64(max(pending, 200_000)), h)
	return h
}

func (h *hold) delay() Time { return Time(h.luck.Exp() * float64(h.mean)) }

func (h *hold) Handle(ev Event) { h.en.At(ev.At+h.delay(), ev.Kind, ev.ID) }

func (h *hold) Live(Event) bool { return true }

// The full engine and its plain twin must simulate the same, answer by answer.
func TestStationsAreTheSameOnBothEngines(t *testing.T) {
	for _, n := range []int{1, 30} {
		fast, slow := newStations(NewEngine(), n), newStations(NewPlain(), n)
		fast.run(20_000)
		slow.run(20_000)
		if fast.trace != slow.trace || fast.en.Events() != slow.en.Events() {
			t.Errorf("%d stations: engine trace %x after %d events, plain %x after %d",
				n, fast.trace, fast.en.Events(), slow.trace, slow.en.Events())
		}
		if fast.answered == 0 || fast.failed == 0 && n == 1 {
			t.Errorf("%d stations: %d answered, %d failed", n, fast.answered, fast.failed)
		}
	}
}

// However a run is cut, it is the same run.
func TestARunInSlicesIsTheSameRun(t *testing.T) {
	whole, cut := newStations(NewEngine(), 20), newStations(NewEngine(), 20)
	whole.left, cut.left = -1, -1
	whole.en.Run(3*Second, 0, whole)
	luck := Seed(2).Stream("slices")
	for now := Time(0); now < 3*Second; {
		now = min(now+Time(luck.Intn(uint64(5*Millisecond))), 3*Second)
		for !cut.en.Run(now, luck.Intn(40), cut) {
		}
	}
	if whole.trace != cut.trace || whole.en.Events() != cut.en.Events() {
		t.Errorf("in slices: trace %x after %d events, want %x after %d",
			cut.trace, cut.en.Events(), whole.trace, whole.en.Events())
	}
	if cut.en.Now() != 3*Second {
		t.Errorf("the clock stands at %d", cut.en.Now())
	}
}

func TestNothingIsAllocatedPerEvent(t *testing.T) {
	w := newStations(NewEngine(), 50)
	w.run(200_000)
	if got := testing.AllocsPerRun(5, func() { w.run(20_000) }); got != 0 {
		t.Errorf("%v allocations in 20000 requests, want 0", got)
	}
	h := newHold(NewEngine(), 5000)
	if got := testing.AllocsPerRun(5, func() { h.en.Run(Never, 100_000, h) }); got != 0 {
		t.Errorf("%v allocations in 100000 holds, want 0", got)
	}
}
