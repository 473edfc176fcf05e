package load

import (
	"strings"

	"cascadesim/sim/queue"
)

// meantPolicies are words for what policies do that are named after products here.
var meantPolicies = map[string][]string{
	"hedge":                {"grpc_hedging"},
	"hedging":              {"grpc_hedging"},
	"breaker":              {"gobreaker", "hystrix_breaker", "polly_breaker", "resilience4j_breaker"},
	"circuit_breaker":      {"gobreaker", "hystrix_breaker", "polly_breaker", "resilience4j_breaker"},
	"bulkhead":             {"resilience4j_bulkhead"},
	"concurrency":          {"fixed_limit", "aimd_limit", "gradient_limit", "vegas_limit"},
	"concurrency_limit":    {"fixed_limit", "aimd_limit", "gradient_limit", "vegas_limit"},
	"adaptive_concurrency": {"envoy_adaptive_concurrency", "gradient2_limit", "vegas_limit"},
	"aimd":                 {"aimd_limit"},
	"gradient":             {"gradient_limit", "gradient2_limit", "envoy_adaptive_concurrency"},
	"vegas":                {"vegas_limit"},
	"throttle":             {"adaptive_throttle", "failsafe_throttler", "aws_adaptive"},
	"envoy_budget":         {"envoy_retry"},
	"grpc_throttle":        {"grpc_retry"},
	"aws_quota":            {"aws_standard"},
	"outlier":              {"envoy_outlier_detection", "finagle_failure_accrual"},
	"outlier_detection":    {"envoy_outlier_detection", "finagle_failure_accrual"},
	"failure_accrual":      {"finagle_failure_accrual", "linkerd_failure_accrual"},
	"retry":                {"max_attempts", "exponential"},
	"backoff":              {"exponential", "constant", "decorrelated"},
	"budget":               {"ratio_budget", "token_budget", "finagle_budget", "tower_budget"},
	"shedding":             {"priority_shedding", "dagor", "breakwater", "codel", "fail_at_scale"},
	"load_shedding":        {"priority_shedding", "dagor", "breakwater", "codel", "fail_at_scale"},
	"queue_timeout":        {"codel", "fail_at_scale"},
	"rate_limiter":         {"token_bucket", "gcra", "rate_limit", "resilience4j_rate_limiter"},
}

// policyHint is what to write instead of a policy that is not known: those that do what the word
// says, what is no policy here, or the nearest of their side.
func (g *grammar) policyHint(word string, callee bool) string {
	if meant := meantPolicies[word]; meant != nil {
		return "known: " + strings.Join(meant, ", ")
	}
	if _, ok := queue.ParseDiscipline(word); ok {
		return "it is how a line is served: write line: {discipline: " + word + "} in the called tier"
	}
	return nearest(word, policyNames(g.policies, callee))
}
