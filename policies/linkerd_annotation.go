package policies

import (
	"fmt"
	"slices"

	"cascadesim/sim"
)

// LinkerdAnnotation is how a Linkerd proxy tries again what the annotations of a service or route
// say.
type LinkerdAnnotation struct {
	HTTP     []string `yaml:"http" enum:"5xx|gateway-error" doc:"Statuses by name, of retry.linkerd.io/http."`
	Statuses []int    `yaml:"http_statuses" doc:"Statuses by number, of the same annotation; 100 to 599."`
	GRPC     []string `yaml:"grpc" enum:"cancelled|deadline-exceeded|internal|resource-exhausted|unavailable" doc:"Of retry.linkerd.io/grpc."`
	Limit    int      `yaml:"limit" doc:"Retries of one request; 0 is taken as 1."`
}

var _ = builtin(Spec{
	Name: "linkerd_annotation",
	Doc: "Tries again as a Linkerd proxy does by the annotations retry.linkerd.io (2.16 and " +
		"later), in place of retry_on, max_attempts and a wait: up to `limit` retries, each " +
		"after b + min(U(0, b), 250 ms - b) of b = min(25 ms * 2^(n-1), 250 ms), so that from " +
		"the fifth on every wait is exactly 250 ms. Tried again are the statuses that are " +
		"listed, a try whose time ran out (set retry.linkerd.io/timeout as the edge's timeout " +
		"per try), and a first try for which no replica was left (fail-fast), but not a " +
		"connection that was refused or reset. A retry that finds no replica ends the call: " +
		"with that 503 here, with the failure before it in the proxy. There is no budget: a " +
		"fleet of failing calls grows by the full 1 + limit. gRPC statuses are matched by their " +
		"HTTP numbers. Not modelled: the proxy lets the last try run without the timeout; " +
		"requests of more than 64 KiB are not tried again.",
	Example: "{http: [5xx], limit: 1}",
	Source:  "linkerd/linkerd2-proxy@29637b64f http/retry, exp-backoff; linkerd2@b24cd4059",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, LinkerdAnnotation{
	// Without an annotation nothing is tried again; 5xx is its first example, and 1 its limit.
	HTTP: []string{"5xx"}, Statuses: []int{}, GRPC: []string{}, Limit: 1,
}, checkLinkerdAnnotation, func(s LinkerdAnnotation) func() Policy {
	l := newLinkerdAnnotation(s)
	return func() Policy { return Policy{Condition: l, Pacer: l} }
})

func checkLinkerdAnnotation(s LinkerdAnnotation) []error {
	var errs []error
	for _, status := range s.Statuses {
		if status < 100 || status > 599 {
			errs = append(errs, fmt.Errorf("http_statuses: %d; 100 to 599", status))
		}
	}
	if s.Limit < 0 || s.Limit > 1000 {
		errs = append(errs, fmt.Errorf("limit: %d retries; 0 to 1000", s.Limit))
	}
	return errs
}

// linkerdAnnotation holds nothing that changes, so one value serves every caller.
type linkerdAnnotation struct {
	server   bool // all of 500 to 599
	statuses []int
	errors   bool // any annotation is there, without which errors are not tried again either
	limit    int
}

// linkerdCodes are gRPC's codes as HTTP numbers.
var linkerdCodes = map[string]int{
	"cancelled": 499, "deadline-exceeded": 504, "internal": 500, "resource-exhausted": 429,
	"unavailable": 503,
}

func newLinkerdAnnotation(s LinkerdAnnotation) *linkerdAnnotation {
	l := &linkerdAnnotation{
		server:   slices.Contains(s.HTTP, "5xx"),
		statuses: s.Statuses,
		errors:   len(s.HTTP)+len(s.Statuses)+len(s.GRPC) > 0,
		limit:    max(1, s.Limit),
	}
	if slices.Contains(s.HTTP, "gateway-error") {
		l.statuses = append(l.statuses, 502, 503, 504)
	}
	for _, code := range s.GRPC {
		l.statuses = append(l.statuses, linkerdCodes[code])
	}
	return l
}

func (l *linkerdAnnotation) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	if a.N > l.limit {
		return false
	}
	noReplica := o.Class == Rejected && o.Unreached
	switch {
	case noReplica && a.N > 1: // a retry does not wait for the service to be ready
		return false
	case o.Class == TimedOut || noReplica:
		return l.errors
	}
	return l.server && o.serverError() || o.is(l.statuses...)
}

func (l *linkerdAnnotation) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	return linkerdWait(a.N-1, a.Chance.Float64())
}

// The waits of the policy controller, which no annotation changes.
const (
	linkerdShortest = 25 * sim.Millisecond
	linkerdLongest  = 250 * sim.Millisecond
)

// linkerdWait is the wait before retry n, from 1; luck is a uniform in [0, 1).
func linkerdWait(n int, luck float64) sim.Time {
	base := min(linkerdLongest, linkerdShortest<<min(n-1, 10))
	return base + min(sim.Time(luck*float64(base)), linkerdLongest-base)
}
