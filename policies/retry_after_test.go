package policies

import (
	"testing"

	"cascadesim/sim"
)

func TestRetryAfterIsBasePlusAShareOfJitter(t *testing.T) {
	const ms = sim.Millisecond
	for _, c := range []struct {
		settings RetryAfter
		draw     float64
		want     sim.Time
	}{
		{RetryAfter{Base: sim.Second}, 0.9, sim.Second},
		{RetryAfter{Base: sim.Second, Jitter: 10 * sim.Second}, 0, sim.Second},
		{RetryAfter{Base: sim.Second, Jitter: 10 * sim.Second}, 0.25, 3500 * ms},
		{RetryAfter{Base: sim.Second, Jitter: 10 * sim.Second, Whole: true}, 0.25, 4 * sim.Second},
		{RetryAfter{Base: 1500 * ms, Whole: true}, 0, 2 * sim.Second},
		{RetryAfter{Base: 2 * sim.Second, Whole: true}, 0, 2 * sim.Second},
		{RetryAfter{Whole: true}, 0.5, RetryNow}, {RetryAfter{}, 0, RetryNow},
		{RetryAfter{Jitter: 2}, 0.5, 1}, {RetryAfter{Jitter: 2}, 0.25, RetryNow},
	} {
		if got := (&retryAfter{c.settings}).wait(c.draw); got != c.want {
			t.Errorf("%+v with draw %v asks for %d ns, want %d", c.settings, c.draw, got, c.want)
		}
	}
}

func TestRetryAfterChangesNothingElseOfAnAnswer(t *testing.T) {
	p := kindOf("retry_after").New(RetryAfter{Base: 3 * sim.Second})
	said := Outcome{Class: Rejected, Status: 429, RetryAfter: DontRetry, Advice: 7}
	want := said
	want.RetryAfter = 3 * sim.Second
	if got := p.Answerer.Answer(0, &Attempt{}, said); got != want {
		t.Errorf("answered %+v, want %+v", got, want)
	}
}

// TestJitterSpreadsThoseWhoWereRejectedTogether rejects a thousand at one moment.
func TestJitterSpreadsThoseWhoWereRejectedTogether(t *testing.T) {
	most := func(jitter sim.Time) int {
		p := kindOf("retry_after").New(RetryAfter{Base: sim.Second, Jitter: jitter, Whole: true})
		back := map[sim.Time]int{}
		worst := 0
		for i := range 1000 {
			a := attemptOf(visit{id: uint64(i), n: 1})
			o := p.Answerer.Answer(0, &a, Outcome{Class: Rejected})
			back[o.RetryAfter]++
			worst = max(worst, back[o.RetryAfter])
		}
		return worst
	}
	if got := most(0); got != 1000 {
		t.Errorf("without jitter %d come back in one second, want all", got)
	}
	// Ten seconds of jitter rounded up are ten seconds from 2 to 11, and a hundredth of 1 at most.
	if got := most(10 * sim.Second); got < 100 || got > 140 {
		t.Errorf("with 10 s of jitter %d come back in the worst second, want a little over 100", got)
	}
}
