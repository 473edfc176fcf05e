package model_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"cascadesim/model"
)

// brokenWorld has a callee whose every try fails after a millisecond, and a breaker.
const brokenWorld = `
name: broken
tiers: {db: {steps: [{work: 1ms}, {fail: 100%%}]}}
clients: {users: {arrivals: %s, call: db}}
edges: [{from: users, to: db, retry: {stack: [%s]}}]
duration: 20s
window: 100ms
`

// sums are what went over the only edge of a world: attempts, and those that a policy refused, in
// all and by window.
type sums struct {
	attempts, refused uint32
	windows           []uint32
}

// broken runs the world; by is the place of the policy in the stack.
func broken(t *testing.T, arrivals, stack string, by int) (s sums) {
	t.Helper()
	plan := compiled(t, fmt.Sprintf(brokenWorld, arrivals, stack))
	r, err := plan.Run(context.Background(), 1, model.RunOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Edges[0].Cells {
		s.attempts += c.Attempts
		s.windows = append(s.windows, r.Edges[0].RefusedBy[by][i])
		s.refused += s.windows[i]
	}
	return s
}

// A call makes three tries. A breaker inside the retry counts each of them, one around it each
// call, so that it lets three times as much through before it opens: at the sixth failure in a row,
// at a hundred calls of which all failed. Hystrix looks twice a second, and so opens late.
func TestABreakerInsideTheRetryOpensAThirdAsLate(t *testing.T) {
	const retry = "{resilience4j_retry: {max_attempts: 3, wait_duration: 1ms}}"
	for _, test := range []struct {
		name, settings  string
		inside, outside uint32 // attempts until it opens
		late            uint32 // attempts of the half second in which nobody looks
	}{
		{"gobreaker", "timeout: 1h", 6, 18, 0},
		{"polly_breaker", "break_duration: 1h", 100, 300, 0},
		{"resilience4j_breaker", "wait_duration_in_open_state: 1h", 100, 300, 0},
		{"hystrix_breaker", "sleep_window: 1h", 20, 60, 150},
	} {
		inside := broken(t, "constant 100/s",
			fmt.Sprintf("%s, {%s: {%s}}", retry, test.name, test.settings), 1)
		outside := broken(t, "constant 100/s",
			fmt.Sprintf("{%s: {%s, per: call}}, %s", test.name, test.settings, retry), 0)
		for _, side := range []struct {
			where     string
			got, want uint32
		}{
			{"inside", inside.attempts, test.inside}, {"around", outside.attempts, test.outside},
		} {
			if side.got < side.want || side.got > side.want+test.late {
				t.Errorf("%s %s the retry lets %d attempts through, want %d and at most %d more",
					test.name, side.where, side.got, side.want, test.late)
			}
		}
		// Who is refused inside is tried again, so that each try of each call is sent or refused.
		const calls = 20*100 - 1
		if got := inside.attempts + inside.refused; got != 3*calls {
			t.Errorf("%s inside: %d tries sent or refused, want %d", test.name, got, 3*calls)
		}
		if got := outside.attempts/3 + outside.refused; got != calls {
			t.Errorf("%s around: %d calls made or refused, want %d", test.name, got, calls)
		}
	}
}

// Calls come together, all fail at 1 ms, and all their retries are decided then, some while the
// breaker was still closed. It is asked when the backoff is over: at 1.001 s none passes. A client
// that tries again what a breaker refused is refused once more a second later; one that does not
// ends its call.
func TestARetryDecidedBeforeTheBreakerOpenedIsRefusedAfterItsBackoff(t *testing.T) {
	for _, test := range []struct {
		calls   uint32
		breaker string
	}{
		{10, "gobreaker: {timeout: 1h}"},
		{150, "polly_breaker: {break_duration: 1h}"},
		{150, "resilience4j_breaker: {wait_duration_in_open_state: 1h}"},
		{30, "hystrix_breaker: {sleep_window: 1h, max_concurrent_requests: 0}"},
	} {
		arrivals := fmt.Sprintf("{process: burst, count: %d}", test.calls)
		for client, again := range map[string]uint32{
			"resilience4j_retry: {max_attempts: 3, wait_duration: 1s}":                        1,
			"polly_retry: {max_retry_attempts: 2, delay: 1s, should_handle: http}":            0,
			"polly_retry: {max_retry_attempts: 2, delay: 1s, should_handle: any}":             1,
			"max_attempts: {attempts: 3}}, {constant: {wait: 1s}":                             0,
			"cenkalti_backoff: {initial_interval: 1s, randomization_factor: 0, max_tries: 2}": 0,
		} {
			stack := fmt.Sprintf("{%s}, {%s}", client, test.breaker)
			s := broken(t, arrivals, stack, strings.Count(stack, "}, {"))
			if s.attempts != test.calls || s.windows[10] != test.calls {
				t.Errorf("%s in %s: %d attempts and %d refused at 1 s, want %d of each",
					test.breaker, client, s.attempts, s.windows[10], test.calls)
			}
			if want := test.calls * (1 + again); s.refused != want {
				t.Errorf("%s in %s: %d refused, want %d", test.breaker, client, s.refused, want)
			}
		}
	}
}

// lastWord is a world of one call of a client to app, and from there to a db that fails with 500.
// The client tries again what is answered with 503, and nothing else.
const lastWord = `
name: last-word
tiers:
  app: {steps: [{call: db}]}
  db: {steps: [{fail: {share: 100%%, status: 500}}]}
clients: {users: {arrivals: {process: burst, count: 1}, call: app}}
edges:
  - {from: users, to: app, retry: {retry_on: [503], stack: [{max_attempts: {attempts: 2}}]}}
  - {from: app, to: db, retry: {%s}}
duration: 10s
`

// Who makes a call hears what came last: an exception of the breaker in front of a retry, an
// overflow of Envoy's; but of a budget that pays for no retry, the answer to the try before.
func TestACallThatIsRefusedAtItsLastTryIsAnsweredWith503(t *testing.T) {
	const opens = "{gobreaker: {consecutive_failures: 0, timeout: 1h}}"
	for retry, want := range map[string]string{
		// The retry sees the breaker's exception, and passes it on at once or after all its tries.
		"stack: [{polly_retry: {delay: 1ms, should_handle: http}}, " + opens + "]":              "503",
		"stack: [{resilience4j_retry: {max_attempts: 3, wait_duration: 1ms}}, " + opens + "]":   "503",
		"retry_on: [500], stack: [{max_attempts: {}}, {constant: {wait: 1ms}}, " + opens + "]":  "503",
		"retry_on: [500, refused], stack: [{constant: {wait: 1ms}}, " + opens + ", {none: {}}]": "500",

		// A gate at the send refuses a try wherever it stands, as an Envoy cluster does its router's.
		"retry_on: [500], stack: [" + opens + ", {max_attempts: {}}, {constant: {wait: 1ms}}]": "503",
		"retry_on: [500], stack: [{max_attempts: {}}, " + opens + "]":                          "503",

		"retry_on: [500], stack: [{max_attempts: {}}, {token_budget: {burst: 0}}]": "500",
		"retry_on: [500], stack: [{constant: {wait: 1ms}}, {max_attempts: {}}]":    "500",
		"stack: [{aws_standard: {retry_quota: 13}}]":                               "500",
		"stack: [{envoy_retry: {retry_on: [5xx], max_retries: 0}}]":                "500",

		"retry_on: [500, refused], stack: [{constant: {wait: 1ms}}, " +
			"{max_attempts: {attempts: 2}}]": "500",
	} {
		plan := compiled(t, fmt.Sprintf(lastWord, retry))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		tries := uint32(0)
		for _, c := range r.Edges[0].Cells {
			tries += c.Attempts
		}
		got := map[uint32]string{1: "500", 2: "503"}[tries]
		if got != want {
			t.Errorf("%s: app answers %s after %d tries, want %s", retry, got, tries, want)
		}
	}
}

// In resilience4j's usual order a breaker stands around a rate limiter, whose refusals are
// exceptions to it: one call of a second goes through, nine are refused, and then the breaker is
// open. A limiter around the breaker goes on refusing, and the breaker sees nothing but what goes
// well.
func TestABreakerOpensAtWhatALimiterWithinItRefuses(t *testing.T) {
	const world = `
name: limited
tiers: {db: {steps: [{work: 1ms}]}}
clients: {users: {arrivals: constant 100/s, call: db}}
edges: [{from: users, to: db, retry: {stack: [%s, %s]}}]
duration: 10s
`
	const breaker = "{resilience4j_breaker: {minimum_number_of_calls: 10, sliding_window_size: 10, " +
		"wait_duration_in_open_state: 1h}}"
	const limiter = "{resilience4j_rate_limiter: {limit_for_period: 1, limit_refresh_period: 1s, " +
		"timeout_duration: 0s}}"
	for _, c := range []struct{ first, second, want string }{
		{breaker, limiter, "989 and 9, 1 sent"}, {limiter, breaker, "989 and 0, 10 sent"},
	} {
		plan := compiled(t, fmt.Sprintf(world, c.first, c.second))
		r, err := plan.Run(context.Background(), 1, model.RunOptions{})
		if err != nil {
			t.Fatal(err)
		}
		var sent uint32
		var by [2]uint32
		for i, cell := range r.Edges[0].Cells {
			sent += cell.Attempts
			by[0] += r.Edges[0].RefusedBy[0][i]
			by[1] += r.Edges[0].RefusedBy[1][i]
		}
		if got := fmt.Sprintf("%d and %d, %d sent", by[0], by[1], sent); got != c.want {
			t.Errorf("%s around %s: %s, want %s", c.first, c.second, got, c.want)
		}
	}
}
