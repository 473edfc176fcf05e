package policies

import (
	"strings"
	"testing"

	"cascadesim/sim"
)

// TestWhatEachClientDoesWithAnOpenBreakerInside: what a breaker refuses that stands inside the
// retry is an exception to libraries that wrap any call, and is tried again. What sends requests
// itself knows errors of its own, an answer or a connection, and passes everything else on.
func TestWhatEachClientDoesWithAnOpenBreakerInside(t *testing.T) {
	wants := map[string]bool{
		"resilience4j_retry":     true, // CallNotPermittedException
		"spring_retry":           true,
		"spring_framework_retry": true,
		"cenkalti_backoff":       true, // any error that is not permanent

		"polly_retry {should_handle: any}":        true, // BrokenCircuitException
		"polly_retry {should_handle: exceptions}": true,
		"polly_retry {should_handle: http}":       false, // is no transient one

		// Errors of a transport, whatever they are, are failed connections.
		"go_retryablehttp": true,
		"azure_azcore":     true,
		"stripe_go":        true,

		"gax_go {codes: [503, 520]}": false, // has no code
		"google_api_core":            false,
		"axios_retry":                false,
		"urllib3_retry":              false,
		"apache_httpclient5":         false,
		"okhttp":                     false,
		"k8s_client_go":              false,
		"vscode_copilot":             false,
		"aws_standard":               false,
		"aws_legacy":                 false,

		// Nothing can stand between these and the network but what is their own, and that is never
		// tried again: an overflow, a full queue, an endpoint that is not ready.
		"grpc_retry":         false,
		"envoy_retry":        false,
		"haproxy_retry":      false,
		"finagle_retry":      false,
		"linkerd_annotation": false,
		"linkerd_profile":    false,
	}
	listed := map[string]bool{}
	for what, want := range wants {
		name, flow, _ := strings.Cut(what, " ")
		listed[name] = true
		settings := kindOf(name).Settings()
		if err := decodeFlow(flow, settings); err != nil && flow != "" {
			t.Fatalf("%s: %v", what, err)
		}
		p := kindOf(name).New(settings)
		a := &Attempt{N: 1, Deadline: sim.Never, Note: new(uint64)}
		if got := p.Condition.Retryable(0, a, Outcome{Class: Refused}); got != want {
			t.Errorf("%s tries it again: %t, want %t", what, got, want)
		}
	}
	for _, k := range Builtins().Kinds() {
		if k.Judges && !listed[k.Name] {
			t.Errorf("%s decides what is tried again, and is not among these", k.Name)
		}
	}
}

// TestARefusedTryIsOneOfThose: the refusals of a breaker burn the tries that there are, and wait as
// failures do.
func TestARefusedTryIsOneOfThose(t *testing.T) {
	p := kindOf("resilience4j_retry").New(nil)
	a := &Attempt{Deadline: sim.Never, Note: new(uint64)}
	for n, want := range map[int]bool{2: true, 3: true, 4: false} {
		a.N, a.Last = n, Outcome{Class: Refused}
		if got := p.Gate.Admit(0, a); got != want {
			t.Errorf("try %d after a refusal: %t, want %t", n, got, want)
		}
		if got := p.Pacer.Wait(0, a, a.Last); got != 500*ms {
			t.Errorf("try %d after a refusal waits %d, want 500 ms", n, got)
		}
	}
}
