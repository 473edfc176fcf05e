// The product throws global dice, which can still be set:
//
//go:debug randseednop=0

// Package azcore compares the policy azure_azcore with the Azure SDK for Go.
package azcore

import (
	"context"
	"math/rand"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

// sender is the product's transport.
type sender struct{ *ours.Script }

func (s sender) Do(request *http.Request) (*http.Response, error) { return s.RoundTrip(request) }

// theirs plays the script to the product with its dice set. It reads 0 as a default, and what is
// negative as nothing, or as no limit.
func theirs(t *testing.T, s *policies.AzureAzcore, script *ours.Script, seed int64) {
	options := policy.RetryOptions{
		MaxRetries: int32(s.MaxRetries), RetryDelay: time.Duration(s.RetryDelay),
		MaxRetryDelay: time.Duration(s.MaxRetryDelay), StatusCodes: s.StatusCodes,
	}
	if options.MaxRetries == 0 {
		options.MaxRetries = -1
	}
	if options.RetryDelay == 0 {
		options.RetryDelay = -1
	}
	if s.MaxRetryDelay == sim.Never {
		options.MaxRetryDelay = -1
	}
	pipeline := runtime.NewPipeline("oracle", "v1", runtime.PipelineOptions{},
		&policy.ClientOptions{Retry: options, Transport: sender{script}})
	request, err := runtime.NewRequest(context.Background(), http.MethodPost, "http://callee/")
	if err != nil {
		t.Fatal(err)
	}
	//lint:ignore SA1019 the module draws from the global source, which nothing else can seed
	rand.Seed(seed)
	script.Begin()
	pipeline.Do(request)
}

// check compares the tries of one script.
func check(t *testing.T, s *policies.AzureAzcore, script *ours.Script, unit sim.Time) bool {
	t.Helper()
	const seed = 20
	synctest.Test(t, func(t *testing.T) { theirs(t, s, script, seed) })
	dice := rand.New(rand.NewSource(seed))
	got := ours.Call{
		Policy: ours.Policy("azure_azcore", s),
		Answer: script.Answer(unit),
		Draw: func(_ sim.Time, last policies.Outcome) sim.Stream {
			if last.RetryAfter > 0 {
				return sim.Stream{} // the product throws no dice
			}
			return ours.Drawn(dice.Float64())
		},
	}.Play()
	if ours.Near(got, script.Sent) {
		return true
	}
	t.Logf("%+v\n%+v\ngot  %v\nwant %v", s, script.Steps, got, script.Sent)
	return false
}

func TestTriesAreTheSame(t *testing.T) {
	headers := map[string]sim.Time{"retry-after-ms": sim.Millisecond,
		"x-ms-retry-after-ms": sim.Millisecond, "Retry-After": sim.Second}
	ours.Check(t, func(r *rapid.T) {
		s := ours.Settings[policies.AzureAzcore]("azure_azcore")
		s.MaxRetries = rapid.IntRange(0, 12).Draw(r, "retries")
		s.RetryDelay = sim.Time(rapid.Int64Range(1, 3e9).Draw(r, "delay"))
		s.MaxRetryDelay = sim.Time(rapid.OneOf(rapid.Int64Range(1, 100e9),
			rapid.SampledFrom([]int64{1e6, 2e6, 1e9, 2e9, 45e9})).Draw(r, "longest"))
		if rapid.IntRange(0, 3).Draw(r, "listed") == 0 {
			s.StatusCodes = []int{400, 503}
		}
		header := rapid.SampledFrom([]string{
			"retry-after-ms", "x-ms-retry-after-ms", "Retry-After"}).Draw(r, "header")
		script := &ours.Script{Header: header,
			Steps: ours.Steps(r, 200, 400, 408, 429, 500, 501, 502, 503, 504)}
		if !check(t, s, script, headers[header]) {
			r.Fatal("they differ")
		}
	})
}

// TestLongCalls: the product of whole numbers wraps around on the way to 70 retries, and both must
// make the same of it; a delay of nothing is the longest one, since it looks like an overflow.
func TestLongCalls(t *testing.T) {
	for _, delay := range []sim.Time{0, 1, 3, 800 * sim.Millisecond, sim.Second, 7 * sim.Second} {
		for _, most := range []sim.Time{sim.Minute, sim.Second, sim.Hour} {
			s := ours.Settings[policies.AzureAzcore]("azure_azcore")
			s.MaxRetries, s.RetryDelay, s.MaxRetryDelay = 70, delay, most
			script := &ours.Script{Steps: []ours.Step{{Status: 503, Hint: -1}}}
			if !check(t, s, script, sim.Second) || len(script.Sent) != 71 {
				t.Errorf("they differ, or made %d tries", len(script.Sent))
			}
		}
	}
}

// TestSchedule: the gaps of the default configuration lie where the documents say.
func TestSchedule(t *testing.T) {
	s := ours.Settings[policies.AzureAzcore]("azure_azcore")
	script := &ours.Script{Steps: []ours.Step{{Status: 503, Hint: -1}}}
	if !check(t, s, script, sim.Second) || len(script.Sent) != 4 {
		t.Fatalf("they differ, or made %d tries", len(script.Sent))
	}
	for i, middle := range []float64{0.8, 2.4, 5.6} {
		gap := (script.Sent[i+1] - script.Sent[i]).Seconds()
		if gap < middle*0.8 || gap >= middle*1.3 {
			t.Errorf("gap %d is %v s, want within %v and %v", i+1, gap, middle*0.8, middle*1.3)
		}
	}
}
