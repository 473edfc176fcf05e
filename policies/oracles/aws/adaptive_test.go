package aws

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/sim"
)

// step is a pause, and then an attempt that begins or the oldest one under way that ends.
type step struct {
	pause     time.Duration
	begins    bool
	throttled bool
}

// TestAdaptiveModeIsThatOfTheSDK: attempts begin and end at random times. The policy must hold each
// back for as long as the SDK does. The SDK's limiter works in floats of its own and rounds waits
// down; two nanoseconds is what both may differ by. It is told to fail rather than sleep, for its
// waits can round to nothing, which never ends on a virtual clock.
func TestAdaptiveModeIsThatOfTheSDK(t *testing.T) {
	var held, passed int
	rapid.Check(t, func(rt *rapid.T) {
		steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
			pauses := []int{0, 1, 7, 40, 200, 500, 1000}
			return step{
				pause:     time.Duration(rapid.SampledFrom(pauses).Draw(t, "pause")) * time.Millisecond,
				begins:    rapid.IntRange(0, 9).Draw(t, "begins") < 5,
				throttled: rapid.IntRange(0, 9).Draw(t, "throttled") < 2,
			}
		}), 30, 120).Draw(rt, "steps")
		difference := ""
		synctest.Test(t, func(*testing.T) {
			l := newLimiters()
			for i, s := range steps {
				time.Sleep(s.pause)
				switch {
				case s.begins && !l.begin():
					difference = fmt.Sprintf("step %d: %s", i, l.difference)
					return
				case !s.begins:
					l.end(s.throttled)
				}
			}
			held += l.held
			passed += l.passed
		})
		if difference != "" { // told here, since a bubble must end by itself
			rt.Fatalf("%s\n%+v", difference, steps)
		}
	})
	t.Logf("%d attempts at once, %d held back", passed, held)
	if held < passed/10 || passed < held/10 {
		t.Error("the scripts are too tame to compare anything")
	}
}

// limiters are the SDK's and the policy's, of one client.
type limiters struct {
	began        time.Time
	sdk          *retry.AdaptiveMode
	policy       policies.Policy
	under        []func(error) error // attempts under way
	held, passed int
	difference   string
}

func newLimiters() *limiters {
	k, _ := policies.Builtins().Lookup("aws_adaptive")
	return &limiters{
		began: time.Now(),
		sdk: retry.NewAdaptiveMode(func(o *retry.AdaptiveModeOptions) {
			o.FailOnNoAttemptTokens = true
		}),
		policy: k.New(nil),
	}
}

func (l *limiters) now() sim.Time { return sim.Time(time.Since(l.began)) }

// begin waits as the policy says and then begins an attempt with both. It is false when the SDK
// would have let it pass before, or still does not.
func (l *limiters) begin() bool {
	var waited sim.Time
	for {
		wait := l.policy.Shaper.Delay(l.now(), &policies.Attempt{N: 1})
		if wait == 0 {
			break
		}
		if wait > 2 && l.passes() {
			l.difference = "the SDK lets it pass before the policy does"
			return false
		}
		waited += wait
		time.Sleep(time.Duration(wait))
	}
	if waited > 0 {
		l.held++
	} else {
		l.passed++
	}
	for range 3 {
		if l.passes() {
			return true
		}
		time.Sleep(time.Nanosecond)
	}
	l.difference = "the SDK still holds it back when the policy lets it pass"
	return false
}

func (l *limiters) passes() bool {
	release, err := l.sdk.GetAttemptToken(context.Background())
	if err != nil {
		return false
	}
	l.under = append(l.under, release)
	return true
}

// end ends the oldest attempt under way, if any.
func (l *limiters) end(throttled bool) {
	if len(l.under) == 0 {
		return
	}
	release := l.under[0]
	l.under = l.under[1:]
	var err error
	o := policies.Outcome{Class: policies.OK}
	if throttled {
		err = &smithy.GenericAPIError{Code: "ThrottlingException"}
		o = policies.Outcome{Class: policies.Rejected, Status: 429}
	}
	_ = release(err) // tells the limiter, and never fails
	l.policy.Observer.Observe(l.now(), &policies.Attempt{N: 1}, o)
}
