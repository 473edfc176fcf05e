package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// profileCall plays one call whose every try ends at once with o, and returns how many it made.
func profileCall(p Policy, now sim.Time, o Outcome) int {
	a := Attempt{N: 1}
	if !p.Gate.Admit(now, &a) {
		return 0
	}
	for {
		p.Observer.Observe(now, &a, o)
		if o.Class == OK || !p.Condition.Retryable(now, &a, o) {
			return a.N
		}
		if a.N++; !p.Gate.Admit(now, &a) {
			return a.N - 1
		}
	}
}

func TestLinkerdProfileTriesAsLongAsItsBudgetLasts(t *testing.T) {
	p := kindOf("linkerd_profile").New(nil)
	failed := Outcome{Class: Error, Status: 500}
	for i, want := range []int{101, 1, 1} {
		if got := profileCall(p, 0, failed); got != want {
			t.Errorf("call %d makes %d tries at one instant, want %d", i+1, got, want)
		}
	}
}

// TestLinkerdProfileDepositsForWhatItLeaves: four of five outcomes earn a fifth of a retry each;
// what it wanted to try again, and what a timeout of the route ended, earn nothing.
func TestLinkerdProfileDepositsForWhatItLeaves(t *testing.T) {
	s := LinkerdProfile{RetryRatio: 0.2, TTL: sim.Second, StatusMin: 500, StatusMax: 599}
	for _, c := range []struct {
		name string
		o    Outcome
		want int
	}{
		{"ok", Outcome{Class: OK}, 20},
		{"404", Outcome{Class: Error, Status: 404}, 20},
		{"rule 429", Outcome{Class: Blocked, Status: 429}, 20},
		{"refused", connectRefused, 20},
		{"reset", resetLater, 20},
		{"no replica", Outcome{Class: Rejected, Status: 503, Unreached: true}, 20},
		{"500", Outcome{Class: Error, Status: 500}, 0},
		{"full", Outcome{Class: Rejected, Status: 503}, 0},
		{"timed out", answerLate, 0},
	} {
		p := kindOf("linkerd_profile").New(s)
		for range 100 {
			if got := profileCall(p, 0, c.o); got != 1 {
				t.Errorf("%s: %d tries without a budget, want 1", c.name, got)
			}
		}
		if got := granted(p.Gate, 0); got != c.want {
			t.Errorf("%s: a hundred earn %d retries, want %d", c.name, got, c.want)
		}
	}
}

func TestLinkerdProfileHasItsOwnFailures(t *testing.T) {
	s := *kindOf("linkerd_profile").Settings().(*LinkerdProfile)
	s.StatusMin, s.StatusMax = 503, 503
	p := kindOf("linkerd_profile").New(s)
	for status, want := range map[int]bool{500: false, 502: false, 503: true, 504: false} {
		o := Outcome{Class: Error, Status: status}
		if got := p.Condition.Retryable(0, &Attempt{N: 1}, o); got != want {
			t.Errorf("%d of class 503: tried again %t", status, got)
		}
	}
}

// TestLinkerdProfileWhenEverythingFails: a callee that only fails earns nothing, so what is tried
// again is the reserve alone, healed after six tenths of the ttl: 16.7 a second whatever the calls.
func TestLinkerdProfileWhenEverythingFails(t *testing.T) {
	onOneMachine(t)
	for _, perSecond := range []float64{100, 1000} {
		p := kindOf("linkerd_profile").New(nil)
		luck := sim.Seed(63).Stream("calls")
		var retries float64
		const length = 2000 * sim.Second
		for now := sim.Time(0); now < length; now += sim.Time(luck.Exp() * 1e9 / perSecond) {
			n := profileCall(p, now, Outcome{Class: Error, Status: 503})
			if now > 100*sim.Second {
				retries += float64(n - 1)
			}
		}
		near(t, "retries a second", retries/(length-100*sim.Second).Seconds(), 16.7, 0.03)
	}
}

