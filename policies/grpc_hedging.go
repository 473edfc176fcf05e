package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// GRPCHedging is a method's hedgingPolicy together with its channel's retryThrottling.
type GRPCHedging struct {
	Implementation string `yaml:"implementation" enum:"a6|java" doc:"The paper's rules, or Java's."`

	MaxAttempts     int      `yaml:"max_attempts" doc:"Copies in all; 2 to 1000."`
	MaxCallAttempts int      `yaml:"max_call_attempts" doc:"Most the channel allows; 2 to 1000."`
	HedgingDelay    sim.Time `yaml:"hedging_delay" doc:"From a copy to the next; 0 is all at once."`

	Codes []string `yaml:"non_fatal_status_codes" enum:"@grpc" doc:"Failures that end no call."`

	MaxTokens  int        `yaml:"max_tokens" scale:"s" doc:"Size of the bucket; 0: no throttling."`
	TokenRatio unit.Ratio `yaml:"token_ratio" doc:"Tokens that a success earns; from 0.001."`
}

var _ = builtin(Spec{
	Name: "grpc_hedging",
	Doc: "Sends copies of a call that is not answered, as gRPC's hedgingPolicy does (A6): copy k " +
		"goes out (k-1) * hedging_delay after the call began, up to max_attempts. The first " +
		"success ends the call and its other copies, and so does a failure whose code is not " +
		"listed as non-fatal. No copy follows when all have failed. The first copy is always sent, " +
		"later ones only while more than half of max_tokens are left: each non-fatal failure " +
		"takes a token, each success earns token_ratio. implementation: a6 follows the paper: a " +
		"non-fatal failure sends the next copy at once, a Retry-After (the pushback, in whole " +
		"milliseconds) after that time, and the one behind it after the delay again; one that says " +
		"not to retry stops further copies. java is what grpc-java does: a non-fatal failure " +
		"changes nothing about the next copy; with a pushback, however long, that goes at once; " +
		"tokens are counted in thousandths and looked at when the next copy is scheduled, and if " +
		"too few are left then there will be none; a non-fatal failure that leaves too few ends " +
		"the call. grpc-go and C-core do not hedge: a6 is no product. Copies cost the callee a " +
		"whole attempt each, cancelled or not, so that hedging_delay should be a high percentile " +
		"of its latency. Transparent retries are not modelled here; statuses stand for codes as in " +
		"grpc_retry.",
	Example: "{max_attempts: 3, hedging_delay: 500ms, non_fatal_status_codes: [UNAVAILABLE]}",
	Source:  "gRFC A6; grpc-java RetriableStream.java and its test. The rules of a6 from the paper",
	// Java's are from the source; the weaker of the two marks holds for both.
	Sure:     FromDocument,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
}, GRPCHedging{
	// max_attempts has no default in gRPC; 4 is A6's example. The delay and the codes are gRPC's
	// own defaults: all copies at once, and every failure is fatal.
	Implementation: "java", MaxAttempts: 4, MaxCallAttempts: 5, Codes: []string{}, TokenRatio: 0.1,
}, func(s GRPCHedging) []error {
	errs := checkGRPCAttempts(s.MaxAttempts, 2, s.MaxCallAttempts)
	if s.HedgingDelay < 0 || s.HedgingDelay > sim.MaxTime {
		errs = append(errs, fmt.Errorf("hedging_delay: %s; not negative, and at most %s",
			unit.FormatDuration(s.HedgingDelay), unit.FormatDuration(sim.MaxTime)))
	}
	return append(errs, checkGRPCThrottling(s.MaxTokens, float64(s.TokenRatio))...)
}, func(s GRPCHedging) func() Policy {
	t := &hedgingTerms{
		throttling: newGRPCThrottling(s.Implementation, s.MaxTokens, float64(s.TokenRatio)),
		codes:      grpcCodesOf(s.Codes),
		copies:     min(s.MaxAttempts, s.MaxCallAttempts),
		delay:      s.HedgingDelay,
		java:       s.Implementation == "java",
	}
	return func() Policy {
		h := &grpcHedging{terms: t, bucket: newGRPCTokens(t.throttling)}
		p := Policy{Gate: h, Hedger: h}
		if t.throttling != nil {
			p.Observer = h
			p.Level = func(sim.Time) float64 { return h.bucket.share() }
		}
		return p
	}
})

type hedgingTerms struct {
	throttling *grpcThrottling
	codes      grpcCodes // non-fatal
	copies     int
	delay      sim.Time
	java       bool
}

// grpcHedging is the state of one channel. The note of a call is how many copies were sent, and
// grpcFrozen when no more may be.
type grpcHedging struct {
	terms  *hedgingTerms
	bucket grpcTokens
}

const grpcFrozen = 1 << 32

// Admit lets the first copy pass. A6 looks at the tokens when a further copy is due; Java did when
// it was scheduled.
func (h *grpcHedging) Admit(_ sim.Time, a *Attempt) bool {
	if *a.Note == 0 || h.terms.java || h.bucket.above() {
		return true
	}
	*a.Note |= grpcFrozen
	return false
}

// Sent schedules the next copy.
func (h *grpcHedging) Sent(_ sim.Time, a *Attempt) Hedge {
	*a.Note++
	if h.over(a) || h.terms.java && !h.bucket.above() {
		*a.Note |= grpcFrozen
		return Hedge{Verb: HedgeStop}
	}
	return Hedge{Verb: HedgeNext, Delay: h.terms.delay}
}

// over tells whether no copy will follow.
func (h *grpcHedging) over(a *Attempt) bool {
	return *a.Note&grpcFrozen != 0 || int(uint32(*a.Note)) >= h.terms.copies
}

// Failed charges a failure that is not fatal, and one whose pushback stops.
func (h *grpcHedging) Failed(_ sim.Time, a *Attempt, o Outcome) Hedge {
	nonFatal, stops := h.terms.codes&o.grpcCodes() != 0, o.RetryAfter == DontRetry
	permitted := true
	if nonFatal || stops {
		permitted = h.bucket.fail()
	}
	switch {
	case !nonFatal || h.terms.java && !permitted:
		return Hedge{Verb: HedgeFail}
	case stops:
		*a.Note |= grpcFrozen
		return Hedge{Verb: HedgeStop}
	case h.over(a) || h.terms.java && o.RetryAfter == 0:
		return Hedge{Verb: HedgeWait}
	case h.terms.java:
		return Hedge{Verb: HedgeNext}
	}
	wait := max(0, min(o.RetryAfter, sim.MaxTime))
	return Hedge{Verb: HedgeNext, Delay: wait / sim.Millisecond * sim.Millisecond}
}

func (h *grpcHedging) Observe(_ sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		h.bucket.succeed()
	}
}
