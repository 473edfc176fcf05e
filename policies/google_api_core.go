package policies

import "cascadesim/sim"

// GoogleAPICore is Retry of google-api-core for Python.
type GoogleAPICore struct {
	Initial    sim.Time `yaml:"initial" doc:"Longest first wait."`
	Maximum    sim.Time `yaml:"maximum" doc:"Longest wait that growth reaches."`
	Multiplier float64  `yaml:"multiplier" doc:"Growth of the longest wait."`
	Timeout    sim.Time `yaml:"timeout" doc:"How long it tries; none for ever."`
}

var _ = builtin(Spec{
	Name: "google_api_core",
	Doc: "Retries as Retry of google-api-core for Python does with its predicate " +
		"if_transient_error: 500, 429, 503 and connections that fail or break; a response timeout is " +
		"not among them. The wait is U(0, longest), and the longest starts at `initial` and grows by " +
		"the multiplier up to `maximum`. It gives up when the next wait would end later than `timeout` " +
		"after the call began; there is no limit on tries. Retry-After is not read. A generated client " +
		"retries only where its configuration says so. A wait of 0 is 1 ns here.",
	Example: "{initial: 1s, maximum: 60s, multiplier: 2, timeout: 120s}",
	Source:  "google-api-core retry_base.py@f956bb25",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	Notes:   true,
}, GoogleAPICore{
	// The module's defaults.
	Initial: sim.Second, Maximum: sim.Minute, Multiplier: 2, Timeout: 120 * sim.Second,
}, func(s GoogleAPICore) (errs []error) {
	b := (*bounds)(&errs)
	b.length("initial", s.Initial, 1)
	b.length("maximum", s.Maximum, 1)
	b.multiplier("multiplier", s.Multiplier)
	b.limit("timeout", s.Timeout, 1)
	return errs
}, func(s GoogleAPICore) func() Policy {
	r := &apiCore{timeout: s.Timeout}
	r.growth = newGrowth(min(s.Initial, s.Maximum), func(t sim.Time) sim.Time {
		return min(times(t, s.Multiplier), s.Maximum)
	})
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// apiCore holds nothing that changes but in the note of the call.
type apiCore struct {
	growth  growth
	timeout sim.Time
}

// Retryable draws the wait, because the time that is left decides with it.
func (r *apiCore) Retryable(now sim.Time, a *Attempt, o Outcome) bool {
	if !o.is(500, 429, 503) && !o.unsent() && !o.reset() {
		return false
	}
	wait := times(r.growth.at(a.N-1), a.Chance.Float64())
	plan(a.Note, max(wait, 1), 0)
	return now-a.Started+wait <= r.timeout
}

func (r *apiCore) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	wait, _ := planned(*a.Note)
	return wait
}
