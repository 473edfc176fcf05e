package policies

import (
	"fmt"
	"math"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// GRPCRetry is a method's retryPolicy together with its channel's retryThrottling.
type GRPCRetry struct {
	Implementation string `yaml:"implementation" enum:"go|java|cpp" doc:"Whose gRPC; they differ."`

	MaxAttempts     int `yaml:"max_attempts" doc:"Tries in all; 1 stands for no retryPolicy."`
	MaxCallAttempts int `yaml:"max_call_attempts" doc:"Most tries the channel allows; 2 to 1000."`

	InitialBackoff    sim.Time `yaml:"initial_backoff" doc:"Wait before the first retry; above 0."`
	MaxBackoff        sim.Time `yaml:"max_backoff" doc:"Longest wait, before jitter; above 0."`
	BackoffMultiplier float64  `yaml:"backoff_multiplier" doc:"Growth of the wait; 0.001 to 1000."`
	Jitter            string   `yaml:"jitter" enum:"around|full" doc:"How the wait is spread."`

	Codes []string `yaml:"retryable_status_codes" enum:"@grpc" doc:"What is retried; at least one."`

	MaxTokens  int        `yaml:"max_tokens" scale:"s" doc:"Size of the bucket; 0: no throttling."`
	TokenRatio unit.Ratio `yaml:"token_ratio" doc:"Tokens that a success earns; from 0.001."`

	Unreached string `yaml:"unreached" enum:"unavailable|unprocessed|unsent" doc:"What refusals are."`
	Limit     int    `yaml:"transparent_limit" doc:"Most unsent retries of a call; 1 to 1000."`
}

var _ = builtin(Spec{
	Name: "grpc_retry",
	Doc: "Retries as a gRPC channel does by its service config (gRFC A6): retryPolicy and " +
		"retryThrottling in their normative order, which no stack of other policies has. It decides " +
		"itself what is retried: the codes listed. A failure of a listed code first takes a token, " +
		"then needs more than half of max_tokens left, then an attempt left, so that the last " +
		"failure of a call costs a token too; a success earns token_ratio. Retry n waits " +
		"min(initial_backoff * backoff_multiplier^(n-1), max_backoff), then spread: around is times " +
		"U[0.8, 1.2), full times U[0, 1), which A6 had before 2024 (in which releases was not " +
		"verified). A Retry-After stands for the pushback, in whole milliseconds: it is waited " +
		"exactly and starts the backoff anew; one that says not to retry stops. " +
		"implementation: go counts tokens in floats and credits calls; java and cpp (C-core: C++, " +
		"Python, Ruby, PHP) count thousandths and credit attempts; go and java charge for a pushback " +
		"that stops whatever the code; java retries after a pushback whatever the code, and then " +
		"charges nothing; cpp waits whole milliseconds and takes a per-try timeout for its " +
		"perAttemptRecvTimeout, retried whatever the codes (go and java have no such timeout). " +
		"A status stands for the codes it is mapped to (409: ABORTED, ALREADY_EXISTS; 502, 503: " +
		"UNAVAILABLE), a timeout for DEADLINE_EXCEEDED, a dropped attempt for UNAVAILABLE. " +
		"unreached says what a connection refused is: unavailable, as when a channel without a " +
		"connection fails calls at once; unprocessed, a stream turned back (REFUSED_STREAM, GOAWAY) " +
		"and so retried at once, but once in a call; unsent, lost before it left and so retried at " +
		"once, again and again: Java stops at 1000, the others only at the deadline, which a world " +
		"where a refusal takes no time never reaches, so transparent_limit holds for all and ends " +
		"the call. Such retries count neither as attempts nor as failures. The bucket belongs to a " +
		"channel: scope client or instance. Streams (headers commit them), replay buffers, new " +
		"service configs and a channel's own reconnecting (1 s times 1.6 to 120 s, ±20 %) are " +
		"not modelled. Retries configured by xDS (A44) are max_attempts of num_retries + 1, " +
		"initial_backoff of 25ms and max_backoff of 250ms.",
	Example: "{max_attempts: 4, retryable_status_codes: [UNAVAILABLE], max_tokens: 10}",
	Source: "gRFC A6 and A44; grpc-go v1.85.0 stream.go, clientconn.go; grpc-java " +
		"RetriableStream.java; grpc core retry_throttle.cc, retry_filter_legacy_call_data.cc",
	Sure:     FromSource,
	Gates:    true,
	Paces:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	Judges:   true,
	Notes:    true,
}, GRPCRetry{
	// gRPC has no defaults for a retryPolicy but the channel's limit of 5. These are the example of
	// A6, and throttling is off unless a service config asks for it; 0.1 is A6's example too.
	Implementation: "go", MaxAttempts: 4, MaxCallAttempts: 5,
	InitialBackoff: 100 * sim.Millisecond, MaxBackoff: sim.Second, BackoffMultiplier: 2,
	Jitter: "around", Codes: []string{"UNAVAILABLE"}, TokenRatio: 0.1,
	// A callee that refuses connections leaves a channel in TRANSIENT_FAILURE, which fails calls
	// with UNAVAILABLE. The limit is Java's own.
	Unreached: "unavailable", Limit: 1000,
}, checkGRPCRetry, func(s GRPCRetry) func() Policy {
	t := newGRPCTerms(s)
	return func() Policy {
		g := &grpcRetry{terms: t, bucket: newGRPCTokens(t.throttling)}
		p := Policy{Condition: g, Gate: g, Pacer: g, SparesFirst: true}
		if t.throttling == nil {
			return p
		}
		p.Level = func(sim.Time) float64 { return g.bucket.share() }
		if s.Implementation == "go" {
			p.Closer = g
		} else {
			p.Observer = g
		}
		return p
	}
})

func checkGRPCRetry(s GRPCRetry) []error {
	errs := checkGRPCAttempts(s.MaxAttempts, 1, s.MaxCallAttempts)
	for _, d := range []struct {
		name string
		t    sim.Time
	}{{"initial_backoff", s.InitialBackoff}, {"max_backoff", s.MaxBackoff}} {
		if d.t <= 0 || d.t > sim.MaxTime {
			errs = append(errs, fmt.Errorf("%s: %s; more than 0, and at most %s", d.name,
				unit.FormatDuration(d.t), unit.FormatDuration(sim.MaxTime)))
		}
	}
	if !(s.BackoffMultiplier >= 0.001 && s.BackoffMultiplier <= 1000) {
		errs = append(errs, fmt.Errorf("backoff_multiplier: %v; 0.001 to 1000",
			s.BackoffMultiplier))
	}
	if len(s.Codes) == 0 {
		errs = append(errs, fmt.Errorf("retryable_status_codes: none; at least one"))
	}
	if s.Limit < 1 || s.Limit > 1000 {
		errs = append(errs, fmt.Errorf("transparent_limit: %d; 1 to 1000", s.Limit))
	}
	return append(errs, checkGRPCThrottling(s.MaxTokens, float64(s.TokenRatio))...)
}

func checkGRPCAttempts(attempts, least, channel int) []error {
	var errs []error
	if attempts < least || attempts > 1000 {
		errs = append(errs, fmt.Errorf("max_attempts: %d; %d to 1000", attempts, least))
	}
	if channel < 2 || channel > 1000 {
		errs = append(errs, fmt.Errorf("max_call_attempts: %d; 2 to 1000", channel))
	}
	return errs
}

// grpcTerms are the settings as decisions want them.
type grpcTerms struct {
	throttling *grpcThrottling
	codes      grpcCodes // none without a retryPolicy
	attempts   int
	limit      int

	chargeStops  bool // a pushback that stops is charged whatever the code
	obeyPushback bool // a pushback is followed whatever the code
	timeouts     bool // a per-try timeout is retried whatever the codes
	onceOnly     bool // unprocessed attempts are retried while none has been processed
	sentClears   bool // ... and while none was retried as unsent
	unprocessed  bool
	unsent       bool

	initial, longest float64 // ns
	multiplier       float64
	grain            float64 // ns; waits are whole multiples
	stepwise         bool    // each wait is computed from the one before, in grains
	full             bool
}

func newGRPCTerms(s GRPCRetry) *grpcTerms {
	t := &grpcTerms{
		throttling:   newGRPCThrottling(s.Implementation, s.MaxTokens, float64(s.TokenRatio)),
		codes:        grpcCodesOf(s.Codes),
		attempts:     min(s.MaxAttempts, s.MaxCallAttempts),
		limit:        s.Limit,
		chargeStops:  s.Implementation != "cpp",
		obeyPushback: s.Implementation == "java",
		timeouts:     s.Implementation == "cpp",
		onceOnly:     s.Implementation != "cpp",
		sentClears:   s.Implementation == "go",
		unprocessed:  s.Unreached == "unprocessed",
		unsent:       s.Unreached == "unsent",
		initial:      float64(s.InitialBackoff),
		longest:      float64(s.MaxBackoff),
		multiplier:   s.BackoffMultiplier,
		grain:        1,
		stepwise:     s.Implementation != "go",
		full:         s.Jitter == "full",
	}
	if s.Implementation == "cpp" {
		t.grain = float64(sim.Millisecond)
		t.initial, t.longest = t.cut(t.initial), t.cut(t.longest)
	}
	if s.MaxAttempts == 1 { // without a retryPolicy only Go looks at a pushback
		t.codes, t.obeyPushback, t.timeouts = 0, false, false
		t.chargeStops = s.Implementation == "go"
	}
	return t
}

// grpcCall is what a channel remembers of a call: the note, unpacked.
type grpcCall struct {
	retries     uint16 // decided by the policy
	exponent    uint16 // retries since the last pushback
	transparent uint16 // retries of unsent attempts
	is          grpcState
}

type grpcState uint16

const (
	// grpcSettled: an unprocessed attempt is no longer retried at once.
	grpcSettled grpcState = 1 << iota
	// grpcAtOnce: the retry under way is transparent.
	grpcAtOnce
	// grpcFree: the retry under way is charged nothing.
	grpcFree
	// grpcDenied: too few tokens are left for the retry under way.
	grpcDenied
)

func openGRPCCall(note uint64) grpcCall {
	return grpcCall{
		uint16(note), uint16(note >> 16), uint16(note >> 32), grpcState(note >> 48),
	}
}

func (c grpcCall) note() uint64 {
	return uint64(c.retries) | uint64(c.exponent)<<16 | uint64(c.transparent)<<32 |
		uint64(c.is)<<48
}

// grpcRetry is the state of one channel.
type grpcRetry struct {
	terms  *grpcTerms
	bucket grpcTokens
}

// Retryable decides up to where a retry costs something.
func (g *grpcRetry) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	c := openGRPCCall(*a.Note)
	c.is &^= grpcAtOnce | grpcFree | grpcDenied
	again := g.judge(&c, o) && (c.is&grpcAtOnce != 0 || g.charge(&c))
	*a.Note = c.note()
	return again
}

