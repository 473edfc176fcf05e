package load

import (
	"reflect"
	"strings"
	"testing"
)

// retryAt is where paths find the retry of retryOf.
const retryAt = "edges.web:db.retry."

// What also adds may refuse after a product has spent, and low goes where there is a level.
func TestWhatStandsBesideAPresetGoesIntoItsStack(t *testing.T) {
	const spent = "{stack: [{aws_standard: {version: v2.1, charges: first}}, {token_budget: {}}]}"
	for _, c := range []struct {
		retry string
		sets  []string
		stack string
	}{
		{"{preset: aws-sdk-standard, also: [{token_budget: {}}]}", nil, spent},
		{"{preset: aws-sdk-standard}", []string{retryAt + "also=[{token_budget: {}}]"}, spent},
		{"{preset: aws-sdk-standard, also: [{gobreaker: {}}]}",
			[]string{retryAt + "also=[{token_budget: {}}]"}, spent},
		{"{preset: aws-sdk-standard, also: [{token_budget: {}}]}", []string{retryAt + "also=null"},
			"{stack: [{aws_standard: {version: v2.1}}]}"},
		{"{preset: aws-sdk-standard, also: }", nil, "{stack: [{aws_standard: {version: v2.1}}]}"},
		{"{preset: aws-sdk-adaptive, low: 10%}", nil,
			"{stack: [{aws_standard: {low: 10%}}, {aws_adaptive: {low: 10%}}]}"},
		{"{preset: sre-adaptive, low: 10%}", nil, "{stack: [{max_attempts: {attempts: 3}}, " +
			"{adaptive_throttle: {k: 2, window: 2m}}, " +
			"{ratio_budget: {ratio: 10%, min_per_s: 0/s, low: 10%}}]}"},
		{"{preset: finagle, low: 10%}", []string{retryAt + "low=2x"},
			"{preset: finagle, low: 20%}"},
		{"{preset: finagle}", []string{retryAt + "key=client"}, "{preset: finagle, key: client}"},
		{"{preset: finagle}", []string{retryAt + "pool=x"}, "{preset: finagle, pool: x}"},
		{"{preset: envoy, key: edge}", []string{retryAt + "key=null"}, "{preset: envoy}"},
	} {
		got, problems := retryOf(t, c.retry, c.sets...)
		if len(problems) > 0 {
			t.Errorf("%s %v: %v", c.retry, c.sets, problems)
			continue
		}
		if want, _ := retryOf(t, c.stack); !reflect.DeepEqual(got, want) {
			t.Errorf("%s %v: got %+v, want %+v", c.retry, c.sets, got, want)
		}
	}
}

// Products that spend take further policies, all the way to something that runs.
func TestProductsThatSpendTakeABreakerBesides(t *testing.T) {
	for _, p := range shippedPresets() {
		for _, also := range []string{"adaptive_throttle", "token_budget"} {
			if verb, _ := entryOf(p.stack, also); verb != "" {
				continue // it has one already
			}
			text := strings.Replace(pair3,
				"{stack: [{max_attempts: {attempts: 4}}, {ratio_budget: {ratio: 10%}}]}",
				"{preset: "+p.full()+", also: [{"+also+": {}}]}", 1)
			if _, problems := openText(t, text).Plan(Options{}); len(problems.Errors()) > 0 {
				t.Errorf("%s and %s: %v", p.full(), also, problems)
			}
		}
	}
}

// A preset in place of another keeps what was written beside that one, where both have it.
func TestPresetInPlaceOfAnotherKeepsItsSettings(t *testing.T) {
	for _, c := range []struct{ was, next, want, lost string }{
		{"{preset: aws-sdk-standard, retry_quota: 50, max_attempts: 7}", "aws-sdk-standard@2.0",
			"{preset: aws-sdk-standard@2.0, retry_quota: 50, max_attempts: 7}", ""},
		{"{preset: aws-sdk-standard, throttling: rejected}", "aws-sdk-adaptive",
			"{preset: aws-sdk-adaptive, throttling: rejected}", ""},
		{"{preset: aws-sdk-adaptive, throttling: rejected}", "aws-sdk-standard",
			"{preset: aws-sdk-standard, throttling: rejected}", ""},
		{"{preset: envoy, num_retries: 4, retry_on: [5xx, reset]}", "istio",
			"{preset: istio, attempts: 4, retry_on: [5xx, reset]}", ""},
		{"{preset: finagle, low: 5%, scope: tier, enabled: 50%, also: [{gobreaker: {}}]}",
			"linkerd-profile", "{preset: linkerd-profile, low: 5%, scope: tier, enabled: 50%, " +
				"also: [{gobreaker: {}}]}", ""},
		{"{preset: haproxy, retries: 9}", "requests", "{preset: requests}",
			"edges.web->db.retry.retries: was written beside preset haproxy@3.5; requests@2.32 "},
		{"{preset: envoy, max_requests: 9}", "istio", "{preset: istio}", "retry.max_requests: was"},
		{"{stack: [{max_attempts: {}}]}", "haproxy", "{preset: haproxy}", ""},
	} {
		got, problems := retryOf(t, c.was, retryAt+"preset="+c.next)
		want, _ := retryOf(t, c.want)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s, then %s: got %+v, want %+v", c.was, c.next, got, want)
		}
		switch {
		case c.lost == "" && len(problems) > 0, c.lost != "" && len(problems) != 1,
			len(problems.Errors()) > 0, !strings.Contains(problems.Error(), c.lost):
			t.Errorf("%s, then %s: %v, want %q", c.was, c.next, problems, c.lost)
		}
	}
}

// What cannot stand beside a preset, or not so, says how it can be written.
func TestMistakesBesidePresetsSayWhatToWrite(t *testing.T) {
	for _, c := range []struct{ retry, set, want string }{
		{"{preset: haproxy}", retryAt + "preset=null",
			"not removed alone; write edges.web->db.retry=null for no retry"},
		{"{preset: }", "", "retry.preset: has no value; without a retry write retry: none"},
		{"{preset: haproxy, low: 5%}", "", "no policy with tokens or a level"},
		{"{preset: haproxy}", retryAt + "low=5%", "no policy with tokens or a level"},
		{"{preset: okhttp}", retryAt + "pool=x", "keeps no state, so that pool means nothing"},
		{"{preset: requests, key: client}", "", "keeps no state, so that key means nothing"},
		{"{preset: haproxy}", retryAt + "pol=x", `did you mean "pool"?`},
		{"{preset: istio, retry_on: [503]}", "", "statuses are listed in retry_on_codes: [503]"},
		{"{preset: hystrix, error_threshold_percentage: 50%}", "", "; write 50, which is in percent"},
		{"{stack: [{envoy_outlier_detection: {enforcing_success_rate: 5%}}]}", "", "; write 5, "},
		{"{stack: [{name: a, max_attempts: {attempts: 2}}]}", "",
			"name of a policy goes inside its braces; write {max_attempts: {name: a, …}}"},
		{"{stack: [{token_budget: {}, scope: tier, low: 5%}]}", "",
			"scope and low of a policy goes"},
		{"{stack: [{token_budget: {}, max_attempts: {}}]}", "", "one policy, this one has 2 keys"},
	} {
		var sets []string
		if c.set != "" {
			sets = []string{c.set}
		}
		_, problems := retryOf(t, c.retry, sets...)
		if len(problems.Errors()) != 1 || !strings.Contains(problems.Error(), c.want) {
			t.Errorf("%s %s: got %v, want it to say %s", c.retry, c.set, problems, c.want)
		}
	}
}
