package policies

import (
	"slices"
	"testing"

	"cascadesim/sim"
)

var throttled429 = Outcome{Class: Rejected, Status: 429}

func status(code int) Outcome { return Outcome{Class: Error, Status: code} }

// awsClient is a fresh client in standard mode and a driver of its calls.
func awsClient(change func(*AWSStandard)) (*awsStandard, *driver) {
	s := kindOf("aws_standard").Settings().(*AWSStandard)
	change(s)
	p := kindOf("aws_standard").New(s)
	return p.Gate.(*awsStandard), newDriver(p)
}

// awsCases are tests that the SDKs share for version 2.1, in which every draw is 1: outcomes of a
// call's tries, its waits, and the quota before each further try and at the end.
var awsCases = []struct {
	name  string
	set   func(*AWSStandard)
	tries []Outcome
	waits []sim.Time
	trail []int64
	class Class
}{
	{"success after two", func(*AWSStandard) {}, []Outcome{status(500), status(500), {Class: OK}},
		[]sim.Time{50 * ms, 100 * ms}, []int64{486, 472, 486}, OK},
	{"attempts used up", func(*AWSStandard) {}, []Outcome{status(502), status(502), status(502)},
		[]sim.Time{50 * ms, 100 * ms}, []int64{486, 472, 472}, Error},
	{"quota for one", func(s *AWSStandard) { s.RetryQuota = 14 }, []Outcome{status(500), status(500)},
		[]sim.Time{50 * ms}, []int64{0, 0}, Error},
	{"five attempts", func(s *AWSStandard) { s.MaxAttempts = 5 },
		slices.Repeat([]Outcome{status(500)}, 5),
		[]sim.Time{50 * ms, 100 * ms, 200 * ms, 400 * ms}, []int64{486, 472, 458, 444, 444},
		Error},
	{"a cap", func(s *AWSStandard) { s.MaxAttempts, s.MaxBackoff = 5, 200*ms },
		slices.Repeat([]Outcome{status(500)}, 5),
		[]sim.Time{50 * ms, 100 * ms, 200 * ms, 200 * ms}, []int64{486, 472, 458, 444, 444},
		Error},
	{"not enough for a second", func(s *AWSStandard) { s.RetryQuota = 20 },
		[]Outcome{status(500), status(500)}, []sim.Time{50 * ms}, []int64{6, 6}, Error},
	{"throttled once", func(*AWSStandard) {}, []Outcome{throttled429, {Class: OK}},
		[]sim.Time{sim.Second}, []int64{495, 500}, OK},
	{"DynamoDB", func(s *AWSStandard) { s.Service = "dynamodb" },
		slices.Repeat([]Outcome{status(500)}, 4),
		[]sim.Time{25 * ms, 50 * ms, 100 * ms}, []int64{486, 472, 458, 458}, Error},
	{"a hint within bounds", func(*AWSStandard) {}, []Outcome{awsHint(1500 * ms), {Class: OK}},
		[]sim.Time{1500 * ms}, []int64{486, 500}, OK},
	{"a hint of nothing", func(*AWSStandard) {}, []Outcome{awsHint(RetryNow), {Class: OK}},
		[]sim.Time{50 * ms}, []int64{486, 500}, OK},
	{"a hint too long", func(*AWSStandard) {}, []Outcome{awsHint(10 * sim.Second), {Class: OK}},
		[]sim.Time{5050 * ms}, []int64{486, 500}, OK},
	{"a hint not to retry", func(*AWSStandard) {}, []Outcome{awsHint(DontRetry), {Class: OK}},
		[]sim.Time{50 * ms}, []int64{486, 500}, OK},
}

func awsHint(after sim.Time) Outcome {
	return Outcome{Class: Error, Status: 500, RetryAfter: after}
}

func TestAWSStandardFollowsTheTestsOfItsProducts(t *testing.T) {
	for _, c := range awsCases {
		q, d := awsClient(c.set)
		var trail []int64
		course := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
			if n > 1 {
				trail = append(trail, q.quota)
			}
			return c.tries[n-1]
		})
		trail = append(trail, q.quota)
		var waits []sim.Time
		for i := range course.sent[1:] {
			most := q.terms.wait(i, c.tries[i], 1)
			waits = append(waits, most)
			if got := course.sent[i+1] - course.sent[i]; got < 0 || got > most {
				t.Errorf("%s: retry %d after %d, at most %d", c.name, i+1, got, most)
			}
		}
		if !slices.Equal(waits, c.waits) || !slices.Equal(trail, c.trail) ||
			course.outcome.Class != c.class {
			t.Errorf("%s: waits %v, quota %v, %s; want %v, %v, %s", c.name, waits, trail,
				course.outcome.Class, c.waits, c.trail, c.class)
		}
	}
}

