package policies

import (
	"math"
	"slices"
	"testing"

	"cascadesim/sim"
)

var (
	unavailable = Outcome{Class: Error, Status: 503}
	invalid     = Outcome{Class: Error, Status: 400}
	refusedLink = Outcome{Class: Dropped, Unreached: true}
)

// grpcChannel is a fresh channel and a driver of calls over it.
func grpcChannel(change func(*GRPCRetry)) (*grpcRetry, *driver) {
	s := kindOf("grpc_retry").Settings().(*GRPCRetry)
	change(s)
	p := kindOf("grpc_retry").New(s)
	return p.Gate.(*grpcRetry), newDriver(p)
}

// tokens are the whole ones that a channel holds.
func (g *grpcRetry) tokens() float64 { return g.bucket.tokens / g.terms.throttling.cost }

// TestGRPCGoEndToEnd restates a test of grpc-go's own, which was also run with the real client: the
// server answers its calls, counted from 0, as listed, and else with UNAVAILABLE.
func TestGRPCGoEndToEnd(t *testing.T) {
	g, d := grpcChannel(func(s *GRPCRetry) { s.MaxTokens, s.TokenRatio = 10, 0.5 })
	good := []int{0, 3, 6, 10, 11, 12, 13, 14, 16, 18}
	served := -1
	for i, want := range []struct {
		ok     bool
		last   int
		tokens float64
	}{
		{true, 0, 10}, {true, 3, 8.5}, {true, 6, 7}, {false, 8, 5}, {false, 9, 4}, {true, 10, 4.5},
		{true, 11, 5}, {true, 12, 5.5}, {true, 13, 6}, {true, 14, 6.5}, {true, 16, 6},
		{false, 17, 5},
	} {
		c := d.play(sim.Never, func(int, sim.Time) Outcome {
			if served++; slices.Contains(good, served) {
				return Outcome{Class: OK}
			}
			return unavailable
		})
		if ok := c.outcome.Class == OK; ok != want.ok || served != want.last ||
			g.tokens() != want.tokens {
			t.Errorf("call %d: ok %t, last server call %d, %v tokens; want %+v",
				i+1, ok, served, g.tokens(), want)
		}
	}
}

// TestGRPCChargesTheLastFailure: three tries, all fail, three tokens gone.
func TestGRPCChargesTheLastFailure(t *testing.T) {
	for _, implementation := range []string{"go", "java", "cpp"} {
		g, d := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.MaxAttempts, s.MaxTokens = implementation, 3, 10
		})
		c := d.play(sim.Never, func(int, sim.Time) Outcome { return unavailable })
		if len(c.sent) != 3 || g.tokens() != 7 {
			t.Errorf("%s: %d tries, %v tokens left, want 3 and 7",
				implementation, len(c.sent), g.tokens())
		}
	}
}

// TestGRPCBackoff: initial 100 ms, times 2, at most 1 s; jitter comes after the cap.
func TestGRPCBackoff(t *testing.T) {
	const last = 1 - 1.0/(1<<53) // the greatest draw
	for _, implementation := range []string{"go", "java", "cpp"} {
		g, _ := grpcChannel(func(s *GRPCRetry) { s.Implementation = implementation })
		for before, base := range []sim.Time{100, 200, 400, 800, 1000, 1000} {
			least := base * 800_000
			if got := g.terms.backoff(before, 0); got != least {
				t.Errorf("%s: retry %d waits %d at least, want %d",
					implementation, before+1, got, least)
			}
			if got := g.terms.backoff(before, 0.5); got != base*ms {
				t.Errorf("%s: retry %d waits %d in the middle", implementation, before+1, got)
			}
			most := g.terms.backoff(before, last)
			if grain := sim.Time(g.terms.grain); most > base*1_200_000 ||
				most < base*1_200_000-grain {
				t.Errorf("%s: retry %d waits %d at most", implementation, before+1, most)
			}
		}
	}
	g, _ := grpcChannel(func(s *GRPCRetry) { s.Jitter = "full" })
	if lo, hi := g.terms.backoff(1, 0), g.terms.backoff(1, 0.75); lo != 0 || hi != 150*ms {
		t.Errorf("jitter of 2017: %d and %d, want 0 and 150 ms", lo, hi)
	}
}

