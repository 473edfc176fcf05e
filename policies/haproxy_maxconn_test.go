package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestHaproxyDynamicLimit(t *testing.T) {
	grows := HaproxyMaxconn{Minconn: 100, Maxconn: 1000, Fullconn: 10_000}
	for _, c := range []struct {
		name   string
		s      HaproxyMaxconn
		beconn int64
		want   int64
	}{
		{"low", grows, 500, 100}, {"still low", grows, 1000, 100}, {"half", grows, 5000, 500},
		{"nearly full", grows, 9999, 999}, {"full", grows, 10_000, 1000}, {"over", grows, 1e6, 1000},
		{"static", HaproxyMaxconn{Maxconn: 7}, 1, 7},
		{"minconn above maxconn", HaproxyMaxconn{Minconn: 9, Maxconn: 7, Fullconn: 100}, 1, 9},
	} {
		if got := newHaproxyTerms(c.s).limit(0, c.beconn, 0); got != c.want {
			t.Errorf("%s: a limit of %d at %d, want %d", c.name, got, c.beconn, c.want)
		}
	}
}

func TestHaproxySlowstart(t *testing.T) {
	terms := newHaproxyTerms(HaproxyMaxconn{
		Maxconn: 1000, Slowstart: 60 * sim.Second, UpAt: 100 * sim.Second,
	})
	for at, want := range map[sim.Time]int64{
		-1: 1000, 0: 1, sim.Second - 1: 1, sim.Second: 10, 5 * sim.Second: 80, 15 * sim.Second: 250,
		30 * sim.Second: 500, 59 * sim.Second: 980, 60*sim.Second - 1: 980, 60 * sim.Second: 1000,
	} {
		if got := terms.limit(100*sim.Second+at, 0, 0); got != want {
			t.Errorf("%d ns after it came up: a limit of %d, want %d", at, got, want)
		}
	}
	rounded := newHaproxyTerms(HaproxyMaxconn{Maxconn: 10, Slowstart: 1500 * sim.Millisecond})
	if got := rounded.limit(sim.Second, 0, 0); got != 5 {
		t.Errorf("1.5 s of slowstart are 2: a limit of %d after one, want 5", got)
	}
}

// A server that starts slowly looks at its queue each second or twentieth of that time, up to the
// first look at which it is over; so it is again when the server has been out and is back.
func TestHaproxyLooksAtItsQueueWhileItStartsSlowly(t *testing.T) {
	const sec = sim.Second
	for _, c := range []struct{ slowstart, upAt, up, now, want sim.Time }{
		{60 * sec, 0, 0, 0, 3 * sec}, {60 * sec, 0, 0, 3*sec - 1, 3 * sec},
		{60 * sec, 0, 0, 3 * sec, 6 * sec}, {60 * sec, 0, 0, 60*sec - 1, 60 * sec},
		{60 * sec, 0, 0, 60 * sec, sim.Never},
		{10 * sec, 0, 0, 0, sec}, {2500 * sim.Millisecond, 0, 0, 2 * sec, 3 * sec},
		{2500 * sim.Millisecond, 0, 0, 3 * sec, sim.Never},
		{10 * sec, 5 * sec, 0, 0, sim.Never}, {10 * sec, 5 * sec, 0, 5 * sec, 6 * sec},
		{10 * sec, 0, 90*sec + 1, 95 * sec, 95*sec + 1},
		{0, 0, 0, 0, sim.Never},
	} {
		p := kindOf("haproxy_maxconn").New(HaproxyMaxconn{
			Maxconn: 9, Slowstart: c.slowstart, UpAt: c.upAt, Servers: 1,
		})
		if got := p.Sizer.Until(c.now, c.up); got != c.want {
			t.Errorf("%+v: the next look is at %d", c, got)
		}
	}
	terms := newHaproxyTerms(HaproxyMaxconn{Maxconn: 1000, Slowstart: 60 * sec})
	if got := terms.limit(105*sec, 0, 90*sec); got != 250 {
		t.Errorf("15 s after it came back: a limit of %d, want 250", got)
	}
}

