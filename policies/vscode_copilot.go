package policies

import "cascadesim/sim"

// VSCodeCopilot is the retry of the chat of VS Code Copilot.
type VSCodeCopilot struct {
	StatusCodes  []int    `yaml:"retry_server_error_status_codes" doc:"Error statuses retried."`
	Connectivity sim.Time `yaml:"connectivity_check_delay" doc:"Wait before it asks for the network."`
}

var _ = builtin(Spec{
	Name: "vscode_copilot",
	Doc: "Retries a request once, as the chat of VS Code Copilot does: a failure without an answer, " +
		"or one of the listed statuses; the second try is never retried. Between them it waits " +
		"connectivity_check_delay and asks a server of its own for a sign of life, which here " +
		"answers at once; after two more such questions, 10 s apart and unanswered, it would give " +
		"up. There is no other back-off. 429 and filtered content are paths of their own with a " +
		"person in the loop. An agent is a closed-loop client: it sends one request after the " +
		"other up to a limit of tool calls for each turn, then its user thinks.",
	Example: "{retry_server_error_status_codes: [500, 502]}",
	Source:  "vscode-copilot-chat@31acd00a8, chatMLFetcher.ts",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
}, VSCodeCopilot{
	// The default of the setting of that name, and the first of connectivityCheckDelays.
	StatusCodes: []int{500, 502}, Connectivity: sim.Second,
}, func(s VSCodeCopilot) (errs []error) {
	b := (*bounds)(&errs)
	b.statuses("retry_server_error_status_codes", s.StatusCodes)
	b.length("connectivity_check_delay", s.Connectivity, 0)
	return errs
}, func(s VSCodeCopilot) func() Policy {
	r := &copilot{codes: newStatusSet(s.StatusCodes), wait: s.Connectivity}
	p := Policy{Condition: r, Pacer: r, Fixed: s.Connectivity}
	return func() Policy { return p }
})

// copilot holds nothing that changes, so one value serves every caller.
type copilot struct {
	codes statusSet
	wait  sim.Time
}

func (r *copilot) Retryable(_ sim.Time, a *Attempt, o Outcome) bool {
	return a.N == 1 && (!o.answered() && o.Class != Refused || r.codes.has(o.Status))
}

func (r *copilot) Wait(sim.Time, *Attempt, Outcome) sim.Time { return r.wait }