// charge takes a token for the failure, and only then looks whether attempts are left. A call that
// has used them up ends without being refused.
func (g *grpcRetry) charge(c *grpcCall) bool {
	if c.is&grpcFree == 0 && !g.bucket.fail() {
		c.is |= grpcDenied
	}
	return int(c.retries)+1 < g.terms.attempts
}

func (g *grpcRetry) judge(c *grpcCall, o Outcome) bool {
	t := g.terms
	if o.Class == Dropped && o.Unreached {
		switch {
		case t.unsent:
			return c.resend(t)
		case t.unprocessed && c.is&grpcSettled == 0:
			c.is |= grpcSettled | grpcAtOnce
			return true
		}
	}
	if t.onceOnly {
		c.is |= grpcSettled
	}
	listed := t.codes&o.grpcCodes() != 0 || t.timeouts && o.Class == TimedOut
	switch {
	case o.RetryAfter == DontRetry:
		if listed || t.chargeStops {
			g.bucket.fail()
		}
		return false
	case o.RetryAfter != 0 && t.obeyPushback && !listed:
		c.is |= grpcFree
		return true
	}
	return listed
}

// resend follows an attempt that never left.
func (c *grpcCall) resend(t *grpcTerms) bool {
	if int(c.transparent) >= t.limit {
		return false
	}
	c.transparent++
	c.is |= grpcAtOnce
	if t.sentClears {
		c.is |= grpcSettled
	}
	return true
}

