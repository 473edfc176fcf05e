package policies

import (
	"fmt"
	"math"
)

// grpcThrottling are the terms of a gRPC channel's retryThrottling. Go counts tokens as floats,
// Java and C-core in whole thousandths, which a float64 holds exactly.
type grpcThrottling struct {
	full      float64
	threshold float64 // a retry needs more than this
	cost      float64 // of a failure
	credit    float64 // of a success
}

// newGRPCThrottling is nil when there is no throttling. The others cut what Go keeps: C-core reads
// three decimals of the ratio, and Java multiplies two floats of single precision.
func newGRPCThrottling(implementation string, maxTokens int, ratio float64) *grpcThrottling {
	if maxTokens == 0 {
		return nil
	}
	switch full := float64(maxTokens); implementation {
	case "go", "a6":
		return &grpcThrottling{full: full, threshold: full / 2, cost: 1, credit: ratio}
	case "java":
		return &grpcThrottling{full: 1000 * full, threshold: 500 * full, cost: 1000,
			credit: math.Floor(float64(float32(ratio) * 1000))}
	case "cpp":
		// A hair more than the product: 0.29 has no exact float, and its product may be 289.99….
		return &grpcThrottling{full: 1000 * full, threshold: 500 * full, cost: 1000,
			credit: math.Floor(float64(ratio*1000) + 1e-6)}
	}
	panic("policies: gRPC has no implementation " + implementation)
}

func checkGRPCThrottling(maxTokens int, ratio float64) []error {
	var errs []error
	if maxTokens < 0 || maxTokens > 1000 {
		errs = append(errs, fmt.Errorf("max_tokens: %d; 1 to 1000, or 0 for no throttling",
			maxTokens))
	}
	if !(ratio >= 0.001 && ratio <= 1000) {
		errs = append(errs, fmt.Errorf("token_ratio: %v; 0.001 to 1000", ratio))
	}
	return errs
}

// grpcTokens is the bucket of one channel. Without terms nothing is throttled.
type grpcTokens struct {
	terms  *grpcThrottling
	tokens float64
}

func newGRPCTokens(t *grpcThrottling) grpcTokens {
	if t == nil {
		return grpcTokens{}
	}
	return grpcTokens{terms: t, tokens: t.full}
}

// fail charges a failure and tells whether a retry is permitted then.
func (b *grpcTokens) fail() bool {
	if b.terms == nil {
		return true
	}
	b.tokens = max(b.tokens-b.terms.cost, 0)
	return b.tokens > b.terms.threshold
}

func (b *grpcTokens) succeed() {
	if b.terms != nil {
		b.tokens = min(b.tokens+b.terms.credit, b.terms.full)
	}
}

// above tells whether further copies are permitted.
func (b *grpcTokens) above() bool {
	return b.terms == nil || b.tokens > b.terms.threshold
}

func (b *grpcTokens) share() float64 { return b.tokens / b.terms.full }
