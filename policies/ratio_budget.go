package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// RatioBudget keeps retries below a share of the traffic in a sliding window. Ratio is counted in
// whole millionths of a retry.
type RatioBudget struct {
	Ratio  unit.Ratio `yaml:"ratio" doc:"Retries earned by each original or success; 0 to 100."`
	Window sim.Time   `yaml:"window" doc:"How long traffic is remembered; 1 ms to 1 h."`
	Of     string     `yaml:"of" enum:"originals|successes" doc:"What earns retries."`
	Min    unit.Rate  `yaml:"min_per_s" scale:"s" doc:"Retries granted whatever was earned."`
}

var _ = builtin(Spec{
	Name: "ratio_budget",
	Doc: "Grants a retry while the retries of the last `window`, this one included, are at most " +
		"ratio * (what earned in that window) + min_per_s * window. What earns is every first try " +
		"as it is offered, or with of: successes every attempt answered well. The bound holds " +
		"exactly at each grant, for the window that ends with it; a window that ends later, after " +
		"traffic has fallen, may hold retries whose originals have left it. The window is cut " +
		"into 100 slots and the slot that it cuts through is held against the caller, so a budget " +
		"that binds grants about 1 % less than its ratio (0.198 for 0.2) and never more. A state " +
		"opens with nothing but min_per_s * window, like Finagle's reserve, which a caller who " +
		"has been quiet for a window may spend at once. It follows the definition of the Google " +
		"SRE book, chapter 21 (retries below 10 % of a client's requests), and with " +
		"{ratio: 20%, min_per_s: 10/s} Finagle's RetryBudget without the quirks of its ring.",
	Example:  "{ratio: 10%, window: 10s}",
	Source:   "Google SRE book, chapter 21, Handling Overload",
	Sure:     FromDocument,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Bounds:   true,
	Spends:   true,
	Stateful: true,
}, RatioBudget{
	// 10 % of requests is the SRE book's; a window of 10 s is Finagle's and Linkerd's ttl.
	Ratio: 0.10, Window: 10 * sim.Second, Of: "originals", Min: 0,
}, checkRatioBudget, func(s RatioBudget) func() Policy {
	t := &ratioTerms{
		ratio:     micros(float64(s.Ratio)),
		floor:     micros(float64(s.Min) * s.Window.Seconds()),
		slot:      s.Window / ratioSlots,
		originals: s.Of == "originals",
	}
	return func() Policy {
		b := &ratioBudget{terms: t}
		p := Policy{Gate: b, Level: b.level, PassesFirst: true}
		if !t.originals {
			p.Observer = b
		}
		return p
	}
})

func checkRatioBudget(s RatioBudget) []error {
	errs := checkRatio(float64(s.Ratio))
	if s.Window < sim.Millisecond || s.Window > sim.Hour || s.Window%sim.Microsecond != 0 {
		errs = append(errs, fmt.Errorf("window: %s; 1ms to 1h in whole microseconds",
			unit.FormatDuration(s.Window)))
	}
	if m := float64(s.Min); !(m >= 0 && m <= 1e6) {
		errs = append(errs, fmt.Errorf("min_per_s: %s; 0/s to 1M/s", s.Min))
	}
	return errs
}

// ratioSlots cuts the window. Earnings count from the slots that lie wholly in the window and
// spendings also from the one that its start cuts through, so both err to the safe side:
//
//	      |<------------- window ------------->|
//	[-----+---][---------][---------][---------+   ]
//	  spent     earned and spent               now
const ratioSlots = 100

type ratioTerms struct {
	ratio     int64 // millionths of a retry that one original or success earns
	floor     int64 // millionths of retries that need not be earned, per window
	slot      sim.Time
	originals bool
}

// ratioBudget is 48 bytes and 16 for each slot in which something happened, at most 2 KiB.
type ratioBudget struct {
	terms *ratioTerms
	tally tally
}

func (b *ratioBudget) Admit(now sim.Time, a *Attempt) bool {
	slot := b.roll(now)
	if a.N == 1 {
		if b.terms.originals {
			b.tally.earn(slot)
		}
		return true
	}
	if (b.tally.spent+1)*micro > b.allowed() {
		return false
	}
	b.tally.spend(slot)
	return true
}

func (b *ratioBudget) Observe(now sim.Time, _ *Attempt, o Outcome) {
	if o.Class == OK {
		b.tally.earn(b.roll(now))
	}
}

func (b *ratioBudget) roll(now sim.Time) int64 {
	slot := int64(now / b.terms.slot)
	b.tally.roll(slot, ratioSlots, 1)
	return slot
}

// allowed is how many retries the window may hold, in millionths.
func (b *ratioBudget) allowed() int64 { return b.terms.ratio*b.tally.earned + b.terms.floor }

func (b *ratioBudget) level(now sim.Time) float64 {
	b.roll(now)
	allowed := b.allowed()
	if allowed == 0 {
		return 0
	}
	return max(0, 1-float64(b.tally.spent*micro)/float64(allowed))
}
