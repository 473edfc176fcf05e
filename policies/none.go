package policies

// None has no settings.
type None struct{}

var _ = builtin(Spec{
	Name: "none",
	Doc: "Refuses every retry: a call is tried once. It is what an edge without a stack does, " +
		"written out, so that a sweep can have \"no retries\" among its values.",
	Example: "{}",
	Source:  "docs/semantics.md",
	Sure:    Definition,
	Gates:   true,
	Refuses: true,
	Bounds:  true,
}, None{}, func(None) []error { return nil }, func(None) func() Policy {
	p := Policy{Gate: maxAttempts(1), SparesFirst: true}
	return func() Policy { return p }
})
