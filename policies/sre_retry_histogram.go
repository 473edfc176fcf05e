package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// SRERetryHistogram tells callers not to retry while much of what arrives are retries.
type SRERetryHistogram struct {
	Share  unit.Ratio `yaml:"share" doc:"Share of retries above which it says so; 0 to below 1."`
	Window sim.Time   `yaml:"window" doc:"How long arrivals are remembered; 1 ms to 1 h."`
	Least  int        `yaml:"least" scale:"s" doc:"Arrivals in the window below which it is silent."`
}

var _ = builtin(Spec{
	Name: "sre_retry_histogram",
	Doc: "Counts the try numbers of what arrives, and while more than `share` of the arrivals of " +
		"the last `window` are retries, makes every rejection of its tier, whoever decides it, " +
		"say not to retry. It turns nobody away itself. It is the histogram of attempts of the " +
		"Google SRE book, where a backend answers \"overloaded; don't retry\" once other backends " +
		"are likely to be overloaded too; the book publishes neither window nor threshold, so " +
		"those are this program's. It must stand before the policies that refuse, or it does not " +
		"count what they turn away. It helps as far as callers obey, and only the layer directly " +
		"above should retry. The same chapter's limit of three tries is max_attempts, its budget " +
		"of 10 % per client ratio_budget, its throttling adaptive_throttle, kept apart by " +
		"key: priority.",
	Example:  "{share: 10%, window: 10s}",
	Source:   "Google SRE book, chapter 21, Handling Overload",
	Sure:     FromDocument,
	Callee:   true,
	Stateful: true,
}, SRERetryHistogram{
	// Callers who keep to the book's budget send one retry for ten requests, 9.1 % of what
	// arrives: more means that somebody does not. Below twenty arrivals two retries are a share of
	// 10 %, which is no sign of anything.
	Share: 0.10, Window: 10 * sim.Second, Least: 20,
}, func(s SRERetryHistogram) []error {
	var errs []error
	if share := float64(s.Share); !(share >= 0 && share < 1) {
		errs = append(errs, fmt.Errorf("share: %v; 0 to below 1, where 10%% is 0.1", share))
	}
	if s.Window < sim.Millisecond || s.Window > sim.Hour {
		errs = append(errs, fmt.Errorf("window: %s; 1ms to 1h", unit.FormatDuration(s.Window)))
	}
	if s.Least < 0 || s.Least > 1e9 {
		errs = append(errs, fmt.Errorf("least: %d arrivals; 0 to 1e9", s.Least))
	}
	return errs
}, func(s SRERetryHistogram) func() Policy {
	return func() Policy {
		h := &retryHistogram{SRERetryHistogram: &s}
		return Policy{Admission: h, Answerer: h}
	}
})

const histogramSlots = 100

// retryHistogram keeps arrivals as what is earned and the retries among them as what is spent.
type retryHistogram struct {
	*SRERetryHistogram
	tally tally
}

func (h *retryHistogram) Enter(now sim.Time, a *Attempt) bool {
	slot := h.roll(now)
	h.tally.earn(slot)
	if a.N > 1 {
		h.tally.spend(slot)
	}
	return true
}

func (h *retryHistogram) Answer(now sim.Time, _ *Attempt, o Outcome) Outcome {
	h.roll(now)
	if h.many() {
		o.RetryAfter = DontRetry
	}
	return o
}

// many tells whether many of the arrivals are retries.
func (h *retryHistogram) many() bool {
	arrivals := h.tally.earned
	return arrivals >= int64(h.Least) &&
		float64(h.tally.spent) > float64(h.Share)*float64(arrivals)
}

func (h *retryHistogram) roll(now sim.Time) int64 {
	slot := int64(now / (h.Window / histogramSlots))
	h.tally.roll(slot, histogramSlots, 0)
	return slot
}
