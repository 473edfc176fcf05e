package load

import (
	"strings"
	"testing"
)

// Each guess at a short form that there is not is answered with the long form that was meant.
func TestGuessedShortForms(t *testing.T) {
	for _, c := range []struct{ old, guess, want string }{
		{"slots: 4, ", "slots: 4, line: 500, ",
			`tiers.web.line: expected a map, not "500"; write {limit: 500}`},
		{"{max_attempts: {attempts: 4}}", "{max_attempts: 3}",
			`stack.max_attempts: expected a map, not "3"; write max_attempts: {attempts: 3}`},
		{"{max_attempts: {attempts: 4}}", "max_attempts",
			`stack.0: expected a map, not "max_attempts"; write max_attempts: {attempts: 3}`},
		{"{ratio_budget: {ratio: 10%}}", "{ratio_budget: 10%}", `stack.ratio_budget: expected a ` +
			`map, not "10%"; write ratio_budget: {ratio: 10%, window: 10s}`},
		{"arrivals: 200/s", "arrivals: 10 rps", `clients.users.arrivals: expected arrivals such ` +
			`as 200/s, constant 280/s or burst 10k, not "10 rps"; did you mean 10/s?`},
		{"arrivals: 200/s", "arrivals: 10 per second", `clients.users.arrivals: expected arrivals ` +
			`such as 200/s, constant 280/s or burst 10k, not "10 per second"`},
		{"retry: {stack: [{max_attempts: {attempts: 4}}, {ratio_budget: {ratio: 10%}}]}", "retry: 3",
			`retry: expected a map, not "3"; write {stack: [{max_attempts: {attempts: 3}}]}`},
	} {
		text := strings.Replace(pair3, c.old, c.guess, 1)
		text = strings.Replace(text, "load: {users: {rate: 100/s}}\n", "", 1)
		d, problems := openAny(text)
		if d != nil {
			_, problems = d.Plan(Options{})
		}
		if got := problems.Error(); len(problems) != 1 || !strings.HasSuffix(got, c.want) {
			t.Errorf("%s:\n got %s\nwant %s", c.guess, got, c.want)
		}
	}
}

// An entry whose word is not known is reported once, by that word.
func TestUnknownEntriesAreReportedOnce(t *testing.T) {
	for _, c := range []struct{ old, wrong, want string }{
		{"{ratio_budget: {ratio: 10%}}", "{circuit_breaker: {}}", "a.yaml:14:53: edges.web->db." +
			`retry.stack.circuit_breaker: unknown policy "circuit_breaker"; known: gobreaker, ` +
			"hystrix_breaker, polly_breaker, resilience4j_breaker"},
		{"{ratio_budget: {ratio: 10%}}", "{token_bucket: {}}", "a.yaml:14:53: edges.web->db." +
			"retry.stack.token_bucket: token_bucket is an admission policy of a tier; it goes " +
			"under admission of the called tier"},
		{"{call: db}", "{call: db}, {cal: db}", `a.yaml:6:93: tiers.web.steps.cal: unknown step ` +
			`"cal"; did you mean "call"?`},
	} {
		_, problems := openText(t, strings.Replace(pair3, c.old, c.wrong, 1)).Plan(Options{})
		if got := problems.Error(); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.wrong, got, c.want)
		}
	}
}
