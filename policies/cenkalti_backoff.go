package policies

import "cascadesim/sim"

// CenkaltiBackoff is Retry of cenkalti/backoff v5 with its exponential back-off.
type CenkaltiBackoff struct {
	InitialInterval sim.Time `yaml:"initial_interval" doc:"The first wait, before jitter."`
	Multiplier      float64  `yaml:"multiplier" doc:"Growth from a wait to the next."`
	Randomization   float64  `yaml:"randomization_factor" doc:"Share to either side; 0 to 1."`
	MaxInterval     sim.Time `yaml:"max_interval" doc:"Longest wait, before jitter."`
	MaxElapsedTime  sim.Time `yaml:"max_elapsed_time" doc:"How long it tries; none for ever."`
	MaxTries        int      `yaml:"max_tries" doc:"Tries of one call; 0 for any number."`
	Permanent       []int    `yaml:"permanent" doc:"Error statuses that the caller calls permanent."`
	RetryAfterError bool     `yaml:"retry_after_error" doc:"The caller passes a Retry-After on."`
}

var _ = builtin(Spec{
	Name: "cenkalti_backoff",
	Doc: "Retries as Retry of cenkalti/backoff v5 does: every failure that the caller does not call " +
		"permanent, what a breaker around the try refuses too, as often as time allows. The wait is " +
		"the interval * U(1 - r, 1 + r), and the interval grows by the multiplier up to max_interval " +
		"before chance, so that a wait may be half as long again. It gives up when the time since the " +
		"call began, all tries included, and the next wait together exceed max_elapsed_time. With " +
		"retry_after_error the wait that an answer asks for replaces the next, and the interval starts " +
		"anew. By default there are 15 minutes of retries: a call that nobody waits for any longer " +
		"still loads the callee. A wait of 0 is 1 ns here.",
	Example: "{initial_interval: 500ms, max_elapsed_time: 15m}",
	Source:  "cenkalti/backoff v5.0.3, retry.go and exponential.go",
	Sure:    FromSource,
	Judges:  true,
	Bounds:  true,
	Paces:   true,
	Notes:   true,
}, CenkaltiBackoff{
	// NewExponentialBackOff and DefaultMaxElapsedTime.
	InitialInterval: 500 * sim.Millisecond, Multiplier: 1.5, Randomization: 0.5,
	MaxInterval: sim.Minute, MaxElapsedTime: 15 * sim.Minute, Permanent: []int{},
}, func(s CenkaltiBackoff) (errs []error) {
	b := (*bounds)(&errs)
	b.length("initial_interval", s.InitialInterval, 1)
	b.multiplier("multiplier", s.Multiplier)
	b.number("randomization_factor", s.Randomization, 0, 1)
	b.length("max_interval", s.MaxInterval, 1)
	b.limit("max_elapsed_time", s.MaxElapsedTime, 1)
	b.count("max_tries", s.MaxTries, 0)
	b.statuses("permanent", s.Permanent)
	return errs
}, func(s CenkaltiBackoff) func() Policy {
	r := &cenkalti{CenkaltiBackoff: s, permanent: newStatusSet(s.Permanent)}
	r.growth = newGrowth(s.InitialInterval, func(t sim.Time) sim.Time {
		if float64(t) >= float64(s.MaxInterval)/s.Multiplier {
			return s.MaxInterval
		}
		return times(t, s.Multiplier)
	})
	p := Policy{Condition: r, Pacer: r}
	return func() Policy { return p }
})

// cenkalti holds nothing that changes but in the note of the call: the wait that was decided, and
// how many waits there were since the interval started anew.
type cenkalti struct {
	CenkaltiBackoff
	growth    growth
	permanent statusSet
}

// Retryable draws the wait, because the time that is left decides with it.
func (r *cenkalti) Retryable(now sim.Time, a *Attempt, o Outcome) bool {
	if o.answered() && r.permanent.has(o.Status) || r.MaxTries > 0 && a.N >= r.MaxTries {
		return false
	}
	_, step := planned(*a.Note)
	wait := r.interval(int(step), a.Chance.Float64())
	step++
	if r.RetryAfterError && o.hinted() {
		wait, step = o.hint(), 0
	}
	plan(a.Note, max(wait, 1), step)
	return now-a.Started+wait <= r.MaxElapsedTime
}

func (r *cenkalti) Wait(_ sim.Time, a *Attempt, _ Outcome) sim.Time {
	wait, _ := planned(*a.Note)
	return wait
}

// interval is the wait of a step, from 0, with the draw in [0, 1).
func (r *cenkalti) interval(step int, draw float64) sim.Time {
	t := r.growth.at(step)
	if r.Randomization == 0 {
		return t
	}
	delta := float64(r.Randomization * float64(t))
	least, most := float64(t)-delta, float64(t)+delta
	return sim.Time(min(least+float64(draw*(most-least+1)), float64(sim.MaxTime)))
}
