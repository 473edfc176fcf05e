// Package aws plays scripts to the retry loop of the genuine AWS SDK for Go, on virtual time, and
// to the policies named after its modes. The number of attempts of each operation and what is left
// of the quota must agree exactly. Waits are drawn from the system's source of chance, which cannot
// be set, so that those of both must lie in the range that the mode gives.
package aws

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
)

func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", "2000"); err != nil {
		panic(err)
	}
	os.Exit(m.Run()) // its flags come later and win
}

// answer is how one attempt ends: ok, timeout, reset, throttled (by a code), or a status.
type answer struct {
	what string
	hint string // x-amz-retry-after; only of a status
}

// script is a client in standard mode and its operations, each with the answers of its attempts.
type script struct {
	dynamo     bool
	attempts   int
	quota      uint
	longest    time.Duration
	operations [][]answer
}

func scripts(t *rapid.T) script {
	s := script{
		dynamo:   rapid.Bool().Draw(t, "dynamo"),
		attempts: rapid.SampledFrom([]int{0, 0, 1, 2, 5, 9}).Draw(t, "attempts"),
		quota:    rapid.SampledFrom([]uint{1, 13, 14, 20, 50, 200, 500}).Draw(t, "quota"),
		longest: time.Duration(rapid.SampledFrom([]int{30, 200, 3000, 20_000}).Draw(t, "longest")) *
			time.Millisecond,
	}
	one := rapid.Custom(func(t *rapid.T) answer {
		a := answer{what: rapid.SampledFrom([]string{"ok", "ok", "timeout", "reset", "throttled",
			"429", "500", "502", "503", "504", "400", "501"}).Draw(t, "what")}
		if _, status := statusOf(a.what); status {
			a.hint = rapid.SampledFrom([]string{"", "", "0", "40", "1500", "10000", "-5",
				"soon"}).Draw(t, "hint")
		}
		return a
	})
	s.operations = rapid.SliceOfN(rapid.SliceOfN(one, 9, 9), 5, 60).Draw(t, "operations")
	return s
}

func statusOf(what string) (status int, ok bool) {
	n, err := fmt.Sscan(what, &status)
	return status, n == 1 && err == nil
}

// err is the answer as the SDK sees it.
func (a answer) err() error {
	switch a.what {
	case "ok":
		return nil
	case "timeout":
		return context.DeadlineExceeded
	case "reset":
		return errors.New("read: connection reset by peer")
	case "throttled":
		return &smithy.GenericAPIError{Code: "ThrottlingException"}
	}
	status, _ := statusOf(a.what)
	response := &http.Response{StatusCode: status, Header: http.Header{}}
	if a.hint != "" {
		response.Header.Set("X-Amz-Retry-After", a.hint)
	}
	return &smithyhttp.ResponseError{
		Response: &smithyhttp.Response{Response: response}, Err: errors.New("as the script says"),
	}
}

// outcome is the answer as a policy sees it.
func (a answer) outcome() policies.Outcome {
	switch a.what {
	case "ok":
		return policies.Outcome{Class: policies.OK}
	case "timeout":
		return policies.Outcome{Class: policies.TimedOut}
	case "reset":
		return policies.Outcome{Class: policies.Dropped}
	case "throttled":
		return policies.Outcome{Class: policies.Rejected, Status: 429}
	}
	status, _ := statusOf(a.what)
	o := policies.Outcome{Class: policies.Error, Status: status}
	var ms sim.Time
	if _, err := fmt.Sscan(a.hint, &ms); err == nil {
		switch {
		case ms > 0:
			o.RetryAfter = ms * sim.Millisecond
		case ms == 0:
			o.RetryAfter = policies.RetryNow
		}
	}
	return o
}

// report is what became of one operation.
type report struct {
	sent []time.Duration
	left uint
}

// genuine plays the script to the SDK's own retry loop.
func (s script) genuine(t *testing.T) (reports []report) {
	quota := ratelimit.NewTokenRateLimit(s.quota)
	client := retry.NewStandard(func(o *retry.StandardOptions) {
		o.RateLimiter, o.MaxBackoff, o.MaxAttempts = quota, s.longest, s.attempts
		if s.dynamo { // what the SDK's client of DynamoDB sets
			o.BaseDelay = 25 * time.Millisecond
			if s.attempts == 0 {
				o.MaxAttempts = 4
			}
		}
	})
	synctest.Test(t, func(*testing.T) {
		began := time.Now()
		for _, answers := range s.operations {
			var r report
			next := middleware.FinalizeHandlerFunc(func(
				context.Context, middleware.FinalizeInput,
			) (out middleware.FinalizeOutput, m middleware.Metadata, err error) {
				r.sent = append(r.sent, time.Since(began))
				return out, m, answers[len(r.sent)-1].err()
			})
			loop := retry.NewAttemptMiddleware(client, func(v any) any { return v })
			// How it ended follows from the last answer; only attempts are compared.
			_, _, _ = loop.HandleFinalize(context.Background(), middleware.FinalizeInput{}, next)
			r.left = quota.Remaining()
			reports = append(reports, r)
		}
	})
	return reports
}

func (s script) policy() policies.Policy {
	k, _ := policies.Builtins().Lookup("aws_standard")
	set := k.Settings().(*policies.AWSStandard)
	set.MaxAttempts, set.RetryQuota = s.attempts, int(s.quota)
	set.MaxBackoff = sim.Time(s.longest)
	if s.dynamo {
		set.Service = "dynamodb"
	}
	if errs := k.Check(set); len(errs) > 0 {
		panic(errs)
	}
	return k.New(set)
}

