package policies

import (
	"fmt"

	"cascadesim/sim"
	"cascadesim/sim/unit"
)

// AegisSRE holds a caller back by the share of its attempts that failed for the callee's fault.
type AegisSRE struct {
	Success float64  `yaml:"success" doc:"Share of successes that is enough; above 0 to 1."`
	Request int      `yaml:"request" doc:"Attempts in the window below which nothing is refused."`
	Window  sim.Time `yaml:"window" doc:"How long attempts count; 1 ms to 1 h."`
	Bucket  int      `yaml:"bucket" doc:"Buckets that the window is cut into; 1 to 1000."`
}

var _ = builtin(Spec{
	Name: "aegis_sre",
	Doc: "Refuses an attempt, first tries too, with probability (total - k * successes) / (total + " +
		"1), k = 1/success, over the last `window`, unless total is below `request` or below k * " +
		"successes. It is the breaker sre of go-kratos/aegis as the middleware of kratos uses it: " +
		"attempts are counted as they end, those it refuses as failures at once, and 500, 503, 504 and " +
		"no answer in time or at all are failures, while every other status is a success, and so is " +
		"over gRPC the 499 of an attempt that is given up because its caller has gone or another " +
		"copy was faster. Of the Google SRE book it differs in when it counts, in its short window " +
		"and in its floor, so that a caller of less than request/window per second is never held back. " +
		"What a later policy of the stack refuses is a failure, as kratos's own 503 are.",
	Example:  "{success: 0.6, request: 100, window: 3s}",
	Source:   "go-kratos/aegis v0.2.0, circuitbreaker/sre; kratos v2, middleware/circuitbreaker",
	Sure:     FromSource,
	Gates:    true,
	Observes: true,
	Refuses:  true,
	Stateful: true,
	AtSend:   true,
}, AegisSRE{
	// All are the library's.
	Success: 0.6, Request: 100, Window: 3 * sim.Second, Bucket: 10,
}, func(s AegisSRE) []error {
	var errs []error
	if !(s.Success > 0 && s.Success <= 1) {
		errs = append(errs, fmt.Errorf("success: %v; above 0 to 1", s.Success))
	}
	if s.Request < 0 || s.Request > 1e9 {
		errs = append(errs, fmt.Errorf("request: %d attempts; 0 to 1e9", s.Request))
	}
	if s.Window < sim.Millisecond || s.Window > sim.Hour {
		errs = append(errs, fmt.Errorf("window: %s; 1ms to 1h", unit.FormatDuration(s.Window)))
	}
	if s.Bucket < 1 || s.Bucket > 1000 {
		errs = append(errs, fmt.Errorf("bucket: %d; 1 to 1000", s.Bucket))
	}
	return errs
}, func(s AegisSRE) func() Policy {
	return func() Policy {
		b := &aegisSRE{AegisSRE: &s, k: 1 / s.Success}
		return Policy{Gate: b, Wrapper: b, Observer: b}
	}
})

// aegisSRE keeps successes as what is earned and everything as what is spent.
type aegisSRE struct {
	*AegisSRE
	k     float64
	tally tally
}

func (b *aegisSRE) Admit(now sim.Time, a *Attempt) bool {
	slot := b.roll(now)
	draw := a.Chance.Float64()
	if draw < b.refusal() {
		b.tally.spend(slot)
		return false
	}
	return true
}

// refusal is the probability of the next refusal.
func (b *aegisSRE) refusal() float64 {
	total, enough := float64(b.tally.spent), float64(b.k*float64(b.tally.earned))
	if b.tally.spent < int64(b.Request) || total < enough {
		return 0
	}
	return max(0, (total-enough)/(total+1))
}

func (b *aegisSRE) Observe(now sim.Time, _ *Attempt, o Outcome) {
	slot := b.roll(now)
	b.tally.spend(slot)
	if o.letGo() || o.answered() && !o.is(500, 503, 504) {
		b.tally.earn(slot)
	}
}

// Unsent: what a middleware within it refuses is an error, of 503 if it is one of kratos.
func (b *aegisSRE) Unsent(now sim.Time, a *Attempt, o Outcome) { b.Observe(now, a, o) }

func (b *aegisSRE) roll(now sim.Time) int64 {
	slot := int64(now / (b.Window / sim.Time(b.Bucket)))
	b.tally.roll(slot, int64(b.Bucket), 0)
	return slot
}
