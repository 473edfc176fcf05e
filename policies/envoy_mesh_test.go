package policies

import (
	"math"
	"testing"

	"cascadesim/sim"
)

// istioOutbound are the settings that Istio gives each outbound HTTP route.
func istioOutbound() EnvoyRetry {
	s := envoyDefaults("connect-failure", "refused-stream", "unavailable", "cancelled",
		"retriable-status-codes")
	s.NumRetries, s.MaxRetries, s.Hosts, s.Again = 2, math.MaxUint32, "previous_hosts", 5
	return s
}

// envoyTries is how many tries a call makes that fails in the same way each time.
func envoyTries(s EnvoyRetry, o Outcome) int {
	c := envoyRoute(kindOf("envoy_retry").New(s))
	for {
		c.send(0)
		if c.fail(0, o) != "retry" {
			return c.a.N - 1
		}
	}
}

func TestIstioTries(t *testing.T) {
	refused := Outcome{Class: Dropped, Unreached: true}
	none, codes := istioOutbound(), istioOutbound()
	codes.CodesAlone = []int{503} // retryOn: "503"
	off := istioOutbound()
	off.NumRetries = 0 // attempts: 0
	grpc := istioOutbound()
	grpc.GRPC = true
	inbound := envoyDefaults("reset-before-request")
	inbound.NumRetries = 2
	for _, c := range []struct {
		name     string
		settings EnvoyRetry
		outcome  Outcome
		want     int
	}{
		{"503 of the application", none, envoy503, 1},
		{"connection refused", none, refused, 3},
		{"503 is written", codes, envoy503, 3},
		{"attempts 0", off, refused, 1},
		{"UNAVAILABLE of a gRPC application", grpc, envoy503, 3},
		{"a timeout", none, Outcome{Class: TimedOut}, 1},
		{"inbound, connection refused", inbound, refused, 3},
		{"inbound, 503 of the application", inbound, envoy503, 1},
		{"inbound, reset after the request", inbound, Outcome{Class: Dropped}, 1},
	} {
		if got := envoyTries(c.settings, c.outcome); got != c.want {
			t.Errorf("%s: %d tries, want %d", c.name, got, c.want)
		}
	}
}

func TestIstioPrefersAnotherHost(t *testing.T) {
	p := kindOf("envoy_retry").New(istioOutbound())
	if p.Placer.Place(0, &Attempt{N: 2}) != FreshReplica || p.Repicks != 5 {
		t.Errorf("a retry picks %d times more for a host that has not failed, want 5", p.Repicks)
	}
	if p := kindOf("envoy_retry").New(envoyDefaults("5xx")); p.Placer != nil {
		t.Error("without a predicate the edge says where retries go")
	}
}

// Istio raises every threshold to 2^32-1, Envoy's own is 3.
func TestIstioHasNoStormGuard(t *testing.T) {
	for _, c := range []struct {
		settings EnvoyRetry
		want     int
	}{{istioOutbound(), 5000}, {envoyDefaults("connect-failure"), 3}} {
		p := kindOf("envoy_retry").New(c.settings)
		retries := 0
		for range 5000 {
			if envoyRoute(p).fail(0, Outcome{Class: Dropped, Unreached: true}) == "retry" {
				retries++
			}
		}
		if retries != c.want {
			t.Errorf("max_retries %d: %d of 5,000 may retry, want %d", c.settings.MaxRetries,
				retries, c.want)
		}
	}
}

// A destination rule's outlierDetection: five 5xx in a row eject, rates do not, and nothing panics.
func TestIstioOutlierDetection(t *testing.T) {
	const rule = "healthy_panic_threshold: 0, enforcing_success_rate: 0"
	f := newFleet(t, outliers, "{"+rule+"}", 10)
	for host := range 10 {
		for range 60 { // the first host fails each second request
			o := healthy
			if host == 0 {
				o = broken
			}
			f.sends(host, 1, o)
			f.sends(host, 1, healthy)
		}
	}
	f.now = 10 * sim.Second
	if got := f.out(); got != "----------" {
		t.Errorf("out by its rate: %s", got)
	}
	f.sends(0, 4, broken)
	if f.sends(1, 5, broken); f.out() != "-1--------" {
		t.Errorf("out: %s, want who has failed five times in a row", f.out())
	}
	f = newFleet(t, outliers, "{max_ejection_percent: 100, "+rule+"}", 2)
	f.sends(0, 5, broken)
	f.sends(1, 5, broken)
	if got := f.out(); got != "11" {
		t.Errorf("out: %s, want all although there is no other", got)
	}
}

// retryBudget: {} with 30 requests in flight allows max(6, 3) at once.
func TestIstioRetryBudget(t *testing.T) {
	s := istioOutbound()
	s.Budget = true
	p := kindOf("envoy_retry").New(s)
	crowd := envoyRoute(p)
	for range 30 {
		crowd.send(0)
	}
	for n, want := range []string{"retry", "retry", "retry", "retry", "retry", "retry", "overflow"} {
		c := envoyRoute(p)
		c.send(0)
		if got := c.fail(sim.Second, Outcome{Class: Dropped, Unreached: true}); got != want {
			t.Errorf("retry %d of 30 in flight: %s, want %s", n+1, got, want)
		}
	}
}

// TestProxiesAnswerInTheirOwnWay: what a call without an answer becomes for who asked the proxy.
func TestProxiesAnswerInTheirOwnWay(t *testing.T) {
	haproxy, envoy := kindOf("haproxy_retry").New(nil), kindOf("envoy_retry").New(nil)
	for _, c := range []struct {
		name           string
		o              Outcome
		haproxy, envoy int
	}{
		{"refused", connectRefused, 503, 503},
		{"connect timeout", connectLost, 503, 503},
		{"late", answerLate, 504, 504},
		{"reset", resetLater, 502, 503},
		{"an open breaker", Outcome{Class: Refused}, 503, 503},
	} {
		if h, e := haproxy.FailedAs(c.o), envoy.FailedAs(c.o); h != c.haproxy || e != c.envoy {
			t.Errorf("%s: HAProxy answers %d and Envoy %d, want %d and %d", c.name, h, e, c.haproxy,
				c.envoy)
		}
	}
}
