package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// TestWhatClientLibrariesMakeOfAHint: the first wait after an answer with a Retry-After.
func TestWhatClientLibrariesMakeOfAHint(t *testing.T) {
	urllib3 := built("urllib3_retry", func(s *Urllib3Retry) { s.RetryAfterMax = 5 * sim.Second })
	exponential := built("axios_retry", func(s *AxiosRetry) { s.RetryDelay = "exponential" })
	linear := built("go_retryablehttp", func(s *GoRetryableHTTP) { s.Backoff = "linear_jitter" })
	limited := built("go_retryablehttp", func(s *GoRetryableHTTP) {
		s.Backoff = "rate_limit_linear_jitter"
	})
	passing := built("cenkalti_backoff", func(s *CenkaltiBackoff) { s.RetryAfterError = true })
	standard := built("polly_retry", func(s *PollyRetry) { s.RetryAfter = true })
	for _, c := range []struct {
		what   string
		policy Policy
		answer Outcome
		want   []float64
	}{
		{"urllib3", urllib3, hinting(503, 2*sim.Second), []float64{2}},
		{"urllib3, too long", urllib3, hinting(503, 6*sim.Second), []float64{5}},
		{"urllib3, at once", urllib3, hinting(429, RetryNow), []float64{0}},
		{"axios", built[AxiosRetry]("axios_retry", nil), hinting(503, 2*sim.Second), []float64{2}},
		{"axios, shorter", exponential, hinting(503, 100*sim.Millisecond), []float64{0.2}},
		{"axios, longer", exponential, hinting(503, sim.Second), []float64{1}},
		{"go-retryablehttp", built[GoRetryableHTTP]("go_retryablehttp", nil),
			hinting(503, 90*sim.Second), []float64{90}},
		{"go-retryablehttp, at once", built[GoRetryableHTTP]("go_retryablehttp", nil),
			hinting(429, RetryNow), []float64{0}},
		{"go-retryablehttp, on 500", built[GoRetryableHTTP]("go_retryablehttp", nil),
			hinting(500, 90*sim.Second), []float64{1}},
		{"go-retryablehttp, linear", linear, hinting(503, 90*sim.Second), []float64{1}},
		{"go-retryablehttp, rate-limit linear", limited, hinting(503, 90*sim.Second), []float64{90}},
		{"cenkalti", built[CenkaltiBackoff]("cenkalti_backoff", nil), hinting(503, 9*sim.Second),
			[]float64{0.25}},
		{"cenkalti, passed on", passing, hinting(503, 9*sim.Second), []float64{9}},
		{"cenkalti, at once", passing, hinting(503, RetryNow), []float64{1e-9}},
		{"httpclient5", built[ApacheHTTPClient5]("apache_httpclient5", nil),
			hinting(503, 9*sim.Second), []float64{9}},
		{"httpclient5, at once", built[ApacheHTTPClient5]("apache_httpclient5", nil),
			hinting(503, RetryNow), []float64{1}},
		{"azcore", built[AzureAzcore]("azure_azcore", nil), hinting(500, 60*sim.Second),
			[]float64{60}},
		{"azcore, longer than any wait", built[AzureAzcore]("azure_azcore", nil),
			hinting(500, 60*sim.Second+1), nil},
		{"azcore, at once", built[AzureAzcore]("azure_azcore", nil), hinting(500, RetryNow),
			[]float64{0.64}},
		{"client-go, at once", built[K8sClientGo]("k8s_client_go", nil), hinting(429, RetryNow),
			[]float64{0}},
		{"stripe, told not to", built("stripe_go", func(s *StripeGo) { s.Answers = "rules" }),
			hinting(503, DontRetry), nil},
		{"polly", built[PollyRetry]("polly_retry", nil), hinting(503, 9*sim.Second), []float64{2}},
		{"polly, standard handler", standard, hinting(503, 9*sim.Second), []float64{9}},
	} {
		call := libraryCall{policy: c.policy, answer: always(c.answer), draw: evenly(0), most: 2}
		sent, _ := call.call(0)
		waitsAre(t, c.what, gaps(sent), c.want...)
	}
}

