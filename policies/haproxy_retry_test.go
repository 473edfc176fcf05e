package policies

import (
	"fmt"
	"slices"
	"testing"

	"cascadesim/sim"
)

// Failures as a proxy sees them.
var (
	connectRefused = Outcome{Class: Dropped, Unreached: true}
	connectLost    = Outcome{Class: TimedOut, Unreached: true}
	resetLater     = Outcome{Class: Dropped}
	answerLate     = Outcome{Class: TimedOut}
)

// haproxyStory plays one request whose every try fails alike after taking so long: when each try
// starts, where it goes (0 is the first server, and each move the next number), and when it ends.
func haproxyStory(
	s HaproxyRetry, o Outcome, took sim.Time,
) (at []sim.Time, to []int, end sim.Time) {
	p := kindOf("haproxy_retry").New(s)
	a := Attempt{N: 1, Deadline: sim.Never}
	place := 0
	for now := sim.Time(0); ; {
		at, to = append(at, now), append(to, place)
		now += took
		if !p.Condition.Retryable(now, &a, o) {
			return at, to, now
		}
		a.N++
		a.Wait = p.Pacer.Wait(now, &a, o)
		if p.Placer.Place(now, &a) == OtherReplica {
			place++
		}
		now += a.Wait
	}
}

func haproxy(change func(s *HaproxyRetry)) HaproxyRetry {
	s := *kindOf("haproxy_retry").Settings().(*HaproxyRetry)
	change(&s)
	return s
}

// redispatches sets option redispatch as a configuration has it: an interval, or 0 for none.
func (s *HaproxyRetry) redispatches(n int) {
	switch {
	case n > 0:
		s.Redispatch, s.Interval = "every", n
	case n < 0:
		s.Redispatch, s.Interval = "last", -n
	}
}

func TestHaproxyPlacesRetries(t *testing.T) {
	for _, c := range []struct {
		retries, redispatch int
		persistence         string
		servers             int
		want                []int
	}{
		{3, 0, "none", 4, []int{0, 0, 0, 0}},
		{3, -1, "cookie", 4, []int{0, 0, 0, 1}},
		{3, -1, "none", 4, []int{0, 1, 2, 3}},
		{3, 1, "cookie", 4, []int{0, 1, 2, 3}},
		{5, -1, "cookie", 4, []int{0, 0, 0, 0, 0, 1}},
		{5, 2, "hash", 4, []int{0, 0, 1, 1, 2, 2}},
		// Disputed: a published table has a cookie move on retries 2 and 4 alone, as a hash does. The
		// source takes the pin away with the first move, so that retries 3 and 5 move, too.
		{5, 2, "cookie", 4, []int{0, 0, 1, 2, 3, 4}},
		{4, -2, "hash", 4, []int{0, 0, 0, 1, 1}},
		{3, -3, "cookie", 4, []int{0, 1, 2, 3}},
		{0, -1, "none", 4, []int{0}},
	} {
		s := haproxy(func(s *HaproxyRetry) {
			s.Retries, s.Persistence, s.Servers = c.retries, c.persistence, c.servers
			s.redispatches(c.redispatch)
		})
		if errs := kindOf("haproxy_retry").Check(s); len(errs) > 0 {
			t.Fatalf("%+v: %v", c, errs)
		}
		if _, got, _ := haproxyStory(s, connectRefused, 0); !slices.Equal(got, c.want) {
			t.Errorf("%+v: servers %v", c, got)
		}
	}
}

