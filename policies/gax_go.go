package policies

import "cascadesim/sim"

// GaxGo is Invoke of googleapis/gax-go with its back-off.
type GaxGo struct {
	Initial    sim.Time `yaml:"initial" doc:"Longest first wait."`
	Max        sim.Time `yaml:"max" doc:"Longest wait that growth reaches."`
	Multiplier float64  `yaml:"multiplier" doc:"Growth of the longest wait."`
	Codes      []int    `yaml:"codes" doc:"What is retried; of gRPC the HTTP number, 503 UNAVAILABLE."`
	Transport  string   `yaml:"transport" enum:"grpc|rest" doc:"What carries the calls."`
}

var _ = builtin(Spec{
	Name: "gax_go",
	Doc: "Retries the listed codes as Invoke of googleapis/gax-go does, after a wait drawn evenly " +
		"from 1 ns up to a longest one, which starts at `initial` and grows by the multiplier up " +
		"to `max`. There is no limit on tries: only the deadline of the call ends them, so give " +
		"the edge a timeout of the whole call. Retry-After is not read. Codes of gRPC stand as " +
		"HTTP numbers: UNAVAILABLE 503, which is also what any broken or refused connection is, " +
		"DEADLINE_EXCEEDED 504, which a timed-out try is, RESOURCE_EXHAUSTED 429, INTERNAL 500, " +
		"ABORTED 409, UNKNOWN 520. Over rest only answers have a code, so nothing else is " +
		"retried. A generated client retries only what its configuration lists: write that here.",
	Example: "{codes: [503, 504], initial: 1s, max: 30s, multiplier: 2}",
	Source:  "gax-go v2.27.0, call_option.go and invoke.go",
	Sure:    FromSource,
	Judges:  true,
	Paces:   true,
}, GaxGo{
	// The defaults of Backoff. UNAVAILABLE is what generated clients list first.
	Initial: sim.Second, Max: 30 * sim.Second, Multiplier: 2, Codes: []int{503},
	Transport: "grpc",
}, func(s GaxGo) (errs []error) {
	b := (*bounds)(&errs)
	b.length("initial", s.Initial, 1)
	b.length("max", s.Max, 1)
	b.multiplier("multiplier", s.Multiplier)
	b.statuses("codes", s.Codes)
	return errs
}, func(s GaxGo) func() Policy {
	r := &gax{codes: newStatusSet(s.Codes), grpc: s.Transport == "grpc"}
	r.growth = newGrowth(s.Initial, func(t sim.Time) sim.Time {
		return min(times(t, s.Multiplier), s.Max)
	})
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// gax holds nothing that changes, so one value serves every caller.
type gax struct {
	growth growth
	codes  statusSet
	grpc   bool
}

func (r *gax) Retryable(_ sim.Time, _ *Attempt, o Outcome) bool {
	switch {
	case o.answered():
		return r.codes.has(o.Status)
	case !r.grpc || o.Class == Refused: // what an interceptor refuses has no code
		return false
	case o.Class == TimedOut:
		return r.codes.has(504)
	}
	return r.codes.has(503)
}

func (r *gax) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	return 1 + sim.Time(a.Chance.Intn(uint64(min(r.growth.at(a.N-2), sim.MaxTime-1))))
}
