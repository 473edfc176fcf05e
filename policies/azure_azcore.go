package policies

import (
	"math"

	"cascadesim/sim"
)

// AzureAzcore is the retry policy of the Azure SDK for Go.
type AzureAzcore struct {
	MaxRetries    int      `yaml:"max_retries" doc:"Retries beside the first try."`
	RetryDelay    sim.Time `yaml:"retry_delay" doc:"The first wait, before chance."`
	MaxRetryDelay sim.Time `yaml:"max_retry_delay" doc:"Longest wait, after chance; or none."`
	StatusCodes   []int    `yaml:"status_codes" doc:"Error statuses that are retried."`
}

var _ = builtin(Spec{
	Name: "azure_azcore",
	Doc: "Retries as azcore of the Azure SDK for Go does: every failure without an answer, that of " +
		"a breaker among its per-retry policies too, and status_codes. Retry n waits " +
		"min(max_retry_delay, retry_delay * (2^n - 1) * U(0.8, 1.3)). A positive hint of an answer " +
		"(retry-after-ms, x-ms-retry-after-ms or Retry-After) replaces that as it is, but one longer " +
		"than max_retry_delay ends the retries. Beware of retry_delay: 0, a negative RetryDelay there: " +
		"it is taken for an overflow and waits max_retry_delay each time. The SDK reads MaxRetries: 0 " +
		"as its default and -1 as none; here 0 is none. Its TryTimeout is the edge's timeout of a try. " +
		"The SDKs of other languages differ.",
	Example: "{max_retries: 3, retry_delay: 800ms, max_retry_delay: 60s}",
	Source:  "azcore v1.24.0, runtime/policy_retry.go",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, AzureAzcore{
	// setDefaults of policy_retry.go.
	MaxRetries: 3, RetryDelay: 800 * sim.Millisecond, MaxRetryDelay: sim.Minute,
	StatusCodes: []int{408, 429, 500, 502, 503, 504},
}, func(s AzureAzcore) (errs []error) {
	b := (*bounds)(&errs)
	b.count("max_retries", s.MaxRetries, 0)
	b.length("retry_delay", s.RetryDelay, 0)
	b.limit("max_retry_delay", s.MaxRetryDelay, 1)
	b.statuses("status_codes", s.StatusCodes)
	return errs
}, func(s AzureAzcore) func() Policy {
	r := &azcore{AzureAzcore: s, codes: newStatusSet(s.StatusCodes)}
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// azcore holds nothing that changes, so one value serves every caller.
type azcore struct {
	AzureAzcore
	codes statusSet
}

func (r *azcore) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	return (!o.answered() || r.codes.has(o.Status)) && a.N <= r.MaxRetries &&
		o.hint() <= r.MaxRetryDelay
}

func (r *azcore) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	if hint := last.hint(); hint > 0 {
		return hint
	}
	return r.delay(a.N-1, a.Chance.Float64())
}

// delay is the wait before retry n with the draw in [0, 1). The product of whole numbers wraps for
// a large n and is caught only when it comes out small; this is how the SDK does it.
func (r *azcore) delay(n int, draw float64) sim.Time {
	factor := sim.Time(math.MaxInt64)
	if n < 63 {
		factor = 1<<n - 1
	}
	delay := factor * r.RetryDelay
	if delay < factor {
		delay = math.MaxInt64
	}
	spread := float64(delay) * (float64(draw/2) + 0.8)
	if spread > float64(min(r.MaxRetryDelay, sim.MaxTime)) {
		return min(r.MaxRetryDelay, sim.MaxTime)
	}
	return sim.Time(spread)
}