// TestAWSQuotaLastsOverCalls: 30 tokens pay for two retries of a call that succeeds, which gives 14
// of 28 back; the next call that fails has one retry.
func TestAWSQuotaLastsOverCalls(t *testing.T) {
	q, d := awsClient(func(s *AWSStandard) { s.RetryQuota = 30 })
	for _, c := range []struct {
		tries []Outcome
		waits []sim.Time // for draws of 1
		trail []int64    // before each further try, and at the end
	}{
		{[]Outcome{status(500), status(500), {Class: OK}}, []sim.Time{50 * ms, 100 * ms},
			[]int64{16, 2, 16}},
		{[]Outcome{status(500), status(500)}, []sim.Time{50 * ms}, []int64{2, 2}},
	} {
		var trail []int64
		course := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
			if n > 1 {
				trail = append(trail, q.quota)
			}
			return c.tries[n-1]
		})
		var waits []sim.Time
		for i := range course.sent[1:] {
			waits = append(waits, q.terms.wait(i, c.tries[i], 1))
		}
		trail = append(trail, q.quota)
		if !slices.Equal(trail, c.trail) || !slices.Equal(waits, c.waits) {
			t.Errorf("quota %v, waits %v; want %v, %v", trail, waits, c.trail, c.waits)
		}
	}
}

// TestAWSLongPollsSleepBeforeTheyFail: with next to nothing in the quota, the calls of SDKs that
// long-poll are refused their retry like others, but only after its backoff: with a draw of 1,
// after 50 ms, or a second after throttling. What ends for another reason, or goes well, ends at
// once.
func TestAWSLongPollsSleepBeforeTheyFail(t *testing.T) {
	for _, c := range []struct {
		name     string
		quota    int
		tries    []Outcome
		most     sim.Time // the time that the call takes if every draw is 1
		lingered bool
	}{
		{"quota empty", 1, []Outcome{status(500)}, 50 * ms, true},
		{"quota empty, throttled", 1, []Outcome{throttled429}, sim.Second, true},
		{"quota empty, a hint", 1, []Outcome{awsHint(1500 * ms)}, 1500 * ms, true},
		{"quota for one", 14, []Outcome{status(500), status(500)}, 150 * ms, true},
		{"attempts used up", 500, []Outcome{status(500), status(500)}, 50 * ms, false},
		{"success", 500, []Outcome{status(500), {Class: OK}}, 50 * ms, false},
		{"not tried again", 500, []Outcome{status(404)}, 0, false},
	} {
		for _, polls := range []bool{true, false} {
			_, d := awsClient(func(s *AWSStandard) {
				s.RetryQuota, s.LongPolling, s.MaxAttempts = c.quota, polls, 3
				if c.name == "attempts used up" {
					s.MaxAttempts = 2
				}
			})
			course := d.play(sim.Never, func(n int, _ sim.Time) Outcome { return c.tries[n-1] })
			after := course.end - course.sent[len(course.sent)-1]
			if len(course.sent) != len(c.tries) || (after > 0) != (polls && c.lingered) ||
				course.end > c.most {
				t.Errorf("%s, long polling %t: %d tries, over %d ns after the last and at %d, at most %d",
					c.name, polls, len(course.sent), after, course.end, c.most)
			}
		}
	}
}

// TestAWSQuotaOfFailuresAlone: how many retries a full quota pays for when nothing succeeds.
func TestAWSQuotaOfFailuresAlone(t *testing.T) {
	for _, c := range []struct {
		version string
		o       Outcome
		retries int
		left    int64
	}{
		{"v2.1", status(503), 35, 10}, {"v2.1", Outcome{Class: TimedOut}, 35, 10},
		{"v2.1", throttled429, 100, 0}, {"v2.0", status(503), 100, 0},
		{"v2.0", Outcome{Class: TimedOut}, 50, 0}, {"v2.0", throttled429, 100, 0},
		{"v2.0", Outcome{Class: Dropped}, 100, 0},
	} {
		q, d := awsClient(func(s *AWSStandard) { s.Version = c.version })
		retries := 0
		for range 200 {
			retries += len(d.play(sim.Never, func(int, sim.Time) Outcome { return c.o }).sent) - 1
		}
		if retries != c.retries || q.quota != c.left {
			t.Errorf("%s, %+v: %d retries, %d left, want %d and %d",
				c.version, c.o, retries, q.quota, c.retries, c.left)
		}
	}
}

// TestAWSQuotaGrowsByOneForAFirstTry, and never above what it began with.
func TestAWSQuotaGrowsByOneForAFirstTry(t *testing.T) {
	q, d := awsClient(func(s *AWSStandard) { s.RetryQuota = 20 })
	d.play(sim.Never, func(int, sim.Time) Outcome { return status(500) })
	for _, want := range []int64{7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 20} {
		d.play(sim.Never, func(int, sim.Time) Outcome { return Outcome{Class: OK} })
		if q.quota != want {
			t.Fatalf("%d tokens, want %d", q.quota, want)
		}
	}
}