// Admit refuses what too few tokens were left for.
func (g *grpcRetry) Admit(_ sim.Time, a *Attempt) bool {
	if a.N == 1 || a.Last.Class == Pending {
		return true
	}
	c := openGRPCCall(*a.Note)
	if c.is&grpcAtOnce != 0 {
		return true
	}
	if c.is&grpcDenied != 0 {
		return false
	}
	c.retries++
	*a.Note = c.note()
	return true
}

func (g *grpcRetry) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	c := openGRPCCall(*a.Note)
	if c.is&grpcAtOnce != 0 {
		return 0
	}
	var wait sim.Time
	if last.RetryAfter != 0 {
		wait = max(0, min(last.RetryAfter, sim.MaxTime)) / sim.Millisecond * sim.Millisecond
		c.exponent = 0
	} else {
		wait = g.terms.backoff(int(c.exponent), a.Chance.Float64())
		c.exponent = min(c.exponent, 1<<16-2) + 1
	}
	*a.Note = c.note()
	return wait
}

// backoff is the wait of a retry that so many others came before, since the last pushback; draw is
// in [0, 1).
func (t *grpcTerms) backoff(before int, draw float64) sim.Time {
	spread := 0.8 + float64(0.4*draw)
	if t.full {
		spread = draw
	}
	return sim.Time(min(t.cut(t.base(before)*spread), float64(sim.MaxTime)))
}

func (t *grpcTerms) base(before int) float64 {
	if !t.stepwise {
		return min(t.initial*sim.Pow(t.multiplier, float64(before)), t.longest)
	}
	wait := t.initial
	if t.grain > 1 {
		wait = min(wait, t.longest) // Java lets the first one be longer
	}
	for range before {
		next := min(t.cut(wait*t.multiplier), t.longest)
		if next == wait {
			break
		}
		wait = next
	}
	return wait
}

// cut leaves whole grains of a wait.
func (t *grpcTerms) cut(wait float64) float64 {
	return math.Floor(wait/t.grain) * t.grain
}

// Close credits a call, as Go does.
func (g *grpcRetry) Close(_ sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		g.bucket.succeed()
	}
}

// Observe credits an attempt, as Java and C-core do.
func (g *grpcRetry) Observe(_ sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		g.bucket.succeed()
	}
}
