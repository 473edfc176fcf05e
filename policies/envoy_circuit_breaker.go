package policies

import (
	"fmt"

	"cascadesim/sim"
)

// EnvoyCircuitBreaker bounds what a caller has in flight.
type EnvoyCircuitBreaker struct {
	MaxRequests int `yaml:"max_requests" scale:"s" doc:"Most tries in flight; 0 to 4294967295."`
}

var _ = builtin(Spec{
	Name: "envoy_circuit_breaker",
	Doc: "Refuses a try while max_requests are in flight, first tries too. It is the threshold of " +
		"that name of an Envoy cluster: counted for each process, cluster and priority, so write " +
		"scope: instance, key: priority; a refusal is its 503 with the flag UO, told at once. It never " +
		"opens: it lets the next try go as soon as one has ended. A retry is asked about as it is " +
		"sent; one that is refused so ends its call with that 503, for the router tries no overflow " +
		"again. A world has no connections, so " +
		"max_connections, max_pending_requests and max_connection_pools are not here: over HTTP/1 " +
		"Envoy would let requests above max_connections wait until another's connection is free, which " +
		"a policy here cannot be told in time; with HTTP/2, one connection, nothing of it is missed. " +
		"max_retries and the retry budget are those of envoy_retry.",
	Example:  "{max_requests: 1024}",
	Source:   "Envoy, resource_manager_impl.h (01c2c1fa)",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, EnvoyCircuitBreaker{
	MaxRequests: 1024, // Envoy's; Istio's is 2^32-1
}, func(s EnvoyCircuitBreaker) []error {
	if s.MaxRequests < 0 || s.MaxRequests > 1<<32-1 {
		return []error{fmt.Errorf("max_requests: %d; 0 to 4294967295", s.MaxRequests)}
	}
	return nil
}, func(s EnvoyCircuitBreaker) func() Policy {
	return func() Policy {
		b := &envoyBreaker{most: int64(s.MaxRequests)}
		return Policy{Gate: b, Wrapper: b, Observer: b, Level: b.level}
	}
})

type envoyBreaker struct {
	most   int64
	flying int64
}

func (b *envoyBreaker) Admit(sim.Time, *Attempt) bool {
	if b.flying >= b.most {
		return false
	}
	b.flying++
	return true
}

func (b *envoyBreaker) Unsent(sim.Time, *Attempt, Outcome) { b.flying-- }

func (b *envoyBreaker) Observe(sim.Time, *Attempt, Outcome) { b.flying-- }

func (b *envoyBreaker) level(sim.Time) float64 {
	return max(0, float64(b.most-b.flying)) / float64(max(1, b.most))
}
