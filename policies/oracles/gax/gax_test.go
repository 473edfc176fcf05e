// The product throws global dice, which can still be set:
//
//go:debug randseednop=0

// Package gax compares the policy gax_go with googleapis/gax-go.
package gax

import (
	"context"
	"math/rand"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	gaxgo "github.com/googleapis/gax-go/v2"
	"google.golang.org/api/googleapi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"pgregory.net/rapid"

	"cascadesim/policies"
	"cascadesim/policies/oracles/ours"
	"cascadesim/sim"
)

// numbers are the HTTP numbers that stand for codes of gRPC.
var numbers = map[codes.Code]int{
	codes.Unavailable: 503, codes.DeadlineExceeded: 504, codes.Internal: 500,
	codes.ResourceExhausted: 429, codes.Aborted: 409, codes.InvalidArgument: 400,
}

var all = []codes.Code{codes.OK, codes.Unavailable, codes.Unavailable, codes.DeadlineExceeded,
	codes.Internal, codes.ResourceExhausted, codes.Aborted, codes.InvalidArgument}

// step is how one try ends; lost: without an answer, which is one of two codes over gRPC.
type step struct {
	code codes.Code
	lost bool
	took time.Duration
}

func steps(t *rapid.T) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		s := step{code: rapid.SampledFrom(all).Draw(t, "code"),
			took: time.Duration(rapid.Int64Range(0, 3e9).Draw(t, "took"))}
		if s.code == codes.Unavailable || s.code == codes.DeadlineExceeded {
			s.lost = rapid.Bool().Draw(t, "lost")
		}
		return s
	}), 1, 12).Draw(t, "steps")
}

// script is a call under one configuration.
type script struct {
	settings *policies.GaxGo
	listed   []codes.Code
	steps    []step
}

func scripts(r *rapid.T) script {
	s := script{settings: ours.Settings[policies.GaxGo]("gax_go"), steps: steps(r)}
	s.settings.Initial = sim.Time(rapid.Int64Range(1, 5e9).Draw(r, "initial"))
	s.settings.Max = sim.Time(rapid.Int64Range(1, 40e9).Draw(r, "max"))
	s.settings.Multiplier = rapid.SampledFrom([]float64{1, 1.3, 2, 5}).Draw(r, "multiplier")
	s.settings.Transport = rapid.SampledFrom([]string{"grpc", "rest"}).Draw(r, "transport")
	s.listed = rapid.SliceOfDistinct(rapid.SampledFrom(all[1:]),
		func(c codes.Code) codes.Code { return c }).Draw(r, "listed")
	s.settings.Codes = []int{}
	for _, c := range s.listed {
		s.settings.Codes = append(s.settings.Codes, numbers[c])
	}
	return s
}

func (s script) at(n int) step { return s.steps[min(n, len(s.steps))-1] }

// theirs is when the product tries, within the time that the call has.
func (s script) theirs(seed int64, overall time.Duration, most int) (sent []sim.Time) {
	b := gaxgo.Backoff{Initial: time.Duration(s.settings.Initial),
		Max: time.Duration(s.settings.Max), Multiplier: s.settings.Multiplier}
	retry := func() gaxgo.Retryer { return gaxgo.OnCodes(s.listed, b) }
	if s.settings.Transport == "rest" {
		retry = func() gaxgo.Retryer { return gaxgo.OnHTTPCodes(b, s.settings.Codes...) }
	}
	//lint:ignore SA1019 the module draws from the global source, which nothing else can seed
	rand.Seed(seed)
	start := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), overall)
	defer cancel()
	gaxgo.Invoke(ctx, func(context.Context, gaxgo.CallSettings) error {
		sent = append(sent, sim.Time(time.Since(start)))
		if len(sent) == most {
			return nil
		}
		at := s.at(len(sent))
		time.Sleep(at.took)
		switch {
		case at.code == codes.OK:
			return nil
		case s.settings.Transport == "grpc":
			return status.Error(at.code, "")
		case at.lost:
			return context.DeadlineExceeded // any error without an answer
		}
		return &googleapi.Error{Code: numbers[at.code]}
	}, gaxgo.WithRetry(retry))
	return sent
}

// answer is how try n ends to the policy.
func (s script) answer(n int) (policies.Outcome, sim.Time) {
	at := s.at(n)
	o := policies.Outcome{Class: policies.Error, Status: numbers[at.code]}
	switch {
	case at.code == codes.OK:
		o = policies.Outcome{Class: policies.OK}
	case at.lost && at.code == codes.DeadlineExceeded:
		o = policies.Outcome{Class: policies.TimedOut}
	case at.lost:
		o = policies.Outcome{Class: policies.Dropped}
	}
	return o, sim.Time(at.took)
}

// dice are the product's: of a wait up to cur it draws an Int63n, and cur grows by its rule.
func (s script) dice(seed int64) func(sim.Time, policies.Outcome) sim.Stream {
	source, cur := rand.New(rand.NewSource(seed)), int64(s.settings.Initial)
	return func(sim.Time, policies.Outcome) sim.Stream {
		k := source.Int63n(cur)
		stream := ours.DrawnOf(uint64(k), uint64(cur))
		cur = min(int64(float64(cur)*s.settings.Multiplier), int64(s.settings.Max))
		return stream
	}
}

func TestTriesAreTheSame(t *testing.T) {
	ours.Check(t, func(r *rapid.T) {
		const seed, most = 20, 50
		s := scripts(r)
		overall := time.Duration(rapid.Int64Range(1, 100e9).Draw(r, "overall"))
		var want []sim.Time
		synctest.Test(t, func(*testing.T) { want = s.theirs(seed, overall, most) })
		got := ours.Call{Policy: ours.Policy("gax_go", s.settings), Answer: s.answer,
			Draw: s.dice(seed), Most: most}.Play()
		// The deadline of a call is its caller's: what would be sent later is not. At the deadline
		// the product's goroutine may go either way.
		if slices.Contains(got, sim.Time(overall)) {
			r.Skip("a tie")
		}
		if i := slices.IndexFunc(got, func(at sim.Time) bool { return at > sim.Time(overall) }); i > 0 {
			got = got[:i]
		}
		if !slices.Equal(got, want) {
			r.Fatalf("%+v %+v\nwithin %v\ngot  %v\nwant %v", s.settings, s, overall, got, want)
		}
	})
}
