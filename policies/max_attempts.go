package policies

import (
	"fmt"

	"cascadesim/sim"
)

// MaxAttempts limits the tries of one call.
type MaxAttempts struct {
	Attempts int `yaml:"attempts" doc:"Tries of one call, the first one included; at least 1."`
}

var _ = builtin(Spec{
	Name: "max_attempts",
	Doc: "Refuses every try of a call beyond `attempts`, the first try included. " +
		"It bounds what one call may send, not what a fleet of failing calls sends: " +
		"when everything fails, traffic grows by the full factor at each layer. " +
		"gRPC calls it maxAttempts (gRFC A6) and Envoy num_retries, which is one less.",
	Example: "{attempts: 3}",
	Source:  "docs/semantics.md",
	Sure:    Definition,
	Gates:   true,
	Refuses: true,
	Bounds:  true,
}, MaxAttempts{
	// Three tries is the per-request limit of the Google SRE book, chapter 21.
	Attempts: 3,
}, func(s MaxAttempts) []error {
	if s.Attempts < 1 {
		return []error{fmt.Errorf("attempts: %d tries; the first try counts, so at least 1",
			s.Attempts)}
	}
	return nil
}, func(s MaxAttempts) func() Policy {
	p := Policy{Gate: maxAttempts(s.Attempts), SparesFirst: true}
	return func() Policy { return p }
})

// maxAttempts holds nothing that changes, so one value serves every caller.
type maxAttempts int

func (m maxAttempts) Admit(_ sim.Time, a *Attempt) bool { return a.N <= int(m) }
