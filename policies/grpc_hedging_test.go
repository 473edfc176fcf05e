package policies

import (
	"slices"
	"testing"

	"cascadesim/sim"
)

func grpcHedge(change func(*GRPCHedging)) (*grpcHedging, *driver) {
	s := kindOf("grpc_hedging").Settings().(*GRPCHedging)
	s.HedgingDelay, s.Codes, s.MaxTokens = 500*ms, []string{"UNAVAILABLE"}, 10
	change(s)
	p := kindOf("grpc_hedging").New(s)
	return p.Gate.(*grpcHedging), newDriver(p)
}

func (h *grpcHedging) tokens() float64 { return h.bucket.tokens / h.terms.throttling.cost }

// after is an outcome that takes its time.
func after(wait sim.Time, o Outcome) Outcome {
	o.Latency = wait
	return o
}

func pushback(wait sim.Time) Outcome {
	return Outcome{Class: Error, Status: 503, RetryAfter: wait}
}

// TestGRPCHedges: when the copies of a call go out, in milliseconds, and how the call ends. A copy
// that is not listed is answered long after everything else.
func TestGRPCHedges(t *testing.T) {
	ok, slow := Outcome{Class: OK}, after(sim.Minute, Outcome{Class: OK})
	for _, c := range []struct {
		name     string
		copies   []Outcome
		a6, java []sim.Time
		end      [2]sim.Time // ms, of each
		class    Class
	}{
		{"no answers", nil, []sim.Time{0, 500, 1000, 1500}, []sim.Time{0, 500, 1000, 1500},
			[2]sim.Time{60_000, 60_000}, OK},
		{"an answer in time", []Outcome{after(499*ms, ok)}, []sim.Time{0}, []sim.Time{0},
			[2]sim.Time{499, 499}, OK},
		{"the second copy wins", []Outcome{slow, after(100*ms, ok)}, []sim.Time{0, 500},
			[]sim.Time{0, 500}, [2]sim.Time{600, 600}, OK},
		{"a non-fatal failure", []Outcome{after(200*ms, unavailable)},
			[]sim.Time{0, 200, 700, 1200}, []sim.Time{0, 500, 1000, 1500},
			[2]sim.Time{60_200, 60_500}, OK},
		{"a fatal failure", []Outcome{slow, after(100*ms, invalid)}, []sim.Time{0, 500},
			[]sim.Time{0, 500}, [2]sim.Time{600, 600}, Error},
		{"a pushback of 250 ms", []Outcome{after(100*ms, pushback(250*ms))},
			[]sim.Time{0, 350, 850, 1350}, []sim.Time{0, 100, 600, 1100},
			[2]sim.Time{60_350, 60_100}, OK},
		{"a pushback of 0", []Outcome{after(100*ms, pushback(RetryNow))},
			[]sim.Time{0, 100, 600, 1100}, []sim.Time{0, 100, 600, 1100},
			[2]sim.Time{60_100, 60_100}, OK},
		{"a pushback that stops", []Outcome{after(600*ms, pushback(DontRetry)),
			after(300*ms, ok)}, []sim.Time{0, 500}, []sim.Time{0, 500},
			[2]sim.Time{800, 800}, OK},
		{"a pushback that stops, then a failure", []Outcome{after(600*ms, pushback(DontRetry)),
			after(300*ms, unavailable)}, []sim.Time{0, 500}, []sim.Time{0, 500},
			[2]sim.Time{800, 800}, Error},
		{"all fail", []Outcome{after(100*ms, unavailable), after(100*ms, unavailable),
			after(100*ms, unavailable), after(100*ms, unavailable)},
			[]sim.Time{0, 100, 200, 300}, []sim.Time{0, 500, 1000, 1500},
			[2]sim.Time{400, 1600}, Error},
	} {
		for i, implementation := range []string{"a6", "java"} {
			_, d := grpcHedge(func(s *GRPCHedging) { s.Implementation = implementation })
			got := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
				if n <= len(c.copies) {
					return c.copies[n-1]
				}
				return slow
			})
			sent := slices.Clone(got.sent)
			for j := range sent {
				sent[j] /= ms
			}
			want := [][]sim.Time{c.a6, c.java}[i]
			if !slices.Equal(sent, want) || got.end != c.end[i]*ms ||
				got.outcome.Class != c.class {
				t.Errorf("%s, %s: sent at %v, %s at %d; want %v, %s at %d ms", c.name,
					implementation, sent, got.outcome.Class, got.end/ms, want, c.class, c.end[i])
			}
		}
	}
}

