package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// One name, several meanings: these tests fail when one of them is taken for another.

// TestDecorrelatedJitterIsFourThings: each from 0.1 s to at most 1 s, every draw in the middle.
func TestDecorrelatedJitterIsFourThings(t *testing.T) {
	const start, most = 100 * ms, sim.Second
	for _, c := range []struct {
		kind     string
		settings any
		want     []float64
	}{
		// U(base, 3 previous), then cut at the cap.
		{"aws_blog_backoff", AWSBlogBackoff{Kind: "decorrelated", Base: start, Cap: most},
			[]float64{0.2, 0.35, 0.575, 0.9125, 1}},
		// U(base, min(cap, 3 previous)): the range is cut, not the wait.
		{"polly_contrib_backoff", PollyContribBackoff{Kind: "aws_decorrelated", MinDelay: start,
			MaxDelay: most}, []float64{0.2, 0.35, 0.55, 0.55, 0.55}},
		// U(previous, min(cap, 3 previous)) after a first wait without chance: it never falls.
		{"finagle_backoff", FinagleBackoff{Kind: "decorrelated_jittered", Start: start, Max: most},
			[]float64{0.1, 0.2, 0.4, 0.7, 0.85}},
		// A smooth curve through the powers of two, of which each wait is a difference.
		{"polly_backoff", PollyBackoff{BackoffType: "exponential", Delay: start, UseJitter: true,
			MaxDelay: most}, []float64{0.0897405, 0.1093004, 0.2035748, 0.4045979, 0.8083632}},
	} {
		waitsAre(t, c.kind, delaysOf(kindOf(c.kind).New(c.settings), len(c.want), 0.5), c.want...)
	}
}

// TestAdaptiveThrottlesAreFiveThings: of a hundred attempts half have failed with 500.
func TestAdaptiveThrottlesAreFiveThings(t *testing.T) {
	refusals := map[string]func(p Policy) float64{
		"adaptive_throttle": func(p Policy) float64 { return p.Gate.(*adaptiveThrottle).refusal() },
		"aegis_sre":         func(p Policy) float64 { return p.Gate.(*aegisSRE).refusal() },
		"failsafe_throttler": func(p Policy) float64 {
			return p.Gate.(*failsafeThrottler).rate()
		},
		"go_zero_breaker": func(p Policy) float64 {
			refused, _ := p.Gate.(*goZeroBreaker).refusal()
			return refused
		},
		"envoy_admission_control_caller": func(p Policy) float64 {
			c := p.Gate.(*envoyAdmission)
			return envoyRejection(c.tally.spent, c.tally.earned, c.terms)
		},
	}
	for kind, want := range map[string]float64{
		"adaptive_throttle":              0,                     // an error is an accept, and k is 2
		"aegis_sre":                      (100 - 50/0.6) / 101,  // 60 % of success are enough
		"failsafe_throttler":             (100 - 50/0.9) / 101,  // 90 %
		"go_zero_breaker":                (95 - 1.5*50) / 101,   // five failures are let be
		"envoy_admission_control_caller": (100 - 50/0.95) / 101, // 95 %
	} {
		p := kindOf(kind).New(nil)
		for i := range 100 {
			a := Attempt{N: 1, Chance: drawn(1 - 1e-9)} // which no probability refuses
			p.Gate.Admit(0, &a)
			o := good
			if i%2 == 0 {
				o = bad
			}
			p.Observer.Observe(0, &a, o)
		}
		if got := max(0, refusals[kind](p)); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: refuses with %.6f, want %.6f", kind, got, want)
		}
	}
}

// TestRetryBudgetsCountFourThings: tries in flight, calls of the last seconds, tokens that
// successes earn, a quota. A hundred calls fail together, then a hundred more one after the other,
// 10 ms apart; each wants one retry.
func TestRetryBudgetsCountFourThings(t *testing.T) {
	for _, c := range []struct {
		kind     string
		settings any
		want     [2]int // retries of calls that fail together, and of those in turn
	}{
		// k of 20 % of those still in flight; alone in flight there is nothing to take a share of.
		{"envoy_retry", EnvoyRetry{RetryOn: []string{"5xx"}, NumRetries: 1, Base: ms, ResetMost: ms,
			Budget: true, Percent: 0.2, Window: "deque", Backoff: "as_retry", Hosts: "none"},
			[2]int{16, 0}},
		{"finagle_retry", FinagleRetry{Filter: "retry", TTL: 10 * sim.Second, PercentCanRetry: 0.2,
			RetryOn: []string{"server_errors"}, Backoff: "const", Multiplier: 1, Take: 1,
			Classifier: "default"},
			[2]int{20, 20}},
		{"tower_budget", TowerBudget{TTL: 10 * sim.Second, RetryPercent: 0.2, DepositOn: "request"},
			[2]int{20, 20}},
		// Half of 100 tokens: the 50th failure leaves no more than the threshold.
		{"grpc_retry", GRPCRetry{Implementation: "go", MaxAttempts: 2, MaxCallAttempts: 5,
			InitialBackoff: ms, MaxBackoff: ms, BackoffMultiplier: 1, Jitter: "around",
			Codes: []string{"INTERNAL"}, MaxTokens: 100, TokenRatio: 0.2, Unreached: "unavailable",
			Limit: 1}, [2]int{49, 0}},
		// 14 of 500 for each: 35 retries in all.
		{"aws_standard", nil, [2]int{35, 0}},
	} {
		k := kindOf(c.kind)
		if c.settings != nil && len(k.Check(c.settings)) > 0 {
			t.Fatalf("%s: %v", c.kind, k.Check(c.settings))
		}
		var got [2]int
		p := k.New(c.settings)
		for round, apart := range []sim.Time{0, 10 * ms} {
			got[round] = retriesGranted(p, sim.Time(round)*sim.Second, apart)
		}
		if got != c.want {
			t.Errorf("%s: grants %v retries, want %v", c.kind, got, c.want)
		}
	}
}

// retriesGranted plays a hundred calls from a time on that fail so long one after the other, or
// together, and counts the retries that a policy grants.
func retriesGranted(p Policy, now, apart sim.Time) (granted int) {
	calls := make([]Attempt, 100)
	begin := func(a *Attempt) {
		*a = Attempt{N: 1, Note: new(uint64), Chance: drawn(0.5), Deadline: sim.Never}
		if p.Gate.Admit(now, a); p.Starter != nil {
			p.Starter.Start(now, a)
		}
	}
	fails := func(a *Attempt) bool {
		if p.Observer != nil {
			p.Observer.Observe(now, a, bad)
		}
		a.Last = bad
		if p.Condition != nil && !p.Condition.Retryable(now, a, bad) {
			return false
		}
		a.N++
		return p.Gate.Admit(now, a)
	}
	for i := range calls {
		if apart == 0 {
			begin(&calls[i])
		}
	}
	for i := range calls {
		a := &calls[i]
		if now += apart; apart > 0 {
			begin(a)
		}
		if fails(a) {
			granted++
		}
		if apart > 0 && p.Closer != nil {
			p.Closer.Close(now, a, bad)
		}
	}
	for i := range calls {
		if apart == 0 && p.Closer != nil {
			p.Closer.Close(now, &calls[i], bad)
		}
	}
	return granted
}
