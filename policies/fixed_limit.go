package policies

import "fmt"

// FixedLimit admits a fixed number of attempts at a time.
type FixedLimit struct {
	Limit int `yaml:"limit" scale:"s" doc:"Attempts inside at a time, waiting ones too; at least 1."`
}

var _ = builtin(Spec{
	Name: "fixed_limit",
	Doc: "Lets an attempt enter while fewer than `limit` are inside, working or waiting in line. A " +
		"limit at or below the slots leaves the line empty; above, the line holds the rest. By " +
		"Little's law the callee then serves at most limit / (time inside) per second. Keyed by " +
		"client or priority it keeps one tenant from taking every place, which a limit for all " +
		"together does not.",
	Example:  "{limit: 100}",
	Source:   netflix + "limit/FixedLimit.java and limiter/SimpleLimiter.java",
	Sure:     FromSource,
	Callee:   true,
	Refuses:  true,
	Stateful: true,
	Notes:    true,
}, FixedLimit{
	// A round number to be replaced: there is none that fits two services.
	Limit: 100,
}, func(s FixedLimit) []error {
	if s.Limit < 1 || s.Limit > 1e9 {
		return []error{fmt.Errorf("limit: %d attempts; 1 to 1e9, or nothing can enter", s.Limit)}
	}
	return nil
}, func(s FixedLimit) func() Policy {
	return func() Policy { return (&inFlight{limit: s.Limit}).policy() }
})
