package sim

import (
	library "container/heap"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// agenda is an event set as one writes it without much thought: pointers to events in the
// library's heap, each with a closure.
type agenda struct {
	pending []*happening
	now     Time
	seq     uint64
	events  int
}

type happening struct {
	at  Time
	seq uint64
	do  func()
	is  bool // it still counts
}

func (a *agenda) Len() int { return len(a.pending) }
func (a *agenda) Less(i, j int) bool {
	p, q := a.pending[i], a.pending[j]
	return p.at < q.at || p.at == q.at && p.seq < q.seq
}
func (a *agenda) Swap(i, j int) { a.pending[i], a.pending[j] = a.pending[j], a.pending[i] }
func (a *agenda) Push(x any)    { a.pending = append(a.pending, x.(*happening)) }
func (a *agenda) Pop() any {
	last := len(a.pending) - 1
	h := a.pending[last]
	a.pending = a.pending[:last]
	return h
}

func (a *agenda) after(d Time, do func()) *happening {
	a.seq++
	h := &happening{at: a.now + d, seq: a.seq, do: do, is: true}
	library.Push(a, h)
	return h
}

// closures are the stations of workload_test.go with an agenda: an object for each request, a
// closure for each event, timers that are crossed out and left where they are.
type closures struct {
	agenda
	gap                              float64
	left                             int
	servers                          []*server
	arrival, service, backoff, route Stream
	answered, failed, attempts       int
	trace                            uint64
}

type server struct {
	serving *errand
	line    []*errand
}

type errand struct {
	start   Time
	at      *server
	tries   int
	state   uint8
	timeout *happening
}

func newClosures(n int) *closures {
	w := &closures{gap: serviceMean / 0.9 / float64(n)}
	for range n {
		w.servers = append(w.servers, &server{})
	}
	w.arrival = Seed(1).Stream("arrival")
	w.service = Seed(1).Stream("service")
	w.backoff = Seed(1).Stream("backoff")
	w.route = Seed(1).Stream("route")
	w.after(0, w.arrive)
	return w
}

func (w *closures) run(n int) {
	w.left = n
	for w.left > 0 {
		h := library.Pop(w).(*happening)
		if !h.is {
			continue
		}
		w.now = h.at
		w.events++
		h.do()
	}
}

func (w *closures) arrive() {
	e := &errand{start: w.now, at: w.servers[w.route.Intn(uint64(len(w.servers)))]}
	w.after(1+Time(w.arrival.Exp()*w.gap), w.arrive)
	w.enqueue(e)
	w.left--
}

func (w *closures) enqueue(e *errand) {
	w.attempts++
	e.timeout = w.after(30*Millisecond, func() { w.giveUp(e) })
	if e.at.serving == nil {
		w.serve(e)
		return
	}
	e.state = queued
	e.at.line = append(e.at.line, e)
}

func (w *closures) serve(e *errand) {
	e.at.serving, e.state = e, served
	w.after(1+Time(w.service.Exp()*serviceMean), func() { w.finish(e) })
}

func (w *closures) finish(e *errand) {
	if e.state == served {
		w.answered++
		w.trace = (w.trace ^ uint64(w.now-e.start)) * 0x9e3779b97f4a7c15
		e.timeout.is = false
	}
	s := e.at
	s.serving = nil
	for len(s.line) > 0 {
		next := s.line[0]
		s.line = s.line[1:]
		if next.state == queued {
			w.serve(next)
			return
		}
	}
}

func (w *closures) giveUp(e *errand) {
	e.state = abandoned
	if e.tries == 2 {
		w.failed++
		return
	}
	again := &errand{start: e.start, at: e.at, tries: e.tries + 1, state: waiting}
	jitter := w.backoff.Float64() * float64(10*Millisecond<<e.tries)
	w.after(1+Time(jitter), func() { w.enqueue(again) })
}

func BenchmarkClosures(b *testing.B) {
	for _, stations := range []int{1, 1000, 10_000} {
		b.Run(fmt.Sprint(stations), func(b *testing.B) {
			w := newClosures(stations)
			w.run(max(500_000, 50*stations))
			perOp(b, "request", w.run)
		})
	}
}

// What others are timed by is the same simulation: the same events, attempts, answers and trace.
func TestPeersSimulateTheSame(t *testing.T) {
	station, hold := compiled(t, "station"), compiled(t, "hold")
	for _, n := range []int{1, 30, 1000} {
		const requests = 100_000
		w, naive := newStations(NewEngine(), n), newClosures(n)
		w.run(requests)
		naive.run(requests)
		want := fmt.Sprintf("%d %d %d %d %016x", w.en.Events(), w.attempts, w.answered, w.failed, w.trace)
		if got := fmt.Sprintf("%d %d %d %d %016x", naive.events, naive.attempts, naive.answered,
			naive.failed, naive.trace); got != want {
			t.Errorf("%d stations with closures: %s, want %s", n, got, want)
		}
		if got := said(t, station, requests, n); got != want {
			t.Errorf("%d stations in C: %s, want %s", n, got, want)
		}
	}
	for _, pending := range []int{10, 5000} {
		h := traced{hold: hold0(pending)}
		h.en.Run(Never, 250_000, &h)
		if got, want := said(t, hold, pending, 50_000), fmt.Sprintf("%016x", h.trace); got != want {
			t.Errorf("hold of %d in C: %s, want %s", pending, got, want)
		}
	}
}

// hold0 is a hold of which nothing has come up yet.
func hold0(pending int) *hold {
	h := &hold{en: NewEngine(), luck: Seed(1).Stream("hold"), mean: Time(pending) * Microsecond}
	for i := range pending {
		h.en.At(h.delay(), 0, uint32(i))
	}
	return h
}

type traced struct {
	*hold
	trace uint64
}

func (h *traced) Handle(ev Event) {
	h.trace = (h.trace ^ uint64(ev.At)) * 0x9e3779b97f4a7c15
	h.hold.Handle(ev)
}

// compiled builds a peer in C.
func compiled(t *testing.T, name string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), name)
	cc := exec.Command("gcc", "-O2", "-ffp-contract=off", "-o", out,
		filepath.Join("testdata/peers", name+".c"), "-lm")
	if text, err := cc.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\nthe tests need gcc: make setup installs it", err, text)
	}
	return out
}

// said is what a peer printed after its time.
func said(t *testing.T, program string, args ...int) string {
	t.Helper()
	var words []string
	for _, n := range args {
		words = append(words, strconv.Itoa(n))
	}
	text, err := exec.Command(program, words...).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	return rest
}
