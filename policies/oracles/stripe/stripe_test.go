// The product throws global dice, which can still be set:
//
//go:debug randseednop=0

// Package stripe compares the policy stripe_go with stripe-go, the newest version and the last that
// made an exception of POST.
package stripe

import (
	"io"
	"math/rand"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	older "github.com/stripe/stripe-go/v76"
	newest "github.com/stripe/stripe-go/v84"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

// server is the product's transport. A hint of the script is the header Stripe-Should-Retry: 0 says
// true, dontRetry false, and what else there is says nothing.
type server struct {
	*ours.Script
	body string // of error answers
}

const dontRetry = 45

func (s server) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.Script.RoundTrip(request)
	if err != nil || response.StatusCode < 400 {
		return response, err
	}
	response.Body = io.NopCloser(strings.NewReader(s.body))
	switch response.Header.Get("Retry-After") {
	case "0":
		response.Header.Set("Stripe-Should-Retry", "true")
	case "45":
		response.Header.Set("Stripe-Should-Retry", "false")
	}
	return response, nil
}

// answer is how try n ends to the policy.
func answer(script *ours.Script) func(n int) (policies.Outcome, sim.Time) {
	plain := script.Answer(sim.Second)
	return func(n int) (policies.Outcome, sim.Time) {
		o, took := plain(n)
		if o.RetryAfter == dontRetry*sim.Second {
			o.RetryAfter = policies.DontRetry
		}
		return o, took
	}
}

// playNewest and playOlder make one call with a client of a version. The key of idempotency is set,
// since the product would throw dice for one.
func playNewest(transport http.RoundTripper, retries int, method string) {
	backend := newest.GetBackendWithConfig(newest.APIBackend, &newest.BackendConfig{
		HTTPClient: &http.Client{Transport: transport}, LeveledLogger: &newest.LeveledLogger{},
		MaxNetworkRetries: newest.Int64(int64(retries)), EnableTelemetry: newest.Bool(false),
		URL: newest.String("http://callee"),
	})
	params := &newest.Params{IdempotencyKey: newest.String("key")}
	_ = backend.Call(method, "/v1/charges", "sk_test_1", params, &newest.APIResource{})
}

func playOlder(transport http.RoundTripper, retries int, method string) {
	backend := older.GetBackendWithConfig(older.APIBackend, &older.BackendConfig{
		HTTPClient: &http.Client{Transport: transport}, LeveledLogger: &older.LeveledLogger{},
		MaxNetworkRetries: older.Int64(int64(retries)), EnableTelemetry: older.Bool(false),
		URL: older.String("http://callee"),
	})
	params := &older.Params{IdempotencyKey: older.String("key")}
	_ = backend.Call(method, "/v1/charges", "sk_test_1", params, &older.APIResource{})
}

// TestTriesAreTheSame, at the same times, for errors of Stripe's own and of somebody else on the
// way, with every kind of hint.
func TestTriesAreTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.StripeGo]("stripe_go")
		s.MaxRetries = rapid.IntRange(0, 9).Draw(r, "retries")
		s.Answers = rapid.SampledFrom([]string{"stripe", "foreign", "rules"}).Draw(r, "answers")
		s.Post = rapid.Bool().Draw(r, "post")
		s.LockTimeout = rapid.Bool().Draw(r, "lock")
		play := playNewest
		if s.Answers == "rules" {
			play = playOlder
		}
		script := server{
			Script: &ours.Script{Steps: ours.Steps(r, 200, 400, 402, 409, 429, 500, 502, 503)},
			body:   bodyOf(s),
		}
		for i := range script.Steps { // "do not retry" is rare among the hints of scripts
			if script.Steps[i].Hint > 0 && rapid.Bool().Draw(r, "dont") {
				script.Steps[i].Hint = dontRetry
			}
		}
		const seed = 84
		synctest.Test(t, func(t *testing.T) {
			//lint:ignore SA1019 the module draws from the global source, which nothing else can seed
			rand.Seed(seed)
			script.Begin()
			play(script, s.MaxRetries, map[bool]string{true: "POST", false: "GET"}[s.Post])
		})
		dice, n := rand.New(rand.NewSource(seed)), int64(0)
		got := ours.Call{Policy: ours.Policy("stripe_go", s), Answer: answer(script.Script),
			Draw: func(sim.Time, policies.Outcome) sim.Stream {
				room := min(500_000_000*(1+n*n), 5_000_000_000) / 4
				n++
				return ours.DrawnOf(uint64(dice.Int63n(room)), uint64(room))
			},
		}.Play()
		if !ours.Near(got, script.Sent) {
			r.Fatalf("%+v\n%+v\ngot  %v\nwant %v", s, script.Steps, got, script.Sent)
		}
	})
}

// bodyOf is the body of error answers that settings are about.
func bodyOf(s *policies.StripeGo) string {
	switch {
	case s.Answers == "foreign":
		return "upstream connect error"
	case s.LockTimeout:
		return `{"error": {"type": "invalid_request_error", "code": "lock_timeout"}}`
	}
	return `{"error": {"type": "api_error", "message": "An unknown error occurred"}}`
}

// TestAnErrorOfTheAPIIsNoReasonToRetry in the newest version, whatever its own comments say, and is
// one in the older.
func TestAnErrorOfTheAPIIsNoReasonToRetry(t *testing.T) {
	for _, c := range []struct {
		version string
		play    func(http.RoundTripper, int, string)
		method  string
		status  int
		tries   int
	}{
		{"84.4.1", playNewest, "POST", 503, 1}, {"84.4.1", playNewest, "GET", 500, 1},
		{"84.4.1", playNewest, "POST", 409, 1}, {"84.4.1", playNewest, "POST", 0, 3},
		{"76.25.0", playOlder, "POST", 503, 3}, {"76.25.0", playOlder, "GET", 500, 3},
		{"76.25.0", playOlder, "POST", 500, 1}, {"76.25.0", playOlder, "POST", 409, 3},
		{"76.25.0", playOlder, "POST", 0, 3},
	} {
		script := server{&ours.Script{Steps: []ours.Step{{Status: c.status, Hint: -1}}},
			bodyOf(&policies.StripeGo{})}
		synctest.Test(t, func(*testing.T) {
			script.Begin()
			c.play(script, 2, c.method)
		})
		if len(script.Sent) != c.tries {
			t.Errorf("%s, %s answered %d: %d tries, want %d", c.version, c.method, c.status,
				len(script.Sent), c.tries)
		}
	}
}