// TestGRPCBackoffOfXDS: an Envoy route's 25 ms and ten times that.
func TestGRPCBackoffOfXDS(t *testing.T) {
	g, _ := grpcChannel(func(s *GRPCRetry) { s.InitialBackoff, s.MaxBackoff = 25*ms, 250*ms })
	for before, want := range []sim.Time{25, 50, 100, 200, 250, 250} {
		if got := g.terms.backoff(before, 0.5); got != want*ms {
			t.Errorf("retry %d waits %d, want %d ms", before+1, got, want)
		}
	}
}

// TestGRPCBackoffKeepsTheRoundingOfEach: C-core cuts to milliseconds at each step, and Java lets a
// first wait exceed the longest.
func TestGRPCBackoffKeepsTheRoundingOfEach(t *testing.T) {
	for _, c := range []struct {
		implementation string
		initial        sim.Time
		want           []sim.Time
	}{
		{"cpp", 10_900_000, []sim.Time{10 * ms, 15 * ms, 22 * ms, 33 * ms, 40 * ms}},
		{"go", 10_000_001, []sim.Time{10_000_001, 15_000_001, 22_500_002, 33_750_003, 40 * ms}},
		{"java", 10_000_001, []sim.Time{10_000_001, 15_000_001, 22_500_001, 33_750_001, 40 * ms}},
		{"java", 50 * ms, []sim.Time{50 * ms, 40 * ms}},
		{"go", 50 * ms, []sim.Time{40 * ms, 40 * ms}},
	} {
		g, _ := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.InitialBackoff = c.implementation, c.initial
			s.MaxBackoff, s.BackoffMultiplier = 40*ms, 1.5
		})
		for before, want := range c.want {
			if got := g.terms.backoff(before, 0.5); got != want {
				t.Errorf("%s from %d: retry %d waits %d, want %d",
					c.implementation, c.initial, before+1, got, want)
			}
		}
	}
}

// TestGRPCPushbackStartsTheBackoffAnew: the answer to retry 2 asks for 250 ms; then the wait is
// that of a first retry again.
func TestGRPCPushbackStartsTheBackoffAnew(t *testing.T) {
	for _, implementation := range []string{"go", "java", "cpp"} {
		_, d := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.MaxAttempts = implementation, 5
		})
		c := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
			o := unavailable
			if n == 3 {
				o.RetryAfter = 250*ms + 999_999 // what is below a millisecond is not sent
			}
			return o
		})
		for i, want := range [][2]sim.Time{{80, 120}, {160, 240}, {250, 251}, {80, 120}} {
			wait := c.sent[i+1] - c.sent[i]
			if wait < want[0]*ms || wait >= want[1]*ms || i == 2 && wait != 250*ms {
				t.Errorf("%s: retry %d after %d, want [%d, %d) ms",
					implementation, i+1, wait, want[0], want[1])
			}
		}
	}
}

// TestGRPCPushbacks: what each implementation makes of a pushback with a code that is listed and
// with one that is not. The bucket has 10 of 10 tokens.
func TestGRPCPushbacks(t *testing.T) {
	const stop, backoff = sim.Time(-1), sim.Time(-2)
	type cell struct {
		wait   sim.Time
		tokens float64
	}
	for _, c := range []struct {
		pushback         sim.Time
		listed, unlisted [3]cell // go, java, cpp
	}{
		{0, [3]cell{{backoff, 9}, {backoff, 9}, {backoff, 9}},
			[3]cell{{stop, 10}, {stop, 10}, {stop, 10}}},
		{RetryNow, [3]cell{{0, 9}, {0, 9}, {0, 9}}, [3]cell{{stop, 10}, {0, 10}, {stop, 10}}},
		{300 * ms, [3]cell{{300 * ms, 9}, {300 * ms, 9}, {300 * ms, 9}},
			[3]cell{{stop, 10}, {300 * ms, 10}, {stop, 10}}},
		{DontRetry, [3]cell{{stop, 9}, {stop, 9}, {stop, 9}},
			[3]cell{{stop, 9}, {stop, 9}, {stop, 10}}},
	} {
		for i, implementation := range []string{"go", "java", "cpp"} {
			cells := map[Outcome]cell{unavailable: c.listed[i], invalid: c.unlisted[i]}
			for o, want := range cells {
				g, d := grpcChannel(func(s *GRPCRetry) {
					s.Implementation, s.MaxAttempts, s.MaxTokens = implementation, 2, 10
				})
				got := cell{wait: stop}
				course := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
					if n == 2 {
						got.tokens = g.tokens()
						return Outcome{Class: OK}
					}
					o.RetryAfter = c.pushback
					return o
				})
				if len(course.sent) == 1 {
					got.tokens = g.tokens()
				} else if got.wait = course.sent[1]; got.wait >= 80*ms && got.wait < 120*ms {
					got.wait = backoff
				}
				if got != want {
					t.Errorf("%s, pushback %d, status %d: %+v, want %+v",
						implementation, c.pushback, o.Status, got, want)
				}
			}
		}
	}
}

