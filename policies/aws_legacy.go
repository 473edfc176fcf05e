package policies

import (
	"cascadesim/sim"
)

// AWSLegacy is the retry mode that AWS SDKs had before standard mode.
type AWSLegacy struct {
	SDK         string   `yaml:"sdk" enum:"botocore|java|cpp|dotnet|js" doc:"Whose legacy mode."`
	Service     string   `yaml:"service" enum:"general|dynamodb" doc:"DynamoDB's clients differ."`
	MaxAttempts int      `yaml:"max_attempts" doc:"Tries in all, to 1000; 0 for the SDK's own."`
	MaxBackoff  sim.Time `yaml:"max_backoff" doc:"Longest wait; botocore, C++ and JS have none."`
	Throttling  string   `yaml:"throttling" enum:"status_429|rejected" doc:"What throttles."`
}

var _ = builtin(Spec{
	Name: "aws_legacy",
	Doc: "Retries as AWS SDKs did before standard mode: a limit of attempts, a wait, and nothing " +
		"that bounds what a fleet sends. It decides itself what is retried: connection errors, " +
		"timeouts, 500, 502, 503, 504, throttling, and in botocore 509. Before retry n it waits: " +
		"botocore U[0, 1) * 2^(n-1) s, 5 attempts (DynamoDB exactly 50 ms * 2^(n-1), 10 " +
		"attempts); java U[0, 1) * 100 ms * 2^(n-1), after throttling between half and all of " +
		"500 ms * 2^(n-1), 4 attempts (DynamoDB 25 ms, 9 attempts); cpp nothing and then " +
		"25 ms * 2^(n-1), exactly, 11 attempts; dotnet U[0, 1) * 1 s * 2^(n-1), 5 attempts; js " +
		"U[0, 1) * 100 ms * 2^(n-1), 4 attempts (DynamoDB 50 ms, 11 attempts). Only botocore was " +
		"read in its source: the attempts and bases of the others are from release notes and " +
		"issues, and their jitter and values for DynamoDB are general knowledge. dotnet, java and " +
		"js keep a quota in some versions (js: 10 for each retry), which is not modelled; hints are " +
		"ignored.",
	Example:  "{sdk: botocore}",
	Source:   "botocore 1.43.67 retryhandler.py and data/_retry.json; release notes of the other SDKs",
	Sure:     FromDocument,
	Paces:    true,
	Judges:   true,
	Bounds:   true,
	Stateful: false,
}, AWSLegacy{
	// Python's is the one whose legacy mode is still the default. 20 s is the cap of Java and .NET.
	SDK: "botocore", Service: "general", MaxBackoff: 20 * sim.Second, Throttling: "status_429",
}, func(s AWSLegacy) []error {
	return checkAWS(s.MaxAttempts, s.MaxBackoff)
}, func(s AWSLegacy) func() Policy {
	l := newAWSLegacy(s)
	p := Policy{Condition: l, Pacer: l}
	return func() Policy { return p }
})

// awsLegacy is one SDK's mode. It holds nothing that changes.
type awsLegacy struct {
	attempts        int
	base, throttled float64 // ns
	longest         float64
	spread          float64 // the share of a wait that is drawn
	throttledSpread float64
	firstAtOnce     bool
	status509       bool
	rejected        bool
}

func newAWSLegacy(s AWSLegacy) *awsLegacy {
	const second, none = float64(sim.Second), float64(sim.MaxTime)
	longest := float64(s.MaxBackoff)
	var l awsLegacy
	switch s.SDK + " " + s.Service {
	case "botocore general":
		l = awsLegacy{attempts: 5, base: second, spread: 1, longest: none, status509: true}
	case "botocore dynamodb":
		l = awsLegacy{attempts: 10, base: 0.05 * second, longest: none, status509: true}
	case "java general":
		l = awsLegacy{attempts: 4, base: 0.1 * second, spread: 1, longest: longest}
	case "java dynamodb":
		l = awsLegacy{attempts: 9, base: 0.025 * second, spread: 1, longest: longest}
	case "cpp general", "cpp dynamodb":
		l = awsLegacy{attempts: 11, base: 0.025 * second, longest: none, firstAtOnce: true}
	case "dotnet general", "dotnet dynamodb":
		l = awsLegacy{attempts: 5, base: second, spread: 1, longest: longest}
	case "js general":
		l = awsLegacy{attempts: 4, base: 0.1 * second, spread: 1, longest: none}
	case "js dynamodb":
		l = awsLegacy{attempts: 11, base: 0.05 * second, spread: 1, longest: none}
	default:
		panic("policies: no legacy mode of " + s.SDK + " for " + s.Service)
	}
	l.throttled, l.throttledSpread = l.base, l.spread
	if s.SDK == "java" {
		l.throttled, l.throttledSpread = 0.5*second, 0.5
	}
	if s.MaxAttempts > 0 {
		l.attempts = s.MaxAttempts
	}
	l.rejected = s.Throttling == "rejected"
	return &l
}

func (l *awsLegacy) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	again := awsErrorOf(o, l.rejected) != awsFinal || l.status509 && o.is(509)
	return again && a.N < l.attempts
}

// Wait draws whether or not the wait is spread, so that a change of the SDK changes no other draw.
func (l *awsLegacy) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	return l.wait(a.N-1, last, a.Chance.Float64())
}

// wait is that before retry n, from 1; draw is in [0, 1).
func (l *awsLegacy) wait(n int, last Outcome, draw float64) sim.Time {
	if l.firstAtOnce && n == 1 {
		return 0
	}
	base, spread := l.base, l.spread
	if awsErrorOf(last, l.rejected) == awsThrottling {
		base, spread = l.throttled, l.throttledSpread
	}
	whole := awsBackoff(base, l.longest, n-1, 1)
	return sim.Time(whole * (1 - spread + float64(spread*draw)))
}
