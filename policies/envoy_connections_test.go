package policies

import (
	"testing"

	"cascadesim/sim"
)

func envoyCluster(requests, connections, pending int) Policy {
	return kindOf("envoy_circuit_breaker").New(EnvoyCircuitBreaker{
		MaxRequests: requests, Protocol: "http1", Connections: connections, Pending: pending,
	})
}

// joinEnvoy sends a try that finds so many in line, if it may go, and says what became of it.
func joinEnvoy(p Policy, ahead int) string {
	a := &Attempt{N: 1, Deadline: sim.Never, Waiting: ahead}
	switch p.Queuer.Join(0, a, ahead) {
	case QueueWait:
		return "waits"
	case QueuePass:
		if p.Gate.Admit(0, a) {
			return "goes"
		}
	case QueueRefuse:
	}
	return "overflow"
}

func TestEnvoyTriesWaitForAConnection(t *testing.T) {
	p := envoyCluster(1024, 2, 2)
	end := func(class Class) { p.Observer.Observe(0, &Attempt{N: 1}, Outcome{Class: class}) }
	for i, c := range []struct {
		before func()
		ahead  int
		want   string
	}{
		{nil, 0, "goes"}, {nil, 0, "goes"}, // each opens a connection
		{nil, 0, "waits"}, {nil, 1, "waits"}, // fewer than two wait
		{nil, 2, "overflow"},
		{func() { end(OK) }, 0, "goes"}, // the first in line has the idle one
		{nil, 0, "waits"},
		{func() { end(TimedOut) }, 0, "goes"}, // it is closed, and another opened
		{func() { end(Error) }, 1, "goes"},    // ready before those who wait have looked
		{func() { end(Dropped) }, 1, "waits"}, // none is ready, and others come first
		{nil, 0, "goes"},
	} {
		if c.before != nil {
			c.before()
		}
		if got := joinEnvoy(p, c.ahead); got != c.want {
			t.Errorf("step %d, %d ahead: %s, want %s", i, c.ahead, got, c.want)
		}
	}
}

// Whoever has a connection may still be one too many, which is no reason to wait.
func TestEnvoyMaxRequestsIsAskedOnceThereIsAConnection(t *testing.T) {
	p := envoyCluster(1, 2, 2)
	for i, want := range []string{"goes", "overflow", "overflow"} {
		if got := joinEnvoy(p, 0); got != want {
			t.Errorf("try %d: %s, want %s", i+1, got, want)
		}
	}
}

func TestEnvoyConnectionsAtTheirBounds(t *testing.T) {
	if got := joinEnvoy(envoyCluster(9, 9, 0), 0); got != "overflow" {
		t.Errorf("nothing may wait, not even for its own connection: %s, want overflow", got)
	}
	p := envoyCluster(9, 0, 1)
	if first, second := joinEnvoy(p, 0), joinEnvoy(p, 0); first != "goes" || second != "waits" {
		t.Errorf("max_connections 0 and none open: %s, %s; want one, and then to wait", first, second)
	}
}

// The budget is of what is on the wire or waits for it: 20 % of 20 and 5.
func TestEnvoyBudgetCountsWhoWaitsForAConnection(t *testing.T) {
	s := envoyDefaults("5xx")
	s.Budget, s.Percent, s.Least, s.NumRetries = true, 0.2, 3, 1
	for _, c := range []struct{ waiting, want int }{{0, 4}, {4, 4}, {5, 5}} {
		p := kindOf("envoy_retry").New(s)
		var calls []*envoyCall
		for range 20 {
			calls = append(calls, envoyRoute(p))
		}
		got := 0
		for range 20 {
			for _, call := range calls { // all are in flight whenever one fails
				call.send(0)
			}
			x := envoyRoute(p)
			x.send(0)
			x.a.Waiting = c.waiting
			if x.fail(0, envoy503) == "retry" {
				got++
			}
			for _, call := range calls {
				call.observe(0, Outcome{Class: OK})
			}
		}
		if got != c.want {
			t.Errorf("%d wait: %d retries at once, want %d", c.waiting, got, c.want)
		}
	}
}
