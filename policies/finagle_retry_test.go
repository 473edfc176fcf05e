package policies

import (
	"slices"
	"testing"

	"cascadesim/sim"
)

const halfLuck = 1 << 63 // the middle of every range

// listOf is the first waits of a list, each draw in the middle of its range.
func listOf(s FinagleBackoff, n int) (out []sim.Time) {
	l := newFinagleList(s)
	var wait sim.Time
	for i := range n {
		wait = l.wait(wait, i+1, halfLuck)
		out = append(out, wait)
	}
	return out
}

func TestFinagleLists(t *testing.T) {
	const s, ms = sim.Second, sim.Millisecond
	for name, c := range map[string]struct {
		list FinagleBackoff
		want []sim.Time
	}{
		"decorrelated": {
			FinagleBackoff{Kind: "decorrelated_jittered", Start: s, Max: 10 * s},
			[]sim.Time{s, 2 * s, 4 * s, 7 * s, 8500 * ms, 9250 * ms, 9625 * ms},
		},
		"equal": {
			FinagleBackoff{Kind: "equal_jittered", Start: 5 * s, Max: 300 * s},
			[]sim.Time{5 * s, 7500 * ms, 15 * s, 30 * s, 60 * s, 120 * s, 240 * s, 300 * s, 300 * s},
		},
		"exponential jittered": {
			FinagleBackoff{Kind: "exponential_jittered", Start: s, Max: 60 * s},
			[]sim.Time{s, s, 2 * s, 8 * s, 60 * s, 60 * s},
		},
		"exponential": {
			FinagleBackoff{Kind: "exponential", Start: s, Multiplier: 3, Max: 20 * s},
			[]sim.Time{s, 3 * s, 9 * s, 20 * s, 20 * s},
		},
		// A third of 27 s is reached, not passed, by 9 s: the list is constant from there on.
		"exponential that meets its end": {
			FinagleBackoff{Kind: "exponential", Start: s, Multiplier: 3, Max: 27 * s},
			[]sim.Time{s, 3 * s, 9 * s, 27 * s, 27 * s},
		},
		"exponential to what it does not divide": {
			FinagleBackoff{Kind: "exponential", Start: 1, Multiplier: 3, Max: 10}, []sim.Time{1, 3, 10},
		},
		"exponential of 1": {
			FinagleBackoff{Kind: "exponential", Start: 9 * s, Multiplier: 1, Max: 3 * s},
			[]sim.Time{9 * s, 9 * s},
		},
		"exponential from beyond its end": {
			FinagleBackoff{Kind: "exponential", Start: 9 * s, Multiplier: 2, Max: 3 * s},
			[]sim.Time{3 * s, 3 * s},
		},
		"linear": {
			FinagleBackoff{Kind: "linear", Start: s, Offset: 2 * s, Max: 6 * s},
			[]sim.Time{s, 3 * s, 5 * s, 6 * s, 6 * s},
		},
		"linear of 0": {
			FinagleBackoff{Kind: "linear", Start: 9 * s, Max: 3 * s}, []sim.Time{9 * s, 9 * s},
		},
		"const": {FinagleBackoff{Kind: "const", Start: s, Max: ms}, []sim.Time{s, s}},
		"jittered from its end": {
			FinagleBackoff{Kind: "equal_jittered", Start: s, Max: s}, []sim.Time{s, s},
		},
		"without end": {
			FinagleBackoff{Kind: "exponential", Start: s, Multiplier: 1000, Max: sim.Never},
			[]sim.Time{s, 1000 * s, sim.MaxTime, sim.MaxTime},
		},
	} {
		if got := listOf(c.list, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("%s: waits %v, want %v", name, got, c.want)
		}
	}
}