// haproxyServer plays one replica to the policy: slots, and a line that is served in turn.
type haproxyServer struct {
	p       Policy
	now     sim.Time
	served  []*Attempt
	waiting []*Attempt
}

func newHaproxyServer(s HaproxyMaxconn) *haproxyServer {
	return &haproxyServer{p: kindOf("haproxy_maxconn").New(s)}
}

// comes tells what becomes of a request: s it is served, q it waits, - it is turned away.
func (h *haproxyServer) comes() string {
	a := &Attempt{N: 1, Note: new(uint64)}
	if !h.p.Admission.Enter(h.now, a) {
		return "-"
	}
	h.waiting = append(h.waiting, a)
	h.fill()
	if len(h.waiting) > 0 {
		return "q"
	}
	return "s"
}

// leaves ends the first that is served.
func (h *haproxyServer) leaves(o Outcome) {
	a := h.served[0]
	h.served = h.served[1:]
	h.p.Finisher.Finish(h.now, a, 0, o)
	h.fill()
}

func (h *haproxyServer) fill() {
	for len(h.waiting) > 0 &&
		len(h.served) < h.p.Sizer.Slots(h.now, len(h.served)+len(h.waiting), 0) {
		a := h.waiting[0]
		h.waiting = h.waiting[1:]
		if !h.p.Turner.Turn(h.now, a, 0) {
			panic("a turn is refused")
		}
		h.served = append(h.served, a)
	}
}

func (h *haproxyServer) come(n int) (what string) {
	for range n {
		what += h.comes()
	}
	return what
}

// TestHaproxyTurnsPinnedRequestsAway: of four at once two are served and one waits; the fourth may
// come once one has left, whatever became of that.
func TestHaproxyTurnsPinnedRequestsAway(t *testing.T) {
	h := newHaproxyServer(HaproxyMaxconn{Maxconn: 2, Maxqueue: 1, Servers: 1})
	if got := h.come(4); got != "ssq-" {
		t.Errorf("four at once: %s, want ssq-", got)
	}
	for _, o := range []Outcome{{Class: OK}, {Class: Rejected}, {Class: Dropped}} {
		h.leaves(o)
		if got := h.come(2); got != "q-" {
			t.Errorf("after one left as %v: %s, want q-", o.Class, got)
		}
	}
	gaveUp := h.waiting[0]
	h.waiting = nil
	h.p.Finisher.Finish(0, gaveUp, 0, Outcome{Class: Dropped})
	if got := h.come(2); got != "q-" {
		t.Errorf("after one gave up in line: %s, want q-", got)
	}
}

// TestHaproxyQueueHasNoEndUnlessItIsSaid is the backend's queue, of what nothing pins.
func TestHaproxyQueueHasNoEndUnlessItIsSaid(t *testing.T) {
	h := newHaproxyServer(HaproxyMaxconn{Maxconn: 2, Servers: 1})
	if got := h.come(6); got != "ssqqqq" {
		t.Errorf("six at once: %s, want two served and nobody turned away", got)
	}
}

// TestHaproxyLimitFollowsTheBackend: ten servers of 2 to 20 and a fullconn of 200, so that the
// limit is what an even share would be, and a server takes in more the more there is.
func TestHaproxyLimitFollowsTheBackend(t *testing.T) {
	s := HaproxyMaxconn{Minconn: 2, Maxconn: 20, Fullconn: 200, Servers: 10, Maxqueue: 1}
	h := newHaproxyServer(s)
	if got, want := h.come(22), "ssssssssssssssssssssq-"; got != want {
		t.Errorf("22 at one of ten servers: %s, want %s", got, want)
	}
	s.Servers = 1 // a backend of one server is nowhere near its fullconn
	if got := newHaproxyServer(s).come(4); got != "ssq-" {
		t.Errorf("four at a lone server: %s, want minconn served and one waiting", got)
	}
}