func TestHaproxyWaitsOnlyBeforeTheSameServerRefusesAgain(t *testing.T) {
	const ms = sim.Millisecond
	for _, c := range []struct {
		name    string
		o       Outcome
		took    sim.Time
		connect sim.Time
		servers int
		on      int // redispatch
		at      []sim.Time
		end     sim.Time
	}{
		{"refused", connectRefused, 0, 5 * sim.Second, 1, 0,
			[]sim.Time{0, 1000 * ms, 2000 * ms, 3000 * ms}, 3000 * ms},
		{"refused, no timeout", connectRefused, 0, sim.Never, 1, 0,
			[]sim.Time{0, 1000 * ms, 2000 * ms, 3000 * ms}, 3000 * ms},
		{"refused, short timeout", connectRefused, 0, 300 * ms, 1, 0,
			[]sim.Time{0, 300 * ms, 600 * ms, 900 * ms}, 900 * ms},
		{"black hole", connectLost, 300 * ms, 300 * ms, 1, 0,
			[]sim.Time{0, 300 * ms, 600 * ms, 900 * ms}, 1200 * ms},
		{"moves on", connectRefused, 0, 5 * sim.Second, 4, -1, []sim.Time{0, 0, 0, 0}, 0},
		{"nowhere to move", connectRefused, 0, 5 * sim.Second, 1, -1,
			[]sim.Time{0, 1000 * ms, 2000 * ms, 3000 * ms}, 3000 * ms},
		{"may not move", connectRefused, 0, 5 * sim.Second, 4, 0,
			[]sim.Time{0, 1000 * ms, 2000 * ms, 3000 * ms}, 3000 * ms},
	} {
		s := haproxy(func(s *HaproxyRetry) {
			s.Timeout, s.Servers = c.connect, c.servers
			s.redispatches(c.on)
		})
		at, _, end := haproxyStory(s, c.o, c.took)
		if !slices.Equal(at, c.at) || end != c.end {
			t.Errorf("%s: tries at %v, failed at %v; want %v and %v", c.name, at, end, c.at, c.end)
		}
	}
}

func TestHaproxyPinnedRequestWaitsUntilItMoves(t *testing.T) {
	s := haproxy(func(s *HaproxyRetry) {
		s.Redispatch, s.Persistence, s.Servers = "last", "cookie", 4
	})
	at, _, _ := haproxyStory(s, connectRefused, 0)
	if want := []sim.Time{0, sim.Second, 2 * sim.Second, 2 * sim.Second}; !slices.Equal(at, want) {
		t.Errorf("tries at %v, want %v", at, want)
	}
}

func TestHaproxyWords(t *testing.T) {
	failures := map[string]Outcome{
		"refused": connectRefused, "black hole": connectLost, "reset": resetLater, "slow": answerLate,
		"no replica":   {Class: Rejected, Status: 503, Unreached: true},
		"full":         {Class: Rejected, Status: 503},
		"error 500":    {Class: Error, Status: 500},
		"error 501":    {Class: Error, Status: 501},
		"blocked 429":  {Class: Blocked, Status: 429},
		"error 404":    {Class: Error, Status: 404},
		"bad gateway":  {Class: Error, Status: 502},
		"gateway time": {Class: Error, Status: 504},
	}
	for _, c := range []struct {
		words []string
		want  []string
	}{
		{[]string{"none"}, nil},
		{[]string{"conn-failure"}, []string{"black hole", "refused"}},
		{[]string{"empty-response"}, []string{"reset"}},
		{[]string{"response-timeout"}, []string{"slow"}},
		{[]string{"junk-response", "0rtt-rejected"}, nil},
		{[]string{"503"}, []string{"full"}},
		{[]string{"404", "429", "501"}, []string{"blocked 429", "error 404", "error 501"}},
		{[]string{"all-retryable-errors"}, []string{
			"bad gateway", "black hole", "error 500", "full", "gateway time", "refused", "reset", "slow",
		}},
	} {
		p := kindOf("haproxy_retry").New(haproxy(func(s *HaproxyRetry) { s.RetryOn = c.words }))
		var got []string
		for name, o := range failures {
			if p.Condition.Retryable(0, &Attempt{N: 1}, o) {
				got = append(got, name)
			}
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%v tries again %q, want %q", c.words, got, c.want)
		}
	}
}

func TestHaproxyFailedResponsesAreTriedAgainAtOnce(t *testing.T) {
	for _, o := range []Outcome{resetLater, answerLate, {Class: Error, Status: 503}} {
		s := haproxy(func(s *HaproxyRetry) { s.RetryOn = []string{"all-retryable-errors"} })
		at, to, _ := haproxyStory(s, o, 0)
		if fmt.Sprint(at, to) != "[0 0 0 0] [0 0 0 0]" {
			t.Errorf("after %+v: tries at %v of servers %v, want four at once of the same", o, at, to)
		}
	}
}