// TestFinagleJitterKeepsItsRange at both ends of every draw, to the nanosecond.
func TestFinagleJitterKeepsItsRange(t *testing.T) {
	const s = sim.Second
	const most = 1<<64 - 1
	short := newFinagleList(FinagleBackoff{Kind: "decorrelated_jittered", Start: 1, Max: 10})
	if got := short.wait(3, 2, most); got != 9 { // 3 is a third of 10 in whole numbers
		t.Errorf("after 3 of 10 at most %d, want 9", got)
	}
	for _, c := range []struct {
		kind      string
		previous  sim.Time
		n         int
		low, high sim.Time
	}{
		{"decorrelated_jittered", 2 * s, 3, 2 * s, 6*s - 1},
		{"decorrelated_jittered", 4 * s, 3, 4 * s, 10*s - 1}, // three times it would pass max
		{"equal_jittered", 0, 3, 2 * s, 4*s - 1},
		{"equal_jittered", 0, 4, 4 * s, 8*s - 1},
		{"equal_jittered", 0, 5, 8 * s, 10 * s}, // the jitter reaches max, and ends the list
		{"exponential_jittered", s, 3, 0, 4*s - 1},
	} {
		l := newFinagleList(FinagleBackoff{Kind: c.kind, Start: s, Max: 10 * s})
		if got := l.wait(c.previous, c.n, 0); got != c.low {
			t.Errorf("%+v: at least %d", c, got)
		}
		if got := l.wait(c.previous, c.n, most); got != c.high {
			t.Errorf("%+v: at most %d", c, got)
		}
	}
}

func TestFinagleListEndsACall(t *testing.T) {
	for _, c := range []struct {
		take  int
		until sim.Time
		want  int
	}{
		{0, 0, 20}, {3, 0, 3}, {0, 3 * sim.Second, 3}, {0, 3*sim.Second + 1, 4},
		{2, 3 * sim.Second, 2},
	} {
		s := FinagleBackoff{Kind: "const", Start: sim.Second, Take: c.take, TakeUntil: c.until}
		p := kindOf("finagle_backoff").New(s)
		a := Attempt{N: 1, Note: new(uint64)}
		retries := 0
		for a.N = 2; retries < 20 && p.Gate.Admit(0, &a); a.N++ {
			a.Wait = p.Pacer.Wait(0, &a, Outcome{})
			retries++
		}
		if retries != c.want {
			t.Errorf("take %d, until %d: %d retries, want %d", c.take, c.until, retries, c.want)
		}
	}
}

// finagleClient plays the calls of one Finagle client, each at one instant.
type finagleClient struct {
	p    Policy
	luck sim.Stream
}

func newClient(change func(s *FinagleRetry)) *finagleClient {
	s := *kindOf("finagle_retry").Settings().(*FinagleRetry)
	change(&s)
	if errs := kindOf("finagle_retry").Check(s); len(errs) > 0 {
		panic(errs[0])
	}
	return &finagleClient{p: kindOf("finagle_retry").New(s), luck: sim.Seed(4).Stream("client")}
}

// call plays one call whose tries end as outcomes say, the last of them again and again, and
// returns how many tries it made and what it waited before each retry.
func (c *finagleClient) call(now sim.Time, outcomes ...Outcome) (tries int, waits []sim.Time) {
	a := Attempt{N: 1, Note: new(uint64), Chance: c.luck}
	o := Outcome{Class: Refused}
	for c.p.Gate.Admit(now, &a) {
		if a.N > 1 {
			a.Wait = c.p.Pacer.Wait(now, &a, o)
			waits = append(waits, a.Wait)
		}
		c.p.Starter.Start(now, &a)
		tries, o = a.N, outcomes[min(a.N, len(outcomes))-1]
		if o.Class == OK || !c.p.Condition.Retryable(now, &a, o) {
			break
		}
		a.Last = o
		a.N++
	}
	if c.p.Closer != nil {
		c.p.Closer.Close(now, &a, o)
	}
	return tries, waits
}

func (c *finagleClient) balance(now sim.Time) int64 {
	return c.p.Gate.(*finagleRetry).budget.balance(now)
}

// ten is a budget whose balance is 10 at the start, of which nothing is earned.
func ten(s *FinagleRetry) {
	s.TTL, s.MinRetriesPerSec, s.PercentCanRetry, s.MaxRetriesPerReq = sim.Second, 10, 0, 0.5
}

func TestFinagleRequeuesAShareOfTheBalance(t *testing.T) {
	for _, c := range []struct {
		share   float64
		balance int64
		want    int64
	}{{0.5, 10, 5}, {0.5, 9, 5}, {0.2, 100, 20}, {0.2, 1, 1}, {0.2, 0, 0}, {0, 100, 0}, {0.2, 15, 3}} {
		if got := mayRequeue(c.share, c.balance); got != c.want {
			t.Errorf("%v of %d: %d requeues, want %d", c.share, c.balance, got, c.want)
		}
	}
	c := newClient(ten)
	for i, want := range []int{6, 4, 2, 2, 1} { // balances 10, 5, 2, 1, 0
		if got, waits := c.call(0, connectRefused); got != want || slices.Max(append(waits, 0)) > 0 {
			t.Errorf("call %d: %d tries after %v, want %d at once", i+1, got, waits, want)
		}
	}
}