// TestGRPCCreditsOneSuccessOnce: whether a call or an attempt is credited, a call that ends well
// after a failure earns the ratio once, and one that fails nothing.
func TestGRPCCreditsOneSuccessOnce(t *testing.T) {
	for _, implementation := range []string{"go", "java", "cpp"} {
		g, d := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.MaxTokens, s.TokenRatio = implementation, 100, 0.25
		})
		d.play(sim.Never, func(n int, _ sim.Time) Outcome {
			return []Outcome{unavailable, {Class: OK}}[n-1]
		})
		d.play(sim.Never, func(int, sim.Time) Outcome { return invalid })
		if got := g.tokens(); got != 99.25 {
			t.Errorf("%s: %v tokens, want 99.25", implementation, got)
		}
	}
}

// TestGRPCRetriesRefusedConnections: by default they are UNAVAILABLE; unprocessed ones are retried
// at once and once, unsent ones up to the limit, and neither costs an attempt or a token.
func TestGRPCRetriesRefusedConnections(t *testing.T) {
	for _, c := range []struct {
		implementation, unreached string
		outcomes                  []Outcome // then OK
		tries, free               int       // of which so many retries are at once
		tokens                    float64
	}{
		{"go", "unavailable", []Outcome{refusedLink, refusedLink}, 3, 0, 8},
		{"go", "unprocessed", []Outcome{refusedLink}, 2, 1, 10},
		{"go", "unprocessed", []Outcome{refusedLink, refusedLink}, 3, 1, 9},
		{"go", "unprocessed", []Outcome{unavailable, refusedLink}, 3, 0, 8},
		{"java", "unprocessed", []Outcome{unavailable, refusedLink}, 3, 0, 8},
		{"cpp", "unprocessed", []Outcome{unavailable, refusedLink}, 3, 1, 9},
		{"cpp", "unprocessed", []Outcome{refusedLink, unavailable, refusedLink}, 4, 1, 8},
		{"go", "unsent", slices.Repeat([]Outcome{refusedLink}, 40), 41, 40, 10},
		{"java", "unsent", []Outcome{unavailable, refusedLink, refusedLink}, 4, 2, 9},
		{"java", "unsent", slices.Repeat([]Outcome{refusedLink}, 101), 101, 100, 10},
		{"java", "unsent", append(slices.Repeat([]Outcome{refusedLink}, 100), unavailable),
			102, 100, 9},
	} {
		g, d := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.Unreached, s.Limit = c.implementation, c.unreached, 100
			s.MaxTokens, s.TokenRatio = 10, 0.001
		})
		course := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
			if n <= len(c.outcomes) {
				return c.outcomes[n-1]
			}
			return Outcome{Class: OK}
		})
		free := 0
		for i := range course.sent[1:] {
			if course.sent[i] == course.sent[i+1] {
				free++
			}
		}
		if tokens := math.Floor(g.tokens() + 0.5); len(course.sent) != c.tries || free != c.free ||
			tokens != c.tokens {
			t.Errorf("%s, %s, %d failures: %d tries, %d at once, %v tokens; want %d, %d, %v",
				c.implementation, c.unreached, len(c.outcomes), len(course.sent), free, tokens,
				c.tries, c.free, c.tokens)
		}
	}
}