// TestGRPCHedgesAllAtOnce is what the product does unless a delay is set.
func TestGRPCHedgesAllAtOnce(t *testing.T) {
	for _, implementation := range []string{"a6", "java"} {
		_, d := grpcHedge(func(s *GRPCHedging) {
			s.Implementation, s.HedgingDelay, s.MaxAttempts = implementation, 0, 9
		})
		got := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
			return after(sim.Time(10-n)*ms, Outcome{Class: OK})
		})
		if !slices.Equal(got.sent, make([]sim.Time, 5)) || got.end != 5*ms {
			t.Errorf("%s: sent at %v, ended at %d; want five at 0 and 5 ms",
				implementation, got.sent, got.end)
		}
	}
}

// TestGRPCHedgesStopWhenTokensAreFew: five of ten are left after five failures. Then a call has one
// copy; in Java a non-fatal failure ends it even while others are in flight.
func TestGRPCHedgesStopWhenTokensAreFew(t *testing.T) {
	slow := after(sim.Minute, Outcome{Class: OK})
	for _, c := range []struct {
		implementation string
		sent           []int // copies of calls that begin with 6 and with 5 tokens
		classes        []Class
	}{
		// With 6, the failure of copy 1 leaves 5: the paper's call goes on with copy 2.
		{"a6", []int{2, 1}, []Class{OK, OK}},
		{"java", []int{2, 1}, []Class{Error, OK}},
	} {
		for i, tokens := range []float64{6, 5} {
			h, d := grpcHedge(func(s *GRPCHedging) { s.Implementation = c.implementation })
			h.bucket.tokens = tokens * h.terms.throttling.cost
			got := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
				if n == 1 && tokens == 6 {
					return after(600*ms, unavailable)
				}
				return slow
			})
			if len(got.sent) != c.sent[i] || got.outcome.Class != c.classes[i] {
				t.Errorf("%s with %v tokens: %d copies, %s; want %d, %s", c.implementation,
					tokens, len(got.sent), got.outcome.Class, c.sent[i], c.classes[i])
			}
		}
	}
}

// TestGRPCHedgingThatFrozeStaysFrozen: tokens come back while a call runs, its hedging does not.
func TestGRPCHedgingThatFrozeStaysFrozen(t *testing.T) {
	for _, implementation := range []string{"a6", "java"} {
		h, d := grpcHedge(func(s *GRPCHedging) { s.Implementation = implementation })
		h.bucket.tokens = h.terms.throttling.threshold
		frozen := d.play(sim.Never, func(int, sim.Time) Outcome {
			return after(sim.Second, pushback(RetryNow))
		})
		if len(frozen.sent) != 1 {
			t.Fatalf("%s: %d copies while too few tokens are left", implementation, len(frozen.sent))
		}
		a := &Attempt{N: 1, Note: new(uint64)}
		h.Admit(0, a)
		h.Sent(0, a)
		a.N = 2
		h.Admit(0, a)
		h.bucket.tokens = h.terms.throttling.full
		if got := h.Failed(0, a, pushback(RetryNow)); got.Verb != HedgeWait {
			t.Errorf("%s: hedging began again: %+v", implementation, got)
		}
	}
}

// TestGRPCHedgesAreCharged: non-fatal failures and pushbacks that stop, but no fatal failure.
func TestGRPCHedgesAreCharged(t *testing.T) {
	for _, c := range []struct {
		o      Outcome
		tokens float64
	}{
		{unavailable, 9}, {invalid, 10}, {pushback(DontRetry), 9},
		{Outcome{Class: Error, Status: 400, RetryAfter: DontRetry}, 9},
	} {
		for _, implementation := range []string{"a6", "java"} {
			h, d := grpcHedge(func(s *GRPCHedging) {
				s.Implementation, s.TokenRatio = implementation, 0.25
			})
			d.play(400*ms, func(int, sim.Time) Outcome { return after(100*ms, c.o) })
			want := c.tokens
			if implementation == "a6" && c.o == unavailable {
				want = 7 // each failure sends the next copy, and three come before the deadline
			}
			if got := h.tokens(); got != want {
				t.Errorf("%s: %v tokens after %+v, want %v", implementation, got, c.o, want)
			}
			d.play(sim.Never, func(int, sim.Time) Outcome { return Outcome{Class: OK} })
			if got := h.tokens(); got != min(10, want+0.25) {
				t.Errorf("%s: %v tokens after a success", implementation, got)
			}
		}
	}
}