// TestCallsThatEndAtALimit: the last moment at which a retry is made, and 1 ns more.
func TestCallsThatEndAtALimit(t *testing.T) {
	for _, c := range []struct {
		what  string
		limit func(sim.Time) Policy // a policy whose first retry waits 1 s, with a limit in all
		want  [3]bool               // retried if that wait ends 1 ns before the limit, at it, after
	}{
		{"cenkalti", func(limit sim.Time) Policy {
			return built("cenkalti_backoff", func(s *CenkaltiBackoff) {
				s.InitialInterval, s.Randomization, s.MaxElapsedTime = sim.Second, 0, limit
			})
		}, [3]bool{true, true, false}},
		{"api-core", func(limit sim.Time) Policy {
			return built("google_api_core", func(s *GoogleAPICore) {
				s.Initial, s.Timeout = 2*sim.Second, limit
			})
		}, [3]bool{true, true, false}},
		{"axios", func(limit sim.Time) Policy {
			return built("axios_retry", func(s *AxiosRetry) {
				s.RetryDelay, s.DelayFactor, s.Timeout = "linear", sim.Second, limit
			})
		}, [3]bool{true, false, false}},
		{"axios, reset", func(limit sim.Time) Policy {
			return built("axios_retry", func(s *AxiosRetry) {
				s.RetryDelay, s.DelayFactor, s.Timeout = "linear", sim.Second, limit
				s.ResetTimeout = true
			})
		}, [3]bool{true, true, true}},
	} {
		p := c.limit(10 * sim.Second)
		for i, took := range []sim.Time{9*sim.Second - 1, 9 * sim.Second, 9*sim.Second + 1} {
			sent, _ := libraryCall{policy: p, took: took, answer: always(failed(503)),
				draw: evenly(0.5), most: 2}.call(sim.Minute)
			if got := len(sent) == 2; got != c.want[i] {
				t.Errorf("%s: retried after %v s: %t, want %t", c.what, took.Seconds(), got, c.want[i])
			}
		}
	}
	for i, timeout := range []sim.Time{sim.Second - 1, sim.Second, sim.Second + 1} {
		p := built("apache_httpclient5", func(s *ApacheHTTPClient5) { s.ResponseTimeout = timeout })
		sent, _ := libraryCall{policy: p, answer: always(failed(503))}.call(0)
		if got := len(sent) == 2; got != (i > 0) {
			t.Errorf("httpclient5: waits 1 s within a response timeout of %v s: %t",
				timeout.Seconds(), got)
		}
	}
}

// TestCenkaltiGivesUp: without jitter 25 tries, the last at 14 min 8.75 s.
func TestCenkaltiGivesUp(t *testing.T) {
	p := built("cenkalti_backoff", func(s *CenkaltiBackoff) { s.Randomization = 0 })
	sent, _ := libraryCall{policy: p, answer: always(failed(500))}.call(0)
	waitsAre(t, "cenkalti", gaps(sent), 0.5, 0.75, 1.125, 1.6875, 2.53125, 3.796875, 5.6953125,
		8.54296875, 12.814453125, 19.221679687, 28.832519530, 43.248779295,
		60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60, 60)
	if last := sent[len(sent)-1].Seconds(); len(sent) != 25 || math.Abs(last-848.75) > 0.005 {
		t.Errorf("%d tries, the last at %v s; want 25, and 848.75 s", len(sent), last)
	}
}

// TestCenkaltiJitter: half of the interval to either side, and the interval is capped before it.
func TestCenkaltiJitter(t *testing.T) {
	for r, want := range map[float64][]float64{
		0:   {0.25, 0.375, 0.5625},
		0.5: {0.5, 0.75, 1.125},
	} {
		p := built("cenkalti_backoff", func(s *CenkaltiBackoff) { s.MaxTries = 4 })
		sent, _ := libraryCall{policy: p, answer: always(failed(500)), draw: evenly(r)}.call(0)
		waitsAre(t, "cenkalti", gaps(sent), want...)
	}
	p := built[CenkaltiBackoff]("cenkalti_backoff", nil)
	sent, _ := libraryCall{policy: p, answer: always(failed(500)), draw: evenly(1 - 0x1p-53)}.call(0)
	longest := sent[len(sent)-1] - sent[len(sent)-2]
	if longest != 90*sim.Second+1 { // the formula draws from both ends, inclusive
		t.Errorf("the longest wait is %v s, want 90 and 1 ns", longest.Seconds())
	}
}

// TestCenkaltiStartsAnewAfterAHint: the interval is the first again.
func TestCenkaltiStartsAnewAfterAHint(t *testing.T) {
	p := built("cenkalti_backoff", func(s *CenkaltiBackoff) {
		s.Randomization, s.RetryAfterError, s.MaxTries = 0, true, 6
	})
	sent, _ := libraryCall{policy: p, answer: func(try int) Outcome {
		if try == 3 {
			return hinting(429, 7*sim.Second)
		}
		return failed(500)
	}}.call(0)
	waitsAre(t, "cenkalti", gaps(sent), 0.5, 0.75, 7, 0.5, 0.75)
}