// TestGRPCTimeoutOfEachTry: C-core retries it whatever the codes; the others ask for
// DEADLINE_EXCEEDED.
func TestGRPCTimeoutOfEachTry(t *testing.T) {
	for _, c := range []struct {
		implementation, code string
		tries                int
	}{
		{"go", "UNAVAILABLE", 1}, {"java", "UNAVAILABLE", 1}, {"cpp", "UNAVAILABLE", 4},
		{"go", "DEADLINE_EXCEEDED", 4},
	} {
		_, d := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.Codes = c.implementation, []string{c.code}
		})
		course := d.play(sim.Never, func(int, sim.Time) Outcome { return Outcome{Class: TimedOut} })
		if len(course.sent) != c.tries {
			t.Errorf("%s, %s: %d tries, want %d", c.implementation, c.code,
				len(course.sent), c.tries)
		}
	}
}

// TestGRPCWithoutRetryPolicyRetriesNothing: transparent retries are left, and Go charges for a
// pushback that stops.
func TestGRPCWithoutRetryPolicyRetriesNothing(t *testing.T) {
	for implementation, tokens := range map[string]float64{"go": 9, "java": 10, "cpp": 10} {
		g, d := grpcChannel(func(s *GRPCRetry) {
			s.Implementation, s.MaxAttempts, s.MaxTokens = implementation, 1, 10
			s.Unreached = "unprocessed"
		})
		for _, o := range []Outcome{
			unavailable, {Class: Rejected, Status: 503, RetryAfter: RetryNow},
			{Class: Rejected, Status: 503, RetryAfter: DontRetry}, {Class: TimedOut},
		} {
			if c := d.play(sim.Never, func(int, sim.Time) Outcome { return o }); len(c.sent) != 1 {
				t.Errorf("%s: %d tries after %+v", implementation, len(c.sent), o)
			}
		}
		c := d.play(sim.Never, func(int, sim.Time) Outcome { return refusedLink })
		if len(c.sent) != 2 || g.tokens() != tokens {
			t.Errorf("%s: %d tries of an unprocessed one, %v tokens, want 2 and %v",
				implementation, len(c.sent), g.tokens(), tokens)
		}
	}
}

// TestGRPCChannelLimitsAttempts: a policy that asks for more than the channel allows gets that.
func TestGRPCChannelLimitsAttempts(t *testing.T) {
	for _, c := range []struct{ asks, allows, want int }{{9, 5, 5}, {9, 20, 9}, {3, 5, 3}} {
		_, d := grpcChannel(func(s *GRPCRetry) {
			s.MaxAttempts, s.MaxCallAttempts = c.asks, c.allows
		})
		course := d.play(sim.Never, func(int, sim.Time) Outcome { return unavailable })
		if got := len(course.sent); got != c.want {
			t.Errorf("%d tries, want %d", got, c.want)
		}
	}
}

// TestGRPCAmplification: calls whose attempts fail independently, up to 3 retries. The throttle
// settles where a failure costs what successes earn, at p of 0.1/1.1; above, all but none passes.
func TestGRPCAmplification(t *testing.T) {
	onOneMachine(t)
	const calls = 200_000
	for _, implementation := range []string{"go", "java", "cpp"} {
		for p, want := range map[float64]float64{0.05: 1.0526, 0.2: 1, 0.5: 1} {
			_, d := grpcChannel(func(s *GRPCRetry) {
				s.Implementation, s.MaxTokens = implementation, 100
			})
			luck := sim.Seed(23).Stream("failures")
			sent := 0
			for range calls {
				c := d.play(sim.Never, func(int, sim.Time) Outcome {
					if luck.Float64() < p {
						return unavailable
					}
					return Outcome{Class: OK}
				})
				sent += len(c.sent)
			}
			if got := float64(sent) / calls; math.Abs(got-want) > 0.01*want {
				t.Errorf("%s, p %v: %.4f attempts for each call, want %.4f within 1 %%",
					implementation, p, got, want)
			}
		}
	}
}
