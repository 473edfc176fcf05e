// Package xtimerate_test drives golang.org/x/time/rate.
package xtimerate_test

import (
	"context"
	"flag"
	"testing"
	"testing/synctest"
	"time"

	"cascadesim/policies"
	"cascadesim/sim"
	"cascadesim/sim/unit"

	"golang.org/x/time/rate"
	"pgregory.net/rapid"
)

// Each property is tried with a thousand scripts unless the command line says otherwise.
func init() {
	if err := flag.Set("rapid.checks", "1000"); err != nil {
		panic(err)
	}
}

// start is any instant: the library only ever looks at differences.
var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func maker(name string, settings any) policies.Policy {
	kind, ok := policies.Builtins().Lookup(name)
	if !ok {
		panic("no policy " + name)
	}
	return kind.New(settings)
}

// anyRate is a rate of any size and any fraction.
func anyRate(t *rapid.T) float64 {
	if rapid.Bool().Draw(t, "round") {
		return rapid.SampledFrom([]float64{1e-6, 0.1, 1, 5, 10, 1000, 1e9}).Draw(t, "rate")
	}
	return rapid.Float64Range(1e-3, 1e5).Draw(t, "rate")
}

// gap is a time between two attempts, from none to a quarter of an hour.
func gap(t *rapid.T) sim.Time {
	longest := int64(1) << rapid.IntRange(0, 40).Draw(t, "bits")
	return sim.Time(rapid.Int64Range(0, longest).Draw(t, "gap"))
}

func TestRefusingIsAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond, burst := anyRate(t), rapid.IntRange(1, 100).Draw(t, "burst")
		theirs := rate.NewLimiter(rate.Limit(perSecond), burst)
		ours := maker("rate_limit", policies.RateLimit{
			Rate: unit.Rate(perSecond), Burst: burst, Excess: "refuse",
		})
		now := sim.Time(0)
		for i := range rapid.IntRange(1, 200).Draw(t, "attempts") {
			now += gap(t)
			at := start.Add(time.Duration(now))
			want := theirs.AllowN(at, 1)
			got := ours.Gate.Admit(now, &policies.Attempt{N: 1, Deadline: sim.Never})
			if got != want {
				t.Fatalf("attempt %d at %d: %t, want %t", i, now, got, want)
			}
			left := max(0, theirs.TokensAt(at)) / float64(burst)
			if level := ours.Level(now); level != left {
				t.Fatalf("attempt %d at %d leaves %v, want %v", i, now, level, left)
			}
		}
	})
}

func TestWaitingIsReserve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond, burst := anyRate(t), rapid.IntRange(1, 100).Draw(t, "burst")
		theirs := rate.NewLimiter(rate.Limit(perSecond), burst)
		ours := maker("rate_limit", policies.RateLimit{
			Rate: unit.Rate(perSecond), Burst: burst, Excess: "wait",
		})
		now := sim.Time(0)
		for i := range rapid.IntRange(1, 200).Draw(t, "attempts") {
			now += gap(t)
			var note uint64
			a := &policies.Attempt{N: 1, Deadline: sim.Never, Note: &note}
			at := start.Add(time.Duration(now))
			r := theirs.ReserveN(at, 1)
			if !r.OK() {
				t.Fatalf("attempt %d: the library reserves nothing", i)
			}
			want := sim.Time(r.DelayFrom(at))
			if now+want > sim.MaxTime {
				return // beyond every run
			}
			got := ours.Shaper.Delay(now, a)
			if got != want {
				t.Fatalf("attempt %d at %d waits %d, want %d", i, now, got, want)
			}
			if got == 0 {
				continue
			}
			if again := ours.Shaper.Delay(now+got, a); again != 0 {
				t.Fatalf("attempt %d waits %d more at its time", i, again)
			}
		}
	})
}

// TestWaitingKeepsToDeadlines plays callers one after the other, each with its deadline.
func TestWaitingKeepsToDeadlines(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		perSecond := rapid.Float64Range(1, 1e4).Draw(r, "rate")
		burst := rapid.IntRange(1, 5).Draw(r, "burst")
		deadlines := rapid.SliceOfN(rapid.Int64Range(1, 2e9/int64(perSecond)), 1, 50).
			Draw(r, "deadlines")
		synctest.Test(t, func(t *testing.T) {
			theirs := rate.NewLimiter(rate.Limit(perSecond), burst)
			ours := maker("rate_limit", policies.RateLimit{
				Rate: unit.Rate(perSecond), Burst: burst, Excess: "wait",
			})
			began := time.Now()
			for i, d := range deadlines {
				now := sim.Time(time.Since(began))
				ctx, cancel := context.WithTimeout(context.Background(), time.Duration(d))
				err := theirs.Wait(ctx)
				cancel()
				took := sim.Time(time.Since(began)) - now
				var note uint64
				a := &policies.Attempt{N: 1, Deadline: now + sim.Time(d), Note: &note}
				if got := ours.Shaper.Delay(now, a); got != took {
					t.Fatalf("call %d at %d waits %d, want %d", i, now, got, took)
				}
				if got := ours.Gate.Admit(now+took, a); got != (err == nil) {
					t.Fatalf("call %d at %d: admitted %t, but Wait says %v", i, now, got, err)
				}
			}
		})
	})
}

// TestTheExactBucketIsAllow keeps to times and rates for which the library rounds nothing:
// multiples of 1/512 s and of 1/64 per second.
func TestTheExactBucketIsAllow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perSecond := float64(rapid.IntRange(1, 64_000).Draw(t, "rate*64")) / 64
		burst := rapid.IntRange(1, 1000).Draw(t, "burst")
		theirs := rate.NewLimiter(rate.Limit(perSecond), burst)
		ours := maker("token_bucket", policies.TokenBucket{
			Rate: unit.Rate(perSecond), Burst: burst,
		})
		now := sim.Time(0)
		for i := range rapid.IntRange(1, 200).Draw(t, "attempts") {
			longest := int64(1) << rapid.IntRange(0, 16).Draw(t, "bits")
			now += sim.Time(rapid.Int64Range(0, longest).Draw(t, "gap")) * sim.Second / 512
			want := theirs.AllowN(start.Add(time.Duration(now)), 1)
			got := ours.Admission.Enter(now, &policies.Attempt{N: 1})
			if got != want {
				t.Fatalf("attempt %d at %d: %t, want %t", i, now, got, want)
			}
		}
	})
}
