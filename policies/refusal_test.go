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
	for n, want := range map[int]bool{1: true, 2: true, 3: false} {
		a.N = n
		if got := p.Condition.Retryable(0, a, Outcome{Class: Refused}); got != want {
			t.Errorf("after try %d was refused: another %t, want %t", n, got, want)
		}
		a.N, a.Last = n+1, Outcome{Class: Refused}
		if got := p.Pacer.Wait(0, a, a.Last); got != 500*ms {
			t.Errorf("try %d after a refusal waits %d, want 500 ms", a.N, got)
		}
	}
}

// TestUsedUpTriesAreNoRefusal: what decides itself what is tried again ends a call that has used up
// its tries by its condition, so that refused_by counts what budgets, throttles and breakers refuse
// and nothing else.
func TestUsedUpTriesAreNoRefusal(t *testing.T) {
	refusing := map[string]string{
		"aws_standard":    "the quota",
		"envoy_retry":     "the slots",
		"finagle_retry":   "the budget",
		"grpc_retry":      "the throttle",
		"linkerd_profile": "the budget",
	}
	for _, k := range Builtins().Kinds() {
		if !k.Judges {
			continue
		}
		if k.Refuses != (refusing[k.Name] != "") || k.Gates != k.Refuses {
			t.Errorf("%s refuses: %t, gates: %t; refusals are %q", k.Name, k.Refuses, k.Gates,
				refusing[k.Name])
		}
		if !k.Bounds && k.Name != "gax_go" && !k.Refuses {
			t.Errorf("%s bounds nothing; only gax_go goes on until the deadline", k.Name)
		}
		if k.Refuses {
			continue
		}
		a := &Attempt{N: 1000, Deadline: sim.Never, Note: new(uint64), Started: -sim.Hour}
		again := k.New(nil).Condition.Retryable(0, a, hinting(503, sim.Second))
		if again != (k.Name == "gax_go") {
			t.Errorf("%s: another try after a thousand and an hour: %t", k.Name, again)
		}
	}
}