// TestHaproxyLimitFallsWithTheBackend: ten are served at a limit of 10; as they leave the limit
// falls behind them, and who waits is served when there is room below it.
func TestHaproxyLimitFallsWithTheBackend(t *testing.T) {
	h := newHaproxyServer(HaproxyMaxconn{Minconn: 1, Maxconn: 10, Fullconn: 20, Servers: 1})
	h.come(20)
	if got := len(h.served); got != 10 {
		t.Fatalf("%d of 20 are served, want 10", got)
	}
	for _, want := range []int{9, 9, 8, 8, 7, 7} { // of 19, 18, ... at the backend
		h.leaves(Outcome{Class: OK})
		if got := len(h.served); got != want {
			t.Errorf("with %d at the backend %d are served, want %d",
				len(h.served)+len(h.waiting), got, want)
		}
	}
}

// TestHaproxyQueueIsLookedAtFirst: the third finds one waiting and is turned away, although it
// would make the backend full and so raise the limit to 2. Where it may wait, both are served.
func TestHaproxyQueueIsLookedAtFirst(t *testing.T) {
	s := HaproxyMaxconn{Minconn: 1, Maxconn: 2, Fullconn: 3, Servers: 1, Maxqueue: 1}
	if got := newHaproxyServer(s).come(3); got != "sq-" {
		t.Errorf("three at a queue of one: %s, want sq-", got)
	}
	s.Maxqueue = 2
	h := newHaproxyServer(s)
	if got := h.come(3); got != "sqq" || len(h.served) != 2 {
		t.Errorf("three at a queue of two: %s and %d served, want the second served at last",
			got, len(h.served))
	}
}

func TestHaproxyWithoutMaxconnThereIsNoLimit(t *testing.T) {
	if got := kindOf("haproxy_maxconn").New(nil).Sizer.Slots(0, 1e6, 0); got >= 0 {
		t.Errorf("%d slots with a maxconn of 0, want no limit", got)
	}
}

func TestHaproxyMaxconnRefusesSettingsThatDoNothing(t *testing.T) {
	for name, s := range map[string]HaproxyMaxconn{
		"a queue for nothing":       {Maxqueue: 5, Servers: 1},
		"a ramp of no limit":        {Slowstart: sim.Second, Servers: 1},
		"a range without its scale": {Minconn: 1, Maxconn: 5, Maxqueue: 5, Servers: 1},
	} {
		if errs := kindOf("haproxy_maxconn").Check(s); len(errs) != 1 {
			t.Errorf("%s: got %v, want one error", name, errs)
		}
	}
}

func BenchmarkHaproxyMaxconn(b *testing.B) {
	s := HaproxyMaxconn{Minconn: 2, Maxconn: 20, Fullconn: 200, Servers: 10, Maxqueue: 1}
	p := kindOf("haproxy_maxconn").New(s)
	a := &Attempt{N: 1, Note: new(uint64)}
	for b.Loop() {
		*a.Note = 0
		if p.Admission.Enter(0, a) && p.Sizer.Slots(0, 1, 0) > 0 {
			p.Turner.Turn(0, a, 0)
			p.Finisher.Finish(0, a, 0, Outcome{})
		}
	}
}

func TestHaproxyBackendMattersBelowMaxconnAlone(t *testing.T) {
	for _, c := range []struct {
		s    HaproxyMaxconn
		want int
	}{
		{HaproxyMaxconn{Maxconn: 100, Servers: 1}, 0},
		{HaproxyMaxconn{Maxconn: 100, Minconn: 10, Fullconn: 500, Servers: 4}, 0},
		{HaproxyMaxconn{Maxconn: 100, Fullconn: 500, Servers: 4}, 2},
		{HaproxyMaxconn{Maxconn: 100, Minconn: 100, Fullconn: 500, Servers: 1}, 1},
		{HaproxyMaxconn{Maxconn: 100, Servers: 4}, 1},
	} {
		if errs := checkHaproxyMaxconn(c.s); len(errs) != c.want {
			t.Errorf("%+v: %v, want %d errors", c.s, errs, c.want)
		}
	}
}
