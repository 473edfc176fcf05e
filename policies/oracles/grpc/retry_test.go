// Package grpc plays scripts to a genuine grpc-go client and server, and to grpc_retry. The number
// of attempts of each call, its final code and when it may end must agree; the waits are drawn from
// a source that cannot be set, so those of both must lie in the range that A6 gives. The tokens of
// a channel are seen through what it does over many calls.
package grpc

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/emptypb"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "1500"); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // its flags come later and win
}

// script is a service config, and what becomes of a channel with it.
type script struct {
	attempts   int
	initial    time.Duration
	longest    time.Duration
	multiplier float64
	tokens     int // 0: no throttling
	ratio      float64
	aborted    bool // ABORTED is retried too
	answers    []answer
	deadlines  []time.Duration // one call each; 0: none
}

func scripts(t *rapid.T) script {
	millis := func(name string, least, most int) time.Duration {
		return time.Duration(rapid.IntRange(least, most).Draw(t, name)) * time.Millisecond
	}
	s := script{
		attempts:   rapid.IntRange(2, 7).Draw(t, "attempts"),
		initial:    millis("initial", 1, 200),
		longest:    millis("longest", 1, 1000),
		multiplier: rapid.SampledFrom([]float64{0.5, 1, 1.5, 2, 3}).Draw(t, "multiplier"),
		tokens:     rapid.SampledFrom([]int{0, 1, 2, 3, 4, 5, 10, 20}).Draw(t, "tokens"),
		ratio:      rapid.SampledFrom([]float64{0.1, 0.3, 0.5, 1, 1.6}).Draw(t, "ratio"),
		aborted:    rapid.Bool().Draw(t, "aborted"),
	}
	s.answers = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) answer {
		return answer{
			code: rapid.SampledFrom([]codes.Code{codes.OK, codes.OK, codes.Unavailable,
				codes.Unavailable, codes.Unavailable, codes.InvalidArgument,
				codes.Aborted}).Draw(t, "code"),
			pushback: rapid.SampledFrom([][]string{nil, nil, nil, nil, nil, {"0"}, {"1"}, {"250"},
				{"-1"}, {"x"}, {""}, {"10", "20"}}).Draw(t, "pushback"),
			takes: millis("takes", 0, 100),
		}
	}), 10, 60).Draw(t, "answers")
	s.deadlines = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) time.Duration {
		if rapid.IntRange(0, 3).Draw(t, "hurry") > 0 {
			return 0
		}
		// Never at the instant of an answer or of a wait's end, which the client leaves to chance.
		return millis("deadline", 1, 1000) + 500*time.Microsecond
	}), 5, 25).Draw(t, "calls")
	return s
}

func (s script) config() string {
	throttling, also := "", ""
	if s.tokens > 0 {
		throttling = fmt.Sprintf(`, "retryThrottling": {"maxTokens": %d, "tokenRatio": %v}`,
			s.tokens, s.ratio)
	}
	if s.aborted {
		also = `, "ABORTED"`
	}
	return fmt.Sprintf(`{"methodConfig": [{"name": [{}], "retryPolicy": {"maxAttempts": %d,
		"initialBackoff": "%.3fs", "maxBackoff": "%.3fs", "backoffMultiplier": %v,
		"retryableStatusCodes": ["UNAVAILABLE"%s]}}]%s}`, s.attempts, s.initial.Seconds(),
		s.longest.Seconds(), s.multiplier, also, throttling)
}

func (s script) policy() policies.Policy {
	k, _ := policies.Builtins().Lookup("grpc_retry")
	set := k.Settings().(*policies.GRPCRetry)
	set.MaxAttempts, set.MaxTokens = s.attempts, s.tokens
	set.InitialBackoff, set.MaxBackoff = sim.Time(s.initial), sim.Time(s.longest)
	set.BackoffMultiplier = s.multiplier
	if s.tokens > 0 {
		set.TokenRatio = unit.Ratio(s.ratio)
	}
	if s.aborted {
		set.Codes = append(set.Codes, "ABORTED")
	}
	if errs := k.Check(set); len(errs) > 0 {
		panic(errs)
	}
	return k.New(set)
}

// report is what became of one call in genuine gRPC.
type report struct {
	began, ended time.Duration
	code         codes.Code
	arrivals     []arrival
}

