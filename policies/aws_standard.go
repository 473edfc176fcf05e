package policies

import (
	"fmt"

	"cascadesim/sim"
)

// AWSStandard is the retry mode that AWS SDKs have by default.
type AWSStandard struct {
	Version     string `yaml:"version" enum:"v2.1|v2.0" doc:"Of the mode: 2.1 since 2026."`
	Service     string `yaml:"service" enum:"general|dynamodb" doc:"DynamoDB has values of its own."`
	MaxAttempts int    `yaml:"max_attempts" doc:"Tries in all, to 1000; 0 for the SDK's own."`
	RetryQuota  int    `yaml:"retry_quota" scale:"s" doc:"Tokens that a client begins with."`

	MaxBackoff  sim.Time `yaml:"max_backoff" doc:"Longest wait, before jitter; above 0."`
	Backoff     string   `yaml:"backoff" enum:"standard|exponential_jitter" doc:"The waits."`
	Throttling  string   `yaml:"throttling" enum:"status_429|rejected" doc:"What throttles."`
	LongPolling bool     `yaml:"long_polling" doc:"A call that the quota refuses waits before it fails."`
	Fault       string   `yaml:"fault" enum:"none|no_refill|absent" doc:"What is wrong with it."`
}

var _ = builtin(Spec{
	Name: "aws_standard",
	Doc: "Retries as an AWS SDK in standard mode: it decides itself what is retried (connection " +
		"errors, timeouts, 500, 502, 503, 504, throttling), then looks whether attempts are left, " +
		"then takes the retry's cost from a quota, or refuses and takes nothing. The quota belongs " +
		"to a client: scope instance, one for all its calls of a service. Time never refills it: a " +
		"call that succeeds at its first try gives 1 back, one that succeeds later the cost of its " +
		"last retry, one that fails nothing. version: v2.1 is aws-sdk-go-v2 from v1.48.0 (November " +
		"2026) and others by option: 3 attempts (DynamoDB 4), a retry costs 14, or 5 after " +
		"throttling; waits of U[0, 1) * min(x * 2^i, max_backoff) before retry i+1, x being 50 ms " +
		"(DynamoDB 25 ms), or 1 s after throttling. A Retry-After, which stands for " +
		"x-amz-retry-after, is kept within that wait and 5 s more. v2.0 is what they all did before: " +
		"3 attempts, a retry costs 5, or 10 after a timeout; x is 1 s and hints are ignored. " +
		"backoff: exponential_jitter is what Go did in 2.0 and still offers: U[0, 1) * 2^i s from " +
		"i = 1, and exactly max_backoff once 2^i exceeds it. Worlds know no error codes, so " +
		"throttling says what stands for them: answers of status 429, or whatever the callee's " +
		"admission turned away. fault shows what has gone wrong in the field: no_refill never gives " +
		"anything back, absent has no quota; a bucket shared by unrelated services is a pool of " +
		"their stacks. long_polling is for the calls that SDKs know as such (SQS ReceiveMessage, " +
		"GetActivityTask of Step Functions, the polls of SWF): when the quota refuses their retry they " +
		"still sleep its backoff, and then fail, so that a worker that polls in a loop does not spin. " +
		"Not modelled: errors that a service declares retryable, and correction of clocks.",
	Example: "{version: v2.1, service: dynamodb}",
	Source: "aws-sdk-go-v2 v1.48.0 aws/retry and aws/ratelimit; botocore 1.43.67 " +
		"retries/standard.py and quota.py",
	Sure:     FromSource,
	Gates:    true,
	Paces:    true,
	Refuses:  true,
	Spends:   true,
	Stateful: true,
	Judges:   true,
	Notes:    true,
}, AWSStandard{
	// All are the SDKs' own. 429 is the one status that says by itself that it throttles.
	Version: "v2.1", Service: "general", RetryQuota: 500, MaxBackoff: 20 * sim.Second,
	Backoff: "standard", Throttling: "status_429", Fault: "none",
}, func(s AWSStandard) []error {
	errs := checkAWS(s.MaxAttempts, s.MaxBackoff)
	if s.RetryQuota < 1 || s.RetryQuota > 1e9 {
		errs = append(errs, fmt.Errorf("retry_quota: %d; 1 to 1e9", s.RetryQuota))
	}
	if s.Backoff == "exponential_jitter" && s.Version != "v2.0" {
		errs = append(errs, fmt.Errorf("backoff: exponential_jitter belongs to version v2.0"))
	}
	if s.LongPolling && s.Version != "v2.1" {
		errs = append(errs, fmt.Errorf("long_polling: version %s fails at once", s.Version))
	}
	return errs
}, func(s AWSStandard) func() Policy {
	t := newAWSTerms(s)
	return func() Policy {
		a := &awsStandard{terms: t, quota: t.full}
		p := Policy{Condition: a, Gate: a, Pacer: a, Closer: a, SparesFirst: true}
		if t.wired {
			p.Level = a.level
		}
		if s.LongPolling {
			p.Lingerer = a
		}
		return p
	}
})