// TestPlannedWaitsAreWaited: what the pacer would draw changes nothing of the wait that the
// condition decided about.
func TestPlannedWaitsAreWaited(t *testing.T) {
	for _, name := range []string{"cenkalti_backoff", "google_api_core"} {
		p := kindOf(name).New(nil)
		var note uint64
		a := &Attempt{N: 1, Note: &note, Deadline: sim.Never, Chance: drawn(0.25)}
		if !p.Condition.Retryable(0, a, failed(503)) {
			t.Fatalf("%s makes no retry", name)
		}
		a.N, a.Last, a.Chance = 2, failed(503), drawn(0.75)
		if got := p.Pacer.Wait(0, a, a.Last); got > 400*sim.Millisecond {
			t.Errorf("%s waits %v s, which it did not decide about", name, got.Seconds())
		}
	}
}

func TestUrllib3Backoff(t *testing.T) {
	r := kindOf("urllib3_retry").New(&Urllib3Retry{BackoffFactor: 1, BackoffJitter: 2,
		BackoffMax: 120 * sim.Second}).Pacer.(*urllib3)
	for _, c := range []struct {
		n    int
		draw float64
		want sim.Time
	}{
		{1, 0.5, 0}, {2, 0, 2 * sim.Second}, {2, 0.5, 3 * sim.Second}, {3, 0.25, 4500 * sim.Millisecond},
		{7, 0.5, 65 * sim.Second}, {8, 0, 120 * sim.Second}, {8, 0.5, 120 * sim.Second},
		{5000, 0, 120 * sim.Second},
	} {
		if got := r.backoff(c.n, c.draw); got != c.want {
			t.Errorf("retry %d with %v waits %v s, want %v", c.n, c.draw, got.Seconds(),
				c.want.Seconds())
		}
	}
}

// TestUrllib3CountsByKind: each kind has its own limit beside the total.
func TestUrllib3CountsByKind(t *testing.T) {
	kinds := []Outcome{refusedConnection, responseTimeout, failed(500)}
	for _, c := range []struct {
		total, connect, read, status unit.Count
		want                         int // tries, the failures taking turns
	}{
		{10, -1, -1, -1, 11}, {-1, -1, -1, -1, 40}, {10, 0, -1, -1, 1}, {10, -1, 0, -1, 2},
		{10, -1, -1, 0, 3}, {10, 1, 1, 1, 4}, {10, 2, 1, 5, 5}, {2, 5, 5, 5, 3}, {0, -1, -1, -1, 1},
	} {
		p := built("urllib3_retry", func(s *Urllib3Retry) {
			s.Total, s.Connect, s.Read, s.Status = c.total, c.connect, c.read, c.status
			s.Forcelist = []int{500}
		})
		sent, _ := libraryCall{policy: p, most: 40, answer: func(try int) Outcome {
			return kinds[(try-1)%3]
		}}.call(0)
		if len(sent) != c.want {
			t.Errorf("%+v: %d tries", c, len(sent))
		}
	}
}

// TestOkHTTPFollowsUpOnce: not twice in a row, and twenty times in all.
func TestOkHTTPFollowsUpOnce(t *testing.T) {
	now := hinting(503, RetryNow)
	for _, c := range []struct {
		what   string
		answer func(try int) Outcome
		want   int // tries
	}{
		{"503 twice", always(now), 2},
		{"408 twice", always(failed(408)), 2},
		{"503 and 408 in turns", func(try int) Outcome {
			if try%2 == 0 {
				return failed(408)
			}
			return now
		}, 21},
		{"408 with a wait", always(hinting(408, sim.Second)), 1},
		{"a refused connection between", func(try int) Outcome {
			if try == 2 {
				return refusedConnection
			}
			return now
		}, 3},
		{"a refused connection each time", always(refusedConnection), 3},
	} {
		p := built("okhttp", func(s *OkHTTP) { s.Routes = 3 })
		sent, _ := libraryCall{policy: p, answer: c.answer}.call(0)
		if len(sent) != c.want || sent[len(sent)-1] != 0 {
			t.Errorf("%s: tries at %v, want %d at once", c.what, sent, c.want)
		}
	}
}

