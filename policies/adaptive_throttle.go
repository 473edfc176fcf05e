package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// AdaptiveThrottle makes a caller hold back by itself what its callee would turn away.
type AdaptiveThrottle struct {
	K       float64  `yaml:"k" doc:"Attempts let through per accepted one; 1 to 100."`
	Window  sim.Time `yaml:"window" doc:"How long attempts are remembered; 1 ms to 1 h."`
	Accepts string   `yaml:"accepts" enum:"answered|ok" doc:"Which outcomes count as accepted."`
}

var _ = builtin(Spec{
	Name: "adaptive_throttle",
	Doc: "Refuses an attempt, first tries too, with probability max(0, (requests - k * accepts) / " +
		"(requests + 1)) over the last `window`. It is the client-side throttling of the Google SRE " +
		"book, chapter 21. Requests are the attempts it was asked about, counted when asked, those it " +
		"refuses included; accepts are attempts that the callee took on, counted when the answer " +
		"arrives. accepts: answered counts ok and error, for the book excludes only what was rejected " +
		"for overload; accepts: ok counts ok alone, for callees that report overload as an error. What " +
		"is given up was not accepted, as far as its caller knows. In steady overload the callee gets " +
		"about k times what it accepts, and a dead one still gets a trickle of probes. The window is " +
		"cut into 120 slots, seconds at its default. The chance is drawn whatever its value, so that " +
		"comparing two values of k changes no other draw. The book keeps a state for each criticality: " +
		"key: priority does.",
	Example:  "{k: 2, window: 2m}",
	Source:   "Google SRE book, chapter 21, Handling Overload",
	Sure:     FromDocument,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, AdaptiveThrottle{
	// Both are the book's: k of 2 lets the callee's recovery be seen quickly.
	K: 2, Window: 2 * sim.Minute, Accepts: "answered",
}, func(s AdaptiveThrottle) []error {
	var errs []error
	if !(s.K >= 1 && s.K <= 100) {
		errs = append(errs, fmt.Errorf("k: %v; 1 to 100 (below 1 a healthy callee would starve)",
			s.K))
	}
	if s.Window < sim.Millisecond || s.Window > sim.Hour {
		errs = append(errs, fmt.Errorf("window: %s; 1ms to 1h", unit.FormatDuration(s.Window)))
	}
	return errs
}, func(s AdaptiveThrottle) func() Policy {
	t := &throttleTerms{
		k: s.K, slot: s.Window / throttleSlots, errorsToo: s.Accepts == "answered",
	}
	return func() Policy {
		th := &adaptiveThrottle{terms: t}
		return Policy{Gate: th, Observer: th}
	}
})

const throttleSlots = 120

type throttleTerms struct {
	k         float64
	slot      sim.Time
	errorsToo bool
}

// adaptiveThrottle keeps accepts as what is earned and requests as what is spent.
type adaptiveThrottle struct {
	terms *throttleTerms
	tally tally
}

func (th *adaptiveThrottle) Admit(now sim.Time, a *Attempt) bool {
	slot := th.roll(now)
	refuse := a.Chance.Float64() < th.refusal()
	th.tally.spend(slot)
	return !refuse
}

// refusal is the probability of the next refusal. It may be negative, which no draw is below.
func (th *adaptiveThrottle) refusal() float64 {
	requests := float64(th.tally.spent)
	return (requests - float64(th.terms.k*float64(th.tally.earned))) / (requests + 1)
}

func (th *adaptiveThrottle) Observe(now sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK || o.Class == Error && th.terms.errorsToo {
		th.tally.earn(th.roll(now))
	}
}

func (th *adaptiveThrottle) roll(now sim.Time) int64 {
	slot := int64(now / th.terms.slot)
	th.tally.roll(slot, throttleSlots, 0)
	return slot
}