func TestFinagleListAtItsEndHasCostAToken(t *testing.T) {
	c := newClient(func(s *FinagleRetry) {
		ten(s)
		s.RequeueTake, s.RequeueDelay = 2, sim.Millisecond
	})
	tries, waits := c.call(0, connectRefused)
	if tries != 3 || !slices.Equal(waits, []sim.Time{sim.Millisecond, sim.Millisecond}) {
		t.Errorf("%d tries after %v, want two requeues of 1 ms each", tries, waits)
	}
	if got := c.balance(0); got != 7 {
		t.Errorf("balance %d, want 7: the third requeue is paid for and not made", got)
	}
}

func TestFinagleRefusedRequeueCostsNothingWhereTheRequestHasNoneLeft(t *testing.T) {
	c := newClient(func(s *FinagleRetry) { ten(s); s.MaxRetriesPerReq = 0.1 })
	if tries, _ := c.call(0, connectRefused); tries != 2 || c.balance(0) != 9 {
		t.Errorf("%d tries and a balance of %d, want 2 and 9", tries, c.balance(0))
	}
}

func TestFinagleRetryFilterAsksItsListBeforeTheBudget(t *testing.T) {
	c := newClient(func(s *FinagleRetry) {
		ten(s)
		s.Filter, s.RetryOn, s.Take = "retry", []string{"timeouts"}, 2
		s.Backoff, s.Start, s.Offset, s.Max = "linear", 5, 3, 100
	})
	tries, waits := c.call(0, answerLate)
	if tries != 3 || !slices.Equal(waits, []sim.Time{5, 8}) || c.balance(0) != 8 {
		t.Errorf("%d tries after %v, balance %d; want 3 after 5 and 8, and 8", tries, waits, c.balance(0))
	}
}

// TestFinagleFiltersTogether: refused writes are requeued at once and do not move the outer list
// on, each retry begins a request of the inner filter with a share of its own, and a refused
// requeue is final although the outer filter tries write exceptions again.
func TestFinagleFiltersTogether(t *testing.T) {
	both := func(s *FinagleRetry) {
		ten(s)
		s.Filter, s.RetryOn, s.Take = "both", []string{"timeouts", "write_exceptions"}, 3
		s.Backoff, s.Start, s.Multiplier, s.Max = "exponential", 5, 2, 100
	}
	c := newClient(both)
	tries, waits := c.call(0, answerLate, connectRefused, answerLate, connectRefused, answerLate)
	if tries != 6 || !slices.Equal(waits, []sim.Time{5, 0, 10, 0, 20}) || c.balance(0) != 5 {
		t.Errorf("%d tries after %v, balance %d; want 6 after 5 0 10 0 20, and 5",
			tries, waits, c.balance(0))
	}
	c = newClient(both)
	tries, _ = c.call(0, connectRefused, connectRefused, connectRefused, answerLate, connectRefused)
	if tries != 8 { // three requeues, a retry, and half of the balance of 6 anew
		t.Errorf("%d tries of two requests of the inner filter, want 8", tries)
	}
	c = newClient(both)
	tries, waits = c.call(0, answerLate, connectRefused) // balance 9 at the retry: 5 requeues
	if tries != 7 || !slices.Equal(waits, []sim.Time{5, 0, 0, 0, 0, 0}) || c.balance(0) != 4 {
		t.Errorf("%d tries after %v, balance %d; want 7, one wait of 5, and 4",
			tries, waits, c.balance(0))
	}
}