// TestStandardModeIsThatOfTheSDK is the comparison.
func TestStandardModeIsThatOfTheSDK(t *testing.T) {
	var operations, retries, denied int
	rapid.Check(t, func(rt *rapid.T) {
		s := scripts(rt)
		reports := s.genuine(t)
		o := &ours{script: s, policy: s.policy()}
		for i, r := range reports {
			if difference := o.operation(i, r); difference != "" {
				rt.Fatalf("operation %d: %s\n%+v\n%+v", i, difference, r, s)
			}
			operations++
			retries += len(r.sent) - 1
		}
		denied += o.denied
	})
	t.Logf("%d operations, %d retries, %d refused", operations, retries, denied)
	if retries < operations/4 || denied < operations/20 {
		t.Error("the scripts are too tame to compare anything")
	}
}

// ours plays the policy.
type ours struct {
	script script
	policy policies.Policy
	denied int
}

// operation plays one and says how it differs.
func (o *ours) operation(i int, r report) string {
	p, answers := o.policy, o.script.operations[i]
	var note uint64
	a := policies.Attempt{N: 1, Deadline: sim.Never, Note: &note}
	now := sim.Time(r.sent[0])
	tries := 1
	var last policies.Outcome
	for {
		last = answers[tries-1].outcome()
		a.N = tries
		if last.Class == policies.OK || !p.Condition.Retryable(now, &a, last) {
			break
		}
		a.N, a.Last = tries+1, last
		a.Chance = sim.Seed(uint64(i)).Ident("ours").Draw(uint64(tries))
		if !p.Gate.Admit(now, &a) {
			o.denied++
			break
		}
		if tries++; tries > len(r.sent) {
			return fmt.Sprintf("the policy makes attempt %d", tries)
		}
		least, most := o.script.waits(tries-2, answers[tries-2])
		if a.Wait = p.Pacer.Wait(now, &a, last); a.Wait < least || a.Wait > most {
			return fmt.Sprintf("the policy waits %d before attempt %d, not %d to %d", a.Wait, tries,
				least, most)
		}
		if wait := sim.Time(r.sent[tries-1]) - now; wait < least || wait > most {
			return fmt.Sprintf("the SDK waits %d before attempt %d, not %d to %d", wait, tries,
				least, most)
		}
		now = sim.Time(r.sent[tries-1])
	}
	a.N = tries
	p.Closer.Close(now, &a, last)
	if tries != len(r.sent) {
		return fmt.Sprintf("%d attempts, the policy makes %d", len(r.sent), tries)
	}
	left := p.Level(now) * float64(o.script.quota)
	if difference := left - float64(r.left); difference < -1e-9 || difference > 1e-9 {
		return fmt.Sprintf("%d tokens left, the policy has %v", r.left, left)
	}
	return ""
}

// waits is the range of the wait before retry i, from 0, after an answer.
func (s script) waits(i int, a answer) (least, most sim.Time) {
	base := 50 * sim.Millisecond
	if s.dynamo {
		base = 25 * sim.Millisecond
	}
	if a.what == "throttled" || a.what == "429" {
		base = sim.Second
	}
	most = min(base<<i, sim.Time(s.longest))
	if hint := a.outcome().RetryAfter; hint > 0 {
		return min(hint, 5*sim.Second), max(most, min(hint, most+5*sim.Second))
	}
	return 0, most
}

// TestOldBackoffIsThatOfTheSDK: NewExponentialJitterBackoff is the formula of the mode before 2.1.
// Up to some attempt its waits are spread and below a power of two; then they are the longest.
func TestOldBackoffIsThatOfTheSDK(t *testing.T) {
	k, _ := policies.Builtins().Lookup("aws_standard")
	rapid.Check(t, func(rt *rapid.T) {
		longest := time.Duration(rapid.IntRange(1, 70_000).Draw(rt, "longest")) * time.Millisecond
		if rapid.Bool().Draw(rt, "whole") {
			longest = 1 << rapid.IntRange(0, 6).Draw(rt, "power") * time.Second
		}
		set := k.Settings().(*policies.AWSStandard)
		set.Version, set.Backoff, set.MaxBackoff = "v2.0", "exponential_jitter", sim.Time(longest)
		pacer, theirs := k.New(set).Pacer, retry.NewExponentialJitterBackoff(longest)
		for failed := 1; failed <= 9; failed++ {
			fixed := [2]bool{true, true}
			for draw := range 3 {
				a := policies.Attempt{N: failed + 1, Chance: sim.Seed(1).Ident("x").Draw(uint64(draw))}
				wait := pacer.Wait(0, &a, policies.Outcome{Class: policies.Error, Status: 500})
				their, err := theirs.BackoffDelay(failed, nil)
				if err != nil {
					rt.Fatal(err)
				}
				for i, w := range [2]time.Duration{time.Duration(wait), their} {
					if fixed[i] = fixed[i] && w == longest; !fixed[i] && w > time.Second<<failed {
						rt.Fatalf("after attempt %d: %d waits %s", failed, i, w)
					}
				}
			}
			if fixed[0] != fixed[1] {
				rt.Fatalf("longest %s, after attempt %d: exactly that: policy %t, SDK %t", longest,
					failed, fixed[0], fixed[1])
			}
		}
	})
}