func TestResilience4jIntervals(t *testing.T) {
	for _, c := range []struct {
		exponential, randomized bool
		draw                    float64
		want                    []float64
	}{
		{true, false, 0, []float64{0.5, 0.75, 1.125, 1.687, 2.53}}, // truncated at every step
		{false, true, 0, []float64{0.25, 0.25}},
		{false, true, 0.999, []float64{0.75, 0.75}},
		{true, true, 0.5, []float64{0.5, 0.75, 1.125, 1.687}},
	} {
		p := built("resilience4j_retry", func(s *Resilience4jRetry) {
			s.Exponential, s.Randomized, s.Attempts = c.exponential, c.randomized, 10
		})
		waitsAre(t, "resilience4j", delaysOf(p, len(c.want), c.draw), c.want...)
	}
	least := built("resilience4j_retry", func(s *Resilience4jRetry) {
		s.Wait, s.Randomized, s.Factor = sim.Millisecond, true, 1
	})
	waitsAre(t, "at least 1 ms", delaysOf(least, 1, 0), 0.001)
}

func TestSpringIntervals(t *testing.T) {
	for _, c := range []struct {
		backOff string
		max     sim.Time
		draw    float64
		want    []float64
	}{
		{"exponential", 30 * sim.Second, 0, []float64{0.1, 0.2, 0.4, 0.8, 1.6}},
		{"exponential", 300 * sim.Millisecond, 0, []float64{0.1, 0.2, 0.3, 0.3}},
		{"exponential_random", 30 * sim.Second, 0, []float64{0.1, 0.2, 0.4}},
		{"exponential_random", 30 * sim.Second, 0.5, []float64{0.15, 0.3, 0.6}},
		{"exponential_random", 300 * sim.Millisecond, 0.75, []float64{0.175, 0.3, 0.3}},
	} {
		p := built("spring_retry", func(s *SpringRetry) {
			s.BackOff, s.MaxInterval = c.backOff, c.max
		})
		waitsAre(t, c.backOff, delaysOf(p, len(c.want), c.draw), c.want...)
	}
}

// TestSpringFrameworkJitter: it grows with the wait, and never goes below the first one.
func TestSpringFrameworkJitter(t *testing.T) {
	for _, c := range []struct {
		draw float64
		want []float64
	}{
		{0, []float64{1, 1.6, 3.2, 4}},
		{0.5, []float64{1.1, 2, 4, 4.5}},
		{1 - 0x1p-53, []float64{1.199, 2.399, 4.799, 4.999}},
	} {
		p := built("spring_framework_retry", func(s *SpringFrameworkRetry) {
			s.Jitter, s.Multiplier, s.MaxDelay = 200*sim.Millisecond, 2, 5*sim.Second
		})
		waitsAre(t, "jitter", delaysOf(p, len(c.want), c.draw), c.want...)
	}
}

func TestGaxDrawsFromOneNanosecondUp(t *testing.T) {
	p := built[GaxGo]("gax_go", nil)
	waitsAre(t, "least", delaysOf(p, 3, 0), 1e-9, 1e-9, 1e-9)
	waitsAre(t, "most", delaysOf(p, 7, 1-0x1p-53), 1, 2, 4, 8, 16, 30, 30)
	long := built("gax_go", func(s *GaxGo) { s.Initial = sim.Minute })
	waitsAre(t, "a first wait beyond the longest", delaysOf(long, 2, 1-0x1p-53), 60, 30)
}

// TestStripeWaits: the first wait has no chance in it, whatever is drawn.
func TestStripeWaits(t *testing.T) {
	p := built("stripe_go", func(s *StripeGo) { s.MaxRetries = 6 })
	waitsAre(t, "most", delaysOf(p, 6, 0), 0.5, 1, 2.5, 5, 5, 5)
	waitsAre(t, "least", delaysOf(p, 6, 1-0x1p-53), 0.5, 0.75, 1.875, 3.75, 3.75, 3.75)
}

func TestGoRetryableHTTPLinearJitter(t *testing.T) {
	p := built("go_retryablehttp", func(s *GoRetryableHTTP) {
		s.Backoff, s.WaitMin, s.WaitMax = "linear_jitter", sim.Second, 3*sim.Second
	})
	waitsAre(t, "linear", delaysOf(p, 4, 0.5), 2, 4, 6, 8)
	p = built("go_retryablehttp", func(s *GoRetryableHTTP) {
		s.Backoff, s.WaitMin, s.WaitMax = "linear_jitter", sim.Second, sim.Second
	})
	waitsAre(t, "without room for chance", delaysOf(p, 3, 0.5), 1, 2, 3)
}