// awsTerms are the settings as decisions want them.
type awsTerms struct {
	attempts int
	full     int64
	wired    bool // there is a quota
	refills  bool
	rejected bool // whatever was turned away throttles

	transient, throttling, timeout int64 // costs

	base, throttledBase, longest float64 // ns
	hints                        bool
	ungated                      bool // Go's waits before 2.1
	doublings                    int  // that these may take
}

func newAWSTerms(s AWSStandard) *awsTerms {
	t := &awsTerms{
		attempts:  3,
		full:      int64(s.RetryQuota),
		wired:     s.Fault != "absent",
		refills:   s.Fault == "none",
		rejected:  s.Throttling == "rejected",
		transient: 5, throttling: 5, timeout: 10,
		base:          float64(sim.Second),
		throttledBase: float64(sim.Second),
		longest:       float64(s.MaxBackoff),
		ungated:       s.Backoff == "exponential_jitter",
	}
	if s.Version == "v2.1" {
		t.transient, t.timeout = 14, 14
		t.base, t.hints = float64(50*sim.Millisecond), true
		if s.Service == "dynamodb" {
			t.attempts, t.base = 4, float64(25*sim.Millisecond)
		}
	}
	if s.MaxAttempts > 0 {
		t.attempts = s.MaxAttempts
	}
	for limit := s.MaxBackoff / sim.Second; limit > 1; limit /= 2 {
		t.doublings++
	}
	return t
}

// awsStandard is the quota of one client. The note of a call is what its last retry cost.
type awsStandard struct {
	terms *awsTerms
	quota int64
}

// Retryable asks whether attempts are left too: a call that has used them up is not refused.
func (q *awsStandard) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	return awsErrorOf(o, q.terms.rejected) != awsFinal && a.N < q.terms.attempts
}

// Admit takes what the retry costs, or refuses it.
func (q *awsStandard) Admit(_ sim.Time, a *Attempt) bool {
	if a.N == 1 || a.Last.Class == Pending {
		return true
	}
	if !q.terms.wired {
		return true
	}
	cost := q.terms.cost(a.Last)
	if cost > q.quota {
		return false
	}
	q.quota -= cost
	*a.Note = uint64(cost)
	return true
}

// Linger is what a long poll does that the quota refuses.
func (q *awsStandard) Linger(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	return q.terms.wait(a.N-2, last, a.Chance.Float64())
}

func (t *awsTerms) cost(last Outcome) int64 {
	switch {
	case awsErrorOf(last, t.rejected) == awsThrottling:
		return t.throttling
	case last.Class == TimedOut:
		return t.timeout
	}
	return t.transient
}

// Wait draws anew for each retry.
func (q *awsStandard) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	return q.terms.wait(a.N-2, last, a.Chance.Float64())
}

// wait is that before retry i, from 0; draw is in [0, 1).
func (t *awsTerms) wait(i int, last Outcome, draw float64) sim.Time {
	if t.ungated {
		if i+1 > t.doublings {
			return sim.Time(t.longest)
		}
		return sim.Time(draw * float64(sim.Second<<(i+1)))
	}
	base := t.base
	if awsErrorOf(last, t.rejected) == awsThrottling {
		base = t.throttledBase
	}
	wait := sim.Time(awsBackoff(base, t.longest, i, draw))
	if t.hints && last.RetryAfter > 0 {
		hint := min(last.RetryAfter, sim.MaxTime) / sim.Millisecond * sim.Millisecond
		wait = min(max(wait, min(hint, wait+5*sim.Second)), sim.MaxTime)
	}
	return wait
}

// Close gives back what a success is worth.
func (q *awsStandard) Close(_ sim.Time, a *Attempt, o Outcome) {
	if o.Class != OK || !q.terms.refills {
		return
	}
	back := int64(1)
	if *a.Note != 0 {
		back = int64(*a.Note)
	}
	q.quota = min(q.quota+back, q.terms.full)
}

func (q *awsStandard) level(sim.Time) float64 { return float64(q.quota) / float64(q.terms.full) }