// genuine plays the script to the product.
func (s script) genuine(t *testing.T) (reports []report, err error) {
	synctest.Test(t, func(*testing.T) {
		var c *channel
		if c, err = open(s.config(), s.answers); err != nil {
			return
		}
		for _, deadline := range s.deadlines {
			r := report{began: time.Since(c.began)}
			first := len(c.arrivals)
			r.code, r.ended = c.call(deadline)
			synctest.Wait() // until the server has seen the end as well
			r.arrivals = c.arrivals[first:len(c.arrivals):len(c.arrivals)]
			reports = append(reports, r)
			time.Sleep(time.Millisecond)
		}
		err = c.close()
	})
	return reports, err
}

// TestRetriesAreThoseOfGRPCGo is the comparison.
func TestRetriesAreThoseOfGRPCGo(t *testing.T) {
	var calls, retries, denied, late int
	rapid.Check(t, func(rt *rapid.T) {
		s := scripts(rt)
		reports, err := s.genuine(t)
		if err != nil {
			rt.Fatal(err)
		}
		o := &ours{script: s, policy: s.policy()}
		for i, r := range reports {
			if difference := o.call(r, s.deadlines[i]); difference != "" {
				rt.Fatalf("call %d: %s\n%+v\n%+v", i, difference, r, s)
			}
			calls++
			retries += len(r.arrivals) - 1
			if r.code == codes.DeadlineExceeded {
				late++
			}
		}
		denied += o.denied
	})
	t.Logf("%d calls, %d retries, %d refused, %d out of time", calls, retries, denied, late)
	if retries < calls/10 || denied < calls/20 || late < calls/50 {
		t.Error("the scripts are too tame to compare anything")
	}
}

// ours plays the policy along what genuine gRPC did.
type ours struct {
	script   script
	policy   policies.Policy
	answered int // of the script
	denied   int // failures of a retried code that were not retried
}

// call plays one call and says how it differs. The clock follows the genuine waits, each of which
// must be one that the policy could have drawn.
func (o *ours) call(r report, deadline time.Duration) (difference string) {
	end := sim.Never
	if deadline > 0 {
		end = sim.Time(r.began + deadline)
	}
	var note uint64
	a := policies.Attempt{N: 1, Started: sim.Time(r.began), Deadline: end, Note: &note}
	if len(r.arrivals) == 0 {
		return "no attempt reached the server"
	}
	exponent := 0 // retries since the last pushback
	for i, arrived := range r.arrivals {
		if i > 0 && arrived.previous != fmt.Sprintf("[%d]", i) {
			return fmt.Sprintf("attempt %d is announced as %s", i+1, arrived.previous)
		}
		reply := o.next()
		outcome := outcomeOf(reply)
		now := sim.Time(arrived.at + reply.takes)
		if now >= end {
			return o.finish(r, i, end, policies.Outcome{Class: policies.TimedOut}, &a)
		}
		a.N = i + 1
		if outcome.Class == policies.OK || !o.policy.Condition.Retryable(now, &a, outcome) {
			return o.finish(r, i, now, outcome, &a)
		}
		a.N, a.Last = i+2, outcome
		a.Chance = sim.Seed(uint64(o.answered)).Stream("ours")
		if !o.policy.Gate.Admit(now, &a) {
			o.denied++
			return o.finish(r, i, now, outcome, &a)
		}
		a.Wait = o.policy.Pacer.Wait(now, &a, outcome)
		least, most := o.script.waits(reply, &exponent)
		if a.Wait < least || a.Wait > most {
			return fmt.Sprintf("retry %d of the policy waits %d, not %d to %d", i+1, a.Wait, least,
				most)
		}
		if i+1 == len(r.arrivals) {
			if now+most < end {
				return fmt.Sprintf("the policy makes retry %d", i+1)
			}
			return o.finish(r, i, end, policies.Outcome{Class: policies.TimedOut}, &a)
		}
		if wait := sim.Time(r.arrivals[i+1].at) - now; wait < least || wait > most {
			return fmt.Sprintf("retry %d of gRPC waits %d, not %d to %d", i+1, wait, least, most)
		}
	}
	return ""
}

// next is the server's next answer.
func (o *ours) next() answer {
	o.answered++
	return o.script.answers[(o.answered-1)%len(o.script.answers)]
}

