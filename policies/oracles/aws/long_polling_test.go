package aws

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
	_ "unsafe" // for the name of a function that the SDK keeps to its own clients

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go/middleware"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
)

// setIsLongPolling is what a client such as that of SQS does in ReceiveMessage.
//
//go:linkname setIsLongPolling github.com/aws/aws-sdk-go-v2/internal/context.SetIsLongPolling
func setIsLongPolling(context.Context, bool) context.Context

// TestALongPollSleepsBeforeItFails as long as the policy lets it: only when the quota refuses a
// retry, and within the range of that retry's backoff.
func TestALongPollSleepsBeforeItFails(t *testing.T) {
	k, _ := policies.Builtins().Lookup("aws_standard")
	slept := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := scripts(rt)
		s.dynamo = false
		set := k.Settings().(*policies.AWSStandard)
		set.MaxAttempts, set.RetryQuota = s.attempts, int(s.quota)
		set.MaxBackoff, set.LongPolling = sim.Time(s.longest), true
		p := k.New(set)
		for i, over := range s.polls(t) {
			answers := s.operations[i]
			n, refused := refusedAt(p, answers)
			least, most := sim.Time(0), sim.Time(0)
			if refused {
				least, most = s.waits(n-1, answers[n-1])
				slept++
				a := policies.Attempt{N: n + 1, Chance: sim.Seed(uint64(i)).Stream("ours")}
				ours := p.Lingerer.Linger(0, &a, answers[n-1].outcome())
				if ours < least || ours > most {
					rt.Fatalf("operation %d: the policy lingers %d, not %d to %d", i, ours, least, most)
				}
			}
			if theirs := sim.Time(over); theirs < least || theirs > most {
				rt.Fatalf("operation %d, refused %t after attempt %d: the SDK ends %d later, not %d to %d",
					i, refused, n, theirs, least, most)
			}
		}
	})
	if slept < 2000 {
		t.Errorf("%d calls slept: the scripts are too tame", slept)
	}
}

// polls plays the script to the SDK's loop as long polls: how long after its last attempt each
// ends.
func (s script) polls(t *testing.T) (over []time.Duration) {
	client := retry.NewStandard(func(o *retry.StandardOptions) {
		o.RateLimiter = ratelimit.NewTokenRateLimit(s.quota)
		o.MaxBackoff, o.MaxAttempts = s.longest, s.attempts
	})
	synctest.Test(t, func(*testing.T) {
		for _, answers := range s.operations {
			n := 0
			var last time.Time
			next := middleware.FinalizeHandlerFunc(func(
				context.Context, middleware.FinalizeInput,
			) (out middleware.FinalizeOutput, m middleware.Metadata, err error) {
				n, last = n+1, time.Now()
				return out, m, answers[n-1].err()
			})
			loop := retry.NewAttemptMiddleware(client, func(v any) any { return v })
			ctx := setIsLongPolling(context.Background(), true)
			_, _, _ = loop.HandleFinalize(ctx, middleware.FinalizeInput{}, next)
			over = append(over, time.Since(last))
		}
	})
	return over
}

// refusedAt plays one operation to the policy: how many attempts it makes, and whether the quota
// refused the next one.
func refusedAt(p policies.Policy, answers []answer) (n int, refused bool) {
	var note uint64
	a := policies.Attempt{Deadline: sim.Never, Note: &note}
	for n = 1; ; n++ {
		o := answers[n-1].outcome()
		a.N = n
		if o.Class == policies.OK || !p.Condition.Retryable(0, &a, o) {
			p.Closer.Close(0, &a, o)
			return n, false
		}
		if a.N, a.Last = n+1, o; !p.Gate.Admit(0, &a) {
			a.N = n
			p.Closer.Close(0, &a, o)
			return n, true
		}
	}
}
