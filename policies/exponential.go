package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// Exponential waits longer before each retry of a call.
type Exponential struct {
	Base       sim.Time `yaml:"base" doc:"Wait before the first retry, before jitter."`
	Cap        sim.Time `yaml:"cap" doc:"Longest wait before jitter; none for no limit."`
	Multiplier float64  `yaml:"multiplier" doc:"Growth from a retry to the next; at least 1."`
	Jitter     string   `yaml:"jitter" enum:"none|full|equal|decorrelated" doc:"How it is spread."`
	RetryAfter bool     `yaml:"respect_retry_after" doc:"Wait at least what the callee asked for."`
}

var _ = builtin(Spec{
	Name: "exponential",
	Doc: "Waits e = min(cap, base * multiplier^(n-1)) before retry n. Jitter spreads it: none " +
		"waits e; full U(0, e); equal e/2 + U(0, e/2); decorrelated ignores the multiplier and " +
		"waits min(cap, U(base, 3 * previous wait)), the previous one being base at first. The " +
		"formulas are those of the AWS architecture blog (\"Exponential Backoff And Jitter\"); its " +
		"published simulator starts one doubling later. Without jitter, callers that failed " +
		"together return together. No wait bounds how much is sent: that is what budgets do.",
	Example: "{base: 50ms, cap: 2s, jitter: full}",
	Source:  "AWS architecture blog, Exponential Backoff And Jitter",
	Sure:    FromDocument,
	Paces:   true,
}, Exponential{
	// 50 ms is the base of the AWS SDKs' standard mode (2.1). Jitter is none unless it is written:
	// a file that copies a real configuration must not gain a protection that it lacks.
	Base: 50 * sim.Millisecond, Cap: 2 * sim.Second, Multiplier: 2, Jitter: "none",
}, checkExponential, func(s Exponential) func() Policy {
	p := Policy{Pacer: newBackoff(s)}
	if s.Jitter == "none" && s.Multiplier == 1 && !s.RetryAfter {
		p.Fixed = min(s.Base, s.Cap)
	}
	return func() Policy { return p }
})

func checkExponential(s Exponential) []error {
	var errs []error
	if s.Base < 0 || s.Base > sim.MaxTime {
		errs = append(errs, fmt.Errorf("base: %s; not negative, and at most %s",
			unit.FormatDuration(s.Base), unit.FormatDuration(sim.MaxTime)))
	}
	if s.Cap < max(0, s.Base) {
		errs = append(errs, fmt.Errorf("cap: %s; at least the base, %s",
			unit.FormatDuration(s.Cap), unit.FormatDuration(s.Base)))
	}
	if !(s.Multiplier >= 1 && s.Multiplier <= 1000) {
		errs = append(errs, fmt.Errorf("multiplier: %v; 1 to 1000", s.Multiplier))
	}
	return errs
}

// backoff computes the waits of the exponential family. It holds nothing that changes: what came
// before is in the attempt.
type backoff struct {
	base, cap  float64 // ns
	multiplier float64
	jitter     jitter
	retryAfter bool
}

type jitter uint8

const (
	jitterNone jitter = iota
	jitterFull
	jitterEqual
	jitterDecorrelated
)

func newBackoff(s Exponential) *backoff {
	b := &backoff{
		base:       float64(s.Base),
		cap:        float64(min(s.Cap, sim.MaxTime)), // a longer wait ends after every run
		multiplier: s.Multiplier,
		retryAfter: s.RetryAfter,
	}
	switch s.Jitter {
	case "none":
		b.jitter = jitterNone
	case "full":
		b.jitter = jitterFull
	case "equal":
		b.jitter = jitterEqual
	case "decorrelated":
		b.jitter = jitterDecorrelated
	default:
		panic(fmt.Sprintf("policies: exponential has no jitter %q", s.Jitter))
	}
	return b
}

func (b *backoff) Wait(_ sim.Time, a *Attempt, last Outcome) sim.Time {
	wait := sim.Time(b.wait(a))
	if b.retryAfter {
		wait = max(wait, min(last.RetryAfter, sim.MaxTime))
	}
	return wait
}

func (b *backoff) wait(a *Attempt) float64 {
	switch b.jitter {
	case jitterNone:
		return b.ceiling(a.N - 1)
	case jitterFull:
		return a.Chance.Float64() * b.ceiling(a.N-1)
	case jitterEqual:
		half := float64(b.ceiling(a.N-1) / 2) // or arm64 fuses the halving with the sum
		return half + float64(a.Chance.Float64()*half)
	case jitterDecorrelated:
		previous := max(b.base, float64(a.Wait))
		spread := float64(3*previous) - b.base
		return min(b.cap, b.base+float64(a.Chance.Float64()*spread))
	}
	panic("policies: a backoff of unknown jitter")
}

// ceiling is the wait before retry n without jitter. The power may reach infinity, which the cap
// takes back; a base of 0 must not meet it, or the product would be no number.
func (b *backoff) ceiling(n int) float64 {
	if b.base == 0 || n <= 1 {
		return min(b.cap, b.base)
	}
	return min(b.cap, b.base*sim.Pow(b.multiplier, float64(n-1)))
}
