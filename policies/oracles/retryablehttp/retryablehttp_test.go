// Package retryablehttp compares the policy go_retryablehttp with hashicorp/go-retryablehttp.
package retryablehttp

import (
	"math/rand"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

var backoffs = map[string]retryablehttp.Backoff{
	"default":                  retryablehttp.DefaultBackoff,
	"linear_jitter":            retryablehttp.LinearJitterBackoff,
	"rate_limit_linear_jitter": retryablehttp.RateLimitLinearJitterBackoff,
}

// theirs plays the script to the product; the method is one that is not idempotent.
func theirs(t *testing.T, s *policies.GoRetryableHTTP, script *ours.Script) (start time.Time) {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: script}
	client.Logger = nil
	client.RetryMax = s.Max
	client.RetryWaitMin, client.RetryWaitMax = time.Duration(s.WaitMin), time.Duration(s.WaitMax)
	client.Backoff = backoffs[s.Backoff]
	script.Begin()
	start = time.Now()
	if response, err := client.Post("http://callee/", "", nil); err == nil {
		response.Body.Close()
	}
	return start
}

// TestTriesAreTheSame, at the same times: the product seeds its dice with the nanoseconds of the
// clock.
func TestTriesAreTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.GoRetryableHTTP]("go_retryablehttp")
		s.Max = rapid.IntRange(0, 10).Draw(r, "max")
		s.WaitMin = sim.Time(rapid.Int64Range(0, 3e9).Draw(r, "least"))
		s.WaitMax = sim.Time(rapid.Int64Range(0, 40e9).Draw(r, "most"))
		s.Backoff = rapid.SampledFrom([]string{
			"default", "linear_jitter", "rate_limit_linear_jitter"}).Draw(r, "backoff")
		script := &ours.Script{Steps: ours.Steps(r, 200, 400, 429, 500, 501, 502, 503, 599)}
		var start time.Time
		synctest.Test(t, func(t *testing.T) { start = theirs(t, s, script) })
		got := ours.Call{
			Policy: ours.Policy("go_retryablehttp", s),
			Answer: script.Answer(sim.Second),
			Draw: func(now sim.Time, _ policies.Outcome) sim.Stream {
				seed := start.Add(time.Duration(now)).Nanosecond()
				return ours.Drawn(rand.New(rand.NewSource(int64(seed))).Float64())
			},
		}.Play()
		if !ours.Near(got, script.Sent) {
			r.Fatalf("%+v\n%+v\ngot  %v\nwant %v", s, script.Steps, got, script.Sent)
		}
	})
}

// TestSchedule is the one that the product's documents show.
func TestSchedule(t *testing.T) {
	script := &ours.Script{Steps: []ours.Step{{Status: 503, Hint: -1}}}
	s := ours.Settings[policies.GoRetryableHTTP]("go_retryablehttp")
	synctest.Test(t, func(t *testing.T) { theirs(t, s, script) })
	want := []sim.Time{0, sim.Second, 3 * sim.Second, 7 * sim.Second, 15 * sim.Second}
	got := ours.Call{Policy: ours.Policy("go_retryablehttp", s),
		Answer: script.Answer(sim.Second)}.Play()
	if !slices.Equal(script.Sent, want) || !slices.Equal(got, want) {
		t.Errorf("theirs %v, ours %v, want %v", script.Sent, got, want)
	}
}
