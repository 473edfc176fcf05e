package policies

import (
	"cascadesim/sim"
)

// EnvoyCircuitBreaker bounds what a caller has in flight.
type EnvoyCircuitBreaker struct {
	MaxRequests int    `yaml:"max_requests" scale:"s" doc:"Most tries in flight; 0 to 4294967295."`
	Protocol    string `yaml:"protocol" enum:"http1|http2" doc:"A connection carries one try or all."`
	Connections int    `yaml:"max_connections" scale:"s" doc:"Most connections of http1."`
	Pending     int    `yaml:"max_pending_requests" scale:"s" doc:"Most tries that wait for one."`
}

var _ = builtin(Spec{
	Name: "envoy_circuit_breaker",
	Doc: "Refuses a try while max_requests are in flight, first tries too. It is the threshold of " +
		"that name of an Envoy cluster: counted for each process, cluster and priority, so write " +
		"scope: instance, key: priority; a refusal is its 503 with the flag UO, told at once. It never " +
		"opens: it lets the next try go as soon as one has ended. A retry is asked about as it is " +
		"sent; one that is refused so ends its call with that 503, for the router tries no overflow " +
		"again. With protocol http1 a try in flight has a connection for itself. One that finds none " +
		"idle waits while fewer than max_pending_requests do, else it is refused in the same way; a " +
		"connection is opened for it while there are fewer than max_connections, and always when " +
		"there is none at all, which takes no time here. Who waits longest gets the next one that " +
		"is free, and is only then asked about max_requests; the clock of its try begins as it is " +
		"sent, that of the call runs. A connection stays open after an answer, and is closed by a " +
		"try that times out, is given up or is reset. So with max_pending_requests 0 nothing is " +
		"ever sent, as none is idle at first. With http2 a host has one connection that carries all " +
		"tries, and nothing waits. Not modelled: connections belong to hosts, so Envoy lets a try " +
		"wait for one of its own host while another's is idle, and opens one for a host without " +
		"any above max_connections; per_host_thresholds are key: replica; max_connection_pools, " +
		"which has no default. max_retries and the retry budget are those of envoy_retry, which " +
		"counts who waits.",
	Example:  "{max_requests: 1024}",
	Source:   "Envoy, resource_manager_impl.h (01c2c1fa), conn_pool_base.cc",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, EnvoyCircuitBreaker{
	// Envoy's; Istio's are 2^32-1. HTTP/2 is what gRPC needs, and what has no line.
	MaxRequests: 1024, Protocol: "http2", Connections: 1024, Pending: 1024,
}, func(s EnvoyCircuitBreaker) []error {
	var b bounds
	for _, c := range []struct {
		field string
		n     int
	}{
		{"max_requests", s.MaxRequests}, {"max_connections", s.Connections},
		{"max_pending_requests", s.Pending},
	} {
		if c.n < 0 || c.n > 1<<32-1 {
			b.say(c.field, "%d; 0 to 4294967295", c.n)
		}
	}
	return b
}, func(s EnvoyCircuitBreaker) func() Policy {
	return func() Policy {
		b := &envoyBreaker{most: int64(s.MaxRequests)}
		p := Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level}
		if s.Protocol == "http1" {
			b.connections, b.pending = int64(max(1, s.Connections)), s.Pending
			p.Queuer = b
		}
		return p
	}
})

// envoyBreaker counts what is in flight. Of HTTP/1, what is open and not in flight is idle.
type envoyBreaker struct {
	most        int64
	flying      int64
	connections int64 // most of them; 0: they are not counted
	open        int64
	pending     int
}

// Join looks for a connection. Nothing waits while one may be opened, but for a moment behind those
// for whom it is.
func (b *envoyBreaker) Join(_ sim.Time, _ *Attempt, ahead int) QueueVerb {
	switch {
	case b.flying < b.open:
		return QueuePass
	case ahead >= b.pending:
		return QueueRefuse
	case ahead == 0 && b.open < b.connections:
		b.open++
		return QueuePass
	}
	return QueueWait
}

func (b *envoyBreaker) Admit(sim.Time, *Attempt) bool {
	if b.flying >= b.most {
		return false
	}
	b.flying++
	return true
}

func (b *envoyBreaker) Unsent(sim.Time, *Attempt, Outcome) { b.flying-- }

// Observe keeps the connection of a try that was answered, or that never had one.
func (b *envoyBreaker) Observe(_ sim.Time, _ *Attempt, o Outcome) {
	b.flying--
	if b.connections > 0 && (o.Class == TimedOut || o.Class == Dropped) {
		b.open--
	}
}

func (b *envoyBreaker) level(sim.Time) float64 {
	return max(0, float64(b.most-b.flying)) / float64(max(1, b.most))
}
