package policies

import (
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"

	"pgregory.net/rapid"
)

// TestTenPerSecondWithFiveAtOnce asks every 50 ms, twenty times, of each policy that limits a rate.
func TestTenPerSecondWithFiveAtOnce(t *testing.T) {
	ask := map[string]func(now sim.Time) bool{}
	for _, name := range []string{"token_bucket", "gcra"} {
		k := kindOf(name)
		s := k.Settings()
		if err := decodeFlow("{rate: 10/s, burst: 5}", s); err != nil {
			t.Fatal(err)
		}
		p := k.New(s)
		ask[name] = func(now sim.Time) bool { return p.Admission.Enter(now, &Attempt{N: 1}) }
	}
	p := kindOf("rate_limit").New(RateLimit{Rate: 10, Burst: 5, Excess: "refuse"})
	ask["rate_limit"] = func(now sim.Time) bool { return p.Gate.Admit(now, &Attempt{N: 1}) }
	for name, ask := range ask {
		allowed := 0
		for i := range 20 {
			if ask(sim.Time(i) * 50 * ms) {
				allowed++
			}
		}
		if allowed != 14 {
			t.Errorf("%s let %d of 20 through, want 14", name, allowed)
		}
	}
}

// TestGCRAGrantsWhatATokenBucketDoes takes rates whose interval is a whole number of nanoseconds.
func TestGCRAGrantsWhatATokenBucketDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := unit.Rate(rapid.SampledFrom([]float64{0.25, 1, 8, 1000, 1e6, 1e9}).Draw(t, "rate"))
		burst := rapid.SampledFrom([]int{1, 2, 5, 50, 1e6}).Draw(t, "burst")
		g := kindOf("gcra").New(GCRA{Rate: rate, Burst: burst})
		b := kindOf("token_bucket").New(TokenBucket{Rate: rate, Burst: burst})
		now := sim.Time(0)
		for range rapid.IntRange(1, 100).Draw(t, "attempts") {
			longest := int64(1) << rapid.IntRange(0, 36).Draw(t, "bits")
			now += sim.Time(rapid.Int64Range(0, longest).Draw(t, "gap"))
			got, want := g.Admission.Enter(now, &Attempt{}), b.Admission.Enter(now, &Attempt{})
			if got != want {
				t.Fatalf("at %d the one says %t, the other %t", now, got, want)
			}
		}
	})
}

func TestGCRARoundsItsIntervalDown(t *testing.T) {
	for text, want := range map[string]sim.Time{
		"7/s": 142_857_142, "3/s": 333_333_333, "60/m": sim.Second, "7/h": 514_285_714_285,
		"0.000001/s": 1e15, "1000000000/s": 1,
	} {
		s := kindOf("gcra").Settings().(*GCRA)
		rate, err := unit.ParseRate(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Rate = rate
		if got := gcraTermsOf(*s).interval; got != want {
			t.Errorf("%s is an interval of %d ns, want %d", text, got, want)
		}
	}
}

func TestGCRAOpensToTheNanosecond(t *testing.T) {
	g := kindOf("gcra").New(GCRA{Rate: 4, Burst: 2}).Admission
	for i, c := range []struct {
		at   sim.Time
		want bool
	}{
		{0, true}, {0, true}, {0, false}, {250*ms - 1, false}, {250 * ms, true}, {250 * ms, false},
		{750 * ms, true}, {750 * ms, true}, {750 * ms, false},
	} {
		if got := g.Enter(c.at, &Attempt{}); got != c.want {
			t.Errorf("attempt %d at %d entered: %t, want %t", i+1, c.at, got, c.want)
		}
	}
}

// shaped is one try of a call that a shaper holds back.
type shaped struct {
	a    Attempt
	note uint64
}

func try(n int, deadline sim.Time) *shaped {
	s := &shaped{a: Attempt{N: n, Deadline: deadline}}
	s.a.Note = &s.note
	return s
}

func TestRateLimitHoldsBackInTurn(t *testing.T) {
	p := kindOf("rate_limit").New(RateLimit{Rate: 10, Burst: 1, Excess: "wait"})
	calls := []*shaped{try(1, sim.Never), try(1, sim.Never), try(1, sim.Never)}
	for i, c := range calls {
		if got, want := p.Shaper.Delay(0, &c.a), sim.Time(i)*100*ms; got != want {
			t.Errorf("call %d waits %d, want %d", i, got, want)
		}
	}
	if got := p.Shaper.Delay(100*ms-1, &calls[1].a); got != 1 {
		t.Errorf("1 ns early it waits %d, want 1", got)
	}
	if got := p.Shaper.Delay(100*ms, &calls[1].a); got != 0 || !p.Gate.Admit(100*ms, &calls[1].a) {
		t.Errorf("at its time it waits %d more, or is refused", got)
	}
	calls[1].a.N = 2 // its retry reserves anew, behind the third
	if got := p.Shaper.Delay(150*ms, &calls[1].a); got != 150*ms {
		t.Errorf("the retry waits %d, want 150 ms", got)
	}
	if got := p.Shaper.Delay(200*ms, &calls[2].a); got != 0 {
		t.Errorf("the third waits %d more", got)
	}
}

// TestRateLimitRefusesATryThatCannotBeInTime: the first token is a second away, whichever try asks.
func TestRateLimitRefusesATryThatCannotBeInTime(t *testing.T) {
	c := newCaller(t, "rate_limit", "{rate: 1/s, burst: 1}")
	c.asks(sim.Never)
	if waits, goes := c.asks(sim.Second - 1); waits > 0 || goes {
		t.Errorf("a call of less than a second waits %d and goes: %t", waits, goes)
	}
	late := try(7, sim.Second-1)
	if got := c.p.Shaper.Delay(0, &late.a); got != 0 || c.p.Gate.Admit(0, &late.a) {
		t.Errorf("a retry that is too late waits %d, or goes", got)
	}
	if waits, goes := c.asks(sim.Second); waits != sim.Second || !goes {
		t.Errorf("a call of a second waits %d and goes: %t; were tokens taken in vain?", waits, goes)
	}
}

func TestAVerySlowRateWaitsNoLongerThanARun(t *testing.T) {
	p := kindOf("rate_limit").New(RateLimit{Rate: 0.000001, Burst: 1, Excess: "wait"})
	for range 3 {
		c := try(1, sim.Never)
		got := p.Shaper.Delay(0, &c.a)
		if got < 0 || got > sim.MaxTime {
			t.Errorf("waits %d", got)
		}
	}
}
