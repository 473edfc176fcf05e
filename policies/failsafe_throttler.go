package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// FailsafeThrottler holds a caller back by the share of its attempts that failed.
type FailsafeThrottler struct {
	Threshold  float64  `yaml:"failure_rate_threshold" doc:"Share of failures let be; to below 1."`
	Executions int      `yaml:"execution_threshold" doc:"Attempts in the period that it needs."`
	Period     sim.Time `yaml:"thresholding_period" doc:"How long attempts count; 1 ms to 1 h."`
	Most       float64  `yaml:"max_rejection_rate" doc:"Highest share it refuses; 0 to 1."`
}

var _ = builtin(Spec{
	Name: "failsafe_throttler",
	Doc: "Refuses an attempt, first tries too, with probability min(max_rejection_rate, max(0, " +
		"executions - successes / (1 - failure_rate_threshold)) / (executions + 1)), over 20 " +
		"buckets " +
		"of thresholding_period. It is the adaptive throttler of failsafe-go: the formula of the " +
		"Google SRE book with k = 1/(1 - failure_rate_threshold), but executions are counted " +
		"as they " +
		"end and what it refuses is not counted, so a dead callee still gets a tenth. Every " +
		"outcome " +
		"but ok is a failure, also that of a copy that was given up because another was " +
		"faster: the " +
		"library sees the error of its context, and what a later policy of the stack refuses. " +
		"Buckets grow old only when an attempt ends: a caller " +
		"that comes back after a pause is judged by what was before it.",
	Example:  "{failure_rate_threshold: 0.1, thresholding_period: 1m}",
	Source:   "failsafe-go v0.9.8, adaptivethrottler/adaptivethrottler.go",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, FailsafeThrottler{
	// All are the library's.
	Threshold: 0.1, Period: sim.Minute, Most: 0.9,
}, func(s FailsafeThrottler) []error {
	var errs []error
	if !(s.Threshold >= 0 && s.Threshold < 1) {
		errs = append(errs, fmt.Errorf("failure_rate_threshold: %v; 0 to below 1", s.Threshold))
	}
	if s.Executions < 0 || s.Executions > 1e9 {
		errs = append(errs, fmt.Errorf("execution_threshold: %d attempts; 0 to 1e9", s.Executions))
	}
	if s.Period < sim.Millisecond || s.Period > sim.Hour {
		errs = append(errs, fmt.Errorf("thresholding_period: %s; 1ms to 1h",
			unit.FormatDuration(s.Period)))
	}
	if !(s.Most >= 0 && s.Most <= 1) {
		errs = append(errs, fmt.Errorf("max_rejection_rate: %v; 0 to 1", s.Most))
	}
	return errs
}, func(s FailsafeThrottler) func() Policy {
	return func() Policy {
		f := &failsafeThrottler{FailsafeThrottler: &s}
		return Policy{Gate: f, Wrapper: f, Observer: f}
	}
})

const failsafeBuckets = 20

// failsafeThrottler keeps successes as what is earned and executions as what is spent.
type failsafeThrottler struct {
	*FailsafeThrottler
	tally tally
}

func (f *failsafeThrottler) Admit(_ sim.Time, a *Attempt) bool {
	draw, rate := a.Chance.Float64(), f.rate()
	return rate == 0 || rate < draw
}

// rate is the probability of the next refusal.
func (f *failsafeThrottler) rate() float64 {
	if f.tally.spent < int64(f.Executions) {
		return 0
	}
	executions := float64(f.tally.spent)
	allowed := float64(f.tally.earned) / (1 - f.Threshold)
	return min(max(0, executions-allowed)/(executions+1), f.Most)
}

func (f *failsafeThrottler) Observe(now sim.Time, _ *Attempt, o Outcome) {
	slot := int64(now / (f.Period / failsafeBuckets))
	f.tally.roll(slot, failsafeBuckets, 0)
	f.tally.spend(slot)
	if o.Class == OK {
		f.tally.earn(slot)
	}
}

// Unsent: the error of a policy within it is a failure like others.
func (f *failsafeThrottler) Unsent(now sim.Time, a *Attempt, o Outcome) { f.Observe(now, a, o) }