func TestHaproxySettingsThatItWouldRefuse(t *testing.T) {
	for name, change := range map[string]func(s *HaproxyRetry){
		"an interval beyond the retries": func(s *HaproxyRetry) { s.redispatches(-4); s.Servers = 2 },
		"how many servers is unknown":    func(s *HaproxyRetry) { s.redispatches(1) },
		"none and another word":          func(s *HaproxyRetry) { s.RetryOn = []string{"none", "500"} },
		"no word":                        func(s *HaproxyRetry) { s.RetryOn = nil },
		"microseconds":                   func(s *HaproxyRetry) { s.Timeout = 1500 * sim.Microsecond },
	} {
		if errs := kindOf("haproxy_retry").Check(haproxy(change)); len(errs) != 1 {
			t.Errorf("%s: got %v, want one error", name, errs)
		}
	}
}

func BenchmarkHaproxyRetry(b *testing.B) {
	p := kindOf("haproxy_retry").New(haproxy(func(s *HaproxyRetry) {
		s.Redispatch, s.Servers = "last", 4
	}))
	a := Attempt{N: 2}
	for b.Loop() {
		p.Condition.Retryable(0, &a, connectRefused)
		p.Pacer.Wait(0, &a, connectRefused)
		p.Placer.Place(0, &a)
	}
}

// A request keeps its place on its server while it is to be tried again there, and gives it back
// when it moves on, is answered or ends.
func TestHaproxyKeepsAPlaceForTheNextTry(t *testing.T) {
	for _, c := range []struct {
		name     string
		settings HaproxyRetry
		n        int
		outcome  Outcome
		free     bool
	}{
		{"refused, same server", haproxy(func(*HaproxyRetry) {}), 1, connectRefused, false},
		{"lost, same server", haproxy(func(*HaproxyRetry) {}), 3, connectLost, false},
		{"the last try", haproxy(func(*HaproxyRetry) {}), 4, connectRefused, true},
		{"answered", haproxy(func(*HaproxyRetry) {}), 1, Outcome{Class: OK}, true},
		{"no reason for a retry", haproxy(func(*HaproxyRetry) {}), 1, answerLate, true},
		{"moves on", haproxy(func(s *HaproxyRetry) { s.redispatches(-1); s.Servers = 4 }), 1,
			connectRefused, true},
	} {
		c.settings.Maxconn = 1
		p := kindOf("haproxy_retry").New(c.settings)
		one, two := new(uint64), new(uint64)
		join := func(note *uint64, ahead int) bool {
			return p.Queuer.Join(0, &Attempt{N: 1, Note: note}, ahead) == QueuePass
		}
		servers := max(1, c.settings.Servers)
		for range servers - 1 {
			join(new(uint64), 0)
		}
		if !join(one, 0) || join(two, 0) {
			t.Errorf("%s: want as many served as there are servers, and another one to wait", c.name)
		}
		p.Observer.Observe(0, &Attempt{N: c.n, Note: one}, c.outcome)
		if got := join(two, 0); got != c.free {
			t.Errorf("%s: a place is free: %t, want %t", c.name, got, c.free)
		}
		if !c.free && !join(one, 5) {
			t.Errorf("%s: who has kept its place stands in line for it", c.name)
		}
		p.Closer.Close(0, &Attempt{N: c.n, Note: one}, c.outcome)
		if got := join(two, 0); !got {
			t.Errorf("%s: its call has ended, and it keeps its place", c.name)
		}
		if join(new(uint64), 0) {
			t.Errorf("%s: a place was given back twice", c.name)
		}
	}
}

func TestHaproxyQueueEnds(t *testing.T) {
	for _, c := range []struct{ connect, queue, want sim.Time }{
		{5 * sim.Second, 0, 5 * sim.Second}, {5 * sim.Second, sim.Second, sim.Second},
		{sim.Never, 0, 0}, {5 * sim.Second, sim.Never, 0},
	} {
		s := haproxy(func(s *HaproxyRetry) { s.Maxconn, s.Timeout, s.Queue = 1, c.connect, c.queue })
		if got := kindOf("haproxy_retry").New(s).QueueFor; got != c.want {
			t.Errorf("timeout connect %d, timeout queue %d: waits for %d, want %d", c.connect, c.queue,
				got, c.want)
		}
	}
	pinned := haproxy(func(s *HaproxyRetry) { s.Maxconn, s.Persistence = 1, "cookie" })
	if errs := kindOf("haproxy_retry").Check(pinned); len(errs) != 1 {
		t.Errorf("a pinned request in the backend's queue: %v, want one error", errs)
	}
}