func TestFinagleDeposits(t *testing.T) {
	failed := Outcome{Class: Error, Status: 500}
	full := Outcome{Class: Rejected, Status: 503}
	for _, c := range []struct {
		filter, classifier string
		nacks              bool
		o                  Outcome
		want               int64
	}{
		{"requeue", "server_errors_as_failures", false, Outcome{Class: OK}, 10},
		{"requeue", "server_errors_as_failures", false, Outcome{Class: Error, Status: 404}, 10},
		{"requeue", "server_errors_as_failures", false, failed, 0},
		{"requeue", "default", false, failed, 10},
		{"requeue", "default", false, full, 10},
		{"requeue", "default", true, full, 0},
		{"requeue", "default", false, answerLate, 0},
		{"requeue", "default", false, resetLater, 0},
		{"requeue", "default", false, connectRefused, 0},
		{"retry", "server_errors_as_failures", false, failed, 10},
		{"both", "server_errors_as_failures", false, Outcome{Class: OK}, 10}, // once, not twice
		{"both", "server_errors_as_failures", false, resetLater, 10},
	} {
		k := newClient(func(s *FinagleRetry) {
			s.MinRetriesPerSec, s.PercentCanRetry = 0, 1
			s.Filter, s.Classifier, s.Nacks, s.RetryOn = c.filter, c.classifier, c.nacks, []string{}
			s.MaxRetriesPerReq = 0
		})
		for range 10 {
			k.call(0, c.o)
		}
		if got := k.balance(0); got != c.want {
			t.Errorf("%+v: ten calls earn %d retries, want %d", c, got, c.want)
		}
	}
}

func TestFinagleNacksAreRequeued(t *testing.T) {
	full := Outcome{Class: Rejected, Status: 503}
	noReplica := Outcome{Class: Rejected, Status: 503, Unreached: true}
	for _, c := range []struct {
		nacks bool
		o     Outcome
		want  int
	}{{false, full, 1}, {true, full, 6}, {true, noReplica, 1}, {true, connectLost, 6}} {
		k := newClient(func(s *FinagleRetry) { ten(s); s.Nacks = c.nacks })
		if got, _ := k.call(0, c.o); got != c.want {
			t.Errorf("%+v: %d tries, want %d", c, got, c.want)
		}
	}
}

func TestFinagleNoteKeepsEverything(t *testing.T) {
	want := finagleNote{
		step: finagleRetries, left: finagleMostLeft, requeued: 17, retried: finagleMost,
		wait: finagleLongest,
	}
	a := &Attempt{Note: new(uint64)}
	want.write(a)
	if got := readFinagleNote(a); got != want {
		t.Errorf("read %+v, wrote %+v", got, want)
	}
	finagleNote{left: 1 << 40, requeued: 1 << 20, retried: 64}.write(a)
	got := readFinagleNote(a)
	if got.left != finagleMostLeft || got.requeued != finagleMost || got.retried != finagleMost {
		t.Errorf("what does not fit reads as %+v", got)
	}
	finagleNote{left: -3}.write(a)
	if got := readFinagleNote(a); got != (finagleNote{}) {
		t.Errorf("a debt reads as %+v, want nothing left", got)
	}
}

func BenchmarkFinagleRetry(b *testing.B) {
	c := newClient(func(s *FinagleRetry) { s.Filter = "both" })
	a := Attempt{Note: new(uint64)}
	now := sim.Time(0)
	for b.Loop() {
		now += 10 * sim.Millisecond
		*a.Note, a.N = 0, 1
		c.p.Starter.Start(now, &a)
		c.p.Condition.Retryable(now, &a, connectRefused)
		a.N = 2
		c.p.Gate.Admit(now, &a)
		c.p.Pacer.Wait(now, &a, connectRefused)
	}
}

// TestAListAtItsEndIsNoRefusal: a requeue beyond the list costs a token and ends the call by the
// condition; one that the budget has no token for is refused by the gate.
func TestAListAtItsEndIsNoRefusal(t *testing.T) {
	c := newClient(func(s *FinagleRetry) { s.RequeueTake = 2 })
	budget := &c.p.Gate.(*finagleRetry).budget
	a := Attempt{N: 1, Note: new(uint64), Chance: c.luck}
	c.p.Starter.Start(0, &a)
	for _, want := range []bool{true, true, false} {
		if got := c.p.Condition.Retryable(0, &a, refusedConnection); got != want {
			t.Fatalf("after try %d: another %t, want %t", a.N, got, want)
		}
		if a.N++; want && !c.p.Gate.Admit(0, &a) {
			t.Fatalf("try %d is refused", a.N)
		}
	}
	if got := budget.balance(0); got != 97 {
		t.Errorf("%d tokens are left of 100, want 97", got)
	}
}
