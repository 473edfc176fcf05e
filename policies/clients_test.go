package policies

import (
	"testing"

	"cascadesim/sim"
)

// built is a policy with its defaults, changed.
func built[S any](name string, change func(*S)) Policy {
	s := kindOf(name).Settings().(*S)
	if change != nil {
		change(s)
	}
	return kindOf(name).New(s)
}

// TestSchedulesOfClientLibraries: the tries of one call, as the gaps between them in seconds.
func TestSchedulesOfClientLibraries(t *testing.T) {
	zeros := []float64{0, 0, 0}
	for _, c := range []struct {
		what   string
		policy Policy
		answer Outcome
		draw   float64
		want   []float64
	}{
		{"urllib3, factor 0.2", built("urllib3_retry", func(s *Urllib3Retry) {
			s.Total, s.BackoffFactor = 6, 0.2
		}), refusedConnection, 0, []float64{0, 0.4, 0.8, 1.6, 3.2, 6.4}},
		{"urllib3, refused", built[Urllib3Retry]("urllib3_retry", nil), refusedConnection, 0, zeros},
		{"urllib3, 503", built[Urllib3Retry]("urllib3_retry", nil), failed(503), 0, nil},
		{"axios, 503", built[AxiosRetry]("axios_retry", nil), failed(503), 0, zeros},
		{"axios, exponential, least", built("axios_retry", func(s *AxiosRetry) {
			s.RetryDelay = "exponential"
		}), failed(503), 0, []float64{0.2, 0.4, 0.8}},
		{"axios, exponential, most", built("axios_retry", func(s *AxiosRetry) {
			s.RetryDelay = "exponential"
		}), failed(503), 1 - 0x1p-53, []float64{0.24, 0.48, 0.96}},
		{"axios, linear", built("axios_retry", func(s *AxiosRetry) {
			s.RetryDelay = "linear"
		}), failed(503), 0, []float64{0.1, 0.2, 0.3}},
		{"axios, POST 503", built("axios_retry", func(s *AxiosRetry) { s.Idempotent = false }),
			failed(503), 0, nil},
		{"axios, POST network error", built("axios_retry", func(s *AxiosRetry) {
			s.Idempotent = false
		}), resetConnection, 0, zeros},
		{"go-retryablehttp, 503", built[GoRetryableHTTP]("go_retryablehttp", nil), failed(503), 0,
			[]float64{1, 2, 4, 8}},
		{"httpclient5, POST 503", built("apache_httpclient5", func(s *ApacheHTTPClient5) {
			s.Idempotent = false
		}), failed(503), 0, []float64{1}},
		{"azcore, least", built[AzureAzcore]("azure_azcore", nil), failed(503), 0,
			[]float64{0.64, 1.92, 4.48}},
		{"azcore, most", built[AzureAzcore]("azure_azcore", nil), failed(503), 1 - 0x1p-53,
			[]float64{1.04, 3.12, 7.28}},
		{"client-go, 500", built[K8sClientGo]("k8s_client_go", nil), failed(500), 0, nil},
		{"client-go, 500 with a hint", built[K8sClientGo]("k8s_client_go", nil),
			hinting(500, sim.Second), 0, []float64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
		{"spring-retry", built[SpringRetry]("spring_retry", nil), failed(500), 0, []float64{1, 1}},
		{"Spring 7", built[SpringFrameworkRetry]("spring_framework_retry", nil), failed(500), 0,
			[]float64{1, 1, 1}},
		{"api-core, r = 1", built[GoogleAPICore]("google_api_core", nil), failed(503), 1 - 0x1p-53,
			[]float64{1, 2, 4, 8, 16, 32}}, // at 63 s the next 60 s would cross 120
		{"resilience4j", built[Resilience4jRetry]("resilience4j_retry", nil), failed(500), 0,
			[]float64{0.5, 0.5}},
		{"polly", built[PollyRetry]("polly_retry", nil), failed(500), 0, []float64{2, 2, 2}},
		{"stripe, lock timeout", built("stripe_go", func(s *StripeGo) { s.LockTimeout = true }),
			failed(429), 0, []float64{0.5, 1}},
		{"vscode", built[VSCodeCopilot]("vscode_copilot", nil), failed(502), 0, []float64{1}},
	} {
		sent, last := libraryCall{policy: c.policy, answer: always(c.answer), draw: evenly(c.draw)}.call(0)
		waitsAre(t, c.what, gaps(sent), c.want...)
		if last != c.answer {
			t.Errorf("%s: ended with %+v, want the last failure", c.what, last)
		}
	}
}

// TestWhatClientLibrariesRetry: y is retried and n is not, of each failure in turn.
func TestWhatClientLibrariesRetry(t *testing.T) {
	failures := []Outcome{
		refusedConnection, connectTimeout, noReplica, resetConnection, responseTimeout,
		failed(400), failed(408), failed(429), failed(500), failed(501), failed(502), failed(503),
		failed(504), hinting(503, sim.Second), hinting(503, RetryNow),
	}
	for _, c := range []struct {
		what   string
		policy Policy
		want   string // in the order above: no answer, then answers, then hints
	}{
		{"urllib3", built[Urllib3Retry]("urllib3_retry", nil), "yyyyy nnnnnnnn yy"},
		{"urllib3, POST", built("urllib3_retry", func(s *Urllib3Retry) { s.AllowedMethod = false }),
			"yyynn nnnnnnnn nn"},
		{"urllib3, forcelist", built("urllib3_retry", func(s *Urllib3Retry) {
			s.Forcelist, s.RetryAfter = []int{500, 504}, false
		}), "yyyyy nnnynnny nn"},
		{"urllib3, without a total", built("urllib3_retry", func(s *Urllib3Retry) { s.Total = -1 }),
			"yyyyy nnnnnnnn nn"},
		{"axios", built[AxiosRetry]("axios_retry", nil), "ynyyn nnyyyyyy yy"},
		{"axios, POST", built("axios_retry", func(s *AxiosRetry) { s.Idempotent = false }),
			"ynyyn nnnnnnnn nn"},
		{"go-retryablehttp", built[GoRetryableHTTP]("go_retryablehttp", nil), "yyyyy nnyynyyy yy"},
		{"cenkalti", built[CenkaltiBackoff]("cenkalti_backoff", nil), "yyyyy yyyyyyyy yy"},
		{"cenkalti, permanent", built("cenkalti_backoff", func(s *CenkaltiBackoff) {
			s.Permanent = []int{400, 501}
		}), "yyyyy nyyynyyy yy"},
		{"okhttp", built[OkHTTP]("okhttp", nil), "nnnnn nynnnnnn ny"},
		{"okhttp, two routes", built("okhttp", func(s *OkHTTP) { s.Routes = 2 }),
			"yyyyn nynnnnnn ny"},
		{"okhttp, two routes, one shot", built("okhttp", func(s *OkHTTP) {
			s.Routes, s.OneShot = 2, true
		}), "yyynn nnnnnnnn nn"},
		{"okhttp, told not to", built("okhttp", func(s *OkHTTP) {
			s.Routes, s.RetryOnFailure = 2, false
		}), "nnnnn nnnnnnnn ny"},
		{"httpclient5", built[ApacheHTTPClient5]("apache_httpclient5", nil), "nnnyn nnynnnyn yy"},
		{"httpclient5, POST", built("apache_httpclient5", func(s *ApacheHTTPClient5) {
			s.Idempotent = false
		}), "nnnnn nnynnnyn yy"},
		{"spring-retry", built[SpringRetry]("spring_retry", nil), "yyyyy yyyyyyyy yy"},
		{"azcore", built[AzureAzcore]("azure_azcore", nil), "yyyyy nyyynyyy yy"},
		{"gax", built[GaxGo]("gax_go", nil), "ynyyn nnnnnnyn yy"},
		{"gax, with 504", built("gax_go", func(s *GaxGo) { s.Codes = []int{503, 504} }),
			"yyyyy nnnnnnyy yy"},
		{"gax over rest", built("gax_go", func(s *GaxGo) { s.Transport = "rest" }),
			"nnnnn nnnnnnyn yy"},
		{"api-core", built[GoogleAPICore]("google_api_core", nil), "yyyyn nnyynnyn yy"},
		{"client-go", built[K8sClientGo]("k8s_client_go", nil), "nnnyn nnnnnnnn yy"},
		{"client-go, POST", built("k8s_client_go", func(s *K8sClientGo) { s.Get = false }),
			"nnnnn nnnnnnnn yy"},
		{"stripe", built[StripeGo]("stripe_go", nil), "yyyyy nnnnnnnn nn"},
		{"stripe, lock timeout", built("stripe_go", func(s *StripeGo) { s.LockTimeout = true }),
			"yyyyy nnynnnnn nn"},
		{"stripe, of a proxy", built("stripe_go", func(s *StripeGo) { s.Answers = "foreign" }),
			"yyyyy yyyyyyyy yy"},
		{"stripe, rules, POST", built("stripe_go", func(s *StripeGo) { s.Answers = "rules" }),
			"yyyyy nnnnnnyn yy"},
		{"stripe, rules, GET", built("stripe_go", func(s *StripeGo) {
			s.Answers, s.Post = "rules", false
		}), "yyyyy nnnyyyyy yy"},
		{"vscode", built[VSCodeCopilot]("vscode_copilot", nil), "yyyyy nnnynynn nn"},
		{"polly", built[PollyRetry]("polly_retry", nil), "yyyyy yyyyyyyy yy"},
		{"polly, exceptions", built("polly_retry", func(s *PollyRetry) {
			s.ShouldHandle = "exceptions"
		}), "yyyyy nnnnnnnn nn"},
		{"polly, http", built("polly_retry", func(s *PollyRetry) { s.ShouldHandle = "http" }),
			"yyyyy nyyyyyyy yy"},
	} {
		got := ""
		for i, o := range failures {
			if i == 5 || i == 13 {
				got += " "
			}
			sent, _ := libraryCall{policy: c.policy, answer: always(o), most: 2}.call(0)
			got += word(len(sent) == 2, "y", "n")
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.what, got, c.want)
		}
	}
}

// What a breaker inside the retry refuses is an exception to Polly, and none that the standard
// handler of Microsoft.Extensions.Http.Resilience takes for transient.
func TestPollyAndRefusalsOfItsBreaker(t *testing.T) {
	for handles, want := range map[string]bool{"any": true, "exceptions": true, "http": false} {
		p := built("polly_retry", func(s *PollyRetry) { s.ShouldHandle = handles })
		if got := p.Condition.Retryable(0, &Attempt{N: 1}, Outcome{Class: Refused}); got != want {
			t.Errorf("%s: tried again %t, want %t", handles, got, want)
		}
	}
}
