package policies

import "cascadesim/sim"

// AWSBlogBackoff is a wait of the AWS architecture blog as its simulator computes it.
type AWSBlogBackoff struct {
	Kind string   `yaml:"kind" enum:"exponential|full|equal|decorrelated" doc:"Which formula."`
	Base sim.Time `yaml:"base" doc:"Half of the first ceiling; the least wait when decorrelated."`
	Cap  sim.Time `yaml:"cap" doc:"Longest wait before jitter, or of all; none for no limit."`
}

var _ = builtin(Spec{
	Name: "aws_blog_backoff",
	Doc: "Waits before retry n as the simulator of the AWS architecture blog does, with v = " +
		"min(cap, base * 2^n): exponential v; full U(0, v); equal v/2 + U(0, v/2); decorrelated " +
		"min(cap, U(base, 3 * previous wait)), the previous one being base at first. The " +
		"simulator counts its first retry as 1, so the first ceiling is twice the base; the " +
		"blog's text does not say where it starts, and the policy `exponential` starts at the " +
		"base. It is a wait only: how often to try is for another policy.",
	Example: "{kind: full, base: 100ms, cap: 1s}",
	Source:  "awslabs/aws-arch-backoff-simulator@66cb169, src/backoff_simulator.py",
	Sure:    FromSource,
	Paces:   true,
}, AWSBlogBackoff{
	// The simulator's own base and cap; full jitter is what the blog recommends.
	Kind: "full", Base: 5 * sim.Millisecond, Cap: 2 * sim.Second,
}, func(s AWSBlogBackoff) (errs []error) {
	b := (*bounds)(&errs)
	b.length("base", s.Base, 0)
	b.limit("cap", s.Cap, max(0, min(s.Base, sim.MaxTime)))
	return errs
}, func(s AWSBlogBackoff) func() Policy {
	p := Policy{Pacer: &awsBlog{
		kind: s.Kind, base: float64(s.Base), cap: float64(min(s.Cap, sim.MaxTime)),
	}}
	return func() Policy { return p }
})

// awsBlog holds nothing that changes, so one value serves every caller.
type awsBlog struct {
	kind      string
	base, cap float64 // ns
}

func (b *awsBlog) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	r := 0.0
	if b.kind != "exponential" {
		r = a.Chance.Float64()
	}
	return sim.Time(b.delay(a.N-1, float64(a.Wait), r))
}

// delay is the wait before retry n after the previous one, with the draw r in [0, 1).
func (b *awsBlog) delay(n int, previous, r float64) float64 {
	if b.kind == "decorrelated" {
		spread := float64(3*max(b.base, previous)) - b.base
		return min(b.cap, b.base+float64(r*spread))
	}
	v := 0.0
	if b.base > 0 { // a power beyond all numbers times 0 is none
		v = min(b.cap, b.base*sim.Pow(2, float64(n)))
	}
	switch b.kind {
	case "exponential":
		return v
	case "full":
		return r * v
	case "equal":
		half := float64(v / 2)
		return half + float64(r*half)
	}
	panic("policies: aws_blog_backoff has no kind " + b.kind)
}