// finish ends a call after attempt i and compares how.
func (o *ours) finish(
	r report, i int, at sim.Time, outcome policies.Outcome, a *policies.Attempt,
) string {
	a.N = i + 1
	if o.policy.Closer != nil {
		o.policy.Closer.Close(at, a, outcome)
	}
	if len(r.arrivals) != i+1 {
		return fmt.Sprintf("%d attempts, the policy makes %d", len(r.arrivals), i+1)
	}
	if want := codeOf(outcome); r.code != want || sim.Time(r.ended) != at {
		return fmt.Sprintf("%s at %d, the policy ends with %s at %d", r.code, r.ended, want, at)
	}
	return ""
}

// waits is the range of the wait before the retry that follows an answer.
func (s script) waits(reply answer, exponent *int) (least, most sim.Time) {
	if len(reply.pushback) == 1 {
		*exponent = 0
		var ms int
		if _, err := fmt.Sscan(reply.pushback[0], &ms); err != nil {
			panic(err)
		}
		exact := sim.Time(ms) * sim.Millisecond
		return exact, exact
	}
	base := float64(s.initial)
	for range *exponent {
		base *= s.multiplier
	}
	base = min(base, float64(s.longest))
	*exponent++
	return sim.Time(0.8*base) - 1, sim.Time(1.2*base) + 1
}

func outcomeOf(a answer) policies.Outcome {
	o := policies.Outcome{Class: policies.Error}
	switch a.code {
	case codes.OK:
		return policies.Outcome{Class: policies.OK}
	case codes.Unavailable:
		o.Status = 503
	case codes.Aborted:
		o.Status = 409
	case codes.InvalidArgument:
		o.Status = 400
	default:
		panic(a.code)
	}
	switch {
	case len(a.pushback) == 0:
	case len(a.pushback) > 1 || a.pushback[0] == "-1" || a.pushback[0] == "x" ||
		a.pushback[0] == "":
		o.RetryAfter = policies.DontRetry
	case a.pushback[0] == "0":
		o.RetryAfter = policies.RetryNow
	default:
		ms := 0
		if _, err := fmt.Sscan(a.pushback[0], &ms); err != nil {
			panic(err)
		}
		o.RetryAfter = sim.Time(ms) * sim.Millisecond
	}
	return o
}

func codeOf(o policies.Outcome) codes.Code {
	switch {
	case o.Class == policies.OK:
		return codes.OK
	case o.Class == policies.TimedOut:
		return codes.DeadlineExceeded
	}
	return map[int]codes.Code{
		503: codes.Unavailable, 409: codes.Aborted, 400: codes.InvalidArgument,
	}[o.Status]
}

// TestRefusedConnectionsAreUnavailable: a callee that refuses connections leaves the channel in
// TRANSIENT_FAILURE. Calls fail with UNAVAILABLE at once and are retried by the policy, after its
// backoff; they are not retried transparently. That is why the policy takes a refused attempt so
// unless it is told otherwise.
func TestRefusedConnectionsAreUnavailable(t *testing.T) {
	s := script{attempts: 4, initial: 100 * time.Millisecond, longest: time.Second, multiplier: 2}
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			conn, err := dial(s.config(), func(context.Context, string) (net.Conn, error) {
				return nil, errors.New("connection refused")
			})
			if err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			err = conn.Invoke(context.Background(), "/s/m", &emptypb.Empty{}, &emptypb.Empty{})
			took := time.Since(began)
			if code := status.Code(err); code != codes.Unavailable ||
				took < 560*time.Millisecond || took > 840*time.Millisecond {
				t.Errorf("%s after %s, want Unavailable after three waits, 560 to 840 ms", code, took)
			}
			if err := conn.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	refused := policies.Outcome{Class: policies.Dropped, Unreached: true}
	p := s.policy()
	var note uint64
	a := policies.Attempt{N: 1, Deadline: sim.Never, Note: &note}
	var took sim.Time
	for p.Condition.Retryable(took, &a, refused) {
		a.N, a.Last = a.N+1, refused
		if !p.Gate.Admit(took, &a) {
			break
		}
		a.Chance = sim.Seed(1).Ident("ours").Draw(uint64(a.N))
		took += p.Pacer.Wait(took, &a, refused)
	}
	if a.N != 4 || took < 560*sim.Millisecond || took > 840*sim.Millisecond {
		t.Errorf("the policy ends with try %d after %d ns, want try 4 after 560 to 840 ms", a.N, took)
	}
}