// TestAWSWaitsBefore2026: x is 1 s for everything and hints are ignored; Go's formula is one
// doubling ahead and, past 16 s, no longer spread.
func TestAWSWaitsBefore2026(t *testing.T) {
	for _, c := range []struct {
		backoff     string
		half, whole []sim.Time // ms, for draws of 0.5 and 1
	}{
		{"standard", []sim.Time{500, 1000, 2000, 4000, 8000, 10_000, 10_000},
			[]sim.Time{1000, 2000, 4000, 8000, 16_000, 20_000, 20_000}},
		{"exponential_jitter", []sim.Time{1000, 2000, 4000, 8000, 20_000, 20_000},
			[]sim.Time{2000, 4000, 8000, 16_000, 20_000, 20_000}},
	} {
		q, _ := awsClient(func(s *AWSStandard) { s.Version, s.Backoff = "v2.0", c.backoff })
		for _, o := range []Outcome{status(500), throttled429,
			{Class: Error, Status: 503, RetryAfter: 30 * sim.Second}} {
			for i := range c.half {
				half, whole := q.terms.wait(i, o, 0.5), q.terms.wait(i, o, 1)
				if half != c.half[i]*ms || whole != c.whole[i]*ms {
					t.Errorf("%s after %+v: retry %d waits %d and %d, want %d and %d ms", c.backoff,
						o, i+1, half/ms, whole/ms, c.half[i], c.whole[i])
				}
			}
		}
	}
}

// TestAWSErrors: what is final, transient or throttling.
func TestAWSErrors(t *testing.T) {
	for _, c := range []struct {
		o        Outcome
		rejected bool
		want     awsError
	}{
		{Outcome{Class: OK}, false, awsFinal},
		{status(400), false, awsFinal}, {status(404), false, awsFinal}, {status(501), true, awsFinal},
		{status(500), false, awsTransient}, {status(502), true, awsTransient},
		{status(503), true, awsTransient}, {status(504), false, awsTransient},
		{status(429), false, awsThrottling}, {throttled429, false, awsThrottling},
		{Outcome{Class: Blocked, Status: 429}, false, awsThrottling},
		{Outcome{Class: Rejected, Status: 503}, false, awsTransient},
		{Outcome{Class: Rejected, Status: 503}, true, awsThrottling},
		{Outcome{Class: Rejected, Status: 400}, true, awsThrottling},
		{Outcome{Class: Rejected, Status: 503, Unreached: true}, true, awsTransient},
		{Outcome{Class: TimedOut}, true, awsTransient}, {Outcome{Class: Dropped}, true, awsTransient},
		{Outcome{Class: Blocked, Status: 403}, true, awsFinal},
	} {
		if got := awsErrorOf(c.o, c.rejected); got != c.want {
			t.Errorf("%+v (rejected throttles: %t): %d, want %d", c.o, c.rejected, got, c.want)
		}
	}
}

// TestAWSFaultsOfTheField: a quota that nothing refills is used up by a trickle of failures that
// the right one outlives; without a quota every failure is retried; and one that unrelated services
// share is emptied by the one that is down, so that the other's calls fail at their first hitch.
func TestAWSFaultsOfTheField(t *testing.T) {
	trickle := func(fault string) (failed int) {
		_, d := awsClient(func(s *AWSStandard) { s.Fault = fault })
		for i := range 2000 {
			c := d.play(sim.Never, func(n int, _ sim.Time) Outcome {
				if i%20 == 0 && n == 1 {
					return status(500)
				}
				return Outcome{Class: OK}
			})
			if c.outcome.Class != OK {
				failed++
			}
		}
		return failed
	}
	// 100 calls fail once. The quota pays for 35 of them if nothing comes back.
	for fault, want := range map[string]int{"none": 0, "no_refill": 65, "absent": 0} {
		if got := trickle(fault); got != want {
			t.Errorf("%s: %d calls failed, want %d", fault, got, want)
		}
	}
	outage := func(fault string) (sent int) {
		_, d := awsClient(func(s *AWSStandard) { s.Fault = fault })
		for range 1000 {
			sent += len(d.play(sim.Never, func(int, sim.Time) Outcome { return status(500) }).sent)
		}
		return sent
	}
	for fault, want := range map[string]int{"none": 1035, "no_refill": 1035, "absent": 3000} {
		if got := outage(fault); got != want {
			t.Errorf("%s: %d attempts of 1000 calls, want %d", fault, got, want)
		}
	}
	hitch := func(n int, _ sim.Time) Outcome { return []Outcome{status(500), {Class: OK}}[n-1] }
	down := func(int, sim.Time) Outcome { return status(500) }
	for shared, want := range map[bool]Class{true: Error, false: OK} {
		_, first := awsClient(func(*AWSStandard) {})
		second := first
		if !shared {
			_, second = awsClient(func(*AWSStandard) {})
		}
		for range 20 {
			first.play(sim.Never, down)
		}
		if got := second.play(sim.Never, hitch).outcome.Class; got != want {
			t.Errorf("shared %t: the healthy service's call ends %s, want %s", shared, got, want)
		}
	}
}
