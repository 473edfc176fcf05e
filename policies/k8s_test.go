package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestFlowcontrolDoublesAndForgets(t *testing.T) {
	fresh := func(jitter float64) *k8sFlowcontrol {
		return kindOf("k8s_flowcontrol_backoff").New(K8sFlowcontrolBackoff{
			Initial: sim.Second, Max: sim.Minute, Jitter: jitter, Reset: true,
		}).Pacer.(*k8sFlowcontrol)
	}
	b := fresh(0)
	for i, want := range []sim.Time{1, 2, 4, 8, 16, 32, 60, 60} {
		if got := b.Wait(0, &Attempt{N: 2}, failed(500)); got != want*sim.Second {
			t.Errorf("failure %d waits %v s, want %d", i+1, got.Seconds(), want)
		}
	}
	for _, c := range []struct{ idle, want sim.Time }{
		{120 * sim.Second, 2 * sim.Second}, {120*sim.Second + 1, sim.Second},
	} {
		b := fresh(0)
		b.Wait(5, &Attempt{N: 2}, failed(500))
		if got := b.Wait(5+c.idle, &Attempt{N: 2}, failed(500)); got != c.want {
			t.Errorf("after %v s of idleness it waits %v s, want %v", c.idle.Seconds(),
				got.Seconds(), c.want.Seconds())
		}
	}
	b.Observe(0, &Attempt{N: 1}, Outcome{Class: OK})
	if got := b.Wait(0, &Attempt{N: 2}, failed(500)); got != sim.Second {
		t.Errorf("after a success it waits %v s, want 1", got.Seconds())
	}
	b = fresh(1) // chance is carried on: 1 + 0.5, then 3 + 0.75, then 7.5 + 1.875
	for _, want := range []sim.Time{1500, 3750, 9375} {
		a := Attempt{N: 2, Chance: drawn(0.5)}
		if got := b.Wait(0, &a, failed(500)); got != want*sim.Millisecond {
			t.Errorf("with jitter it waits %v s, want %v ms", got.Seconds(), want)
		}
	}
}

// TestWaitBackoffEndsAtItsCap: the wait that reaches the cap is the last, and nothing follows it.
func TestWaitBackoffEndsAtItsCap(t *testing.T) {
	for _, c := range []struct {
		settings K8sWaitBackoff
		draw     float64
		want     []float64
	}{
		{K8sWaitBackoff{Steps: 4, Duration: 10 * sim.Millisecond, Factor: 5}, 0,
			[]float64{0.01, 0.05, 0.25}},
		{K8sWaitBackoff{Steps: 5, Duration: 10 * sim.Millisecond, Factor: 1, Jitter: 0.1}, 0.5,
			[]float64{0.0105, 0.0105, 0.0105, 0.0105}},
		{K8sWaitBackoff{Steps: 9, Duration: sim.Second, Factor: 2, Cap: 4 * sim.Second}, 0,
			[]float64{1, 2}},
		{K8sWaitBackoff{Steps: 9, Duration: sim.Second, Factor: 2, Cap: 5 * sim.Second}, 0,
			[]float64{1, 2}},
		{K8sWaitBackoff{Steps: 9, Duration: sim.Second, Factor: 1, Cap: sim.Second - 1}, 0, nil},
		{K8sWaitBackoff{Steps: 3, Duration: sim.Second, Cap: 1}, 0, []float64{1, 1}},
		{K8sWaitBackoff{Steps: 1, Duration: sim.Second, Factor: 2}, 0, nil},
	} {
		if c.settings.Cap == 0 {
			c.settings.Cap = sim.Never
		}
		p := kindOf("k8s_wait_backoff").New(c.settings)
		sent, _ := libraryCall{policy: p, answer: always(failed(409)), draw: evenly(c.draw)}.call(0)
		waitsAre(t, "wait.Backoff", gaps(sent), c.want...)
	}
}

// TestClientRateLimitBlocks: a burst of ten, then one each 200 ms, in the order they came.
func TestClientRateLimitBlocks(t *testing.T) {
	p := kindOf("k8s_client_rate_limit").New(nil)
	var notes [14]uint64
	var until [14]sim.Time
	for i := range notes {
		a := &Attempt{N: 1, Note: &notes[i], Deadline: sim.Never}
		until[i] = p.Shaper.Delay(0, a)
		want := max(0, sim.Time(i-9)*200*sim.Millisecond)
		if until[i] != want {
			t.Errorf("attempt %d waits %v s, want %v", i+1, until[i].Seconds(), want.Seconds())
		}
	}
	for _, c := range []struct{ at, want sim.Time }{
		{until[10] - 1, 1}, {until[10], 0}, {until[10], 3*200*sim.Millisecond + 200*sim.Millisecond},
	} {
		a := &Attempt{N: 1, Note: &notes[10], Deadline: sim.Never}
		if got := p.Shaper.Delay(c.at, a); got != c.want {
			t.Errorf("at %v s it waits %v s more, want %v", c.at.Seconds(), got.Seconds(),
				c.want.Seconds())
		}
	}
}

// TestClientRateLimitKeepsTheTokensOfTheHopeless: a call that would end before its token is there
// takes none; one that ends with it does.
func TestClientRateLimitKeepsTheTokensOfTheHopeless(t *testing.T) {
	for _, c := range []struct{ deadline, next sim.Time }{
		{sim.Second - 1, sim.Second}, {sim.Second, 2 * sim.Second}, {sim.Second + 1, 2 * sim.Second},
	} {
		p := kindOf("k8s_client_rate_limit").New(K8sClientRateLimit{QPS: 1, Burst: 1})
		ask := func(deadline sim.Time) sim.Time {
			var note uint64
			return p.Shaper.Delay(0, &Attempt{N: 1, Note: &note, Deadline: deadline})
		}
		ask(sim.Never)
		if got := ask(c.deadline); got != sim.Second {
			t.Errorf("deadline %v s: waits %v s, want 1", c.deadline.Seconds(), got.Seconds())
		}
		if got := ask(sim.Never); got != c.next {
			t.Errorf("after a deadline of %v s the next waits %v s, want %v", c.deadline.Seconds(),
				got.Seconds(), c.next.Seconds())
		}
	}
}

// TestClientRateLimitRoundsUp: 3 per second is no whole number of nanoseconds, and a token is never
// there before its time, nor a nanosecond late.
func TestClientRateLimitRoundsUp(t *testing.T) {
	p := kindOf("k8s_client_rate_limit").New(K8sClientRateLimit{QPS: 3, Burst: 1})
	for i := range 7 {
		var note uint64
		got := p.Shaper.Delay(0, &Attempt{N: 1, Note: &note, Deadline: sim.Never})
		if want := (sim.Time(i)*sim.Second + 2) / 3; got != want {
			t.Errorf("attempt %d waits %d ns, want %d", i+1, got, want)
		}
	}
}
