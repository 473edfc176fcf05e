package policies

import "cascadesim/sim"

// Decorrelated is Exponential with decorrelated jitter under a name of its own.
type Decorrelated struct {
	Base       sim.Time `yaml:"base" doc:"Shortest wait."`
	Cap        sim.Time `yaml:"cap" doc:"Longest wait; none for no limit."`
	RetryAfter bool     `yaml:"respect_retry_after" doc:"Wait at least what the callee asked for."`
}

var _ = builtin(Spec{
	Name: "decorrelated",
	Doc: "Waits min(cap, U(base, 3 * previous wait)) before a retry, the previous wait being base " +
		"at first. It is the decorrelated jitter of the AWS architecture blog; Finagle's starts " +
		"from the previous wait and Polly's clamps the upper end instead of the result. The mean " +
		"grows by a half, then less, with each retry, and no wait is shorter than base.",
	Example: "{base: 50ms, cap: 2s}",
	Source:  "AWS architecture blog, Exponential Backoff And Jitter",
	Sure:    FromDocument,
	Paces:   true,
}, Decorrelated{
	Base: 50 * sim.Millisecond, Cap: 2 * sim.Second, // as exponential, so that they compare
}, func(s Decorrelated) []error {
	return checkExponential(s.exponential())
}, func(s Decorrelated) func() Policy {
	p := Policy{Pacer: newBackoff(s.exponential())}
	return func() Policy { return p }
})

func (s Decorrelated) exponential() Exponential {
	return Exponential{
		Base: s.Base, Cap: s.Cap, Multiplier: 1,
		Jitter: "decorrelated", RetryAfter: s.RetryAfter,
	}
}