func TestLinkerdAnnotationWaits(t *testing.T) {
	const ms = sim.Millisecond
	last := 1 - math.Pow(2, -53) // the greatest draw there is
	for _, c := range []struct {
		n          int
		luck       float64
		want, less sim.Time
	}{
		{1, 0, 25 * ms, 0}, {1, 0.5, 37_500 * sim.Microsecond, 0}, {1, last, 50 * ms, 1},
		{2, 0, 50 * ms, 0}, {2, last, 100 * ms, 1}, {3, 0, 100 * ms, 0}, {3, last, 200 * ms, 1},
		{4, 0, 200 * ms, 0}, {4, 0.125, 225 * ms, 0}, {4, 0.25 - 1e-8, 250*ms - 2, 0},
		{4, 0.25, 250 * ms, 0}, {4, last, 250 * ms, 0},
		{5, 0, 250 * ms, 0}, {5, last, 250 * ms, 0}, {1 << 30, 0.5, 250 * ms, 0},
	} {
		got := linkerdWait(c.n, c.luck)
		if got > c.want || got < c.want-c.less {
			t.Errorf("retry %d at a draw of %v waits %d, want %d", c.n, c.luck, got, c.want)
		}
	}
}

func TestLinkerdAnnotationWords(t *testing.T) {
	status := func(s int) Outcome { return Outcome{Class: Error, Status: s} }
	noReplica := Outcome{Class: Rejected, Status: 503, Unreached: true}
	for _, c := range []struct {
		name string
		s    LinkerdAnnotation
		yes  []Outcome
		no   []Outcome
	}{
		{"5xx", LinkerdAnnotation{HTTP: []string{"5xx"}},
			[]Outcome{status(500), status(599), {Class: Rejected, Status: 503}, answerLate, connectLost,
				noReplica},
			[]Outcome{status(499), status(404), connectRefused, resetLater}},
		{"gateway-error", LinkerdAnnotation{HTTP: []string{"gateway-error"}},
			[]Outcome{status(502), status(503), status(504), noReplica},
			[]Outcome{status(500), status(501), status(505)}},
		{"a number", LinkerdAnnotation{Statuses: []int{429}},
			[]Outcome{status(429), {Class: Blocked, Status: 429}, answerLate}, []Outcome{status(503)}},
		{"a code", LinkerdAnnotation{GRPC: []string{"unavailable", "internal"}},
			[]Outcome{status(503), status(500)}, []Outcome{status(429), status(504)}},
		{"no annotation", LinkerdAnnotation{}, nil,
			[]Outcome{status(500), answerLate, noReplica, connectRefused}},
	} {
		p := kindOf("linkerd_annotation").New(c.s)
		for _, o := range c.yes {
			if !p.Condition.Retryable(0, &Attempt{N: 1}, o) {
				t.Errorf("%s: %+v is not tried again", c.name, o)
			}
		}
		for _, o := range c.no {
			if p.Condition.Retryable(0, &Attempt{N: 1}, o) {
				t.Errorf("%s: %+v is tried again", c.name, o)
			}
		}
	}
}

// TestLinkerdRetriesDoNotWaitForAReplica: a first try may fail for want of one, a retry ends there.
func TestLinkerdRetriesDoNotWaitForAReplica(t *testing.T) {
	p := kindOf("linkerd_annotation").New(LinkerdAnnotation{HTTP: []string{"5xx"}, Limit: 9})
	noReplica := Outcome{Class: Rejected, Status: 503, Unreached: true}
	for n, want := range map[int]bool{1: true, 2: false, 9: false} {
		if got := p.Condition.Retryable(0, &Attempt{N: n}, noReplica); got != want {
			t.Errorf("try %d without a replica is tried again: %t", n, got)
		}
		if !p.Condition.Retryable(0, &Attempt{N: n}, Outcome{Class: Rejected, Status: 503}) {
			t.Errorf("try %d that a replica rejected is not tried again", n)
		}
	}
}

func TestLinkerdAnnotationLimit(t *testing.T) {
	for limit, want := range map[int]int{0: 2, 1: 2, 3: 4} {
		p := kindOf("linkerd_annotation").New(LinkerdAnnotation{HTTP: []string{"5xx"}, Limit: limit})
		tries := 1
		for p.Condition.Retryable(0, &Attempt{N: tries}, Outcome{Class: Error, Status: 503}) {
			tries++
		}
		if tries != want {
			t.Errorf("limit %d: %d tries, want %d", limit, tries, want)
		}
	}
}

func BenchmarkLinkerdAnnotation(b *testing.B) {
	p := kindOf("linkerd_annotation").New(nil)
	a := Attempt{N: 2}
	for b.Loop() {
		p.Condition.Retryable(0, &a, Outcome{Class: Error, Status: 503})
		p.Pacer.Wait(0, &a, Outcome{})
	}
}
