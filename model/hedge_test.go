package model_test

import (
	"fmt"
	"testing"
)

// One request, 50 ms of work, over a stack.
const copies = `
name: copies
tiers: {server: {steps: [{work: 50ms}%s]}}
clients: {users: {arrivals: {process: burst, count: 1}, call: server}}
edges:
  - from: users
    to: server
    timeout: %s
    retry: {stack: [%s]}
duration: 1s
window: 10ms
`

// A copy, or a retry beside a try that has timed out but may still answer, which a gate refuses
// ends nothing: what is in flight decides. gRPC's throttle stops the hedging of the call for good;
// after the refusal of another gate the hedger is asked again when a copy fails, and the next one
// may pass.
func TestARefusedCopyLeavesTheOthers(t *testing.T) {
	const (
		ok    = ``
		fails = `, {fail: {share: 1, status: 503}}`
		one   = `{envoy_circuit_breaker: {max_requests: 1}}, `
		hedge = `{grpc_hedging: {implementation: a6, max_attempts: 3, ` +
			`non_fatal_status_codes: [UNAVAILABLE], %s}}`
		envoy = `{envoy_retry: {retry_on: [5xx], num_retries: 3, max_retries: 0, ` +
			`hedge_on_per_try_timeout: true}}`
	)
	for _, c := range []struct {
		name, step, timeout, stack                 string
		refused, hedges, retries, attempts, okayed float64
	}{
		{"breaker, then an answer", ok, "{}", one + fmt.Sprintf(hedge, "hedging_delay: 20ms"),
			1, 0, 0, 1, 1},
		// Each failure sends the next copy at once, of which the one due 20 ms later is refused.
		{"breaker, then failures", fails, "{}", one + fmt.Sprintf(hedge, "hedging_delay: 20ms"),
			2, 2, 0, 3, 0},
		// The failure sends the next copy at once, but leaves 1 of 2 tokens.
		{"throttle", fails, "{}", fmt.Sprintf(hedge, "hedging_delay: 60ms, max_tokens: 2"),
			1, 0, 0, 1, 0},
		{"envoy", ok, "{try: 20ms}", envoy, 1, 0, 0, 1, 1},
		{"envoy, no connection", ok, "{try: 20ms}", `{envoy_circuit_breaker: {max_requests: 1}}, ` +
			`{envoy_retry: {retry_on: [5xx], hedge_on_per_try_timeout: true, base_interval: 1ms}}`,
			1, 0, 0, 1, 1},
	} {
		p := compiled(t, fmt.Sprintf(copies, c.step, c.timeout, c.stack))
		r := ran(t, p)
		for measure, want := range map[string]float64{
			"edges.users->server.refused": c.refused, "edges.users->server.hedges": c.hedges,
			"edges.users->server.retries": c.retries, "edges.users->server.attempts": c.attempts,
			"clients.users.ok": c.okayed,
		} {
			if got := over(t, p, r, measure, 0, 1); got != want {
				t.Errorf("%s: %s %v, want %v", c.name, measure, got, want)
			}
		}
	}
}
