package policies

import (
	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// EnvoyRetry is what Envoy's router tries again, how often and when, and how much of it its cluster
// bears at once.
type EnvoyRetry struct {
	RetryOn    []string `yaml:"retry_on" enum:"@envoy_retry_on" doc:"Conditions; none: no retry."`
	Codes      []int    `yaml:"retriable_status_codes" doc:"Those of its word in retry_on."`
	CodesAlone []int    `yaml:"retry_on_codes" doc:"Statuses that need no word, as in Istio."`
	Limited    []int    `yaml:"ratelimited_codes" doc:"Answers that carry x-envoy-ratelimited."`
	GRPC       bool     `yaml:"grpc" doc:"The callee speaks gRPC: statuses stand for its codes."`
	NumRetries int      `yaml:"num_retries" doc:"Retries of one call; 0 to 1000."`

	Base      sim.Time `yaml:"base_interval" doc:"First backoff: below it; 1 ms to 1 h, whole ms."`
	Max       sim.Time `yaml:"max_interval" doc:"Later ones: below it; 0 for 10 times the base."`
	Reset     bool     `yaml:"reset_headers" doc:"Wait as an answer's Retry-After asks."`
	ResetMost sim.Time `yaml:"reset_max_interval" doc:"A longer one is not heard; whole ms."`

	MaxRetries int        `yaml:"max_retries" scale:"s" doc:"Retries at once, without a budget."`
	Budget     bool       `yaml:"retry_budget" doc:"The budget limits them, not max_retries."`
	Percent    unit.Ratio `yaml:"budget_percent" doc:"Retries at once per request; 0% to 100%."`
	Least      int        `yaml:"min_retry_concurrency" scale:"s" doc:"Retries at once at least."`
	Interval   sim.Time   `yaml:"budget_interval" doc:"Requests are the tries of it; 0: in flight."`
	Window     string     `yaml:"budget_window" enum:"@envoy_window" doc:"How tries are forgotten."`
	Backoff    string     `yaml:"backoff_counts" enum:"@envoy_backoff" doc:"A backoff in the budget."`

	Hosts string `yaml:"retry_host_predicate" enum:"none|previous_hosts" doc:"Where retries go."`
	Again int    `yaml:"host_selection_retry_max_attempts" doc:"Picks again for it; 0 to 100."`
	Hedge bool   `yaml:"hedge_on_per_try_timeout" doc:"A try that timed out may still answer."`
}

var _ = builtin(Spec{
	Name: "envoy_retry",
	Doc: "Decides as Envoy's router does: is the outcome retried (retry_on), are retries of this " +
		"call left (num_retries), is a slot free (max_retries, or the budget), how long to wait. " +
		"The first two say no silently; a refusal of this policy is Envoy's " +
		"upstream_rq_retry_overflow. A retry holds its slot through its backoff and its whole try. " +
		"Envoy counts slots for each process, cluster and priority: write scope: instance, key: " +
		"priority. " +
		"An answer matches by its status. A timeout or a reset matches 5xx, gateway-error and reset; " +
		"one that reached no replica matches connect-failure and reset-before-request too. That no " +
		"replica was there to pick is not retried. With grpc an answer has HTTP status 200 and a " +
		"gRPC code in its headers: 499 cancelled, 504 deadline-exceeded, 500 internal, 429 " +
		"resource-exhausted, 503 unavailable; without it these words match no answer. An answer of " +
		"ratelimited_codes matches envoy-ratelimited alone. refused-stream, retriable-headers and " +
		"http3-post-connect-failure match nothing that this program has. " +
		"Waits are whole milliseconds: a draw below base_interval, then below twice that, and so on " +
		"to max_interval. With reset_headers an answer that asks for i ms (more than 1, at most " +
		"reset_max_interval) gets a wait in [i, 1.5 i) instead, which does not count as a backoff. " +
		"In Envoy budget_percent or min_retry_concurrency switches the budget on, here retry_budget. " +
		"It allows max(budget_percent * requests, min_retry_concurrency) slots, rounded " +
		"down. Requests are the tries in flight, retries too, and those that wait for a connection " +
		"(envoy_circuit_breaker), but neither a try that has just failed " +
		"(Envoy may or may not count it still, which depends on the protocol) nor a call in " +
		"backoff: when everything fails at once the budget falls to min_retry_concurrency. " +
		"backoff_counts: in_both counts backoffs as requests too, which was proposed and not " +
		"merged (here it counts a retry that waits for a connection twice); in_neither also frees " +
		"their slots, which no version does. With budget_interval requests are the tries sent in " +
		"about that time; of three forms seen in review deque is " +
		"believed to be the released one (it remembers 0.95 of the interval on average, timers " +
		"1.05, tower about 0.55 of it in dense traffic). " +
		"With previous_hosts the balancer picks again while its pick has had a try of the call, " +
		"at most host_selection_retry_max_attempts times; then the last pick stands, so that a " +
		"retry may still go where one has failed. Under hash and local it picks once. none leaves " +
		"it to the edge's on_retry. With hedge_on_per_try_timeout a timed-out try stays in " +
		"flight, and is followed by another whatever the words. Timeouts themselves are the " +
		"edge's. To its own callers a tier answers as Envoy does: 504 after a timeout, 503 after " +
		"a reset or where no connection could be made. Not here: retry priorities, runtime " +
		"switches, request headers that change all this, requests too large to be sent again.",
	Example: "{retry_on: [5xx], num_retries: 2}",
	Source: "Envoy, retry_state_impl.cc, backoff_strategy.cc (040783c8), " +
		"resource_manager_impl.h (01c2c1fa); budget_interval: PR 44147",
	Sure:     FromSource,
	Gates:    true,
	Paces:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	Judges:   true,
	Notes:    true,
}, EnvoyRetry{
	// All are Envoy's own: nothing is retried unless words say what, and then once.
	RetryOn: []string{}, Codes: []int{}, CodesAlone: []int{}, Limited: []int{}, NumRetries: 1,
	Base: 25 * sim.Millisecond, ResetMost: 300 * sim.Second,
	// Three at once is Envoy's threshold for each cluster, however large: a storm guard that most
	// people meet in an incident. The budget's figures are those it has once it is switched on.
	MaxRetries: 3, Percent: 0.2, Least: 3, Window: "deque", Backoff: "as_retry", Hosts: "none",
	Again: 1,
}, checkEnvoyRetry, func(s EnvoyRetry) func() Policy {
	t := newEnvoyRetryTerms(s)
	return func() Policy {
		e := &envoyRetry{terms: t, starts: newEnvoyStarts(s)}
		p := Policy{
			Condition: e, Gate: e, Pacer: e, Closer: e, Level: e.level, KeepTimedOut: s.Hedge,
			FailedAs: outlierStatus,
		}
		if s.Hosts == "previous_hosts" {
			p.Placer, p.Repicks = e, s.Again
		}
		if s.Budget {
			p.Starter = e
		}
		if s.Budget && s.Interval == 0 {
			p.Observer = e
		}
		return p
	}
})

func checkEnvoyRetry(s EnvoyRetry) []error {
	var b bounds
	millis := func(field string, t, least, most sim.Time) {
		if t < least || t > most || t%sim.Millisecond != 0 {
			b.say(field, "%s; %s to %s in whole milliseconds", unit.FormatDuration(t),
				unit.FormatDuration(least), unit.FormatDuration(most))
		}
	}
	b.statuses("retriable_status_codes", s.Codes)
	b.statuses("retry_on_codes", s.CodesAlone)
	b.statuses("ratelimited_codes", s.Limited)
	if s.NumRetries < 0 || s.NumRetries > 1000 {
		b.say("num_retries", "%d; 0 to 1000", s.NumRetries)
	}
	millis("base_interval", s.Base, sim.Millisecond, sim.Hour)
	if s.Max != 0 {
		millis("max_interval", s.Max, max(sim.Millisecond, s.Base), 10*sim.Hour)
	}
	millis("reset_max_interval", s.ResetMost, sim.Millisecond, sim.Hour)
	if s.Again < 0 || s.Again > 100 {
		b.say("host_selection_retry_max_attempts", "%d; 0 to 100", s.Again)
	}
	return append(b, checkEnvoyBudget(s)...)
}

func checkEnvoyBudget(s EnvoyRetry) []error {
	var b bounds
	if s.MaxRetries < 0 || s.MaxRetries > 1<<32-1 {
		b.say("max_retries", "%d; 0 to 4294967295", s.MaxRetries)
	}
	if p := float64(s.Percent); !(p >= 0 && p <= 1) {
		b.say("budget_percent", "%s; 0%% to 100%%", s.Percent)
	}
	if s.Least < 0 || s.Least > 1<<32-1 {
		b.say("min_retry_concurrency", "%d; 0 to 4294967295", s.Least)
	}
	if s.Interval < 0 || s.Interval > sim.Hour || s.Interval%(10*sim.Millisecond) != 0 {
		b.say("budget_interval", "%s; 0 to 1h in steps of 10ms", unit.FormatDuration(s.Interval))
	}
	// What is written and has no effect is a misunderstanding.
	if s.Window != "deque" && s.Interval == 0 {
		b.say("budget_window", "it needs a budget_interval")
	}
	if s.Budget {
		return b
	}
	for _, idle := range []struct {
		field   string
		written bool
	}{
		// A scaled 3 is 1 to 3.
		{"budget_percent", s.Percent != 0.2}, {"min_retry_concurrency", s.Least == 0 || s.Least > 3},
		{"budget_interval", s.Interval != 0}, {"backoff_counts", s.Backoff != "as_retry"},
	} {
		if idle.written {
			b.say(idle.field, "it needs retry_budget: true")
		}
	}
	return b
}
